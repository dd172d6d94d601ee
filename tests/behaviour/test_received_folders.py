"""No command hangs, raises or leaves the folder, whatever a received folder contains."""

import json
import os
import random
import shutil
import socket
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from support.forked import Ended, play
from support.plugins import write_distribution
from support.run_folders import assert_done

CANARY = "canary-5f0c31"
"""Content of all files outside, which no output may show."""
SCRIPT = "</script><script>alert(1)</script>"
"""A text that a page must not hold as it is."""
FREE_TEXTS = ("description", "suite", "benchmark_name", "mission", "task_id", "model_name", "reasoning")
NESTED = "[" * 100_000 + "]" * 100_000
NUMBERS = (
    *("0", "-1", "1", "7", "true", "false", "null", "1e308", "-1e308", "1e999", "NaN", "-Infinity", "0.5"),
    *(f"1{zeros * '0'}" for zeros in (12, 19, 400, 5000)),
)
"""JSON texts."""
CONTENTS: Sequence[bytes] = (
    *(b"", b"\n", b"{}", b"[]", b"null", b"0", b'"', b"\0" * 64, b"\xff\xfe{}", b"\xef\xbb\xbf{}", NESTED.encode()),
    b'{"a":1}\n[2]\n3\nnull\n',
)


def fill_outside(run: Path, outside: Path) -> None:
    """Put what a run holds outside, too, with the canary in it, and files of usual names and endings."""
    shutil.copytree(run, outside)
    for path in list(outside.rglob("*")):
        if path.is_file() and path.suffix != ".png":
            path.write_text(_with_canary(path), encoding="utf-8")
    for ending in ("", ".txt", ".json", ".jsonl", ".png"):
        (outside / f"secret{ending}").write_text(json.dumps({"description": CANARY}), encoding="utf-8")


