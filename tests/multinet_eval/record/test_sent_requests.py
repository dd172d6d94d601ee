"""Requests are read as they were written, and messages, parts and shared texts are written once."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.model_interface import Message, Opaque, Picture, Prompt, Sent, Text
from multinet_eval.record.sent_requests import (
    LEAST_SHARED,
    MOST_CHARACTERS,
    ReadMessage,
    ReadPart,
    ReadRequest,
    SentReader,
    SentWriter,
    digests_of_files,
)
from multinet_eval.support.output import compact_json

LONG = "The agent moves. " * (LEAST_SHARED // 10)
TEXTS = st.sampled_from(["", "a wall", "#.G..#\n######", "Step 3: turn_left", "\ud800", "{}", "\r\0\u2028", LONG])
NAMES = st.sampled_from(["rules", "observation", "wording", "reasoning", ""])
PIXELS = st.sampled_from([np.zeros((2, 3, 3), np.uint8), np.zeros((3, 2, 3), np.uint8), np.ones((2, 3, 3), np.uint8)])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(TEXTS, inner, max_size=3).map(lambda fields: dict(sorted(fields.items())))
    ),
    max_leaves=5,
)
PARTS = st.one_of(
    st.builds(Text, TEXTS, NAMES, st.none() | TEXTS),
    st.builds(Picture, PIXELS, NAMES, TEXTS),
    st.builds(Opaque, st.sampled_from(["thinking", "a wall"]), JSON),
)
MESSAGES = st.builds(Message, st.sampled_from(["system", "user", "assistant"]), st.lists(PARTS, max_size=5))
OBJECTS = st.dictionaries(TEXTS, JSON, max_size=3)


@st.composite
def sent_requests(draw: st.DrawFn) -> list[Sent]:
    """Requests that share messages, and messages that share parts."""
    pool = draw(st.lists(MESSAGES, min_size=1, max_size=4))
    pool += [Message(each.role, (*each.parts, *pool[0].parts)) for each in pool]
    chosen = st.lists(st.sampled_from(pool), max_size=6).map(tuple)
    prompts = st.builds(Prompt, chosen, st.none() | OBJECTS, st.none() | st.integers(0))
    return draw(st.lists(st.builds(Sent, prompts, OBJECTS), max_size=6))


def as_read(sent: Sent) -> ReadRequest:
    messages = [ReadMessage(each.role, tuple(map(part_as_read, each.parts))) for each in sent.prompt.messages]
    schema = None if sent.prompt.schema is None else compact_json(sent.prompt.schema)
    return ReadRequest(tuple(messages), sent.settings, schema, sent.prompt.seed)


def part_as_read(part: Text | Picture | Opaque) -> ReadPart:
    match part:
        case Text():
            return ReadPart(part.name, part.text)
        case Picture():
            return ReadPart(part.name, None, part.digest, part.label)
        case Opaque():
            return ReadPart(part.kind, compact_json(part.content))


def no_file(digest: str) -> str:
    raise ValueError(f"there is no file {digest}")


@given(sent_requests(), st.booleans())
def test_requests_are_read_as_they_were_written(requests: list[Sent], shares: bool) -> None:
    kept: dict[str, str] = {}
    writer = SentWriter(kept.__setitem__ if shares else None)
    written = [json.loads(writer.write(each)) for each in requests]
    reader = SentReader(kept.__getitem__ if shares else no_file)
    assert [reader.read(each) for each in written] == list(map(as_read, requests))
    assert {digest for each in written for digest in digests_of_files(each)} == set(kept)


def user(*parts: Text | Picture | Opaque) -> Message:
    return Message("user", parts)


def write(*prompts: Sequence[Message], kept: dict[str, str] | None = None) -> list[Any]:
    writer = SentWriter(None if kept is None else kept.__setitem__)
    return [json.loads(writer.write(Sent(Prompt(tuple(each))))) for each in prompts]


def test_a_conversation_writes_only_new_messages() -> None:
    turns = [user(Text(f"Step {number}", "history")) for number in range(9)]
    written = write(*(turns[: end + 1] for end in range(9)))
    new = [{"role": "user", "parts": [{"text": f"Step {number}", "name": "history"}]} for number in range(9)]
    assert [each["messages"] for each in written] == [
        [new[0]],
        [0, new[1]],
        *([[0, end - 1], new[end]] for end in range(2, 9)),
    ]


def test_a_message_writes_only_new_parts() -> None:
    fixed = [Text("the rules", "rules"), Text("the mission", "mission")]
    _, second = write(*([user(*fixed, Text(f"at {place}", "observation"), Text("now"))] for place in (1, 2)))
    assert second["messages"] == [
        {"role": "user", "parts": [[0, 1], {"text": "at 2", "name": "observation"}, 3]},
    ]


def test_texts_and_schemas_that_episodes_share_are_files() -> None:
    kept: dict[str, str] = {}
    parts = (Text(LONG, "rules"), Text("short", "rules"), Text(LONG, "observation"))
    written = json.loads(SentWriter(kept.__setitem__).write(Sent(Prompt((user(*parts),), {"type": "object"}))))
    assert sorted(kept.values()) == sorted([LONG, '{"type":"object"}'])
    assert [sorted(each) for each in written["messages"][0]["parts"]] == [
        ["file", "name"],
        ["name", "text"],
        ["name", "text"],
    ]
    assert kept[written["schema"]] == '{"type":"object"}'


PART = {"text": "go", "name": "mission"}
FIRST = {"role": "user", "parts": [PART]}
MALFORMED: list[Any] = [
    *(None, 7, "a text", [], {}, {"messages": None}, {"messages": 7}, {"messages": ["a text"]}, {"messages": [{}]}),
    *({"messages": [{"role": "user"}]}, {"messages": [{"parts": []}]}, {"messages": [], "settings": 7}),
    {"messages": [], "schema": "0123456789abcdef"},
    *(
        {"messages": [{"role": "user", "parts": [part]}]}
        for part in ({}, None, "text", {"text": 7, "name": ""}, {"text": ""}, {"picture": 1, "name": "", "label": ""})
    ),
    *({"messages": [{"role": "user", "parts": [{"file": file, "name": ""}]}]} for file in ("../../secret", 7)),
]
OUT_OF_RANGE = [-1, 1, [0, 1], [-1, 0], [1, 0], [0, 10**30], 10**30]


@pytest.mark.parametrize("written", MALFORMED)
def test_malformed_requests_are_refused(written: Any) -> None:
    with pytest.raises((ValueError, TypeError, LookupError, AttributeError)):
        SentReader(no_file).read(written)
    assert set(digests_of_files(written)) <= {"0123456789abcdef", "../../secret", "7"}


@pytest.mark.parametrize("number", OUT_OF_RANGE)
def test_numbers_out_of_range_are_refused(number: Any) -> None:
    for later in ({"messages": [number]}, {"messages": [{"role": "user", "parts": [number]}]}):
        reader = SentReader(no_file)
        reader.read({"messages": [FIRST]})
        with pytest.raises(ValueError, match="expected the number of an earlier part, less than 1"):
            reader.read(later)


@pytest.mark.parametrize(
    "written",
    [
        {"messages": [FIRST, *[0] * 200_000]},
        {"messages": [{"role": "user", "parts": [PART, *[0] * 200_000]}]},
        {"messages": [{"role": "user", "parts": [PART, *[0] * 5000]}, *[0] * 5000]},
        {
            "messages": [
                {"role": "user", "parts": [{"text": "x" * 10**4, "name": ""}]},
                *[0] * (MOST_CHARACTERS // 9000),
            ]
        },
    ],
)
def test_requests_that_expand_to_too_much_are_refused(written: Any) -> None:
    with pytest.raises(ValueError, match="expected at most"):
        SentReader(no_file).read(written)
