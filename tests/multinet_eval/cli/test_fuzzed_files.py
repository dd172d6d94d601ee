"""No file makes a command that reads tasks fail in another way than with exit code 1 or 2 and a message.

Mutated files are read in a process of its own, whose memory and time are bounded: this file, run as a program.
"""

import contextlib
import io
import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from support.commands import run
from support.programs import assert_refused, environment, output_of
from support.runs import write_corridor
from support.worlds import describe

MEMORY = 3 * 2**30
"""Bytes of address space; libraries of numbers reserve most of it and use little."""
SECONDS = 30
LONGEST_BUDGET = 1000
"""An evaluation plays up to `max_steps` steps, as it is told to; no longer ones are played here."""
NESTED: list[Any] = []
for _ in range(400):
    NESTED = [NESTED]

JUNK: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 7, 300, 2.5, 1e308, 10**12, -(10**30)),
    *("", " ", "x", "red", "gray", "white", "open", "hold", "reach_position", "collect_all", "survive_steps", "G"),
    *("../../x", "\ud800", "\x1b]0;title\x07", "[red]", "x" * 5000),
    *([], [1], [1, 2], [-1, 2], [1, 2, 3], ["x"], [[1, 2]], [[1, 1]] * 1000, NESTED),
    *({}, {"x": 1, "y": 2}, {"x": 1}, {"layout": {}}),
    *([3, 3], [100_000, 100_000], [512, 512], [40, 3], [10**12, 5], [5, -5]),
)
NAMES = (
    *("x", "type", "goal_type", "auxiliary_conditions", "layout", "mechanisms", "TaskSpecification", "maze", "start"),
    *("keys", "doors", "gates", "switches", "blocks", "teleporters", "hazards", "id", "color", "floor", "walls"),
    *("target", "target_ids", "target_positions", "hidden_mechanisms", "view_size", "version", "metadata", "legacy"),
    *("$schema", "_note", "x-note"),
)
OLDER: dict[str, Any] = {
    "task_id": "older",
    "version": "0.1",
    "$schema": "task.schema.json",
    "maze": {"dimensions": [7, 5], "layout": {"walls": [[3, 1], [3, 2]], "start": {"x": 1, "y": 1}, "goal": [5, 3]}},
    "mechanisms": {
        "keys": [{"id": "k", "position": [2, 1], "color": "red"}],
        "doors": [{"id": "d", "position": [3, 2], "color": "red", "requires_key": "red"}],
        "switches": [{"id": "s", "position": [1, 3], "controls": ["g"], "color": "white"}],
        "gates": [{"id": "g", "position": [4, 3], "color": "black"}],
    },
    "goal": {"goal_type": "reach_position", "auxiliary_conditions": []},
    "validation": {"optimal_cost": 9},
}
ONE_MAZE = ["perfect_maze", "--count", "1", "--length", "10-20", "--depth", "1"]
QUICK = ["--max-states", "200"]
COMMANDS: dict[str, tuple[str, ...]] = {
    "validate": ("tasks", "validate", "TASKS", *QUICK),
    "validate --strict": ("tasks", "validate", "--strict", "--json", "TASK", *QUICK),
    "show": ("tasks", "show", "TASK"),
    "show --json": ("tasks", "show", "--json", "TASK"),
    "show --drawing": ("tasks", "show", "--drawing", "TASK"),
    "solve": ("tasks", "solve", "TASK", *QUICK),
    "render": ("tasks", "render", "TASK", "-o", "OUT.png"),
    "upgrade": ("tasks", "upgrade", "TASK"),
    "list": ("tasks", "list", "TASKS", *QUICK, "--max-table-states", "200"),
    "demos": ("tasks", "demos", "TASKS", "-o", "OUT", *QUICK),
    "gallery": ("tasks", "gallery", "TASKS", "-o", "OUT.html", "--tiling", "hex", *QUICK),
    "verify": ("tasks", "verify", "TASKS", "--workers", "1"),
    "seal": ("tasks", "seal", "TASKS"),
    "probe": ("probe", "TASK", "-m", "ollama", "-M", "model=m", "--dry-run"),
    "diagnose": ("diagnose", "TASK", "-m", "ollama", "-M", "model=m", "--dry-run"),
    "prompts show": ("prompts", "show", "TASK", "-m", "ollama", "-M", "model=m"),
    "eval": (
        *("eval", "--task-dir", "TASKS", "-m", "random", "-B", "render_mode=none"),
        *("--mission", "both", "-q", "-o", "OUT.json"),
    ),
}
"""Every command that reads tasks, and its arguments; TASKS is a folder, TASK the file in it, OUT does not exist."""


