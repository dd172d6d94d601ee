"""The record of an episode as a JSON Schema (draft 2020-12), made from the classes of `gridworld.runner.record`."""

from __future__ import annotations

from typing import Any

from gridworld.backends.grid_state import GridState
from gridworld.model_interface.answers import AnswerOutcome, Trouble
from gridworld.runner.record import DecisionKind, EndReason, EpisodeEnd, EpisodeHeader, Recording, Step
from gridworld.task.attrs_schema import Definitions, Schema
from gridworld.world.events import Event

__all__ = ["recording_schema"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

EVENT: Schema = {
    "description": "What a step did: the kind of event, and its own fields.",
    "type": "object",
    "properties": {"kind": {"type": "string"}},
    "required": ["kind"],
}
STATE: Schema = {"description": "A GridState, as GridState.to_dict writes it.", "type": "object"}


def recording_schema() -> dict[str, Any]:
    """The JSON Schema of what ``Recording.to_dict`` makes; its parts are under ``$defs``.

    The header, each step and the end are also valid alone, against ``$defs/header``, ``$defs/step`` and ``$defs/end``.
    """
    words = {
        kind: {"enum": [each.value for each in kind]} for kind in (AnswerOutcome, DecisionKind, EndReason, Trouble)
    }
    definitions = Definitions({**words, Event: EVENT, GridState: STATE}, {})
    parts = {"header": EpisodeHeader, "step": Step, "end": EpisodeEnd}
    named = {name: definitions.define(name, definitions.refer(kind)) for name, kind in parts.items()}
    return {
        "$schema": DIALECT,
        "title": "The record of an episode of multinet-gridworld",
        **definitions.refer(Recording),
        "$defs": definitions.schemas,
        "description": f"Parts: {', '.join(sorted(named))}.",
    }
