"""Reading the JSON object that a reply consists of, or that stands in the code block at its end."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from gridworld.model_interface.answers import AnswerFault, AnswerOutcome

__all__ = ["last_block", "read_object", "read_whole_object"]

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
