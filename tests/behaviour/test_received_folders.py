"""No command hangs, raises or leaves the folder, whatever a received folder contains."""

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from support.commands import multinet, run_eval
from support.forked import Ended, play
from support.mutants import CANARY, SCRIPT, fill_outside, make_sparse, mutate
from support.plugins import write_distribution
from support.run_folders import assert_done
from support.task_files import write_corridors
from support.worlds import describe, gate, key, switch

Command = tuple[object, ...]
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
OTHERS = ("probing", "diagnosis", "experiment", "answers", "tables", "mazes")
"""Other folders that somebody may send or share. Links in one of tasks are followed."""
SIMULATOR = Path(__file__).parents[2] / "examples" / "gridworld-example-simulator" / "src"
PLUGIN = """
from gridworld.hookspecs import ModelInfo, hookimpl
from gridworld.model_interface import ChatModel, ModelOutput, Text
from gridworld.model_interface.prompts import question, reply_of


class Still(ChatModel):
    model_name, samples, shareable = "still", False, True

    def prompt(self, input):
        return question(Text(f"Step {input.step_number} of {input.max_steps}."))

    def send(self, prompt):
        return reply_of("6", sent=prompt)

    def read(self, reply, input):
        return ModelOutput(int(self.words(reply)))

    def words(self, reply):
        return reply.text


@hookimpl
def gridworld_models():
    return [ModelInfo("still", "Always waits.", "still_model:Still")]
"""
STUDY = """
[base]
model = "random"
suite = "tasks"

[[condition]]
name = "text"
observation = "text"

[[condition]]
name = "far"
history_text_window = 3
"""
HALL = """
############
#@.........#
#.b........#
#..........#
#....st...G#
#..gh......#
############
"""
"""A maze with so many states that its table is kept."""
AT_ONCE = 5
"""Mutants of a test."""
TIMEOUT = 20.0
"""Seconds for all commands on a mutant."""
MEMORY = 3 * 2**30
"""Bytes of address space; libraries reserve most of it."""
MOST_SAID = 20_000
"""Characters of standard error."""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one folder of each kind, and the plugins of some of them."""
    folder = tmp_path_factory.mktemp("sources")
    plugin = {"simulator": "gridworld_example_simulator:WAREHOUSE"}
    write_distribution(folder / "plugins", "gridworld-example-simulator", "0.1.0", plugin, {})
    write_distribution(folder / "plugins", "still", "1.0", {"still": "still_model"}, {"still_model.py": PLUGIN})
    tasks, hall = folder / "tasks", folder / "hall"
    tasks.mkdir()
    hall.mkdir()
    for name in ("one", "two"):
        (tasks / f"{name}.json").write_text(json.dumps({**TASK, "task_id": name}), encoding="utf-8")
    things = {"b": key(), "s": switch("g"), "t": switch("h"), "g": gate(), "h": gate()}
    (hall / "hall.json").write_text(json.dumps(describe(HALL, **things)), encoding="utf-8")
    shutil.copytree(tasks, folder / "mazes")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    suite = ("--benchmark", "directory", "--task-dir", tasks, "-m", "random")
    played = [("multinet-run-eval", *suite, "--run-dir", folder / name, *how) for name, how in RUNS.items()]
    asked = (tasks, "-m", "still", "--observation", "text")
    made = [
        ("multinet", "probe", *asked, "--states", 1, "--run-dir", folder / "probing"),
        ("multinet", "diagnose", *asked, "--run-dir", folder / "diagnosis"),
        ("multinet", "experiment", "run", folder / "study.toml", "-o", folder / "experiment"),
        *commands("answers", folder / "answers", folder, folder),
        *commands("tables", folder / "tables", folder, folder),
    ]
    variables = {"GRIDWORLD_CACHE": str(folder)}
    fail = played[0], *made[:2]  # the first is left unfinished; of the others no answer can be read
    codes = [int(command in fail) for command in (*played, *made)]
    assert_done(play(*played, *made, path=path_of(folder), variables=variables), codes)
    return folder


def path_of(sources: Path) -> list[Path]:
    """The folders of plugins with which all folders are made."""
    return [sources / "plugins", SIMULATOR]


def commands(kind: str, folder: Path, sources: Path, out: Path) -> list[Command]:
    """All commands that read a folder of some kind, and then those that write into it."""
    page = ("multinet", "report", folder, "-o", out / "page.html")
    match kind:
        case "probing":
            return [
                page,
                ("multinet", "probe", "--resume", folder),
                ("multinet", "probe", "--resume", folder, "--json"),
            ]
        case "diagnosis":
            return [page, ("multinet", "diagnose", "--resume", folder)]
        case "experiment":
            return [
                page,
                ("multinet", "runs", "list", "--runs", folder),
                ("multinet", "experiment", "run", sources / "study.toml", "-o", folder),
            ]
        case "answers":
            suite = ("--task-dir", sources / "tasks", "-m", "still", "--observation", "text", "-q")
            return [("multinet-run-eval", *suite, "--no-record", "--cache", folder)]
        case "tables":
            return [("multinet", "tasks", "list", sources / "hall", "--max-table-states", 100_000)]
        case "mazes":
            names = ("list", "validate")
            return [
                *[("multinet", "tasks", name, folder) for name in names],
                ("multinet", "tasks", "verify", folder, "--workers", 1),
                *[("multinet", "tasks", name, folder / "one.json") for name in ("show", "solve")],
                ("multinet-run-eval", "--task-dir", folder, "-m", "random", "--no-record", "-q"),
            ]
    recorded = ("multinet", "runs")
    return [
        (*recorded, "show", folder, "--episodes"),
        (*recorded, "show", folder, "--json"),
        (*recorded, "verify", folder),
        (*recorded, "export", folder, "--format", "csv", "-o", out / "episodes.csv"),
        (*recorded, "export", folder, "--format", "jsonl", "--rows", "steps", "-o", out / "steps.jsonl"),
        (*recorded, "render", folder, 0, "-o", out / "run.gif"),
        page,
        ("multinet", "compare", folder, sources / "finished"),
        ("multinet", "leaderboard", folder, "-o", out / "board"),
        (*recorded, "rescore", folder),
        (*recorded, "resume", folder, "--quiet"),
        (*recorded, "resume", folder, "--epochs", 2, "--quiet"),
    ]


def listing(folder: Path) -> dict[str, tuple[int, int, int]]:
    """All that is in a folder, with sizes, kinds and times of change."""
    found = {str(path): path.lstat() for path in [folder, *folder.rglob("*")]}
    return {path: (state.st_size, state.st_mode, state.st_mtime_ns) for path, state in found.items()}


def faults_of(sources: Path, place: Path, number: int) -> list[str]:
    """Receive a mutated folder and call some commands; what is wrong with what they do."""
    rng = random.Random(f"folder {number}")
    kind = rng.choice([*RUNS, *RUNS, *OTHERS])
    folder, outside, out = place / "received" / kind, place / "outside", place / "out"
    folder.parent.mkdir(parents=True)
    temporary = place / "temporary"
    out.mkdir()
    temporary.mkdir()
    shutil.copytree(sources / kind, folder)
    shutil.copytree(sources / "finished", folder.with_name("intact"))
    fill_outside(sources / kind, outside)
    mutant = mutate(folder, number, outside)
    before = listing(outside)
    able = commands(kind, folder, sources, out)
    chosen = sorted(rng.sample(range(len(able)), min(3, len(able))))
    called = [("multinet", "runs", "list", "--runs", folder.parent), *(able[at] for at in chosen)]
    ended = play(
        *called,
        path=path_of(sources),
        variables={"GRIDWORLD_CACHE": str(folder.parent) if kind == "tables" else "", "TMPDIR": str(temporary)},
        confined=[]
        if kind == "mazes"
        else [folder.parent, out, sources, temporary, Path(os.environ["MULTINET_STATE"])],
        memory=MEMORY,
        timeout=TIMEOUT,
    )
    said = [*_endings(called, ended), *(f"trespass: {each}" for each in ended.trespasses)]
    said += ["the folder outside is not as it was"] if listing(outside) != before else []
    said += ["the intact run is not listed"] if ended.finished and "intact" not in ended.finished[0].stdout else []
    said += [f"{path} was made" for path in _made(place, out)]
    said += [f"{name} shows what is outside" for name, text in _shown(ended, out) if CANARY in text and kind != "mazes"]
    said += ["the page has a script of the run"] if SCRIPT in _text(out / "page.html") else []
    return [f"{kind}, mutant {mutant}: {each}" for each in dict.fromkeys(said)]


def _endings(called: list[Command], ended: Ended) -> list[str]:
    words = [" ".join(str(word) for word in command[:3] if "/" not in str(word)) for command in called]
    said = []
    for name, each in zip(words, ended.finished, strict=False):
        if each.exit_code not in (0, 1, 2) or "Traceback" in each.stderr:
            said.append(f"{name}: exit code {each.exit_code}: {each.stderr[-600:]}")
        if "\x1b" in each.stdout + each.stderr:
            said.append(f"{name}: prints control characters")
        if len(each.stderr) > MOST_SAID:
            said.append(f"{name}: says too much: {each.stderr[:300]}")
    if len(ended.finished) < len(called):
        said.append(
            f"{words[len(ended.finished)]}: did not end ({ended.exit_code}): {ended.hung[-1500:]}{ended.stderr[-500:]}"
        )
    return said


def _made(place: Path, out: Path) -> list[str]:
    """Files made outside the expected folders."""
    known = {place / "received", place / "outside", place / "temporary", out}
    return [str(path.relative_to(place)) for path in place.iterdir() if path not in known] + [
        f"received/{path.name}"
        for path in (place / "received").iterdir()
        if path.name not in (*RUNS, *OTHERS, "intact")
    ]


def _shown(ended: Ended, out: Path) -> list[tuple[str, str]]:
    files = [(path.name, _text(path)) for path in out.rglob("*") if path.is_file()]
    return [*files, *(("output", each.stdout + each.stderr) for each in ended.finished)]


def _text(path: Path) -> str:
    return path.read_bytes().decode(errors="replace") if path.exists() else ""


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(
            first, marks=pytest.mark.more if first < 60 else pytest.mark.thorough, id=f"{first}-{first + AT_ONCE - 1}"
        )
        for first in range(0, 2000, AT_ONCE)
    ],
)
def test_no_command_is_led_astray_by_a_mutated_folder(sources: Path, tmp_path: Path, first: int) -> None:
    faults = [
        fault
        for number in range(first, first + AT_ONCE)
        for fault in faults_of(sources, tmp_path / str(number), number)
    ]
    assert faults == [], "\n\n".join(faults)


PLACES = {
    "run.json": ("show", "{file}: {problem}"),
    "episodes/0.jsonl": ("show", "error: {file}"),
    "episodes/0.2.jsonl": ("resume", "error: {file}"),
    "sessions/1.json": ("show", "{file}: {problem}"),
    "results.json": ("verify", "results.json: "),
    "texts/*.txt": ("verify", "{file}: "),
    "scenes/*.json": ("verify", "{file}: "),
    "tasks/*.json": ("verify", "{file}: the task cannot be read: "),
    "lock": ("resume", "its lock {file} does not say by which process"),
}
"""Files of a run: the command that tells of a damaged one, and its words."""
DAMAGE: dict[str, Callable[[Path], object]] = {
    "it has 10737418240 bytes, expected at most ": make_sparse,
    "it is not JSON: ": lambda path: path.write_bytes(b"[" * 100_000 + b"\n"),
}


@pytest.mark.parametrize("problem", DAMAGE)
@pytest.mark.parametrize("name", PLACES)
def test_a_sparse_or_deeply_nested_file_is_named_and_other_runs_are_listed(
    name: str, problem: str, tmp_path: Path
) -> None:
    tasks = write_corridors(tmp_path / "tasks", 3)
    play_it = ("--task-dir", tasks, "-m", "random", "--run-dir", tmp_path / "runs" / "bad", "-q")
    assert run_eval(*play_it).exit_code == 0
    bad = tmp_path / "runs" / "bad"
    for other in ("one", "two"):
        shutil.copytree(bad, bad.with_name(other))
    file = next(bad.glob(name), bad / name)
    file.unlink(missing_ok=True)
    DAMAGE[problem](file)
    command, told = PLACES[name]
    finished = multinet("runs", command, bad)
    assert finished.exit_code == 1
    assert told.format(file=file, problem=problem) in " ".join((finished.stdout + finished.stderr).split())
    listed = multinet("runs", "list", "--runs", bad.parent)
    assert listed.exit_code == 0
    assert all(each in listed.stdout + listed.stderr for each in ("bad", "one", "two"))


@pytest.mark.more
def test_a_file_that_needs_more_memory_than_there_is_is_named_and_other_runs_are_listed(
    sources: Path, tmp_path: Path
) -> None:
    for name in ("bad", "good"):
        shutil.copytree(sources / "finished", tmp_path / name)
    (tmp_path / "bad" / "run.json").write_bytes(b"[" + b"[]," * 20_000_000 + b"[]]")
    called = (("multinet", "runs", "list", "--runs", tmp_path), ("multinet", "runs", "show", tmp_path / "bad"))
    ended = play(*called, memory=MEMORY // 2, timeout=TIMEOUT)
    assert_done(ended, [0, 1])
    listed, shown = ended.finished
    assert "good" in listed.stdout
    assert "bad/run.json: it is not JSON: it needs more memory than there is" in shown.stderr
