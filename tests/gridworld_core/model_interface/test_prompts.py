"""Requests as values: what makes two of them equal, and how their texts and pictures follow each other."""

from itertools import pairwise

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.model_interface import Message, Opaque, Picture, Prompt, Text, reply_of
from gridworld.model_interface.prompts import Part, question

texts = st.builds(Text, st.text(), st.text(max_size=3), st.none() | st.text(max_size=3))
pictures = st.builds(
    lambda value, name, label: Picture(np.full((2, 3, 3), value, dtype=np.uint8), name, label),
    st.integers(0, 2),
    st.text(max_size=3),
    st.sampled_from(["now", "before"]),
)
opaque = st.builds(Opaque, st.sampled_from(["thinking", "call"]), st.dictionaries(st.text(), st.integers()))
parts = st.lists(texts | pictures | opaque, max_size=6)
ROLES = ("system", "user", "assistant")
messages = st.builds(Message, st.sampled_from(ROLES), parts)
prompts = st.builds(Prompt, st.lists(messages, max_size=4).map(tuple), st.none() | st.just({"type": "object"}))


def renamed(part: Part) -> Part:
    """A part that is sent as the other one is."""
    match part:
        case Text():
            return Text(part.text, f"not {part.name}", "something else")
        case Picture():
            return Picture(part.pixels.copy(), f"not {part.name}", part.label)
        case Opaque():
            return Opaque(part.kind, dict(part.content))


def split(part: Part) -> list[Part]:
    """The part, or a text in two pieces."""
    if not isinstance(part, Text):
        return [part]
    return [Text(part.text[:2], "first"), Text(part.text[2:], "rest")]


@given(prompts, st.none() | st.integers())
def test_a_digest_depends_on_what_is_sent_and_not_on_how_its_parts_are_called(prompt: Prompt, seed: int | None) -> None:
    same = [
        Prompt(tuple(Message(each.role, map(change, each.parts)) for each in prompt.messages), prompt.schema, seed)
        for change in (renamed, lambda part: part)
    ]
    pieces = [Message(each.role, [piece for part in each.parts for piece in split(part)]) for each in prompt.messages]
    assert {prompt.digest} == {each.digest for each in [*same, attrs.evolve(prompt, messages=tuple(pieces))]}
    assert len(prompt.digest) == 16


@given(messages)
def test_whatever_is_sent_otherwise_has_another_digest(message: Message) -> None:
    seen = Picture(np.zeros((2, 3, 3), dtype=np.uint8), "seen", "then")
    more: list[Part] = [Text("!"), seen, Picture(seen.pixels, "seen", "later"), Opaque("note", 1), Opaque("note", "1")]
    longer = [Message(message.role, (*message.parts, each)) for each in more]
    as_others = [Message(role, message.parts) for role in ROLES]
    assert len({each.digest for each in [*longer, *as_others]}) == len(more) + len(ROLES)
    whole = [(), (message,), (message, message), (message, Message(message.role, (*message.parts, Text("!"))))]
    assert len({Prompt(each, schema).digest for each in whole for schema in (None, {}, {"type": "object"})}) == 12


@given(parts)
def test_texts_between_pictures_are_one_block_verbatim(given_parts: list[Part]) -> None:
    message = Message("user", given_parts)
    blocks = list(message.blocks())
    assert [block for block in blocks if not isinstance(block, str)] == [
        part for part in given_parts if not isinstance(part, Text)
    ]
    assert not any(isinstance(one, str) and isinstance(other, str) for one, other in pairwise(blocks))
    assert message.text == "".join(block for block in blocks if isinstance(block, str))
    assert message.text == "".join(part.text for part in given_parts if isinstance(part, Text))
    assert message.pictures == [block for block in blocks if isinstance(block, Picture)]


@pytest.mark.parametrize("shape", [(6, 4, 3), (2, 12, 3), (24, 1, 3)])
def test_pictures_of_the_same_bytes_in_another_shape_differ(shape: tuple[int, int, int]) -> None:
    pixels = np.arange(72, dtype=np.uint8)
    one, other = Picture(pixels.reshape(4, 6, 3)), Picture(pixels.reshape(shape))
    assert one.digest != other.digest
    assert Message("user", (one,)).digest != Message("user", (other,)).digest
    assert one.digest == Picture(np.asfortranarray(one.pixels), "seen", "Before").digest


def test_a_system_text_of_an_open_question_is_a_message_of_its_own() -> None:
    alone, told = question(Text("Where?")), question(Text("Where?"), system="Be brief.")
    assert [message.role for message in alone.messages] == ["user"]
    assert [(message.role, message.text) for message in told.messages] == [("system", "Be brief."), ("user", "Where?")]
    assert (told.schema, told.seed) == (None, None)


def test_the_reasoning_of_a_reply_is_no_part_of_its_text() -> None:
    block = Opaque("thinking", {"signature": "abc"})
    reply = reply_of("Action: 2", "straight on", block)
    assert (reply.text, reply.reasoning, reply.message.role) == ("Action: 2", "straight on", "assistant")
    assert block in reply.message.parts
    assert reply_of("").reasoning is None
