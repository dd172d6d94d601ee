"""The WSGI application of the page (PEP 3333)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import parse_qs

from gridworld.support.files import JSONError, parse_json
from multinet_report.page_file import Document, document
from multinet_report.play.guard import Guard, Refusal
from multinet_report.play.stage import Answer, Stage, StaleAnswer, WrongChoice

LONGEST_BODY = 4096
"""Maximum size of a request body, in bytes."""
LARGEST = 10**9
"""Maximum value of a number in a request."""
LONG_POLL = 20.0
"""Seconds for which a request for the next view is held open."""
JSON, HTML, TEXT = "application/json", "text/html; charset=utf-8", "text/plain; charset=utf-8"
HEADERS = (
    ("Cache-Control", "no-store"),
    ("Cross-Origin-Opener-Policy", SAME := "same-origin"),
    ("Cross-Origin-Resource-Policy", SAME),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
)

Start = Callable[..., Any]
Response = tuple[str, str, bytes]
"""Status, media type and content of a reply."""


class PlayApplication:
    """Serves the page, views and instructions, and accepts the person's choices.

    Args:
        stage: source of the views.
        document: the page.
        instructions: returns the current instructions as JSON.
        guard: checks requests.
    """

    def __init__(self, stage: Stage, document: Document, instructions: Callable[[], bytes], guard: Guard) -> None:
        self._stage = stage
        self._document = document
        self._instructions = instructions
        self._guard = guard
        self._policy = f"{document.policy}; frame-ancestors 'none'"

    def __call__(self, environ: Mapping[str, Any], start_response: Start) -> Iterable[bytes]:
        """Answer a request."""
        try:
            status, kind, content = self._reply(environ)
        except Refusal as refusal:
            status, kind, content = refusal.status, TEXT, f"{refusal.reason}\n".encode()
        length = ("Content-Length", str(len(content)))
        start_response(status, [("Content-Type", kind), length, ("Content-Security-Policy", self._policy), *HEADERS])
        return [content]

    def _reply(self, environ: Mapping[str, Any]) -> Response:
        path, method = self._guard.path(environ), environ["REQUEST_METHOD"]
        match method, path:
            case "GET", "":
                return "200 OK", HTML, self._document.text.encode("utf-8")
            case "GET", "view":
                return self._view(_count(str(environ.get("QUERY_STRING", ""))))
            case "GET", "instructions":
                return "200 OK", JSON, self._instructions()
            case "POST", "answer":
                return self._take(environ)
            case _, ("" | "view" | "instructions" | "answer"):
                raise Refusal("405 Method Not Allowed", f"{method} is not allowed here")
        raise Refusal("404 Not Found", "not found")

    def _view(self, after: int) -> Response:
        content = self._stage.view_after(after, LONG_POLL)
        return ("204 No Content", JSON, b"") if content is None else ("200 OK", JSON, content)

    def _take(self, environ: Mapping[str, Any]) -> Response:
        number, answer = _read_answer(_read_body(environ))
        try:
            self._stage.answer(number, answer)
        except StaleAnswer:
            raise Refusal("409 Conflict", "this view has been answered, or is no longer shown") from None
        except WrongChoice:
            raise Refusal("400 Bad Request", "choice: not offered by this view") from None
        return "204 No Content", JSON, b""


def _count(query: str) -> int:
    """Return the number of the view that the browser already has."""
    given = parse_qs(query).get("after", ["0"])[0]
    if not _is_count(given):
        raise Refusal("400 Bad Request", "after: expected a number")
    return int(given)


def _is_count(text: str) -> bool:
    """Whether a text is an integer of at most nine digits."""
    return text.isascii() and text.isdigit() and len(text) < 10


def _read_body(environ: Mapping[str, Any]) -> Any:
    """Read the JSON in a request."""
    if str(environ.get("CONTENT_TYPE", "")).partition(";")[0].strip() != JSON:
        raise Refusal("415 Unsupported Media Type", f"expected {JSON}")
    length = str(environ.get("CONTENT_LENGTH") or "")
    if not _is_count(length):
        raise Refusal("411 Length Required", "expected a Content-Length")
    if int(length) > LONGEST_BODY:
        raise Refusal("413 Content Too Large", f"expected at most {LONGEST_BODY} bytes")
    try:
        return parse_json(environ["wsgi.input"].read(int(length)))
    except JSONError:
        raise Refusal("400 Bad Request", "expected JSON") from None


def _read_answer(body: Any) -> tuple[int, Answer]:
    """Parse the number of the answered view, and the answer."""
    match body:
        case {"number": int(number), "choice": str(choice), "by": str(by), "active": int() | float() as active}:
            if any(isinstance(each, bool) or not 0 <= each <= LARGEST for each in (number, active)):
                raise Refusal("400 Bad Request", f"number, active: expected numbers from 0 to {LARGEST}")
            return number, Answer(choice, by, float(active))
    raise Refusal("400 Bad Request", "expected an object with number, choice, by and active")


MODULES = ("text.js", "dom.js", "geometry.js", "board.js", "play.js")
"""Script modules in topological order of their imports."""
STYLES = ("style.css", "play.css")


def play_document() -> Document:
    """Build the page, which may connect only to its own server."""
    return document("Play", MODULES, STYLES, allowed=["connect-src 'self'"])
