"""Server replies as JSON; errors and protocol violations become faults."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import attrs

from gridworld.model_interface import AnswerFault, AnswerOutcome, Trouble
from gridworld.model_interface.answers import MAX_USED_SECONDS
from gridworld.support.wording import LONGEST_MESSAGE, shorten
from multinet_adapters.refusals import HELP, RequestPart, refused_part
from multinet_adapters.transport import HttpReply

T = TypeVar("T")

JSON_KINDS: dict[type, str] = {dict: "an object", list: "a list", str: "a text"}

MAX_DIGITS = 20
"""Maximum number of digits of an integer; longer ones are parsed as floats."""

MAX_MESSAGE, MAX_RAW = 500, 10_000
"""Maximum number of characters of a reply quoted in a message, and recorded with it."""
LEAST_WORDS = 40
"""Number of characters of a server's words that are always shown beside advice."""

CONTENT_FILTERS = ("content_filter", "content_policy_violation")
"""Error codes by which servers decline to answer."""

FOR_GOOD = (400, 401, 402, 403, 404, 405, 406, 407, 410, 413, 414, 415, 422, 501)
"""HTTP statuses that blame the request, so that repeating it would fail again."""

TROUBLES = {
    429: Trouble.OVERLOADED,
    503: Trouble.OVERLOADED,
    529: Trouble.OVERLOADED,
    502: Trouble.UNREACHABLE,
    408: Trouble.SLOW,
    504: Trouble.SLOW,
}
"""Kinds of temporary trouble, by HTTP status."""

NAMED_STATUSES = {"overloaded_error": 529, "rate_limit_error": 429, "rate_limit_exceeded": 429}
"""Error names that stand for an HTTP status."""


class RequestRefused(AnswerFault):
    """Rejection of one part of a request."""

    def __init__(self, part: RequestPart, words: str, says: str, raw_output: str, status: int) -> None:
        help_for = HELP.get(part)
        super().__init__(
            AnswerOutcome.INFRASTRUCTURE,
            _with_advice(says, words, help_for.text if help_for else None),
            raw_output=raw_output,
            permanent=True,
            status=status,
            advice=help_for.settings if help_for else (),
        )
        self.part = part
        self.words = words
        """The server's message about the rejection."""


@attrs.frozen
class ErrorHints:
    """Advice for server errors, by HTTP status."""

    by_status: Mapping[int, str]


def read_object(reply: HttpReply, hints: ErrorHints) -> dict[str, Any]:
    """Parse the JSON object in a reply.

    Raises:
        AnswerFault: `INFRASTRUCTURE` for a server error (permanent if it blames the request; includes its
            ``Retry-After``) or a reply that is not a JSON object; `REFUSED` if the server declines to answer.
        RequestRefused: the server does not accept some part of the request.
    """
    value, raw = _parse(reply.text), reply.text[:MAX_RAW]
    if reply.status >= 400 or _error_of(value):
        raise error_fault(value, hints, raw, reply.status, _retry_after(reply.headers))
    if not isinstance(value, dict):
        message = "the server's reply is not a JSON object"
        raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, raw_output=raw)
    return value


def _parse(text: str) -> Any:
    try:
        return json.loads(text, parse_int=_integer)
    except (ValueError, RecursionError):
        return None


def _integer(digits: str) -> float:
    return int(digits) if len(digits) <= MAX_DIGITS else float(digits)


def raw_text(value: Any) -> str:
    """Serialize the beginning of a JSON value, to be recorded with a message."""
    return json.dumps(value)[:MAX_RAW]


def _error_of(value: Any) -> Any:
    """Return the member ``error`` if the value is an object; otherwise None."""
    return value.get("error") if isinstance(value, dict) else None


