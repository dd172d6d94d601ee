"""A run with a fault at any moment ends with a message, keeps its answers, and is resumed to its outcome."""

import json
import os
import random
import signal
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs
import pytest

from support.forked import Ended, Process, play, start
from support.model_servers import ModelServer, Schedule, model_arguments, wander, write_prompt
from support.plugins import write_distribution
from support.run_folders import Outcome, asked_of, assert_done, outcome_of, recorded_requests, shown
from support.system_calls import Trap

INTERRUPTED = 130
FAULT_COUNTS = ("requests", "failed_requests", "attempts")
"""Columns that count failures of a server or an episode."""
USAGE = ("prompt_tokens", "completion_tokens")
"""Columns of an episode that cover all attempts at it."""
WRITES = 90
"""Approximate number of writes of a run."""
QUESTIONS = 12
"""Minimum number of questions of a run."""
TASK: dict[str, Any] = {
    "difficulty_tier": 1,
    "maze": {"dimensions": [6, 4], "walls": [[2, 1]], "start": [1, 1], "goal": [4, 1]},
    "mechanisms": {"keys": [{"id": "key", "position": [1, 2], "color": "red"}]},
    "goal": {"type": "reach_position"},
}
OBSERVER = """
from gridworld.hookspecs import ObserverInfo, hookimpl
from multinet_eval.play.observers import RunObserver

@hookimpl
def gridworld_observers():
    return [ObserverInfo("falling", "Raises.", "falling_observer:Falling")]

class Falling(RunObserver):
    def {method}(self, *told):
        raise {error}
"""
TOLD = ("run_started", "episode_started", "request_made", "step_taken", "episode_finished", "run_finished")


@attrs.define
class Fault:
    """A fault of a run, and the ways in which the run may end.

    Args:
        exit_codes: permitted exit codes; with 0 the outcome has to be complete.
        lost: number of given answers that may be lost.
        options: options of the command that plays.
        address: address of another server.
        schedule: schedule of the server.
        answering: called at each answer of the server with its number, from 1, and the process that plays.
    """

    exit_codes: tuple[int, ...]
    lost: int = 0
    workers: int = 1
    options: tuple[str, ...] = ()
    address: str = ""
    schedule: Schedule = attrs.field(factory=Schedule)
    at: dict[int, str] = attrs.field(factory=dict)
    cut: float = 0.0
    hindrance: tuple[str, int] | None = None
    observer: str = ""
    """The source of a plugin with the observer ``falling``."""
    answering: Callable[[int, Process], None] = lambda number, process: None


def _no_model(rng: random.Random) -> Fault:
    return Fault((2,), options=("-M", rng.choice(("read_timeout=never", "prompt=/nowhere", "no_such_argument=1"))))


def _no_server(rng: random.Random) -> Fault:
    return Fault((1,), address="http://127.0.0.1:9/v1")


def _no_thread(rng: random.Random) -> Fault:
    """A model that needs a thread to read its answer fails without one, which ends the episode."""
    return Fault((1,), lost=3, workers=rng.choice((1, 4)), hindrance=("no more threads", rng.randrange(9)))


def _no_process(rng: random.Random) -> Fault:
    hindrance = ("no more processes", rng.randrange(2))
    return Fault((1,), lost=1, workers=2, options=("--executor", "processes"), hindrance=hindrance)


def _refused(rng: random.Random) -> Fault:
    """Errors of the server when it is asked."""
    kinds = rng.sample(("broken", "unavailable", "overloaded_for_now", "cut", "torn", "page"), 2)
    return Fault((0,), workers=rng.choice((1, 3)), schedule=Schedule(rng.randrange(10**6), tuple(kinds), 0.2))


def _wrong_for_good(rng: random.Random) -> Fault:
    """An error that ends every episode."""
    return Fault((0, 1), workers=rng.choice((1, 3)), schedule=Schedule(rng.randrange(10**6), ("bad_request",), 0.1))


def _hang(rng: random.Random) -> Fault:
    schedule = Schedule(rng.randrange(10**6), ("hang",), 0.15)
    return Fault((0,), workers=3, schedule=schedule, options=("-M", "read_timeout=0.3"))


def _lost_worker(rng: random.Random) -> Fault:
    at = {rng.randrange(30, WRITES): "lose a worker"}
    return Fault((0,), lost=1, workers=2, options=("--executor", "processes"), at=at, cut=rng.random())


