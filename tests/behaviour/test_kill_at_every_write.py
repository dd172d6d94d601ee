"""A run that is killed at any write in its folder is resumed to the same outcome."""

import itertools
import json
import random
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from tempfile import mkdtemp

import pytest

from support.forked import Ended, play
from support.model_servers import ModelServer, model_arguments, write_prompt
from support.run_folders import Outcome, asked_of, assert_done, outcome_of, recorded_requests
from support.system_calls import Trap

SUITES = {
    "validation_10": ("validation_10/v01_empty_room", "validation_10/v03_several_paths"),
    "tiers": ("tiers/tier1/t1_01_open_room", "tiers/tier4/t4_05_hold_your_ground", "tiers/tier2/t2_01_first_key"),
}
"""The tasks with the shortest plans; `STEPS` of them are played."""
STEPS = 3
WAYS: dict[str, tuple[str, ...]] = {
    "one worker": (),
    "eight workers": ("--workers", "8"),
    "processes": ("--executor", "processes", "--workers", "2"),
}
IN_FLIGHT = {"one worker": 1, "eight workers": 8, "processes": 2}
AGAIN = 0.4
"""The share of runs that are killed a second time."""
SEED = 20260


class Study:
    """Runs of one suite of a model behind a server, all of them alike."""

    def __init__(self, suite: str, folder: Path, server: ModelServer) -> None:
        self.folder = folder
        self.server = server
        self.tasks = folder / "tasks"
        self.tasks.mkdir(parents=True)
        for name in SUITES[suite]:
            task = json.loads(files("multinet_eval").joinpath(f"benchmarks/{name}.json").read_text(encoding="utf-8"))
            content = json.dumps({**task, "max_steps": STEPS + len(list(self.tasks.iterdir()))})
            (self.tasks / f"{Path(name).name}.json").write_text(content, encoding="utf-8")
        self.prompt = write_prompt(folder)

    def play(self, run: Path, way: str, at: dict[int, str], cut: float = 0.5) -> Ended:
        """Play a run, recorded in a folder."""
        model = model_arguments(self.server.url, f"prompt={self.prompt}", "seed=1")
        suite = ("--benchmark", "directory", "--task-dir", self.tasks, "--observation", "text", "--epochs", "2")
        command = ("multinet-run-eval", *suite, *model, *WAYS[way], "--run-dir", run)
        return play(command, trap=Trap(str(run), at, cut))

    def resume(self, run: Path, way: str, at: dict[int, str], cut: float = 0.5) -> Ended:
        """Go on with a run."""
        return play(("multinet", "runs", "resume", run, *WAYS[way]), trap=Trap(str(run), at, cut))


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module", params=["validation_10", pytest.param("tiers", marks=pytest.mark.more)])
def study(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, server: ModelServer) -> Study:
    return Study(request.param, tmp_path_factory.mktemp(request.param), server)


@pytest.fixture(scope="module")
def undisturbed(study: Study) -> Outcome:
    run = Path(mkdtemp(dir=study.folder)) / "run"
    assert_done(study.play(run, "one worker", {}), [0])
    return outcome_of(run)


def writes_of(study: Study, way: str) -> list[str]:
    """The writes of a run that nothing happens to."""
    run = study.folder / f"counted {way}" / "run"
    run.parent.mkdir(exist_ok=True)
    if not run.exists():
        ended = study.play(run, way, {})
        assert_done(ended, [0])
        run.with_name("writes").write_text(json.dumps(ended.writes))
    return list(json.loads(run.with_name("writes").read_text()))


def deaths_at(writes: Sequence[str]) -> list[tuple[int, str]]:
    """Each number of a write with the ways to die at it: before it, and with a part of it written."""
    torn = [(number, "tear") for number, call in enumerate(writes, 1) if call.startswith(("write", "pwrite"))]
    return [*((number, "kill") for number in range(1, len(writes) + 1)), *torn]


def spread(deaths: list[tuple[int, str]], count: int, rng: random.Random) -> list[tuple[int, str]]:
    """One of each of `count` equal parts of the deaths, in the order of the run."""
    in_order = sorted(deaths)
    bounds = [len(in_order) * part // count for part in range(count + 1)]
    return [rng.choice(in_order[start:end]) for start, end in itertools.pairwise(bounds)]


def check_death(study: Study, way: str, death: tuple[int, str], rng: random.Random, undisturbed: Outcome) -> None:
    """Kill a run, now and then what resumes it, too, resume it and compare."""
    number, act = death
    run = Path(mkdtemp(prefix=f"{way} {act} {number} ", dir=study.folder)) / "run"
    killed, lost = lost_by(study, way, run, lambda: study.play(run, way, {number: act}, rng.random()))
    assert killed.exit_code == -9 or IN_FLIGHT[way] > 1, "it was not killed"
    if not (run / "run.json").exists():
        assert lost == 0
        assert_done(study.resume(run, way, {}), [2])
        return
    said = killed.stderr
    if rng.random() < AGAIN:
        later = {rng.randrange(1, 40): rng.choice(("kill", "tear"))}
        killed, _ = lost_by(study, way, run, lambda: study.resume(run, way, later, rng.random()))
        said += killed.stderr
    resumed, lost = lost_by(study, way, run, lambda: study.resume(run, way, {}))
    assert_done(resumed, [0])
    assert lost == 0, said
    assert outcome_of(run) == undisturbed, said


def lost_by(study: Study, way: str, run: Path, play: Callable[[], Ended]) -> tuple[Ended, int]:
    """Play, and check that no more answers are lost than requests were in flight; what was played, and how many.

    An answer that was recorded before and is asked for again counts as lost.
    """
    asked, recorded = asked_of(study.server), recorded_requests(run)
    ended = play()
    assert ended.left == [], "processes outlived the run"
    assert ended.exit_code in (-9, 0), ended.stderr
    lost = asked_of(study.server) - asked - (recorded_requests(run) - recorded)
    assert 0 <= lost <= IN_FLIGHT[way], ended.stderr
    return ended, lost


@pytest.mark.parametrize(
    ("way", "count"),
    [
        ("one worker", 1),
        pytest.param("one worker", 3, marks=pytest.mark.more),
        pytest.param("eight workers", 3, marks=pytest.mark.more),
        pytest.param("processes", 20, marks=pytest.mark.thorough),
        pytest.param("one worker", 0, marks=pytest.mark.thorough),
        pytest.param("eight workers", 0, marks=pytest.mark.thorough),
    ],
)
def test_a_run_killed_at_a_write_is_resumed_to_its_end(
    study: Study, undisturbed: Outcome, way: str, count: int
) -> None:
    rng = random.Random(f"{SEED} {way}")
    deaths = deaths_at(writes_of(study, way))
    for death in spread(deaths, count, rng) if count else deaths:
        check_death(study, way, death, rng, undisturbed)