def _arguments(command: str, folder: Path) -> list[str]:
    words = {"TASKS": "tasks", "TASK": "tasks/x.json", "OUT": "out", "OUT.png": "out.png"}
    words |= {"OUT.json": "out.json", "OUT.html": "out.html"}
    return [str(folder / words[word]) if word in words else word for word in COMMANDS[command]]


def mutations(seed: int, sources: list[Any]) -> Iterator[bytes]:
    """Endlessly many mutated files."""
    rng = random.Random(seed)
    while True:
        contents = [deepcopy(rng.choice(sources))]
        for _ in range(rng.choice((1, 1, 1, 2, 2, 4))):
            _change(rng, contents)
        text = json.dumps(contents[0]).encode()
        yield text[: rng.randrange(len(text))] if rng.random() < 0.1 else text


def _change(rng: random.Random, contents: list[Any]) -> None:
    """Change a value at a random place: a little, to something else, to another name, or to nothing."""
    places = list(_places(contents))
    container, name = rng.choice(places)
    value = container[name]
    match rng.choice((*["nudge"] * 6, *["replace"] * 4, "rename", "drop")):
        case "nudge" if type(value) is int:
            container[name] += rng.choice((-1, 1))
        case "nudge" if isinstance(value, str):
            container[name] = rng.choice([donor[at] for donor, at in places if isinstance(donor[at], str)])
        case "replace":
            donor, at = rng.choice(places)
            container[name] = deepcopy(rng.choice((rng.choice(JUNK), donor[at])))
        case "rename" if isinstance(container, dict):
            container[rng.choice(NAMES)] = container.pop(name)
        case "drop" if container is not contents:
            del container[name]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key or index), but for what is inside of `NESTED`."""
    stack = [(value, 0)]
    while stack:
        container, depth = stack.pop()
        entries = container.items() if isinstance(container, dict) else enumerate(container)
        for name, inner in entries:
            yield container, name
            if isinstance(inner, (dict, list)) and depth < 8:
                stack.append((inner, depth + 1))


def _budget(content: bytes) -> int:
    with contextlib.suppress(ValueError, AttributeError, TypeError, RecursionError):
        data = json.loads(content)
        return int(data.get("TaskSpecification", data).get("max_steps", 0))
    return 0


def _certified(folder: Path) -> Any:
    """A generated task, which `tasks verify` proves."""
    code, said = _run(["tasks", "generate", *ONE_MAZE, "--workers", "1", "-o", str(folder)])
    assert code == 0, said
    return json.loads(next(folder.glob("perfect_maze-*.json")).read_text())


def _run(arguments: list[str]) -> tuple[int, str]:
    """Exit code and output of a command; a traceback is -1."""
    from multinet_eval.cli.app import multinet

    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            multinet(arguments, prog_name="multinet")
    except SystemExit as ending:
        return (0 if ending.code is None else int(ending.code)), output.getvalue()
    except BaseException:
        return -1, output.getvalue() + traceback.format_exc()
    finally:
        signal.alarm(0)
    return 0, output.getvalue()


def _refuse_to_go_on(number: int, frame: Any) -> None:
    raise TimeoutError(f"longer than {SECONDS} s")


def main(seed: int, count: int, folder: Path) -> None:
    """Make the files and run the commands; see the module's docstring."""
    from multinet_eval import __file__ as package

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _refuse_to_go_on)
    bundled = sorted((Path(package).parent / "benchmarks").rglob("*.json"))
    sources = [OLDER, _certified(folder), *(json.loads(path.read_text()) for path in bundled)]
    endings: Counter[str] = Counter()
    names = sorted(COMMANDS)
    for number, content in zip(range(count), mutations(seed, sources), strict=False):
        name = names[number % len(names)]
        if name == "eval" and _budget(content) > LONGEST_BUDGET:
            continue
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "tasks").mkdir(parents=True)
        (folder / "tasks" / "x.json").write_bytes(content)
        signal.alarm(SECONDS)
        code, said = _run(_arguments(name, folder))
        endings[f"{name}: {code}"] += 1
        if code not in (0, 1, 2) or "Traceback" in said:
            kept = folder.with_name(f"failed-{seed}-{number}.json")
            kept.write_bytes(content)
            _tell({"command": name, "file": str(kept), "code": code, "said": said[-3000:]})
    _tell(dict(sorted(endings.items())))


