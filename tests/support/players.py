"""Games on the page of ``multinet play``, played over HTTP."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import DEVNULL
from typing import Any
from urllib.parse import urlsplit

import attrs

from gridworld.task_spec import TaskSpecification
from multinet_eval.play.run import RunOutcome
from multinet_eval.record.manifest import RunOptions, Suite
from multinet_eval.settings.run_settings import RunSettings
from multinet_report.play.game import Game, PageOptions, Person, new_game
from support.programs import Program, start

View = dict[str, Any]


@attrs.frozen
class Reply:
    """Response to a request."""

    status: int
    headers: http.client.HTTPMessage
    content: bytes


class PagePlayer:
    """Plays on the page of ``multinet play`` over HTTP, like a browser tab without display."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        assert parts.hostname is not None
        assert parts.port is not None
        self.host, self.port = parts.hostname, parts.port
        self.address = address
        self.folder = parts.path
        self.present: View = {"number": 0}
        self.read: list[bytes] = []
        """Contents of all responses."""

    @property
    def origin(self) -> str:
        """Origin of the page."""
        return f"http://{self.host}:{self.port}"

    def request(self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Reply:
        """Make a request for an absolute path, with only these headers."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        connection.request(method, path, body or None, headers or {})
        answer = connection.getresponse()
        reply = Reply(answer.status, answer.headers, answer.read())
        connection.close()
        self.read.append(reply.content)
        return reply

    def get(self, path: str, **headers: str) -> Reply:
        """Get something below the page's address."""
        return self.request("GET", self.folder + path, headers)

    def view(self) -> View:
        """Get the next view."""
        reply = self.get(f"view?after={self.present['number']}")
        assert reply.status == 200, reply
        self.present = json.loads(reply.content)
        return self.present

    def post(self, body: bytes, **headers: str) -> int:
        """Post an answer; returns the status."""
        given = {"Content-Type": "application/json", "Origin": self.origin, **headers}
        return self.request("POST", f"{self.folder}answer", given, body).status

    def answer(self, choice: str, **changes: Any) -> int:
        """Answer the present view; returns the status."""
        status = self.post(json.dumps(self.answer_to(choice, **changes)).encode("utf-8"))
        if status == 204:
            self.present = {"number": self.present["number"]}
        return status

    def answer_to(self, choice: str, **changes: Any) -> dict[str, Any]:
        """The JSON of an answer to the present view."""
        return {"number": self.present["number"], "choice": choice, "by": "test", "active": 0.25, **changes}

    def read_on(self) -> View:
        """Continue until the next question or the end."""
        while self.present.get("kind") != "question" and not self.present.get("final"):
            if self.present.get("buttons"):
                assert self.answer(self.present["buttons"][0]["choice"]) == 204
            self.view()
        return self.present

    def play(self, actions: Iterable[int]) -> View:
        """Take actions from the start of a maze; returns the last view."""
        view = self.read_on()
        for action in actions:
            assert self.answer(str(action)) == 204
            view = self.view()
        return view


UNOPENED = PageOptions(open=False)
TIMEOUT = 60
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S+/")


@attrs.frozen
class PlayedGame:
    """A game that waits for its page."""

    page: PagePlayer
    outcome: Future[RunOutcome]


def begin_game(
    tasks: list[TaskSpecification], directory: Path | None = None, person: Person | None = None, **settings: Any
) -> Game:
    """Begin a game of some tasks, on squares by default."""
    given = RunSettings(**{"model": "", "tilings": ("square",), **settings})
    return new_game(given, Suite("small", tuple(tasks)), person or Person("ada"), UNOPENED, directory)


@contextmanager
def played(game: Game) -> Iterator[PlayedGame]:
    """Play a game in a thread; by the end of the block, the page has to have finished it."""

    def play() -> RunOutcome:
        game.practise()
        return game.run.play(RunOptions(), game)

    page = PagePlayer(game.person.address)
    with ThreadPoolExecutor(1) as thread:
        outcome = thread.submit(play)
        try:
            yield PlayedGame(page, outcome)
        finally:
            _stop(page, outcome)
        outcome.result(30)


def _stop(page: PagePlayer, outcome: Future[RunOutcome]) -> None:
    """Stop an unfinished game, so that a failing test does not wait forever."""
    page.present = {"number": 0}
    with suppress(OSError):  # closing
        while not outcome.done() and not page.view().get("final"):
            if page.present["buttons"]:
                page.answer("stop")


@contextmanager
def program(*arguments: str | Path) -> Iterator[tuple[str, Program]]:
    """Run ``multinet play``; yields its address and the program."""
    started = start("multinet", "play", *arguments, "--no-open", stdout=DEVNULL)
    assert started.stderr is not None
    try:
        said = ""
        while (found := ADDRESS.search(said)) is None:
            line = started.stderr.readline()
            assert line, said
            said += line
        yield found[0], started
        started.communicate(timeout=TIMEOUT)
    finally:
        started.kill()
