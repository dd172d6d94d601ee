"""Plays on the page of ``multinet play`` over HTTP, as the browser does, but for what is to be seen."""

import http.client
import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

import attrs

__all__ = ["PagePlayer", "Reply"]

TIMEOUT = 30
View = dict[str, Any]


@attrs.frozen
class Reply:
    """What came of a request."""

    status: int
    headers: http.client.HTTPMessage
    content: bytes


class PagePlayer:
    """A tab of a browser.

    Args:
        address: that of the page.
    """

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        assert parts.hostname is not None
        assert parts.port is not None
        self.host, self.port = parts.hostname, parts.port
        self.address = address
        self.folder = parts.path
        self.present: View = {"number": 0}
        self.read: list[bytes] = []
        """All that has come from the server."""

    @property
    def origin(self) -> str:
        """Where the page comes from."""
        return f"http://{self.host}:{self.port}"

    def request(self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Reply:
        """Make a request; the path is an absolute one, and all headers but those that HTTP needs are given."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=TIMEOUT)
        connection.request(method, path, body or None, headers or {})
        answer = connection.getresponse()
        reply = Reply(answer.status, answer.headers, answer.read())
        connection.close()
        self.read.append(reply.content)
        return reply

    def get(self, path: str, **headers: str) -> Reply:
        """Ask for something of the page."""
        return self.request("GET", self.folder + path, headers)

    def view(self) -> View:
        """The next view."""
        reply = self.get(f"view?after={self.present['number']}")
        assert reply.status == 200, reply
        self.present = json.loads(reply.content)
        return self.present

    def post(self, body: bytes, **headers: str) -> int:
        """Send something as an answer; the status of the reply."""
        given = {"Content-Type": "application/json", "Origin": self.origin, **headers}
        return self.request("POST", f"{self.folder}answer", given, body).status

    def answer(self, choice: str, **changes: Any) -> int:
        """Answer the present view; the status of the reply."""
        status = self.post(json.dumps(self.answer_to(choice, **changes)).encode("utf-8"))
        if status == 204:
            self.present = {"number": self.present["number"]}
        return status

    def answer_to(self, choice: str, **changes: Any) -> dict[str, Any]:
        """The answer to the present view, JSON-ready."""
        return {"number": self.present["number"], "choice": choice, "by": "test", "active": 0.25, **changes}

    def read_on(self) -> View:
        """Go on from what is only to be read; the question, or the end, that comes then."""
        while self.present.get("kind") != "question" and not self.present.get("final"):
            if self.present.get("buttons"):
                assert self.answer(self.present["buttons"][0]["choice"]) == 204
            self.view()
        return self.present

    def play(self, actions: Iterable[int]) -> View:
        """Take actions in a maze, from its start on; what is shown after the last one."""
        view = self.read_on()
        for action in actions:
            assert self.answer(str(action)) == 204
            view = self.view()
        return view
