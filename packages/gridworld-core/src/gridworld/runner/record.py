"""The record of an episode: a header, a step for each question that was answered, and an end.

Results, metrics, comparisons and replays are functions of these alone. They go losslessly through JSON: ``from_dict``
of ``to_dict`` is equal to what it was made from. `gridworld.runner.record` describes the JSON.
"""

from __future__ import annotations

from typing import Any

import attrs
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

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
from gridworld.runner.presentation import Presentation, gather_presentation
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
    """What is played, and how."""

    task_id: str
    difficulty_tier: int
    seed: int
    max_steps: int
    mission: str = ""
    backend: str = ""
    """The name of the backend."""
    tiling: str | None = None
    """The name of the tiling; None for a backend that has none."""
    model: str | None = None
    """The name of the model; None for a policy that is not one."""
    presentation: Presentation | None = None
    """What the model is given at each step; None for a policy that is not a model."""
    epoch: int = 0
    """Which repetition of the task it is, from 0."""
    digest: str | None = None
    """The digest of the state at the start."""
    reports_events: bool = True
    """Whether the backend reports the events of each step, as every backend built on the kernel does."""
    rules: int | None = 1
    """The version of the kernel's rules, `gridworld.world.rules.RULES_VERSION`, 1 in records that do not say it; None
    for a backend that is not built on the kernel."""
    version: int = RECORD_VERSION


@attrs.frozen
class EpisodeEnd(RecordPart):
    """How an episode ended."""

    reason: EndReason
    error: str | None = None
    """Why it could not be played to its end although no answer of the model is to blame."""
    permanent: bool = False
    """Whether `error` would end every other episode, too, such as a refused credential: it is not finished then."""
    final_state: GridState | None = None
    """The state at the end; None where there was none."""
    optimal_steps: int | None = None
    """The length of a shortest plan; None where it is not known."""
    unsolvable: bool = False
    """Whether it is proven that there is no plan."""


@attrs.frozen
class Recording(RecordPart):
    """The whole record of one episode."""

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
_read_header = make_dict_structure_fn(EpisodeHeader, record_converter)
record_converter.register_structure_hook(
    EpisodeHeader, lambda data, kind: _read_header(gather_presentation(data), kind)
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
