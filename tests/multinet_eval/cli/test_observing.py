"""``--observer`` and ``--observer-arg``: observers of other distributions are told of a run."""

from pathlib import Path

import pytest

from support.commands import run
from support.plugins import write_distribution
from support.programs import Finished, assert_refused, output_of

PLUGIN = """
from gridworld.hookspecs import ObserverInfo, hookimpl


@hookimpl
def gridworld_observers():
    names = ("Noter", "Failing", "Unmade", "Stranger")
    return [ObserverInfo(name.lower(), "An observer.", "third_observers:" + name) for name in names]
"""

OBSERVERS = """
from pathlib import Path

from multinet_eval.play.observers import RunObserver


class Noter(RunObserver):
    '''Writes down what it is told.'''

    def __init__(self, notes: Path, prefix: str = ""):
        self.notes, self.prefix = notes, prefix

    def note(self, text):
        with self.notes.open("a") as notes:
            notes.write(self.prefix + text + chr(10))

    def run_started(self, run):
        self.note(f"start {len(run.finished)} of {run.episodes}")

    def episode_finished(self, episode, result):
        self.note(result.task_id)

    def run_finished(self, results, stopped):
        self.note(f"end {stopped}")


class Failing(RunObserver):
    '''Fails in the first step.'''

    def step_taken(self, episode, step, place):
        raise ConnectionError("the tracker is down")


class Unmade(RunObserver):
    '''Cannot be made.'''

    def __init__(self):
        raise ConnectionError("the tracker is down")


class Stranger:
    '''Is no observer.'''
"""


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a distribution of observers, to be put on the path."""
    folder = tmp_path_factory.mktemp("third-observers")
    files = {"third_observing.py": PLUGIN, "third_observers.py": OBSERVERS}
    write_distribution(folder, "third-observers", "1.0", {"observing": "third_observing"}, files)
    return folder


def evaluate(tasks: Path, watched: Path, *options: str | Path) -> Finished:
    return run("multinet-run-eval", "-m", "optimal", "--task-dir", tasks, *options, path=[watched])


def test_it_is_told_of_the_run_and_of_what_is_added_to_it(tasks: Path, watched: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    options = ("--observer", "noter", "--observer-arg", f"noter.notes={notes}", "--observer-arg", "noter.prefix=> ")
    began = evaluate(tasks, watched, "--max-requests", "2", "--run-dir", tmp_path / "run", *options)
    assert began.returncode == 1
    assert notes.read_text().splitlines() == [
        "> start 0 of 3", "> a_short", "> end the limit of 2 requests is reached",
    ]  # fmt: skip
    for command in (["resume", "--max-requests", "none"], ["resume", "--epochs", "2"]):
        notes.unlink()
        output_of(run("multinet", "runs", *command, tmp_path / "run", *options, path=[watched]))
    assert notes.read_text().splitlines() == [
        "> start 3 of 6", "> a_short", "> b_door", "> c_long", "> end None",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "told", "exit_code"),
    [
        (["--observer", "unmade"], "failed in constructor: ConnectionError: the tracker is down", 1),
        (["--observer", "stranger"], "failed in constructor: made a Stranger, expected a subclass of RunObserver", 1),
        (["--observer", "notr"], "unknown observer 'notr'", 2),
        (["--observer", "noter"], "observer 'noter' needs the argument notes", 2),
        (["--observer", "failing", "--observer", "failing"], "--observer failing is given twice", 2),
        (["--observer-arg", "noter.notes=x"], "no --observer 'noter'; chosen: none", 2),
        (["--observer", "failing", "--observer-arg", "faling.x=1"], "did you mean 'failing'?", 2),
        (["--observer", "failing", "--observer-arg", "failing.x=1"], "has no argument 'x'", 2),
        (["--observer", "failing", "--observer-arg", "x=1"], "expected NAME.KEY=VALUE, got 'x=1'", 2),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_played(
    options: list[str], told: str, exit_code: int, tasks: Path, watched: Path, tmp_path: Path
) -> None:
    finished = evaluate(tasks, watched, "--run-dir", tmp_path / "run", *options)
    assert_refused(finished, told, exit_code=exit_code)
    assert not (tmp_path / "run").exists()


def test_a_check_makes_observers_but_lets_them_follow_no_run(watched: Path) -> None:
    finished = run("multinet", "plugins", "check", "third-observers", path=[watched])
    assert finished.returncode == 1
    for told in (
        "1 passed, 2 failed, 0 undecided, 2 skipped",
        "making it raised ConnectionError: the tracker is down",
        "Stranger is no RunObserver",
        "skipped: noter, failing: it may need a server, a person or money",
    ):
        assert told in finished.stdout
    assert "raised AttributeError" not in finished.stdout
