"""Whole programs that record runs: answers that depend on the request alone, kills, and what is in the files."""

import json
import os
import random
import signal
import threading
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import attrs

import command_line
from command_line import Finished, run
from multinet_adapters.testing.model_servers import MODEL, ChatRequest, ModelServer, action_json
from started_programs import Program

__all__ = [
    "RECORDED",
    "Killer",
    "lines_of",
    "model_options",
    "request_answer",
    "requests_in",
    "results_of",
    "resume",
    "start",
]

RECORDED = {"MULTINET_NO_RECORD": ""}
"""Switches recording on again, which `command_line` switches off."""
TIMEOUT = 120
UNUSABLE = 16
"""One of so many answers cannot be used."""


def request_answer(request: ChatRequest) -> str:
    """A pseudo-random action, or now and then nonsense: the same for the same words and pictures, whoever asks."""
    digest = sha256(b"\0".join([request.text.encode(), *request.images])).digest()
    return "I do not know." if digest[1] % UNUSABLE == 0 else action_json(digest[0] % 7)


def model_options(server: ModelServer) -> list[str]:
    """The options that name a model behind a server."""
    return ["-m", "ollama", "-M", f"model={MODEL}", "-M", f"base_url={server.ollama_url}"]


def start(program: str, *arguments: str | Path) -> Program:
    """Start a program that records its run."""
    return command_line.start(program, *arguments, variables=RECORDED)


def resume(directory: Path, *options: str, path: Iterable[Path] = ()) -> Finished:
    """Go on with a run."""
    return run("multinet", "runs", "resume", directory, *options, path=path, variables=RECORDED)


def results_of(directory: Path) -> Any:
    """The results file of a run without the seconds that it took."""
    return _untimed(json.loads((directory / "results.json").read_text(encoding="utf-8")))


def _untimed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _untimed(each) for name, each in value.items() if name not in ("seconds", "server_seconds")}
    return [_untimed(each) for each in value] if isinstance(value, list) else value


def lines_of(directory: Path) -> dict[str, list[dict[str, Any]]]:
    """First file of each attempt to its whole lines, for all episodes, without the help of the code under test."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(directory.glob("episodes/*.jsonl"), key=lambda path: [*map(int, path.stem.split("."))]):
        episode, attempt, *_ = [*path.stem.split("."), "1"]
        name = f"{episode}.jsonl" if attempt == "1" else f"{episode}.{attempt}.jsonl"
        whole, _, _ = path.read_bytes().rpartition(b"\n")
        found.setdefault(name, []).extend(json.loads(line) for line in whole.splitlines())
    return found


def requests_in(directory: Path) -> int:
    """How many answers are recorded."""
    return sum("request" in line for lines in lines_of(directory).values() for line in lines)


@attrs.define
class Killer:
    """Kills a run soon after its server has been asked so often, whoever plays it; the lock says who that is.

    It answers the server's requests, and counts them.
    """

    directory: Path
    after: int = -1
    """How many more requests there are to be; below 0 for never."""
    delay: float = 0.0
    """The seconds from the last of them to the kill."""
    asked: int = 0
    _lock: threading.Lock = attrs.field(factory=threading.Lock)

    def answer(self, request: ChatRequest) -> str:
        """Answer a request."""
        with self._lock:
            self.asked += 1
            due = self.after == 0
            self.after -= 1
        if due:
            threading.Timer(self.delay, self._kill).start()
        return request_answer(request)

    def aim(self, rng: random.Random, requests: int, longest_delay: float) -> None:
        """Kill at a random moment within so many requests."""
        with self._lock:
            self.after, self.delay = rng.randrange(requests), rng.random() * longest_delay

    def _kill(self) -> None:
        with suppress(FileNotFoundError, ProcessLookupError):
            os.kill(json.loads((self.directory / "lock").read_text(encoding="utf-8"))["pid"], signal.SIGKILL)
