"""Outcomes of requests for an action, and parsing of actions and JSON objects in replies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self

import attrs

from gridworld.errors import GridworldError, describe_value
from gridworld.support.files import JSONError, parse_json
from gridworld.support.wording import nearest_hint

if TYPE_CHECKING:
    from gridworld.model_interface.prompts import Adjustment, Sent


class AnswerOutcome(StrEnum):
    """Outcome of one request for an action."""

    OK = "ok"
    """An action that changed something."""
    NO_EFFECT = "no_effect"
    """An action that changed nothing, such as walking into a wall."""
    ILLEGAL = "illegal"
    """A clear answer that is not in the action space."""
    UNPARSABLE = "unparsable"
    """A reply without an answer in the expected form."""
    EMPTY = "empty"
    """A reply without text."""
    TRUNCATED = "truncated"
    """A reply cut off at its token limit before the answer."""
    REFUSED = "refused"
    """The model or its server declined to answer."""
    INFRASTRUCTURE = "infrastructure"
    """No usable reply: timeout, lost connection, server error, or a reply that violates the protocol."""


class Trouble(StrEnum):
    """State of the server inferred from an infrastructure fault; the whole run adapts to it."""

    UNREACHABLE = "unreachable"
    """No connection, or one lost before the end of the reply."""
    SLOW = "slow"
    """No complete reply in time."""
    OVERLOADED = "overloaded"
    """The server reports too many requests, in total or at the same time."""


MAX_USED_TOKENS = 10**12
"""Largest plausible number of tokens for a whole run; larger numbers are server defects."""
MAX_USED_SECONDS = 10**9
"""Largest plausible total duration of all calls of a run."""

NOT_NEGATIVE = attrs.validators.optional(attrs.validators.ge(0))


def _number(most: int) -> Any:
    def believed(value: float | None) -> float | None:
        return None if value is not None and value > most else value

    return attrs.field(default=None, converter=believed, validator=NOT_NEGATIVE)


def _tokens() -> Any:
    def believed(value: float | None) -> int | None:
        if value is None or value > MAX_USED_TOKENS or value != int(value):
            return None
        return int(value)

    return attrs.field(default=None, converter=believed, validator=NOT_NEGATIVE)


@attrs.frozen
class Usage:
    """Cost of one or more model calls; numbers that the server does not report are None.

    Numbers above `MAX_USED_TOKENS` or `MAX_USED_SECONDS`, and fractions of tokens, count as not reported.

    Raises:
        ValueError: a number is negative or NaN.
    """

    prompt_tokens: int | None = _tokens()
    completion_tokens: int | None = _tokens()
    """Tokens of the reply that are billed, its reasoning included."""
    seconds: float | None = _number(MAX_USED_SECONDS)
    """Wall-clock time of the whole call."""
    server_seconds: float | None = _number(MAX_USED_SECONDS)
    """Time reported by the server."""
    cache_read_tokens: int | None = _tokens()
    """Part of the prompt's tokens that the provider read from its cache."""
    cache_write_tokens: int | None = _tokens()
    """Part of the prompt's tokens that the provider wrote into its cache."""


