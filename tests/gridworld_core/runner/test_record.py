"""The record of an episode: lossless through JSON, described by its schema, and refused where it is something else."""

import json
from typing import Any

import attrs
import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.backends.grid_state import GridState
from gridworld.model_interface import AnswerOutcome, Usage
from gridworld.runner.presentation import Presentation
from gridworld.runner.record import (
    RECORD_VERSION,
    DecisionKind,
    EndReason,
    EpisodeEnd,
    EpisodeHeader,
    Recording,
    RecordingError,
    Request,
    Step,
    recording_schema,
)
from gridworld.world import events
from gridworld.world.events import Event

texts = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=()), max_size=20)
words = st.one_of(texts, st.just("\ud800 lone"), st.just("\x1b[2J"))
numbers = st.floats(allow_nan=False, allow_infinity=False)
optional_numbers = st.none() | numbers
durations = st.none() | st.floats(0, allow_nan=False, allow_infinity=False)
cells = st.integers(0, 10**6)

FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "str": words,
    "int": cells,
    "bool": st.booleans(),
    "str | None": st.none() | words,
    "tuple[int, ...]": st.lists(cells, max_size=4).map(tuple),
}
CONCRETE = [kind for kind in events.EVENT_TYPES if kind is not events.UnknownEvent]


@st.composite
def any_event(choose: st.DrawFn) -> Event:
    kind = choose(st.sampled_from(CONCRETE))
    made: Event = kind(**{field.name: choose(FIELDS[str(field.type)]) for field in attrs.fields(kind)})
    return made


usages = st.builds(
    Usage,
    prompt_tokens=st.none() | cells,
    completion_tokens=st.none() | cells,
    seconds=durations,
    server_seconds=durations,
)
requests = st.builds(
    Request,
    outcome=st.sampled_from(AnswerOutcome),
    message=words,
    action=st.none() | st.integers(0, 6),
    reasoning=st.none() | words,
    confidence=optional_numbers,
    raw_output=st.none() | words,
    usage=st.none() | usages,
    retry_after=optional_numbers,
    permanent=st.booleans(),
)
steps = st.builds(
    Step,
    number=st.integers(1, 10**6),
    kind=st.sampled_from(DecisionKind),
    action=st.none() | st.integers(0, 6),
    requests=st.lists(requests, max_size=3).map(tuple),
    reward=numbers,
    terminated=st.booleans(),
    truncated=st.booleans(),
    events=st.lists(any_event(), max_size=4).map(tuple),
    digest=st.none() | st.just("0123456789abcdef"),
)
headers = st.builds(
    EpisodeHeader,
    task_id=words,
    difficulty_tier=cells,
    seed=st.integers(),
    max_steps=cells,
    mission=words,
    backend=words,
    tiling=st.none() | words,
    model=st.none() | words,
    presentation=st.none() | st.builds(Presentation, history_images=st.integers(0, 5)),
    digest=st.none() | st.just("0123456789abcdef"),
)
ends = st.builds(
    EpisodeEnd,
    reason=st.sampled_from(EndReason),
    error=st.none() | words,
    permanent=st.booleans(),
    final_state=st.none() | st.just(GridState((3, 4), 1, collected_keys={"k"}, block_positions={"b": (1, 2)})),
    optimal_steps=st.none() | cells,
)
recordings = st.builds(Recording, header=headers, steps=st.lists(steps, max_size=3).map(tuple), end=ends)

SCHEMA = jsonschema.Draft202012Validator(recording_schema())


@given(recordings)
def test_recordings_round_trip_and_fit_the_schema(recording: Recording) -> None:
    text = json.dumps(recording.to_dict(), allow_nan=False)
    assert Recording.from_dict(json.loads(text)) == recording
    SCHEMA.validate(json.loads(text))


def test_unknown_events_are_kept() -> None:
    data = {"kind": "nowhere.to_be_found:Melted", "entity": "i1", "cells": [1, [2, 3]]}
    event = Event.from_dict(data)
    assert isinstance(event, events.UnknownEvent)
    assert event.to_dict() == data
    assert event.sentence(str) == "nowhere.to_be_found:Melted"
    hash(event)


@attrs.frozen
class Melted(Event):
    """An event of a third party."""

    entity: str


def test_an_event_of_a_plugin_is_read_by_its_own_class() -> None:
    assert Melted("i1").to_dict() == {"kind": f"{__name__}:Melted", "entity": "i1"}
    assert Event.from_dict(Melted("i1").to_dict()) == Melted("i1")


STEP = Step(1, DecisionKind.ACTION, 2, (Request(AnswerOutcome.OK, action=2),), digest="0123456789abcdef")


def test_defaults_are_left_out_except_the_version() -> None:
    assert STEP.to_dict() == {
        "number": 1,
        "kind": "action",
        "action": 2,
        "requests": [{"outcome": "ok", "action": 2}],
        "digest": "0123456789abcdef",
    }
    assert EpisodeHeader("t", 1, 2, 3).to_dict()["version"] == RECORD_VERSION


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"number": "one"}, "number"),
        ({"kind": "jump"}, "kind"),
        ({"reward": "much"}, "reward"),
        ({"actoin": 2}, "actoin"),
        ({"requests": [{"outcome": "fine"}]}, "requests"),
        ({"events": [{"entity": "k"}]}, "events"),
        ({"events": [{"kind": "Moved", "origin": 1}]}, "events"),
        ({"terminated": 1}, "terminated"),
    ],
)
def test_what_is_no_step_is_refused_by_its_place(change: dict[str, Any], place: str) -> None:
    with pytest.raises(RecordingError, match=place):
        Step.from_dict(STEP.to_dict() | change)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("prompt_tokens", -1),
        ("completion_tokens", -1),
        ("seconds", -0.5),
        ("server_seconds", -0.5),
        ("seconds", float("nan")),
    ],
)
def test_negative_usage_is_refused_by_its_place(name: str, number: float) -> None:
    spent = {"outcome": "ok", "action": 2, "usage": {name: number}}
    with pytest.raises(RecordingError, match=rf"'{name}' must be >= 0: .* @ Step\.requests\[0\]\.usage"):
        Step.from_dict(STEP.to_dict() | {"requests": [spent]})


@pytest.mark.parametrize("data", [None, 3, [], "step", {}])
def test_what_is_no_record_at_all_is_refused(data: Any) -> None:
    for part in (EpisodeHeader, Step, EpisodeEnd, Recording):
        with pytest.raises(RecordingError):
            part.from_dict(data)


def test_newer_versions_are_refused() -> None:
    data = EpisodeHeader("t", 1, 2, 3).to_dict() | {"version": RECORD_VERSION + 1, "anything": "new"}
    expected = f"version {RECORD_VERSION + 1}, and this release reads version {RECORD_VERSION}"
    with pytest.raises(RecordingError, match=expected):
        EpisodeHeader.from_dict(data)
    with pytest.raises(RecordingError, match=expected):
        Recording.from_dict({"header": data, "steps": [], "end": {"reason": "goal"}})
