"""Folders of recorded runs: recording, killing, reading and damaging them."""

import json
import threading
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

from multinet_adapters.testing.model_servers import ChatRequest, action_json
from multinet_eval.record.record_folders import RUN, record_text
from support.commands import Finished, multinet, run_eval
from support.forked import Ended, play
from support.model_servers import ChatServer, ModelServer, model_arguments
from support.task_files import write_corridors

SETTLED = 4.0
"""Seconds after which a server is not waited for, since it holds back a reply."""
TIMINGS = {"seconds", "server_seconds"}


class Outcome(NamedTuple):
    """Outcome of a run without timings: results, and rows of episodes and steps."""

    results: Any
    episodes: Any
    steps: Any


def outcome_of(run: Path) -> Outcome:
    """Verify a finished run, and return its outcome."""
    tables = [run.with_name(f"{run.name}.{rows}.jsonl") for rows in ("episodes", "steps")]
    export = ("multinet", "runs", "export", run, "--format", "jsonl", "--rows")
    exports = [(*export, file.suffixes[-2][1:], "-o", file) for file in tables]
    ended = play(["multinet", "runs", "verify", run, "--json"], *exports)
    assert_done(ended, [0, 0, 0])
    verified = json.loads(ended.finished[0].stdout)
    assert verified["consistent"]
    assert verified["complete"]
    rows = ([untimed(json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()] for file in tables)
    return Outcome(results_of(run), *rows)


def untimed(value: Any) -> Any:
    """A JSON value without timings."""
    if isinstance(value, dict):
        return {name: untimed(each) for name, each in value.items() if name not in TIMINGS}
    return [untimed(each) for each in value] if isinstance(value, list) else value


def assert_done(ended: Ended, exit_codes: Sequence[int]) -> None:
    """Check that commands ended with these exit codes, without tracebacks and surviving children."""
    said = [f"{each.exit_code}\n{each.stdout[-2000:]}{each.stderr[-4000:]}" for each in ended.finished]
    assert [each.exit_code for each in ended.finished] == list(exit_codes), "\n".join([*said, ended.hung, ended.stderr])
    assert not any("Traceback" in each.stderr for each in ended.finished), "\n".join(said)
    assert ended.left == [], "processes outlived it"


def asked_of(server: ModelServer) -> int:
    """Number of requests that a server has received, including those of clients that have gone."""
    with urlopen(f"{server.url}/models") as reply:  # earlier connections are accepted by then
        reply.read()
    deadline = time.monotonic() + SETTLED
    while time.monotonic() < deadline and any("process_request" in each.name for each in threading.enumerate()):
        time.sleep(0.001)
    return len(server.received)


def shown(run: Path) -> Any:
    """The output of ``multinet runs show --json`` for a run."""
    finished = multinet("runs", "show", run, "--json")
    assert finished.exit_code == 0, finished.stderr
    return json.loads(finished.stdout)


def requests_of(run: Path) -> int:
    """Number of requests made in all sessions of a run."""
    return int(shown(run)["spent"]["requests"])


def play_corridor(
    folder: Path, server: ChatServer, *options: object, length: int = 4, max_steps: int | None = None, **variables: str
) -> Finished:
    """Record a run of one corridor in ``run``, by the model behind a server; `variables` are set in its environment."""
    tasks = folder / "tasks"
    if not tasks.exists():
        write_corridors(tasks, length, max_steps=max_steps)
    played = ("--task-dir", tasks, "--run-dir", folder / "run", "--observation", "text", *options)
    return run_eval(*model_arguments(server.url), *played, **variables)


def write_manifest(run: Path, manifest: dict[str, Any]) -> None:
    """Write the contents of ``run.json`` as the owner of the run."""
    says = {name: value for name, value in manifest.items() if name not in ("version", "mac")}
    (run / "run.json").write_text(record_text(says, RUN), encoding="utf-8")


def lines_of(run: Path, episode: int) -> list[dict[str, Any]]:
    """The recorded lines of an episode with one attempt, from all sessions in order."""
    files = sorted((run / "episodes").glob(f"{episode}.*jsonl"), key=lambda path: [*map(int, path.stem.split("."))])
    return [json.loads(line) for path in files for line in path.read_bytes().splitlines()]


def recorded_requests(run: Path) -> int:
    """Number of recorded answers; 0 if there is no run yet."""
    return requests_of(run) if (run / "run.json").exists() else 0


RECORDED = {"MULTINET_NO_RECORD": ""}
"""Variables that switch recording on again, which `programs` switches off."""
UNUSABLE = 16
"""One in this many answers is unusable."""


def request_answer(request: ChatRequest) -> str:
    """A pseudo-random action or, rarely, nonsense, decided by the texts and pictures of the request."""
    digest = sha256(b"\0".join([request.text.encode(), *request.images])).digest()
    return "I do not know." if digest[1] % UNUSABLE == 0 else action_json(digest[0] % 7)


def results_of(directory: Path) -> Any:
    """The results file of a run without its timings."""
    return untimed(json.loads((directory / "results.json").read_text(encoding="utf-8")))


def all_lines(directory: Path) -> dict[str, list[dict[str, Any]]]:
    """Complete lines of each attempt by the name of its first file, read without the code under test."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(directory.glob("episodes/*.jsonl"), key=lambda path: [*map(int, path.stem.split("."))]):
        episode, attempt, *_ = [*path.stem.split("."), "1"]
        name = f"{episode}.jsonl" if attempt == "1" else f"{episode}.{attempt}.jsonl"
        whole, _, _ = path.read_bytes().rpartition(b"\n")
        found.setdefault(name, []).extend(json.loads(line) for line in whole.splitlines())
    return found


def _room(name: str, width: int, rules: dict[str, Any]) -> dict[str, Any]:
    return {
        "task_id": name,
        "seed": 1,
        "difficulty_tier": 1,
        "maze": {"dimensions": [width, 4], "start": [1, 1], "goal": [width - 2, 2]},
        "mechanisms": {"keys": [{"id": "key", "position": [2, 1], "color": "red"}]},
        "rules": rules,
        "goal": {"type": "reach_position"},
        "max_steps": 4,
    }


VIEW_CONE = {"observability": "view_cone", "view_size": 3}


def record_two_rooms(folder: Path, *arguments: object, rules: dict[str, Any] = VIEW_CONE) -> Path:
    """Record a run of a large room (episode 0) and a small one.

    Args:
        folder: empty folder for the tasks and the run.
        arguments: further arguments of ``multinet-run-eval``.
        rules: rules of the tasks.
    """
    tasks = folder / "tasks"
    tasks.mkdir()
    for name, width in (("large", 9), ("little", 5)):
        (tasks / f"{name}.json").write_text(json.dumps(_room(name, width, rules)), encoding="utf-8")
    run = folder / "run"
    played = run_eval(
        "--benchmark", "directory", "--task-dir", tasks, "--model", "random", "--run-dir", run, *arguments
    )
    assert played.exit_code == 0, played.stderr
    return run


def _with(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    def changed(content: bytes) -> bytes:
        scene = json.loads(content)
        change(scene)
        return json.dumps(scene, separators=(",", ":")).encode()

    return changed


SCENE_DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "NaN in place of a coordinate": _with(lambda scene: scene["cells"][0][0].__setitem__(0, float("nan"))),
    "1e308 in place of a coordinate": _with(lambda scene: scene["centres"][0].__setitem__(1, 1e308)),
    "an object in place of a number": _with(lambda scene: scene["cells"][1][0].__setitem__(0, {"x": 1})),
    "a text in place of a number": _with(lambda scene: scene["agent"].__setitem__(0, "2")),
    "a number in place of the looks": _with(lambda scene: scene.__setitem__("looks", 7)),
    "a cell that does not exist": _with(lambda scene: scene["agent"].__setitem__(0, 999)),
    "a glyph that does not exist": _with(lambda scene: scene["looks"][0].__setitem__(2, [99])),
    "no cells": _with(lambda scene: scene.pop("cells")),
    "other colours": _with(lambda scene: scene["glyphs"][0][0].__setitem__("color", "red")),
    "the same in other words": lambda content: content + b"\n",
    "cut off": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
}
"""Ways to change the content of a scene without its name."""
