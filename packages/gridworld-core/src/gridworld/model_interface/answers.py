"""What came of asking a model for an action: an answer, or one of the faults that are never taken for one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

import attrs

from gridworld.errors import GridworldError, describe_value
from gridworld.support.wording import nearest_hint


class AnswerOutcome(StrEnum):
    """What came of one request for an action."""

    OK = "ok"
    """An action, and it changed something."""
    NO_EFFECT = "no_effect"
    """An action that changed nothing: a bump, or nothing to act on."""
    ILLEGAL = "illegal"
    """A clear answer that is not in the action space."""
    UNPARSABLE = "unparsable"
    """A reply without an answer in the form that was asked for."""
    EMPTY = "empty"
    """A reply without text."""
    TRUNCATED = "truncated"
    """A reply that hit its token limit before the answer."""
    REFUSED = "refused"
    """The model or its server declined to answer."""
    INFRASTRUCTURE = "infrastructure"
    """No reply of the model at all: time-out, connection, server error, or a reply that is not of its protocol."""


class Trouble(StrEnum):
    """What an infrastructure fault says of the server, by which a run as a whole adapts to it."""

    UNREACHABLE = "unreachable"
    """There is no connection, or it was lost before the end of the reply."""
    SLOW = "slow"
    """No whole reply came in time."""
    OVERLOADED = "overloaded"
    """The server says that it is asked too much at once, or too often."""


MAX_USED_TOKENS = 10**12
"""Largest believable number of tokens of all calls of a run together; a larger one is a defect of a server."""
MAX_USED_SECONDS = 10**9
"""Largest believable duration of all calls of a run together; so many seconds can still be waited for."""

NOT_NEGATIVE = attrs.validators.optional(attrs.validators.ge(0))


def _number(most: int) -> Any:
    def believed(value: float | None) -> float | None:
        return None if value is not None and value > most else value

    return attrs.field(default=None, converter=believed, validator=NOT_NEGATIVE)


@attrs.frozen
class Usage:
    """What one call of a model cost, or several together, in numbers from 0; None where its server does not say.

    A number above `MAX_USED_TOKENS` or `MAX_USED_SECONDS` counts as not said.

    Raises:
        ValueError: a number is negative, or none at all (NaN).
    """

    prompt_tokens: int | None = _number(MAX_USED_TOKENS)
    completion_tokens: int | None = _number(MAX_USED_TOKENS)
    seconds: float | None = _number(MAX_USED_SECONDS)
    """Wall-clock time of the whole call."""
    server_seconds: float | None = _number(MAX_USED_SECONDS)
    """The time that the server itself reports."""


class AnswerFault(GridworldError):
    """A model has no usable answer to a step.

    Args:
        outcome: which kind; not `OK` or `NO_EFFECT`.
        message: what was wrong, for people; it holds no credential.
        raw_output: the reply as it came, if there was one.
        usage: what the call cost, if known.
        retry_after: seconds after which the server asks to be called again, if it says so.
        trouble: what the fault says of the server, if anything.
        permanent: asking again cannot help, not even for another task: wrong address, unknown model, refused
            credential. Only an `INFRASTRUCTURE` fault can be permanent.
        left_out: parts of the request that it was made without since the server refuses them.

    Raises:
        ValueError: `outcome` is not a fault, or not one that can be permanent.
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
        super().__init__(f"{outcome}: {message}")


def read_action(value: object, action_space: Mapping[int, str]) -> int:
    """The id of an action.

    Args:
        value: its id, as an integer, or its name.
        action_space: action id to name.

    Raises:
        AnswerFault: `ILLEGAL` for an integer or a string that is not an action, with the nearest name;
            `UNPARSABLE` for anything else.
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
    """The object that a text is, or else the one in the code block that ends it; None if there is none.

    Raises:
        AnswerFault: as `read_whole_object` does.
    """
    given = read_whole_object(text)
    return read_whole_object(last_block(text)) if given is None else given


def read_whole_object(text: str) -> dict[str, Any] | None:
    """The object, if the text is one and nothing else.

    Raises:
        AnswerFault: it has a key twice, or a number that JSON has not (`UNPARSABLE`).
    """
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except _NotStrict as error:
        raise AnswerFault(AnswerOutcome.UNPARSABLE, str(error)) from error
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def last_block(text: str) -> str:
    """What stands in the code block that ends the text; empty if none does."""
    if not text.endswith(FENCE):
        return ""
    _, _, block = text.removesuffix(FENCE).rpartition(FENCE)
    return block.strip().removeprefix("json").strip()


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    listed = list(pairs)
    found = dict(listed)
    if len(found) < len(listed):
        raise _NotStrict("an object has a key twice")
    return found


def _no_constant(name: str) -> Any:
    raise _NotStrict(f"{name} is not a JSON number")
