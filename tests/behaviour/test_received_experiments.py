"""A received folder of an experiment leads to no run outside."""

from pathlib import Path

import pytest

from multinet_eval.record.record_folders import EXPERIMENT, record_text
from support.commands import multinet, run_eval
from support.task_files import write_corridors

NO_NAMES = ("../outside", "", ".", "a" * 5000, "a\0b", "a\nb", "con", "\ud800")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A run beside the experiment."""
    tasks = write_corridors(tmp_path / "tasks", 2)
    assert run_eval("--task-dir", tasks, "-m", "random", "--run-dir", tmp_path / "outside", "-q").exit_code == 0
    return tmp_path / "outside"


def received(folder: Path, run: str) -> Path:
    folder.mkdir()
    said = record_text({"runs": [{"folder": run, "condition": "one"}]}, EXPERIMENT)
    (folder / "experiment.json").write_text(said, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("run", "message"),
    [
        *(
            (name, "experiment.json is damaged: runs[0].folder: expected the name of a folder in it")
            for name in NO_NAMES
        ),
        ("run", "it is a link"),
    ],
)
def test_a_path_in_place_of_a_name_and_a_link_in_place_of_a_run_are_refused(
    outside: Path, tmp_path: Path, run: str, message: str
) -> None:
    experiment = received(tmp_path / "experiment", run)
    if run == "run":
        (experiment / run).symlink_to(outside)
    finished = multinet("report", experiment, "-o", tmp_path / "page.html")
    assert (finished.exit_code, (tmp_path / "page.html").exists()) == (1, False)
    assert message in finished.stderr
