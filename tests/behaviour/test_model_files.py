"""A run with a model made from files resumes only with the same content."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.commands import Finished, multinet, run_eval
from support.plugins import install_models
from support.run_folders import shown
from support.task_files import write_corridors

MODELS = """
from pathlib import Path

from gridworld.model_interface import ChatModel, ModelOutput, Text
from gridworld.model_interface.prompts import question, reply_of


class Weighted(ChatModel):
    '''Answers as a file, or the file ``weights`` in a folder, says, and writes notes while it plays.'''

    model_name = "weighted"
    samples = False

    def __init__(self, weights: str, notes: Path | None = None, label: str = ""):
        path = Path(weights)
        self.action = int((path / "weights" if path.is_dir() else path).read_text())
        self.notes = notes

    def prompt(self, input):
        return question(Text(f"Step {input.step_number}."))

    def send(self, prompt):
        if self.notes is not None:
            (self.notes / "asked").write_text(prompt.messages[0].text)
        return reply_of(str(self.action), sent=prompt)

    def read(self, reply, input):
        return ModelOutput(action=int(self.words(reply)))

    def words(self, reply):
        return reply.text
"""
FORWARD, DONE = "2", "6"
CHANGED = "result-affecting settings changed:\n  model.weights: "


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / "weights.txt"
    path.write_text(FORWARD)
    return path


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two corridors; the models of `MODELS` are installed, and the working directory is `tmp_path`."""
    install_models(monkeypatch, tmp_path / "files", MODELS, {"weighted": "Weighted"}, circumstances=("notes",))
    install_models(monkeypatch, tmp_path / "declared", MODELS, {"declared": "Weighted"}, files=("weights",))
    monkeypatch.chdir(tmp_path)
    return write_corridors(tmp_path / "tasks", 4, 4)


def begin(run: Path, tasks: Path, weights: Path, *options: object, model: str = "weighted") -> Finished:
    chosen = ("-m", model, "-M", f"weights={weights}", "-B", "render_mode=none", "--observation", "text")
    return run_eval(*chosen, "--task-dir", tasks, "--run-dir", run, *options)


def ways_on(run: Path) -> Iterator[Finished]:
    """Both ways to continue a run."""
    yield multinet("runs", "resume", run, "--max-requests", "none")
    yield multinet("runs", "resume", run, "--epochs", 2, "--max-requests", "none")


def recorded_weights(run: Path) -> Any:
    return shown(run)["fingerprint"]["model"].get("weights")


def test_a_run_goes_on_with_the_same_weights_alone(tmp_path: Path, tasks: Path, weights: Path) -> None:
    run = tmp_path / "run"
    begin(run, tasks, weights, "--max-requests", 3)
    digest = recorded_weights(run)
    weights.write_text(DONE)
    for finished in ways_on(run):
        assert finished.exit_code == 1
        assert f"{CHANGED}{digest} in the run, " in finished.stderr
        assert finished.stderr.endswith(" now\n")
    weights.write_text(FORWARD)
    assert [finished.exit_code for finished in ways_on(run)] == [0, 0]
    assert multinet("runs", "verify", run).exit_code == 0


def test_a_folder_of_weights_is_known_by_names_and_contents(tmp_path: Path, tasks: Path) -> None:
    folder, run = tmp_path / "model", tmp_path / "run"
    (folder / "inner").mkdir(parents=True)
    (folder / "weights").write_text(FORWARD)
    (folder / "inner" / "config").write_text("as it is")
    begin(run, tasks, folder, "--max-requests", 3)
    (folder / ".cached").write_text("of no account")
    shutil.move(folder / "inner" / "config", folder / "config")
    assert CHANGED in multinet("runs", "resume", run, "--max-requests", "none").stderr
    shutil.move(folder / "config", folder / "inner" / "config")
    (folder / "inner" / "config").write_text("as it isn't")
    assert CHANGED in multinet("runs", "resume", run, "--max-requests", "none").stderr
    (folder / "inner" / "config").write_text("as it is")
    assert multinet("runs", "resume", run, "--max-requests", "none").exit_code == 0


def test_a_file_that_is_declared_to_change_no_answer_may_change(tmp_path: Path, tasks: Path, weights: Path) -> None:
    notes, run = tmp_path / "notes", tmp_path / "run"
    notes.mkdir()
    begin(run, tasks, weights, "-M", f"notes={notes}", "--max-requests", 3)
    assert list(notes.iterdir())
    assert multinet("runs", "resume", run, "--max-requests", "none").exit_code == 0


def test_where_files_are_declared_no_other_argument_is_one(tmp_path: Path, tasks: Path, weights: Path) -> None:
    label, run = tmp_path / "label", tmp_path / "run"
    label.write_text("before")
    begin(run, tasks, weights, "-M", "label=label", "--max-requests", 3, model="declared")
    label.write_text("after")
    assert multinet("runs", "resume", run, "--max-requests", 5).exit_code == 1
    assert CHANGED not in multinet("runs", "resume", run, "--max-requests", 5).stderr
    weights.write_text(DONE)
    assert CHANGED in multinet("runs", "resume", run, "--max-requests", "none").stderr


def test_a_number_is_not_taken_for_a_file_of_that_name(tmp_path: Path, tasks: Path) -> None:
    (tmp_path / "3").write_text("not a seed")
    run = tmp_path / "run"
    run_eval(
        "-m",
        "random",
        "-M",
        "seed=3",
        "--task-dir",
        tasks,
        "--run-dir",
        run,
        "-B",
        "render_mode=none",
        "--observation",
        "text",
    )
    assert recorded_weights(run) is None


def test_actions_that_are_replayed_from_a_file_have_to_be_the_same(tmp_path: Path, tasks: Path) -> None:
    actions, run = tmp_path / "actions.txt", tmp_path / "run"
    actions.write_text("move_forward\n" * 8)
    chosen = ("-m", "replay", "-M", f"file={actions}", "-B", "render_mode=none", "--observation", "text")
    assert run_eval(*chosen, "--task-dir", tasks, "--run-dir", run).exit_code == 0
    actions.write_text("done\n" * 8)
    assert CHANGED in multinet("runs", "resume", run, "--epochs", 2).stderr


def test_answers_of_other_weights_are_not_taken_from_a_cache(tmp_path: Path, tasks: Path, weights: Path) -> None:
    options = ("--cache", tmp_path / "cache", "--json")
    first = json.loads(begin(tmp_path / "first", tasks, weights, *options).stdout)
    again = json.loads(begin(tmp_path / "again", tasks, weights, *options).stdout)
    assert (first["success_rate"], again["success_rate"]) == (1.0, 1.0)
    assert again["task_results"][0]["cached_requests"] == 4
    weights.write_text(DONE)
    other = json.loads(begin(tmp_path / "other", tasks, weights, *options).stdout)
    assert other["success_rate"] == 0.0