def _tell(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


TIMEOUT = 3600


def fuzz(seed: int, count: int, folder: Path) -> dict[str, int]:
    """Counts of exit codes by command."""
    printed = output_of(
        subprocess.run(
            [sys.executable, __file__, str(seed), str(count), str(folder / "work")],
            env=environment([Path(__file__).parents[2]], {"OPENBLAS_NUM_THREADS": "1"}),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    )
    *failures, endings = map(json.loads, printed.splitlines())
    assert failures == []
    counted: dict[str, int] = endings
    return counted


def test_every_command_reads_or_refuses_mutated_files(tmp_path: Path) -> None:
    endings = fuzz(1, 17, tmp_path)
    assert {name.rpartition(": ")[0] for name in endings} == set(COMMANDS)
    assert sum(count for name, count in endings.items() if name.endswith(": 0")) >= 4


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(2, 12))
def test_ten_thousand_mutated_files_are_read_or_refused_in_words(tmp_path: Path, seed: int) -> None:
    endings = fuzz(seed, 1000, tmp_path)
    assert {name for name in COMMANDS if f"{name}: 0" not in endings} <= {"validate --strict"}


READERS = [
    *(["tasks", name] for name in ("show", "solve", "validate", "upgrade", "list")),
    ["tasks", "render", "-o", "out.png"],
    ["tasks", "demos", "-o", "out"],
    ["tasks", "gallery", "-o", "out.html"],
    ["prompts", "show", "-m", "ollama", "-M", "model=m"],
    ["eval", "-m", "random", "--task-dir"],
]
OF_FOLDERS = ("list", "demos", "gallery", "--task-dir")


def read_by(command: list[str], path: Path, cwd: Path) -> tuple[int, str]:
    """Exit code and output of a command that is given a file, or its folder if it reads folders only."""
    meant = path.parent if any(word in OF_FOLDERS for word in command) else path
    finished = run("multinet", *command, meant, cwd=cwd)
    return finished.returncode, finished.stdout + finished.stderr


@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_a_fifo_and_a_maze_of_ten_billion_cells_are_refused(command: list[str], tmp_path: Path) -> None:
    file = tmp_path / "tasks" / "x.json"
    file.parent.mkdir()
    os.mkfifo(file)
    code, said = read_by(command, file, tmp_path)
    assert code in (1, 2)
    assert "is a FIFO, expected a regular file" in said
    file.unlink()
    data: dict[str, Any] = describe("#####\n#@.G#\n#####")
    data["maze"]["dimensions"] = [100_000, 100_000]
    file.write_text(json.dumps(data))
    code, said = read_by(command, file, tmp_path)
    assert code in (1, 2)
    assert "maze.dimensions[0]: must be at least 3 and at most 512, got 100000" in said


def test_sockets_devices_and_folders_are_refused_and_not_read(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        (tmp_path / "tasks").mkdir()
        listening.bind(os.path.relpath(tmp_path / "tasks" / "x.json"))
        _, said = read_by(["tasks", "solve"], tmp_path / "tasks" / "x.json", tmp_path)
    assert "is a socket, expected a regular file" in said
    assert_refused(run("multinet", "tasks", "show", "/dev/zero"), "is a character device, expected a regular file")
    assert_refused(run("multinet", "tasks", "show", tmp_path), "it is a folder, expected a regular file")


def test_a_file_of_gigabytes_is_refused_and_not_read(tmp_path: Path) -> None:
    with (tmp_path / "x.json").open("wb") as sparse:
        sparse.truncate(10 * 2**30)
    assert_refused(
        run("multinet", "tasks", "show", tmp_path / "x.json"), "10737418240 bytes, expected at most 67108864"
    )


def test_a_maze_of_the_largest_sides_is_read(tmp_path: Path) -> None:
    write_corridor(tmp_path, "task")
    data = json.loads((tmp_path / "task.json").read_text())
    data["maze"] |= {"dimensions": [512, 512], "walls": []}
    (tmp_path / "task.json").write_text(json.dumps(data))
    output_of(run("multinet", "tasks", "upgrade", tmp_path / "task.json"))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
