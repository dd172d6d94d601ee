"""The folder of a run is removed while it is played."""

from pathlib import Path

import pytest

from support.commands import run_eval
from support.plugins import install_models
from support.task_files import write_corridors

MODELS = """
import shutil
import time
from pathlib import Path

from gridworld.model_interface import ModelInterface, ModelOutput


class Remover(ModelInterface):
    '''Walks, and removes a folder at step 3.'''

    model_name = "remover"

    def __init__(self, folder: Path):
        self.folder = folder

    def predict(self, input):
        if input.step_number == 3:
            shutil.rmtree(self.folder, ignore_errors=True)
            time.sleep(0.2)
        return ModelOutput(action=2)
"""


def test_a_run_whose_folder_is_removed_says_so_and_offers_nothing_to_go_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_models(monkeypatch, tmp_path / "folders", MODELS, {"remover": "Remover"})
    tasks, run = write_corridors(tmp_path / "tasks", 5, 5), tmp_path / "run"
    options = ("-B", "render_mode=none", "--task-dir", tasks, "--run-dir", run, "-o", tmp_path / "results.json")
    finished = run_eval("-m", "remover", "-M", f"folder={run}", *options)
    assert finished.exit_code == 1
    assert f"error: the run's folder is gone: {run} was removed while it was played" in finished.stderr
    assert "taken over" not in finished.stderr
    assert str(run) not in finished.stderr.replace(f"is gone: {run} was", "")
    assert "recorded in" not in finished.stdout + finished.stderr
    assert (tmp_path / "results.json").exists()