class AnswerFault(GridworldError):
    """A model has no usable answer for a step.

    Args:
        outcome: kind of fault; not `OK` or `NO_EFFECT`.
        message: human-readable description, without credentials.
        raw_output: the reply as received, if any.
        usage: cost of the call, if known.
        retry_after: seconds to wait before the next call, if the server says so.
        trouble: state of the server, if known.
        permanent: no other request can succeed, even for another task: wrong address, unknown model, rejected
            credential. Only an `INFRASTRUCTURE` fault can be permanent.
        left_out: parts omitted from the request because the server rejects them.
        status: HTTP status of the error, if the server has sent one.
        advice: settings of the run that have to change before a request can succeed, such as ``observation``.
        sent: the requests that were sent, in order; of each, what went out last.
        adjustments: workarounds that the request found to be necessary.

    Raises:
        ValueError: `outcome` is not a fault, or `permanent` is set for a fault that cannot be permanent.
    """

    def __init__(
        self,
        outcome: AnswerOutcome,
        message: str,
        *,
        raw_output: str | None = None,
        usage: Usage | None = None,
        retry_after: float | None = None,
        trouble: Trouble | None = None,
        permanent: bool = False,
        left_out: tuple[str, ...] = (),
        status: int | None = None,
        advice: tuple[str, ...] = (),
        sent: tuple[Sent, ...] = (),
        adjustments: tuple[Adjustment, ...] = (),
    ) -> None:
        if outcome in (AnswerOutcome.OK, AnswerOutcome.NO_EFFECT):
            raise ValueError(f"'{outcome}' is not a fault")
        if permanent and outcome is not AnswerOutcome.INFRASTRUCTURE:
            raise ValueError(f"only an infrastructure fault can be permanent, '{outcome}' cannot")
        self.outcome = outcome
        self.message = message
        self.raw_output = raw_output
        self.usage = usage
        self.retry_after = retry_after
        self.trouble = trouble
        self.permanent = permanent
        self.left_out = left_out
        self.status = status
        self.advice = advice
        self.sent = sent
        self.adjustments = adjustments
        super().__init__(f"{outcome}: {message}")

    def noting(self, **noted: Any) -> Self:
        """Set attributes, such as ``sent``, and return the fault."""
        for name, value in noted.items():
            setattr(self, name, value)
        return self


def read_action(value: object, action_space: Mapping[int, str]) -> int:
    """Read an action id or name.

    Args:
        value: the id as an integer, or the name.
        action_space: action id to name.

    Raises:
        AnswerFault: `ILLEGAL` for an unknown integer or string; `UNPARSABLE` for any other value.
    """
    known = ", ".join(f"{number} {name}" for number, name in sorted(action_space.items()))
    if isinstance(value, str):
        ids = {name: number for number, name in action_space.items()}
        if value in ids:
            return ids[value]
        hint = nearest_hint(value, ids)
        raise AnswerFault(AnswerOutcome.ILLEGAL, f"'{value}' is not an action{hint}; there are {known}")
    if not isinstance(value, int) or isinstance(value, bool):
        message = f"expected the id or the name of an action ({known}), got {describe_value(value)}"
        raise AnswerFault(AnswerOutcome.UNPARSABLE, message)
    if value not in action_space:
        raise AnswerFault(AnswerOutcome.ILLEGAL, f"{value} is not an action; there are {known}")
    return value


FENCE = "```"


class _NotStrict(ValueError):
    pass


def read_object(text: str) -> dict[str, Any] | None:
    """Parse a JSON object from the whole text or from its final code block; None if neither holds one.

    Raises the faults of `read_whole_object`.
    """
    given = read_whole_object(text)
    return read_whole_object(last_block(text)) if given is None else given


def read_whole_object(text: str) -> dict[str, Any] | None:
    """Parse a text that consists of one JSON object; None for any other text.

    Raises:
        AnswerFault: `UNPARSABLE` for duplicate keys or numbers outside JSON.
    """
    if not text.startswith("{"):
        return None
    try:
        value = parse_json(text, _unique, _json_number)
    except _NotStrict as error:
        raise AnswerFault(AnswerOutcome.UNPARSABLE, str(error)) from error
    except JSONError:
        return None
    return value if isinstance(value, dict) else None


def last_block(text: str) -> str:
    """Return the content of the code block that ends a text; empty without such a block."""
    if not text.endswith(FENCE):
        return ""
    _, _, block = text.removesuffix(FENCE).rpartition(FENCE)
    return block.strip().removeprefix("json").strip()


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    listed = list(pairs)
    found = dict(listed)
    if len(found) < len(listed):
        raise _NotStrict("duplicate key in an object")
    return found


def _json_number(text: str) -> float:
    if not text[-1].isdecimal():
        raise _NotStrict(f"{text} is not a JSON number")
    return float(text)
