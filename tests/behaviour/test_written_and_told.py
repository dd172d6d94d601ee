"""Events of a run are recorded at once, reported to observers in order, and read back unchanged."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.commands import Finished, multinet, run_eval
from support.model_servers import ChatServer, Raw, failed, model_arguments, said
from support.plugins import install_models, write_distribution
from support.run_folders import lines_of, play_corridor, results_of, untimed
from support.task_files import write_corridors
from support.thoroughness import first_by_default

STEPS = 4
MODELS = """
import time
from pathlib import Path

from gridworld.model_interface import ModelInterface, ModelOutput, Usage


class Reader(ModelInterface):
    '''Walks, and writes down the number of recorded lines at each question.'''

    model_name = "reader"

    def __init__(self, run: Path, notes: Path, tokens: int = 0, seconds: float = 0.0):
        self.run, self.notes, self.tokens, self.seconds = run, notes, tokens, seconds

    def predict(self, input):
        lines = sum(path.read_bytes().count(b"\\n") for path in (self.run / "episodes").iterdir())
        with self.notes.open("a") as notes:
            notes.write(f"{lines}" + chr(10))
        time.sleep(self.seconds)
        return ModelOutput(2, usage=Usage(prompt_tokens=self.tokens) if self.tokens else None)
"""


def kinds_in(run: Path) -> list[str]:
    return [next(iter(line)) for line in lines_of(run, 0)]


# --- when events are recorded ----------------------------------------------------------------------------------------


def test_what_was_answered_is_written_before_anything_else_is_asked(tmp_path: Path) -> None:
    found: list[list[str]] = []
    replies = (said("move_forward"), said(text="no idea"), failed(503, "busy", Retry_After="0"))

    def answer(body: dict[str, Any], number: int) -> Raw:
        found.append(kinds_in(tmp_path / "run"))
        return replies[number] if number < len(replies) else said("move_forward")

    with ChatServer(answer) as server:
        finished = play_corridor(tmp_path, server)
    assert finished.exit_code == 0, finished.stderr
    written = ["header", "request", "step", "request", "fault", "request", "step", "request", "step", "request", "step"]
    assert found == [written[:count] for count in (1, 3, 4, 5, 7, 9)]
    assert kinds_in(tmp_path / "run") == [*written, "end"]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Finished]:
    """Plays a corridor with the model of `MODELS`, recorded in ``run``."""
    install_models(monkeypatch, tmp_path / "readers", MODELS, {"reader": "Reader"})
    tasks = write_corridors(tmp_path / "tasks", STEPS)

    def play(*arguments: str) -> Finished:
        given = (f"run={tmp_path / 'run'}", f"notes={tmp_path / 'notes'}", *arguments)
        model = (each for argument in given for each in ("-M", argument))
        how = ("-B", "render_mode=none", "--run-dir", tmp_path / "run")
        return run_eval("-m", "reader", *model, "--task-dir", tasks, *how)

    return play


@pytest.mark.parametrize(
    ("arguments", "synced"),
    [((), False), (("tokens=1",), True), (("seconds=0.3",), True)],
    ids=["free and quick", "paid for", "free and slow"],
)
def test_a_step_is_written_before_the_next_is_asked_for_and_a_dear_episode_synced_at_its_end(
    read: Callable[..., Finished],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    synced: bool,
) -> None:
    sizes: dict[int, int] = {}

    def fsync(descriptor: int) -> None:
        told = os.fstat(descriptor)
        sizes[told.st_ino] = told.st_size

    monkeypatch.setattr(os, "fsync", fsync)
    assert read(*arguments).exit_code == 0
    noted = [int(line) for line in (tmp_path / "notes").read_text().splitlines()]
    assert noted == [1 + 2 * step for step in range(STEPS)]
    told = (tmp_path / "run" / "episodes" / "0.jsonl").stat()
    assert sizes.get(told.st_ino) == (told.st_size if synced else None)


def test_a_run_without_a_record_comes_to_the_same(tmp_path: Path) -> None:
    with ChatServer(lambda body, number: said("move_forward")) as server:
        assert play_corridor(tmp_path, server).exit_code == 0
        options = ("--observation", "text", "--no-record", "-o", tmp_path / "alone.json")
        alone = run_eval(*model_arguments(server.url), "--task-dir", tmp_path / "tasks", *options)
    assert alone.exit_code == 0, alone.stderr
    assert untimed(json.loads((tmp_path / "alone.json").read_text())) == results_of(tmp_path / "run")


REFUSED = {
    "response_format": failed(500, "Failed to initialize samplers: failed to parse grammar"),
    "temperature": failed(400, "Unsupported parameter: 'temperature'"),
}


def test_the_order_in_which_a_server_refuses_parts_of_requests_does_not_show(tmp_path: Path) -> None:
    found = []
    for name, order in (("one", list(REFUSED)), ("other", list(REFUSED)[::-1])):

        def answer(body: dict[str, Any], number: int, order: list[str] = order) -> Raw:
            refused = next((part for part in order if part in body), None)
            return REFUSED[refused] if refused else said(text="Action: move_forward")

        (tmp_path / name).mkdir()
        with ChatServer(answer) as server:
            finished = play_corridor(tmp_path / name, server)
        assert finished.exit_code == 0, finished.stderr
        found.append(results_of(tmp_path / name / "run")["adjustments"])
    assert found[0] == found[1]
    assert {each["argument"] for each in found[0]} == {"structured=false", "temperature=none"}


# --- what is recorded ------------------------------------------------------------------------------------------------


def test_a_scene_is_kept_once_for_all_repetitions_of_a_task(tmp_path: Path) -> None:
    with ChatServer(lambda body, number: said("move_forward")) as server:
        assert play_corridor(tmp_path, server, "--epochs", 3).exit_code == 0
    run = tmp_path / "run"
    (scene,) = (run / "scenes").iterdir()
    assert [lines_of(run, number)[0]["header"]["scene"] for number in range(3)] == [scene.stem] * 3


STRANGE = ['say "yes"\\', "two\nlines\r\n", "\x00\x1b[31m", "\ud800", "ä 🌍 \u2028", "}" * 9, '{"step":{}}']


@first_by_default("text", STRANGE, ids=ascii)
def test_whatever_a_model_says_is_one_line_that_is_read_back(tmp_path: Path, text: str) -> None:
    with ChatServer(lambda body, number: said("move_forward", reasoning=text)) as server:
        assert play_corridor(tmp_path, server).exit_code == 0
    run = tmp_path / "run"
    requests = [line["request"] for line in lines_of(run, 0) if "request" in line]
    assert [json.loads(each["raw_output"])["reasoning"] for each in requests] == [text] * STEPS
    assert kinds_in(run) == ["header", *["request", "step"] * STEPS, "end"]
    for words in (("runs", "verify"), ("runs", "rescore"), ("runs", "show", "--episodes"), ("leaderboard",)):
        finished = multinet(*words, run)
        assert (finished.exit_code, "Traceback" in finished.stderr) == (0, False), finished.stderr
    finished = multinet("report", run, "-o", tmp_path / "page.html")
    assert (finished.exit_code, finished.stderr) == (0, "")


# --- observers -------------------------------------------------------------------------------------------------------

METHODS = ("run_started", "episode_started", "request_made", "step_taken", "episode_finished", "run_finished")
OBSERVERS = """
import json
from pathlib import Path

