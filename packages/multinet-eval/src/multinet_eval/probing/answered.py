"""`AnsweredQuestion`: one line of a probing's record, which holds all that its grade depends on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self

import attrs
import cattrs

from gridworld.model_interface import AnswerFault, AnswerOutcome
from gridworld.model_interface.written_objects import read_object
from gridworld.runner.record import Request, record_converter
from gridworld.support.structuring import describe_structure_error
from multinet_eval.probing.grading import Unreadable
from multinet_eval.probing.probe import ProbeQuestion
from multinet_eval.probing.questions import Place
from multinet_eval.record.record_folders import RunError

__all__ = ["AnsweredQuestion", "Said"]

Said = Mapping[str, Any]
"""The JSON object of an answer."""


@attrs.frozen
class AnsweredQuestion:
    """A question, and what came of asking it."""

    place: Place
    digest: str
    """That of what the model was given."""
    question: ProbeQuestion
    requests: tuple[Request, ...]
    """At least one."""

    @property
    def outcome(self) -> AnswerOutcome:
        """What came of the last request; `OK` also for an answer that has not the form that was asked for."""
        return self.requests[-1].outcome

    def said(self) -> Said:
        """The object that was said.

        Raises:
            Unreadable: there is none.
        """
        last = self.requests[-1]
        if last.outcome is not AnswerOutcome.OK:
            raise Unreadable(f"{last.outcome}: {last.message}")
        try:
            found = read_object((last.raw_output or "").strip())
        except AnswerFault as fault:
            raise Unreadable(fault.message) from fault
        if found is None:
            raise Unreadable("expected a JSON object, alone or in a code block at the end")
        return found

    def to_line(self) -> bytes:
        """As a line of JSON."""
        return json.dumps(record_converter.unstructure(self), separators=(",", ":")).encode() + b"\n"

    @classmethod
    def from_dict(cls, data: Any, source: str) -> Self:
        """What a line says; raises RunError, which names the source, if it is not of this form."""
        if not isinstance(data, Mapping):
            raise RunError(f"{source}: expected an object, got {data!r:.60}")
        try:
            return record_converter.structure(data, cls)
        except cattrs.BaseValidationError as error:
            raise RunError(f"{source}: {describe_structure_error(error, 'line')}") from error