def _observer(rng: random.Random) -> Fault:
    error = rng.choice(
        ("RuntimeError('fallen')", "OSError(28, 'No space left on device')", "KeyError(1)", "TimeoutError")
    )
    source = OBSERVER.format(method=rng.choice(TOLD), error=error)
    return Fault((0,), workers=rng.choice((1, 3)), options=("--observer", "falling"), observer=source)


def _full_disk(rng: random.Random) -> Fault:
    workers = rng.choice((1, 3))
    at = {rng.randrange(1, WRITES): rng.choice(("disk full", "disk full for once"))}
    return Fault((0, 1), lost=workers, workers=workers, at=at, cut=rng.random())


def _interrupted_at_a_write(rng: random.Random) -> Fault:
    return Fault((0, INTERRUPTED), workers=rng.choice((1, 3)), at={rng.randrange(1, WRITES): "interrupt"})


def _interrupted_twice_at_writes(rng: random.Random) -> Fault:
    workers, first = rng.choice((1, 3)), rng.randrange(1, WRITES)
    at = {first: "interrupt", first + rng.randrange(1, 4): "interrupt"}
    return Fault((0, INTERRUPTED), lost=workers, workers=workers, at=at)


def _interrupted_while_asked(rng: random.Random) -> Fault:
    asked, signals, workers = rng.randrange(1, QUESTIONS), rng.choice((1, 2, 2)), rng.choice((1, 3))
    lost = workers if signals > 1 else 0
    waited = threading.Event()

    def answer(number: int, process: Process) -> None:
        if number == asked:
            for _ in range(signals):
                with suppress(ProcessLookupError):  # it has ended
                    os.kill(process.pid, signal.SIGINT)
                waited.wait(0.2)

    return Fault((0, INTERRUPTED), lost=lost, workers=workers, answering=answer)


FAULTS: Sequence[Callable[[random.Random], Fault]] = (
    _full_disk,
    _interrupted_at_a_write,
    _observer,
    _refused,
    _interrupted_while_asked,
    _no_process,
    _interrupted_twice_at_writes,
    _hang,
    _no_thread,
    _wrong_for_good,
    _no_model,
    _no_server,
    _lost_worker,
)
"""Faults, used in turn."""
QUICK = (0, 4)
"""Numbers of the faults in a default run: a full disk, and Ctrl-C."""
THOROUGH = 200


@attrs.define
class Played:
    """A run that is played once with a fault."""

    folder: Path
    fault: Fault
    server: ModelServer
    tasks: Path
    process: Process = attrs.field(init=False)

    @property
    def run(self) -> Path:
        """The folder of the run."""
        return self.folder / "run"

    def play(self) -> Ended:
        """Play it with its fault."""
        self.folder.mkdir(exist_ok=True)
        prompt = f"prompt={write_prompt(self.folder.parent)}"
        model = model_arguments(self.fault.address or self.server.url, prompt, "seed=1")
        suite = ("--benchmark", "directory", "--task-dir", self.tasks, "--observation", "text")
        how = ("--workers", self.fault.workers, "--run-dir", self.run, *self.fault.options)
        command = ("multinet-run-eval", *suite, *model, *how)
        trap = Trap(str(self.run), self.fault.at, self.fault.cut) if self.fault.at else None
        self.process = start(command, path=self._plugins(), trap=trap, hindrance=self.fault.hindrance)
        return self.process.wait()

    def _plugins(self) -> list[Path]:
        if not self.fault.observer:
            return []
        plugins = self.folder / "plugins"
        files = {"falling_observer.py": self.fault.observer}
        write_distribution(plugins, "falling-observer", "1.0", {"falling": "falling_observer"}, files)
        return [plugins]


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks")
    for number, name in enumerate(("one", "two", "three")):
        task = {**TASK, "task_id": name, "seed": number, "max_steps": 3 + number}
        (folder / f"{name}.json").write_text(json.dumps(task), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, tasks: Path) -> Outcome:
    with ModelServer(wander) as server:
        played = Played(tmp_path_factory.mktemp("undisturbed") / "undisturbed", Fault((0,)), server, tasks)
        assert_done(played.play(), [0])
        assert recorded_requests(played.run) == len(server.received) >= QUESTIONS
        return outcome_of(played.run)