from gridworld.hookspecs import ObserverInfo, hookimpl
from multinet_eval.play.observers import RunObserver


@hookimpl
def gridworld_observers():
    return [ObserverInfo(name, "Notes.", "noting_observers:Noting") for name in ("noting", "other")] + [
        ObserverInfo("raising", "Raises.", "noting_observers:Raising")
    ]


class Noting(RunObserver):
    '''Notes its notifications.'''

    def __init__(self, notes: Path):
        self.notes = notes

    def note(self, method, *what):
        with self.notes.open("a") as notes:
            notes.write(json.dumps([method, *what]) + chr(10))

    def run_started(self, run):
        self.note("run_started", run.episodes, len(run.finished), run.spent.requests)

    def episode_started(self, episode, header):
        self.note("episode_started", episode.number, header.task_id)

    def request_made(self, episode, request):
        self.note("request_made", episode.number, request.outcome, request.action)

    def paused(self, episode, pause):
        self.note("paused", episode.number, pause.step, pause.retry, pause.retries, pause.reason)

    def step_taken(self, episode, step, place):
        self.note("step_taken", episode.number, step.number, step.action, *place)

    def episode_finished(self, episode, result):
        self.note("episode_finished", episode.number, result.success)

    def run_finished(self, results, stopped):
        self.note("run_finished", len(results), stopped)


class Raising(Noting):
    '''Raises in one method.'''

    def __init__(self, notes: Path, method: str):
        super().__init__(notes)
        self.method = method

    def note(self, method, *what):
        super().note(method)
        if method == self.method:
            raise LookupError("no such tracker")
