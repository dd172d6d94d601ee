"""The record of an episode: a header, its steps, and an end.

Results, metrics, comparisons and replays are computed from records. Records convert losslessly to JSON and back;
`recording_schema` returns the JSON Schema.
"""

from __future__ import annotations

from typing import Any

import attrs
from cattrs.gen import make_dict_unstructure_fn, override

from gridworld.backends.grid_state import GridState
from gridworld.model_interface.answers import AnswerOutcome, Trouble
from gridworld.model_interface.steps import (
    RECORD_VERSION,
    Decision,
    DecisionKind,
    EndReason,
    RecordingError,
    RecordPart,
    Request,
    Step,
    record_converter,
)
from gridworld.runner.presentation import Presentation
from gridworld.task.attrs_schema import Definitions, Schema
from gridworld.world.events import Event

__all__ = [
    "RECORD_VERSION",
    "Decision",
    "DecisionKind",
    "EndReason",
    "EpisodeEnd",
    "EpisodeHeader",
    "Recording",
    "RecordingError",
    "Request",
    "Step",
    "record_converter",
    "recording_schema",
]


@attrs.frozen
class EpisodeHeader(RecordPart):
    """Task, backend, model and settings of an episode."""

    task_id: str
    difficulty_tier: int
    seed: int
    max_steps: int
    mission: str = ""
    backend: str = ""
    """Name of the backend."""
    tiling: str | None = None
    """Name of the tiling; None for a backend without tilings."""
    model: str | None = None
    """Name of the model; None for other policies."""
    presentation: Presentation | None = None
    """Settings of the model's inputs; None for other policies."""
    epoch: int = 0
    """Repetition of the task, from 0."""
    digest: str | None = None
    """Digest of the initial state."""
    reports_events: bool = True
    """Whether the backend reports the events of each step; kernel backends do."""
    rules: int | None = None
    """Version of the kernel's rules (`gridworld.world.rules.RULES_VERSION`); None for a backend without the kernel."""
    version: int = RECORD_VERSION


@attrs.frozen
class EpisodeEnd(RecordPart):
    """End of an episode."""

    reason: EndReason
    error: str | None = None
    """Cause of an early end that is not the model's fault."""
    permanent: bool = False
    """Whether `error` would end every episode, as a rejected credential does; the episode then counts as unfinished."""
    final_state: GridState | None = None
    """State at the end, if known."""
    optimal_steps: int | None = None
    """Length of a shortest plan, if known."""
    unsolvable: bool = False
    """Whether the task is proven to have no plan."""


@attrs.frozen
class Recording(RecordPart):
    """The complete record of one episode."""

    header: EpisodeHeader
    steps: tuple[Step, ...]
    end: EpisodeEnd


record_converter.register_unstructure_hook(GridState, GridState.to_dict)
record_converter.register_structure_hook(GridState, lambda value, _: GridState.from_dict(value))
# The version is always written, so that a reader can tell it.
record_converter.register_unstructure_hook(
    EpisodeHeader,
    make_dict_unstructure_fn(
        EpisodeHeader, record_converter, _cattrs_omit_if_default=True, version=override(omit_if_default=False)
    ),
)


DIALECT = "https://json-schema.org/draft/2020-12/schema"

EVENT: Schema = {
    "description": "What a step did: the kind of event, and its own fields.",
    "type": "object",
    "properties": {"kind": {"type": "string"}},
    "required": ["kind"],
}
STATE: Schema = {"description": "A GridState, as GridState.to_dict writes it.", "type": "object"}


def recording_schema() -> dict[str, Any]:
    """Make the JSON Schema (draft 2020-12) of ``Recording.to_dict``.

    Parts can be validated alone, against ``$defs/header``, ``$defs/step`` and ``$defs/end``.
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