def _with_canary(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return json.dumps(_marked(json.loads(text)), indent=2)
    if path.suffix == ".jsonl":
        return "".join(json.dumps(_marked(json.loads(line))) + "\n" for line in text.splitlines())
    return f"{text}\n{CANARY}\n"


def _marked(value: Any) -> Any:
    if isinstance(value, dict):
        marked = {name: _marked(each) for name, each in value.items()}
        return marked | {name: CANARY for name in FREE_TEXTS if isinstance(value.get(name), str)}
    return [_marked(each) for each in value] if isinstance(value, list) else value


def mutate(run: Path, number: int, outside: Path) -> str:
    """Change a folder; in words, what was changed."""
    rng = random.Random(f"mutant {number}")
    rounds, place = divmod(number, len(ORDER))
    kind = ORDER[place]
    turn = rounds * ORDER.count(kind) + ORDER[:place].count(kind)
    return f"{number} {kind}: {KINDS[kind](run, turn, outside, rng)}"


def _files(run: Path, *endings: str) -> list[Path]:
    """Files with a suffix, with every kind of file equally likely."""
    found = sorted(path for path in run.rglob("*") if path.is_file() and path.suffix in endings)
    folders = sorted({path.parent for path in found})
    return [path for folder in folders for path in [*(each for each in found if each.parent == folder)][:2]]


def _texts(outside: Path) -> list[str]:
    """Strings, among them ways to lead to files outside, which are two folders above a file of a run."""
    ways = [str(outside / "secret"), str(outside / "secret.json"), str(outside)]
    ways += [f"{above}{outside.name}/secret" for above in ("../", "../../", "../../../", "../../../../")]
    ways += [f"../../{outside.name}/secret.txt", "../run.json", "../../run.json"]
    odd = [
        "",
        " ",
        ".",
        "..",
        "/",
        "/etc/hostname",
        "x" * 5000,
        "\x1b]0;title\x07\x1b[2J",
        "\0",
        "\ud800",
        "\r\n",
        "[red]",
    ]
    return [*ways, *ways, *odd, SCRIPT, "random", "0" * 16, "f" * 32]


def _value(run: Path, number: int, outside: Path, rng: random.Random) -> str:
    """Put another value in the place of one, or take it away."""
    path = rng.choice([*_files(run, ".json", ".jsonl"), *[run / "run.json"] * 4])  # which says the most
    lines = (
        path.read_text(encoding="utf-8").splitlines() if path.suffix == ".jsonl" else [path.read_text(encoding="utf-8")]
    )
    line = rng.randrange(len(lines))
    holder = [json.loads(lines[line])]
    said = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(_places(holder))
        container, name = rng.choice(places[1:] or places)
        said.append(f"{name}: {_change(container, name, outside, rng)}")
    text = json.dumps(holder[0]) if holder else ""
    for marker, literal in _LITERALS.items():
        text = text.replace(f'"{marker}"', literal)
    lines[line] = text
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"{path.relative_to(run)} line {line + 1} {'; '.join(said)}"


_LITERALS = {f"literal-{position}": literal for position, literal in enumerate((*NUMBERS, NESTED))}


def _change(container: Any, name: Any, outside: Path, rng: random.Random) -> str:
    present = container[name]
    if rng.random() < 0.15:
        del container[name]
        return "taken away"
    if rng.random() < 0.15 and isinstance(present, dict | list):
        swapped = list(present.values()) if isinstance(present, dict) else dict(enumerate(present))
        container[name] = swapped
        return "list and object swapped"
    if isinstance(present, str) and rng.random() < 0.8:
        container[name] = rng.choice(_texts(outside))
    elif rng.random() < 0.5:
        container[name] = rng.choice(list(_LITERALS))
    else:
        container[name] = rng.choice([*_texts(outside), [], {}, [[]], {"text": str(outside / "secret")}, [present] * 3])
    return _LITERALS.get(str(container[name]), repr(container[name]))[:60]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a value: container, and key or index."""
    for name in value if isinstance(value, dict) else range(len(value)):
        yield value, name
        if isinstance(value[name], dict | list):
            yield from _places(value[name])


def _digest(run: Path, number: int, outside: Path, rng: random.Random) -> str:
    """Let what names a kept file name one outside."""
    path = rng.choice(_files(run, ".json", ".jsonl"))
    text = path.read_text(encoding="utf-8")
    kept = sorted({each.stem for each in run.glob("*/*.*") if each.stem in text and len(each.stem) >= 16})
    if not kept:
        return _value(run, number, outside, rng)
    named, way = rng.choice(kept), rng.choice(_texts(outside)[:10])
    path.write_text(text.replace(named, json.dumps(way)[1:-1]), encoding="utf-8")
    return f"{path.relative_to(run)} {named} -> {way}"


def _line(run: Path, number: int, outside: Path, rng: random.Random) -> str:
    """Drop, repeat or move a line, or another file's line, or cut one."""
    path = rng.choice(_files(run, ".jsonl"))
    lines = path.read_bytes().splitlines(keepends=True)
    at = rng.randrange(len(lines))
    change = rng.choice(("drop", "repeat", "move", "cut", "spoil", "repeat often"))
    if change == "drop":
        del lines[at]
    elif change == "move":
        lines.insert(rng.randrange(len(lines)), lines.pop(at))
    elif change == "cut":
        lines[at] = lines[at][: len(lines[at]) // 2]
    elif change == "spoil":
        lines[at] = lines[at].replace(b":", rng.choice((b"\0", b"\xff", b"::", b",")), 1)
    else:
        lines[at] *= 2 if change == "repeat" else 500
    path.write_bytes(b"".join(lines))
    return f"{path.relative_to(run)} line {at + 1} {change}"


def _content(run: Path, number: int, outside: Path, rng: random.Random) -> str:
    """Put something else in a file."""
    path = rng.choice(_files(run, ".json", ".jsonl", ".txt", ".png", ""))
    content = rng.choice(CONTENTS)
    path.write_bytes(content)
    return f"{path.relative_to(run)} {content[:20]!r}"


def _kind(run: Path, number: int, outside: Path, rng: random.Random) -> str:
    """Put another kind of file in the place of a file or folder; in turn, each kind in each place."""
    paths = sorted(path for path in run.rglob("*") if path.parent == run or path.suffix == ".jsonl")
    kept = [_files(run / name, ".json", ".txt", ".png") for name in ("frames", "scenes", "tasks", "texts")]
    paths += [files[0] for files in kept if files]
    paths += [
        run / name for name in ("lock", "frames", "sessions", "episodes/2.jsonl", "episodes/0.2.jsonl", "frames/x.png")
    ]
    types = list(TYPES)
    at = (number * 7 + number // (len(paths) * len(types))) % (len(paths) * len(types))
    path, name = paths[at % len(paths)], types[at // len(paths)]
    path.parent.mkdir(exist_ok=True)
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    there = outside / path.relative_to(run)
    TYPES[name](path, there if there.exists() else outside, outside / "new")
    return f"{path.relative_to(run)} {name}"


def _socket(path: Path, *_: Path) -> None:
    here = Path.cwd()
    with socket.socket(socket.AF_UNIX) as opened:
        os.chdir(path.parent)  # addresses are short
        opened.bind(path.name)
        os.chdir(here)


TYPES: dict[str, Callable[[Path, Path, Path], object]] = {
    "link outside": lambda path, there, new: path.symlink_to(there),
    "relative link outside": lambda path, there, new: path.symlink_to(os.path.relpath(there, path.parent)),
    "link to a new file outside": lambda path, there, new: path.symlink_to(new),
    "link to itself": lambda path, there, new: path.symlink_to(path),
    "pipe": lambda path, there, new: os.mkfifo(path),
    "socket": _socket,
    "folder": lambda path, there, new: path.mkdir(),
    "empty file": lambda path, there, new: path.touch(),
    "unreadable file": lambda path, there, new: path.touch(0),
}
"""Replacements of a file: called with its path, its counterpart outside, and a number."""

KINDS: dict[str, Callable[[Path, int, Path, random.Random], str]] = {
    "value": _value,
    "digest": _digest,
    "kind": _kind,
    "line": _line,
    "content": _content,
}
"""Kinds of changes."""
ORDER = ("value", "digest", "kind", "line", "value", "content", "kind")
"""Changes of mutants 0, 1, 2, …, repeated."""


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
        (*recorded, "rescore", run),
        (*recorded, "resume", run, "--quiet"),
        (*recorded, "resume", run, "--epochs", 2, "--quiet"),
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
    """Files made outside the expected folders."""
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
        pytest.param(
            first, marks=pytest.mark.more if first < 25 else pytest.mark.thorough, id=f"{first}-{first + AT_ONCE - 1}"
        )
        for first in range(0, 1000, AT_ONCE)
    ],
)
def test_no_command_is_led_astray_by_a_received_folder(runs: Path, tmp_path: Path, first: int) -> None:
    faults = [
        fault for number in range(first, first + AT_ONCE) for fault in faults_of(runs, tmp_path / str(number), number)
    ]
    assert faults == [], "\n\n".join(faults)
