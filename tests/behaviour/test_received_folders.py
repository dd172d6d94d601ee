"""Whatever is in a folder from somebody else, no command hangs, fails with a traceback, or reads or writes outside."""

import json
import shutil
from pathlib import Path

import pytest

from support.forked import Ended, play
from support.mutated_folders import CANARY, SCRIPT, fill_outside, mutate
from support.plugins import write_distribution
from support.run_folders import assert_done

TASK = {
    "seed": 1,
    "difficulty_tier": 1,
    "maze": {"dimensions": [5, 4], "walls": [[2, 1]], "start": [1, 1], "goal": [3, 1]},
    "goal": {"type": "reach_position"},
    "max_steps": 4,
}
RUNS: dict[str, tuple[str, ...]] = {
    "left": ("--max-requests", "6"),
    "finished": (),
    "simulated": ("--backend", "warehouse"),
}
"""The options of runs that somebody may send; the last keeps pictures, being not built on the kernel."""
SIMULATOR = Path(__file__).parents[2] / "examples" / "gridworld-example-simulator" / "src"
AT_ONCE = 5
"""Mutants of a test."""
TIMEOUT = 60.0


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of each kind, and the plugin of one of them."""
    folder = tmp_path_factory.mktemp("runs")
    plugin = {"simulator": "gridworld_example_simulator:WAREHOUSE"}
    write_distribution(folder / "plugins", "gridworld-example-simulator", "0.1.0", plugin, {})
    tasks = folder / "tasks"
    tasks.mkdir()
    for name in ("one", "two"):
        (tasks / f"{name}.json").write_text(json.dumps({**TASK, "task_id": name}), encoding="utf-8")
    suite = ("--benchmark", "directory", "--task-dir", tasks, "-m", "random")
    played = [("multinet-run-eval", *suite, "--run-dir", folder / name, *how) for name, how in RUNS.items()]
    assert_done(play(*played, path=path_of(folder)), [1, 0, 0])
    return folder


def path_of(runs: Path) -> list[Path]:
    """The folders of plugins with which all runs are played."""
    return [runs / "plugins", SIMULATOR]


def commands(run: Path, intact: Path, out: Path) -> list[tuple[object, ...]]:
    """All commands that read a run, and then those that write into it."""
    recorded = ("multinet", "runs")
    return [
        (*recorded, "list", "--runs", run.parent),
        (*recorded, "show", run, "--episodes"),
        (*recorded, "show", run, "--json"),
        (*recorded, "verify", run),
        (*recorded, "export", run, "--format", "csv", "-o", out / "episodes.csv"),
        (*recorded, "export", run, "--format", "jsonl", "--rows", "steps", "-o", out / "steps.jsonl"),
        (*recorded, "render", run, 0, "-o", out / "run.gif"),
        ("multinet", "report", run, "-o", out / "page.html"),
        ("multinet", "compare", run, intact),
        ("multinet", "leaderboard", run, "-o", out / "board"),
        ("multinet", "watch", run, "--once"),
        (*recorded, "rescore", run),
        (*recorded, "resume", run, "--quiet"),
        (*recorded, "extend", run, "--epochs", 2, "--quiet"),
        (*recorded, "remove", run, "--yes"),
    ]


def listing(folder: Path) -> dict[str, tuple[int, int, int]]:
    """All that is in a folder, with sizes, kinds and times of change."""
    found = {str(path): path.lstat() for path in [folder, *folder.rglob("*")]}
    return {path: (state.st_size, state.st_mode, state.st_mtime_ns) for path, state in found.items()}


def faults_of(runs: Path, place: Path, number: int) -> list[str]:
    """Receive a mutated run and call all commands; what is wrong with what they do."""
    source = runs / list(RUNS)[number % len(RUNS)]
    run, outside, out = place / "received" / "run", place / "outside", place / "out"
    run.parent.mkdir(parents=True)
    out.mkdir()
    shutil.copytree(source, run)
    fill_outside(source, outside)
    mutant = mutate(run, number, outside)
    before = listing(outside)
    called = commands(run, runs / "finished", out)
    ended = play(*called, path=path_of(runs), forbidden=outside, timeout=TIMEOUT)
    said = [*_endings(called, ended), *(f"trespass: {each}" for each in ended.trespasses)]
    said += ["the folder outside is not as it was"] if listing(outside) != before else []
    said += [f"{path} was made" for path in _made(place, out)]
    said += [f"{name} shows what is outside" for name, text in _shown(ended, out) if CANARY in text]
    said += ["the page has a script of the run"] if SCRIPT in _text(out / "page.html") else []
    return [f"mutant {mutant}: {each}" for each in dict.fromkeys(said)]


def _endings(called: list[tuple[object, ...]], ended: Ended) -> list[str]:
    words = [" ".join(str(word) for word in command[:3] if "/" not in str(word)) for command in called]
    said = [
        f"{name}: exit code {each.exit_code}: {each.stderr[-600:]}"
        for name, each in zip(words, ended.finished, strict=False)
        if each.exit_code not in (0, 1, 2) or "Traceback" in each.stderr
    ]
    said += [
        f"{name}: prints control characters"
        for name, each in zip(words, ended.finished, strict=False)
        if "\x1b" in each.stdout + each.stderr
    ]
    if len(ended.finished) < len(called):
        said.append(
            f"{words[len(ended.finished)]}: did not end ({ended.exit_code}): {ended.hung[-1500:]}{ended.stderr[-500:]}"
        )
    return said


def _made(place: Path, out: Path) -> list[str]:
    """What has been made beside the folders that are there for it."""
    known = {place / "received", place / "outside", out}
    return [str(path.relative_to(place)) for path in place.iterdir() if path not in known] + [
        f"received/{path.name}" for path in (place / "received").iterdir() if path.name != "run"
    ]


def _shown(ended: Ended, out: Path) -> list[tuple[str, str]]:
    files = [(path.name, _text(path)) for path in out.rglob("*") if path.is_file()]
    return [*files, *(("output", each.stdout + each.stderr) for each in ended.finished)]


def _text(path: Path) -> str:
    return path.read_bytes().decode(errors="replace") if path.exists() else ""


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(first, marks=[] if first < 25 else pytest.mark.thorough, id=f"{first}-{first + AT_ONCE - 1}")
        for first in range(0, 1000, AT_ONCE)
    ],
)
def test_no_command_is_led_astray_by_a_received_folder(runs: Path, tmp_path: Path, first: int) -> None:
    faults = [
        fault for number in range(first, first + AT_ONCE) for fault in faults_of(runs, tmp_path / str(number), number)
    ]
    assert faults == [], "\n\n".join(faults)