"""
REPLIES = ("move_forward", None, "move_forward", None, None, "turn_left", "turn_right", "move_forward")
"""Actions, and None for unparsable replies."""


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Finished]:
    """Plays two corridors with the observers ``noting``, ``other`` and ``raising`` installed."""
    files = {"noting_observers.py": OBSERVERS}
    write_distribution(tmp_path / "site", "noting", "1.0", {"noting": "noting_observers"}, files)
    monkeypatch.syspath_prepend(tmp_path / "site")
    tasks = write_corridors(tmp_path / "tasks", 2, 3)

    def play(run: Path, *options: object) -> Finished:
        def answer(body: dict[str, Any], number: int) -> Raw:
            if number == 1:
                return failed(503, "busy", Retry_After="0")
            action = REPLIES[number % len(REPLIES)]
            return said(action) if action else said(text="no idea")

        with ChatServer(answer) as server:
            text = ("--observation", "text")
            return run_eval(*model_arguments(server.url), *text, "--task-dir", tasks, "--run-dir", run, *options)

    return play


def told(notes: Path) -> list[list[Any]]:
    return [json.loads(line) for line in notes.read_text().splitlines()]


def as_told(run: Path, number: int) -> list[list[Any]]:
    """Notifications that correspond to the recorded lines of an episode, without places."""
    found: list[list[Any]] = []
    for line in lines_of(run, number):
        ((kind, what),) = line.items()
        if kind == "header":
            found.append(["episode_started", number, what["task_id"]])
        elif kind in ("request", "fault"):
            found.append(["request_made", number, what["outcome"], what.get("action")])
        elif kind == "step":
            found.append(["step_taken", number, what["number"], what.get("action")])
        elif kind == "end":
            found.append(["episode_finished", number, what["reason"] == "goal"])
    return found


@pytest.mark.parametrize(("patience", "retry"), [(60, [None, None]), (0, [1, 5])], ids=["not counted", "counted"])
def test_an_observer_is_told_in_order_what_is_written(
    watched: Callable[..., Finished], tmp_path: Path, patience: int, retry: list[int | None]
) -> None:
    run, notes = tmp_path / "run", tmp_path / "notes"
    option = ("--observer", "noting", "--observer-arg", f"noting.notes={notes}")
    finished = watched(run, *option, "--patience", patience)
    assert finished.exit_code == 0, finished.stderr
    first, *between, last = told(notes)
    assert (first, last) == (["run_started", 2, 0, 0], ["run_finished", 2, None])
    pauses = [each for each in between if each[0] == "paused"]
    assert [each[:5] for each in pauses] == [["paused", 0, 2, *retry]]
    assert "busy" in pauses[0][5]
    told_of = [each[:4] for each in between if each[0] != "paused"]
    assert told_of == [*as_told(run, 0), *as_told(run, 1)]
    places = [each[4:] for each in between if each[0] == "step_taken" and each[1] == 0]
    assert (places[0], places[-1]) == ([2, 1, 0], [3, 1, 0])


def test_of_an_episode_that_goes_on_no_step_is_told_again(watched: Callable[..., Finished], tmp_path: Path) -> None:
    run, notes = tmp_path / "run", tmp_path / "notes"
    option = ("--observer", "noting", "--observer-arg", f"noting.notes={notes}")
    assert watched(run, *option, "--max-requests", 4).exit_code == 1
    before = told(notes)
    assert before[-1] == ["run_finished", 1, "the limit of 4 requests is reached"]
    notes.unlink()
    with ChatServer(lambda body, number: said("move_forward")) as server:
        on = ("-M", f"base_url={server.url}", "--max-requests", "none")
        assert multinet("runs", "resume", run, *on, *option).exit_code == 0
    after = told(notes)
    assert after[:2] == [["run_started", 2, 1, 4], ["episode_started", 1, "corridor_1"]]
    steps = [(each[1], each[2]) for each in (*before, *after) if each[0] == "step_taken"]
    assert (
        len(steps)
        == len(set(steps))
        == sum(line == "step" for line in kinds_in(run)) + sum("step" in line for line in lines_of(run, 1))
    )


@first_by_default("method", METHODS)
def test_an_observer_that_raises_is_reported_once_and_dropped_and_the_run_is_the_same(
    watched: Callable[..., Finished], tmp_path: Path, method: str
) -> None:
    assert watched(tmp_path / "undisturbed").exit_code == 0
    names = {"noting": "before", "raising": "raising", "other": "after"}
    options: list[object] = ["--observer-arg", f"raising.method={method}"]
    for name, notes in names.items():
        options += ["--observer", name, "--observer-arg", f"{name}.notes={tmp_path / notes}"]
    finished = watched(tmp_path / "disturbed", *options)
    assert finished.exit_code == 0
    message = f"Raising' (noting/noting) failed in {method}: LookupError: no such tracker (noting_observers.py, line "
    assert finished.stderr.count(message) == finished.stderr.count("it receives no further events") == 1
    results = [results_of(tmp_path / name) for name in ("undisturbed", "disturbed")]
    assert results[0] == results[1]
    assert told(tmp_path / "before") == told(tmp_path / "after")
    assert told(tmp_path / "before")[-1][0] == "run_finished"
    raising = [each[0] for each in told(tmp_path / "raising")]
    assert raising.index(method) == len(raising) - 1