def error_fault(
    value: Any, hints: ErrorHints, raw: str, status: int = 200, retry_after: float | None = None
) -> AnswerFault:
    """Return the fault for a server error.

    Args:
        value: the reply, usually a JSON object with a member ``error``.
        hints: advice by HTTP status.
        raw: the reply as received.
        status: the HTTP status of the reply.
        retry_after: the server's ``Retry-After``, in seconds.
    """
    error = _error_of(value)
    code = error.get("code") if isinstance(error, dict) else None
    outcome = AnswerOutcome.REFUSED if code in CONTENT_FILTERS else AnswerOutcome.INFRASTRUCTURE
    words = (_message_of(value) or raw.strip() or "no message")[:MAX_MESSAGE]
    stated = status if status >= 400 else _stated_status(error, status)
    part = refused_part(stated, words) if outcome is AnswerOutcome.INFRASTRUCTURE else None
    says = f"the server says (HTTP {status}{'' if stated == status else f', error {stated}'}): "
    if part is not None:
        return RequestRefused(part, words, says, raw, stated)
    return AnswerFault(
        outcome,
        _with_advice(says, words, hints.by_status.get(stated)),
        raw_output=raw,
        retry_after=retry_after,
        trouble=TROUBLES.get(stated),
        permanent=outcome is AnswerOutcome.INFRASTRUCTURE and stated in FOR_GOOD and retry_after is None,
        status=stated,
    )


def _with_advice(says: str, words: str, advice: str | None) -> str:
    """Return a message with a server's words, shortened so that the advice after them is shown whole."""
    if not advice:
        return f"{says}{words}"
    return f"{says}{shorten(words, max(LEAST_WORDS, LONGEST_MESSAGE - len(says) - len(advice) - 2))}; {advice}"


def _stated_status(error: Any, status: int) -> int:
    """Return the HTTP status named by an error in a successful reply; otherwise the reply's own."""
    if not isinstance(error, dict):
        return status
    for name in map(str, (error.get("code"), error.get("type"))):
        if name in NAMED_STATUSES:
            return NAMED_STATUSES[name]
        if re.fullmatch("[45][0-9][0-9]", name):
            return int(name)
    return status


def _message_of(value: Any) -> str | None:
    """Return the text of an error, in any of the forms that servers use."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "; ".join(text for each in value if (text := _message_of(each))) or None
    if isinstance(value, dict):
        found = (_message_of(value.get(key)) for key in ("error", "message", "detail", "msg"))
        text = next((text for text in found if text), None)
        return text and f"{_place_of(value)}{text}"
    return None


def _place_of(problem: Mapping[str, Any]) -> str:
    """Return where a validation error lies in the request, in the form of FastAPI and Pydantic."""
    place = problem.get("loc")
    return f"{'.'.join(map(str, place))}: " if isinstance(place, list) and place else ""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Parse a ``Retry-After`` header, a number or a date, as seconds; None if missing, invalid or too large."""
    text = headers.get("Retry-After", "").strip()
    if text.isascii() and text.isdecimal():
        return seconds_of(float(text), 1.0)
    then = _date(text)
    if then is None:
        return None
    # Compare with the server's own clock, since this machine's may be wrong.
    now = _date(headers.get("Date", "")) or datetime.now(UTC)
    return seconds_of(max(0.0, (then - now).total_seconds()), 1.0)


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date


def member(value: Mapping[str, Any], name: str, kind: type[T]) -> T:
    """Return member `name` of a reply.

    Raises:
        AnswerFault: `INFRASTRUCTURE`, if it is missing or has the wrong type.
    """
    found = value.get(name)
    if not isinstance(found, kind):
        words = f"expected '{name}' to be {JSON_KINDS[kind]}, got {json.dumps(found)}"
        message = f"the server's reply violates its protocol: {words[:MAX_MESSAGE]}"
        raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, raw_output=raw_text(value))
    return found


def as_count(value: Any) -> int | None:
    """Return a token count; None for an invalid value."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def seconds_of(value: Any, per_second: float) -> float | None:
    """Convert a duration in units of ``1 / per_second`` seconds to seconds; None if it is invalid or excessive."""
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not 0 <= value <= MAX_USED_SECONDS * per_second
    ):
        return None
    return value / per_second
