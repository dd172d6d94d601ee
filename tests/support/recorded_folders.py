"""Folders of recorded runs as commands tell of them: what came of a run, and how many answers it holds."""

import json
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

from support.forked import Ended, play
from support.model_server import ModelServer

__all__ = ["Outcome", "asked_of", "assert_done", "lines_of", "outcome_of", "recorded_requests", "shown"]

SETTLED = 4.0
"""The seconds after which a server is not waited for, since it holds back a reply."""
TIMINGS = {"seconds", "server_seconds"}


class Outcome(NamedTuple):
    """What came of a run, without the time that it took: its results, and its rows of episodes and of steps."""

    results: Any
    episodes: Any
    steps: Any


def outcome_of(run: Path) -> Outcome:
    """The outcome of a finished run, which is verified."""
    tables = {rows: run.with_name(f"{run.name}.{rows}.jsonl") for rows in ("episodes", "steps")}
    exports = [_export(run, rows, file) for rows, file in tables.items()]
    ended = play(["multinet", "runs", "verify", run, "--json"], *exports)
    assert_done(ended, [0, 0, 0])
    verified = json.loads(ended.finished[0].stdout)
    assert verified["consistent"]
    assert verified["complete"]
    results = untimed(json.loads((run / "results.json").read_text(encoding="utf-8")))
    return Outcome(results, *(_rows(file) for file in tables.values()))


def _export(run: Path, rows: str, file: Path) -> Sequence[object]:
    return ("multinet", "runs", "export", run, "--format", "jsonl", "--rows", rows, "-o", file)


def _rows(file: Path) -> Any:
    return [untimed(json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def untimed(value: Any) -> Any:
    """A value of JSON without the seconds in it."""
    if isinstance(value, dict):
        return {name: untimed(each) for name, each in value.items() if name not in TIMINGS}
    return [untimed(each) for each in value] if isinstance(value, list) else value


def assert_done(ended: Ended, exit_codes: Sequence[int]) -> None:
    """The commands have come to an end with these exit codes, without a traceback."""
    said = [f"{each.exit_code}\n{each.stdout[-2000:]}{each.stderr[-4000:]}" for each in ended.finished]
    assert [each.exit_code for each in ended.finished] == list(exit_codes), "\n".join([*said, ended.hung, ended.stderr])
    assert not any("Traceback" in each.stderr for each in ended.finished), "\n".join(said)
    assert ended.left == [], "processes outlived it"


def asked_of(server: ModelServer) -> int:
    """How many requests a server has received, once it has read those of clients that have gone."""
    with urlopen(f"{server.url}/models") as reply:  # those before are accepted then
        reply.read()
    deadline = time.monotonic() + SETTLED
    while time.monotonic() < deadline and any("process_request" in each.name for each in threading.enumerate()):
        time.sleep(0.001)
    return len(server.received)


def shown(run: Path) -> Any:
    """What ``multinet runs show --json`` says of a run."""
    ended = play(["multinet", "runs", "show", run, "--json"])
    assert_done(ended, [0])
    return json.loads(ended.stdout)


def lines_of(run: Path, episode: int) -> list[dict[str, Any]]:
    """The lines that all sessions have recorded of an episode with one attempt, in order."""
    files = sorted((run / "episodes").glob(f"{episode}.*jsonl"), key=lambda path: [*map(int, path.stem.split("."))])
    return [json.loads(line) for path in files for line in path.read_bytes().splitlines()]


def recorded_requests(run: Path) -> int:
    """How many answers a run holds; none where there is no run yet."""
    return int(shown(run)["spent"]["requests"]) if (run / "run.json").exists() else 0
