"""Answer files of the file protocol (``docs/file-protocol.md``): when one is complete, and what it says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from gridworld.errors import describe_value
from gridworld.model_interface.answers import AnswerFault, AnswerOutcome
from gridworld.model_interface.awaited_files import NoAnswerYet, Settling, read_if_there
from gridworld.model_interface.base import ModelOutput
from gridworld.model_interface.written_actions import read_action
from gridworld.support.suggestions import nearest_hint

__all__ = ["SCHEMA_VERSION", "AnswerFile"]

SCHEMA_VERSION = 1
"""The version of requests and answers."""

FIELDS = (
    "schema_version",
    "request_id",
    "action",
    "actions",
    "subgoal",
    "note",
    "reasoning",
    "confidence",
    "fault",
    "message",
)
FAULTS = tuple(outcome.value for outcome in AnswerOutcome if outcome not in (AnswerOutcome.OK, AnswerOutcome.NO_EFFECT))


class AnswerFile:
    """The answer to one request, as it comes.

    Args:
        path: where it is to come.
        request_id: what it has to repeat.
        action_space: action id to name.
        settled_after: how many seconds a file that is no JSON has to stay the same before it counts as complete.
    """

    def __init__(
        self, path: Path, request_id: str, action_space: Mapping[int, str], settled_after: float = 1.0
    ) -> None:
        self.path = path
        self._request_id = request_id
        self._action_space = action_space
        self._settling = Settling(settled_after)

    def read(self) -> ModelOutput:
        """What it says, now.

        Raises:
            NoAnswerYet: it is not there, still being written, or the answer to another request.
            AnswerFault: it says that there is no action, or is not of the protocol; the file and the place are named.
        """
        raw = read_if_there(self.path)
        answer = self._parse(raw)
        given = answer.get("request_id")
        if given != self._request_id and isinstance(given, str):
            raise NoAnswerYet(f"it answers another request, '{given}'")
        try:
            return attrs.evolve(_Reader(answer, self._action_space).output(), raw_output=_text(raw))
        except AnswerFault as fault:
            raise AnswerFault(fault.outcome, f"{self.path}: {fault.message}", raw_output=_text(raw)) from None

    def _parse(self, raw: bytes) -> dict[str, Any]:
        """The object in the file: no beginning of an object is JSON, so one that can be parsed is complete."""
        try:
            answer = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise self._incomplete(raw, f"it is not JSON: {error}") from error
        if not isinstance(answer, dict):
            raise self._incomplete(raw, f"expected a JSON object, got {describe_value(answer)}")
        return answer

    def _incomplete(self, raw: bytes, reason: str) -> Exception:
        if not self._settling.has_settled(raw):
            return NoAnswerYet(reason, AnswerOutcome.UNPARSABLE)
        return AnswerFault(AnswerOutcome.UNPARSABLE, f"{self.path}: {reason}", raw_output=_text(raw))


class _Reader:
    """Reads the object in an answer file; what is wrong is raised as an `AnswerFault` that begins with the field."""

    def __init__(self, answer: dict[str, Any], action_space: Mapping[int, str]) -> None:
        self._answer = answer
        self._action_space = action_space

    def output(self) -> ModelOutput:
        """The answer."""
        self._check_fields()
        if "fault" in self._answer:
            raise self._fault()
        actions = self._actions()
        return ModelOutput(
            action=actions[0],
            actions=actions if "actions" in self._answer else None,
            confidence=self._confidence(),
            reasoning=self._text("reasoning"),
            subgoal=self._text("subgoal"),
            note=self._text("note"),
        )

    def _check_fields(self) -> None:
        for name in self._answer:
            if name not in FIELDS:
                raise _unparsable(f"{name}: no such field{nearest_hint(name, FIELDS)}; there are {', '.join(FIELDS)}")
        if not isinstance(self._answer.get("request_id"), str):
            raise _unparsable("request_id: missing, or not the text of the request")
        version = self._answer.get("schema_version")
        if version != SCHEMA_VERSION:
            raise _unparsable(f"schema_version: expected {SCHEMA_VERSION}, got {describe_value(version)}")

    def _actions(self) -> tuple[int, ...]:
        """At least one action."""
        if "actions" not in self._answer:
            if "action" not in self._answer:
                raise _unparsable("action: missing; an answer without one needs a fault")
            return (self._action("action", self._answer["action"]),)
        if "action" in self._answer:
            raise _unparsable("actions: an answer has either an action or a list of them")
        given = self._answer["actions"]
        if not isinstance(given, list) or not given:
            raise _unparsable(f"actions: expected a list of actions, got {describe_value(given)}")
        return tuple(self._action(f"actions[{number}]", each) for number, each in enumerate(given))

    def _action(self, place: str, value: Any) -> int:
        try:
            return read_action(value, self._action_space)
        except AnswerFault as fault:
            raise AnswerFault(fault.outcome, f"{place}: {fault.message}") from None

    def _confidence(self) -> float | None:
        given = self._answer.get("confidence")
        if given is None:
            return None
        if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 <= given <= 1:
            raise _unparsable(f"confidence: expected a number from 0 to 1, got {describe_value(given)}")
        return float(given)

    def _text(self, field: str) -> str | None:
        given = self._answer.get(field)
        if given is not None and not isinstance(given, str):
            raise _unparsable(f"{field}: expected a text, got {describe_value(given)}")
        return given

    def _fault(self) -> AnswerFault:
        given = self._answer["fault"]
        if given not in FAULTS:
            hint = nearest_hint(given, FAULTS) if isinstance(given, str) else ""
            return _unparsable(f"fault: expected one of {', '.join(FAULTS)}, got {describe_value(given)}{hint}")
        if "action" in self._answer or "actions" in self._answer:
            return _unparsable("fault: an answer has either an action or a fault")
        return AnswerFault(AnswerOutcome(given), self._text("message") or "no reason is given")


def _unparsable(message: str) -> AnswerFault:
    return AnswerFault(AnswerOutcome.UNPARSABLE, message)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
