"""Server replies as JSON; errors and protocol violations become faults."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import attrs

from gridworld.model_interface import AnswerFault, AnswerOutcome, Trouble
from gridworld.model_interface.answers import MAX_USED_SECONDS
from gridworld.support.files import JSONError, parse_json
from gridworld.support.wording import LONGEST_MESSAGE, shorten
from multinet_adapters.error_kinds import ErrorKind, ServerError, read_error, verdict_on
from multinet_adapters.refusals import HELP, RequestPart
from multinet_adapters.transport import HttpReply

T = TypeVar("T")

JSON_KINDS: dict[type, str] = {dict: "an object", list: "a list", str: "a text"}

MAX_MESSAGE, MAX_RAW = 500, 10_000
"""Maximum number of characters of a reply quoted in a message, and recorded with it."""
LEAST_WORDS = 40
"""Number of characters of a server's words that are always shown beside advice."""

TROUBLES = {
    429: Trouble.OVERLOADED,
    503: Trouble.OVERLOADED,
    529: Trouble.OVERLOADED,
    502: Trouble.UNREACHABLE,
    408: Trouble.SLOW,
    504: Trouble.SLOW,
}
"""Kinds of temporary trouble, by HTTP status."""
OUTCOMES = {ErrorKind.CONTENT: AnswerOutcome.REFUSED, ErrorKind.OUTPUT: AnswerOutcome.UNPARSABLE}
"""Outcomes of errors that are not the server's fault."""
FOR_GOOD = frozenset({ErrorKind.QUOTA, ErrorKind.CREDENTIAL, ErrorKind.MODEL, ErrorKind.CONTEXT, ErrorKind.REQUEST})
"""Kinds of errors after which no request can succeed."""
ADVICE = {
    ErrorKind.QUOTA: "the account has no quota left: add credit, and continue",
    ErrorKind.CONTEXT: "the prompt is too long for the model: shorten the history, or give it a longer context",
}
"""Advice for kinds of errors that need the same everywhere."""


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

    def as_defect(self) -> AnswerFault:
        """Return the fault of a server that failed at a part which it usually accepts."""
        message = f"the server says (HTTP {self.status}): {self.words}"
        return AnswerFault(self.outcome, message, raw_output=self.raw_output, status=self.status)


class UnknownModel(AnswerFault):
    """The server does not know the model."""


@attrs.frozen
class ErrorHints:
    """Advice for server errors, by HTTP status."""

    by_status: Mapping[int, str]


def read_object(reply: HttpReply, hints: ErrorHints) -> dict[str, Any]:
    """Parse the JSON object in a reply.

    Raises:
        AnswerFault: `INFRASTRUCTURE` for a server error (permanent if it blames the request; with the time to wait, if
            the server names one) or a reply that is not a JSON object; `REFUSED` if the server declines to answer;
            `UNPARSABLE` if it rejects what the model has written.
        RequestRefused: the server does not accept some part of the request.
    """
    value, raw = _parse(reply.text), reply.text[:MAX_RAW]
    if reply.status >= 400 or _error_of(value):
        raise error_fault(value, hints, raw, reply.status, reply.headers)
    if not isinstance(value, dict):
        message = "the server's reply is not a JSON object"
        raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, raw_output=raw)
    return value


def _parse(text: str) -> Any:
    try:
        return parse_json(text, number=float)
    except JSONError:
        return None


def raw_text(value: Any) -> str:
    """Serialize the beginning of a JSON value, to be recorded with a message."""
    return json.dumps(value)[:MAX_RAW]


def _error_of(value: Any) -> Any:
    """Return the member ``error`` if the value is an object; otherwise None."""
    return value.get("error") if isinstance(value, dict) else None


def error_fault(
    value: Any, hints: ErrorHints, raw: str, status: int = 200, headers: Mapping[str, str] = MappingProxyType({})
) -> AnswerFault:
    """Return the fault for a server error.

    Args:
        value: the reply, usually a JSON object with a member ``error``.
        hints: advice by HTTP status.
        raw: the reply as received.
        status: the HTTP status of the reply.
        headers: the headers of the reply.
    """
    error = read_error(value, status, headers, raw)
    verdict = verdict_on(error)
    stated, words = error.status, (error.words or "no message")[:MAX_MESSAGE]
    says = f"the server says (HTTP {status}{'' if stated == status else f', error {stated}'}): "
    if verdict.part is not None:
        return RequestRefused(verdict.part, words, says, raw, stated)
    outcome = OUTCOMES.get(verdict.kind, AnswerOutcome.INFRASTRUCTURE)
    trouble = Trouble.OVERLOADED if verdict.kind is ErrorKind.OVERLOADED else TROUBLES.get(stated)
    at_fault = outcome is AnswerOutcome.INFRASTRUCTURE
    kind = UnknownModel if verdict.kind is ErrorKind.MODEL else AnswerFault
    return kind(
        outcome,
        _with_advice(says, words, _advice(verdict.kind, error) or hints.by_status.get(stated)),
        raw_output=raw if error.output is None else error.output,
        retry_after=error.retry_after,
        trouble=trouble if at_fault and verdict.kind not in FOR_GOOD else None,
        permanent=at_fault
        and verdict.kind in FOR_GOOD
        and (error.retry_after is None or verdict.kind is ErrorKind.QUOTA),
        status=stated,
    )


def _advice(kind: ErrorKind, error: ServerError) -> str | None:
    if kind is ErrorKind.CONTEXT and MAX_TOKENS.search(error.plain):
        return "lower -M max_tokens, or shorten the history"
    return ADVICE.get(kind)


MAX_TOKENS = re.compile(r"max_(?:completion_|output_|new_)?tokens")


def _with_advice(says: str, words: str, advice: str | None) -> str:
    """Return a message with a server's words, shortened so that the advice after them is shown whole."""
    if not advice:
        return f"{says}{words}"
    return f"{says}{shorten(words, max(LEAST_WORDS, LONGEST_MESSAGE - len(says) - len(advice) - 2))}; {advice}"


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
    """Return a token count, also if it is written as a float; None for an invalid value."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        return None
    return int(value) if value == int(value) else None


def billed_output(prompt: int | None, completion: int | None, total: int | None) -> int | None:
    """Return the tokens of a reply that are billed: some servers count reasoning in the total alone."""
    if prompt is None or total is None:
        return completion
    return max(completion or 0, total - prompt)


def seconds_of(value: Any, per_second: float) -> float | None:
    """Convert a duration in units of ``1 / per_second`` seconds to seconds; None if it is invalid or excessive."""
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not 0 <= value <= MAX_USED_SECONDS * per_second
    ):
        return None
    return value / per_second