def check(played: Played, undisturbed: Outcome) -> None:
    """Play a run with its fault, read it, and resume it."""
    ended = played.play()
    said = f"{played.fault}\n{ended.stdout}{ended.stderr}"
    assert ended.hung == ""
    assert ended.left == [], said
    assert ended.exit_code in played.fault.exit_codes, said
    assert "Traceback" not in ended.stderr, said
    asked = asked_of(played.server)
    recorded = recorded_requests(played.run)
    assert 0 <= asked - recorded <= played.fault.lost, said
    if not (played.run / "run.json").exists():
        assert ended.exit_code != 0, said
        assert asked == 0, said
        assert_done(play(("multinet", "runs", "resume", played.run)), [2])
        return
    unfinished = [each["number"] for each in shown(played.run)["episodes"] if each["state"] != "finished"]
    if unfinished:
        assert ended.exit_code in (1, INTERRUPTED), said
        assert f"runs resume {played.run}" in ended.stderr or asked == 0 or ended.finished == [], said
    check_readers(played, unfinished)
    again = ("--retry-faults",) if "--retry-faults" in ended.stderr else ()
    resume(played, *again)
    assert_equal(outcome_of(played.run), undisturbed, again != () or played.fault.schedule.kinds != ())
    assert asked_of(played.server) - asked == recorded_requests(played.run) - recorded, said


def resume(played: Played, *options: str) -> None:
    """Resume a run to its end, repeatedly if its server refuses everything at times."""
    for _ in range(10 if "bad_request" in played.fault.schedule.kinds else 1):
        ended = play(("multinet", "runs", "resume", played.run, "--workers", played.fault.workers, *options))
        if ended.exit_code == 0:
            break
    assert_done(ended, [0])


def check_readers(played: Played, unfinished: Sequence[int]) -> None:
    """Check that all commands read a run, and that they name unfinished episodes."""
    run, out = played.run, played.folder
    recorded = ("multinet", "runs")
    ended = play(
        (*recorded, "show", run),
        (*recorded, "list", "--runs", run.parent),
        (*recorded, "export", run, "--format", "csv", "-o", out / "rows.csv"),
        (*recorded, "export", run, "--format", "jsonl", "--rows", "steps", "-o", out / "steps.jsonl"),
        ("multinet", "report", run, "-o", out / "page.html"),
        (*recorded, "verify", run),
        (*recorded, "rescore", run),
    )
    complete, (verified, rescored) = ended.finished[:5], ended.finished[5:]
    assert [each.exit_code for each in complete] == [0] * 5, complete
    for each in ended.finished:
        assert each.exit_code in (0, 1), each
        assert "Traceback" not in each.stderr, each
        assert "unreadable" not in each.stdout + each.stderr, each
    if unfinished:
        assert (verified.exit_code, rescored.exit_code) == (1, 1)
        assert ", ".join(map(str, unfinished)) in verified.stdout + verified.stderr
        assert "NOT consistent" not in verified.stdout


def assert_equal(outcome: Outcome, undisturbed: Outcome, with_faults: bool) -> None:
    """Check that outcomes are equal, except for counts of failures if the server had faults."""
    if not with_faults:
        assert outcome == undisturbed
        return
    assert _without(outcome.episodes, *FAULT_COUNTS, *USAGE) == _without(undisturbed.episodes, *FAULT_COUNTS, *USAGE)
    assert _without(outcome.steps, *FAULT_COUNTS) == _without(undisturbed.steps, *FAULT_COUNTS)


def _without(rows: Iterable[dict[str, Any]], *columns: str) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in columns} for row in rows]


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(
            number,
            marks=[] if number in QUICK else pytest.mark.more if number < len(FAULTS) else pytest.mark.thorough,
            id=f"{number}{FAULTS[number % len(FAULTS)].__name__}",
        )
        for number in range(THOROUGH)
    ],
)
def test_a_run_survives_what_goes_wrong(tmp_path: Path, tasks: Path, undisturbed: Outcome, number: int) -> None:
    fault = FAULTS[number % len(FAULTS)](random.Random(f"fault {number}"))
    answers = 0
    counting = threading.Lock()

    def script(max_steps: int, step: int) -> str:
        nonlocal answers
        with counting:
            answers += 1
            now = answers
        fault.answering(now, played.process)
        return wander(max_steps, step)

    with ModelServer(script, fault.schedule) as server:
        played = Played(tmp_path / "played", fault, server, tasks)
        check(played, undisturbed)
