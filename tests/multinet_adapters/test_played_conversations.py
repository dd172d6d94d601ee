"""What a server is sent in a conversation: turns of a chat, within bounds, each changed once."""

import json
import re
from collections.abc import Iterable
from typing import Any

import attrs
import pytest

from gridworld.runner.presentation import Presentation
from gridworld_minigrid import MiniGridBackend
from multinet_adapters.testing.model_servers import ChatRequest, action_json, serve
from multinet_eval import EvaluationHarness
from support.worlds import corridor

STEPS, IMAGES = 5, 2
CHAT = Presentation("image+text", explain="rules", context="conversation", context_steps=STEPS, context_images=IMAGES)
SETTLED = STEPS + 1
"""From this request on, the conversation is full."""


def turn_about(request: ChatRequest) -> str:
    """Turn left and right again, so that the world has two poses in turn."""
    return action_json(("turn_left", "turn_right")[request.number % 2])


def chats_of(connect: Any, steps: int, presentation: Presentation = CHAT) -> list[ChatRequest]:
    with serve(turn_about) as server:
        harness = EvaluationHarness(connect(server), MiniGridBackend(tile_size=8), presentation=presentation)
        harness.evaluate_task(corridor("@....G", max_steps=steps))
        harness.close()
        return list(server.chats)


def without_pictures(message: dict[str, Any]) -> str:
    """The texts of a message; numbers, whose digits grow, are all the same."""
    plain = json.dumps(message)
    return re.sub(r"[0-9]+", "0", re.sub(r'"[A-Za-z0-9+/=:;,]{200,}"', '"picture"', plain))


@pytest.mark.parametrize("steps", [30, pytest.param(1000, marks=pytest.mark.thorough)])
def test_a_long_conversation_is_sent_within_constant_bounds(connect: Any, steps: int) -> None:
    chats = chats_of(connect, steps)
    assert len(chats) == steps
    assert {len(chat.images) for chat in chats[SETTLED:]} == {IMAGES + 1}
    for pose in (0, 1):
        alike = chats[SETTLED + pose :: 2]
        assert len({tuple(map(without_pictures, chat.messages)) for chat in alike}) == 1


def test_the_turns_alternate_and_end_with_the_question(connect: Any) -> None:
    for number, chat in enumerate(chats_of(connect, 10)):
        roles = [message["role"] for message in chat.messages if message["role"] != "system"]
        assert roles == ["user", "assistant"] * min(number, STEPS) + ["user"]


def rewritten(conversations: Iterable[list[dict[str, Any]]]) -> dict[int, list[str]]:
    """Place in the conversation to the forms that the user's message there has had."""
    forms: dict[int, list[str]] = {}
    for number, messages in enumerate(conversations):
        asked = [message for message in messages if message["role"] == "user"]
        for ago, message in enumerate(reversed(asked)):
            seen = forms.setdefault(number - ago, [])
            plain = json.dumps(message)
            if not seen or seen[-1] != plain:
                seen.append(plain)
    return forms


def test_each_message_is_rewritten_once_at_most(connect: Any) -> None:
    """First as it was asked, then without its picture."""
    assert max(map(len, rewritten(chat.messages for chat in chats_of(connect, 12)).values())) == 2


def as_read(message: dict[str, Any]) -> dict[str, Any]:
    """A message without marks for the provider's cache; a single text in a list is that text."""
    match message["content"]:
        case [{"type": "text", "text": str(text), "cache_control": _}]:
            return {**message, "content": text}
    return message


def test_the_pictures_of_a_legend_are_a_turn_of_their_own_that_never_changes(connect: Any) -> None:
    chats = chats_of(connect, 12, attrs.evolve(CHAT, explain="full"))
    ends = [[message["role"] for message in chat.messages].index("assistant") + 1 for chat in chats]
    legends = {json.dumps(list(map(as_read, chat.messages[:end]))) for chat, end in zip(chats, ends, strict=True)}
    assert len(legends) == 1
    assert "belong to the legend and the examples" in legends.pop()
    rest = (chat.messages[end:] for chat, end in zip(chats, ends, strict=True))
    assert max(map(len, rewritten(rest).values())) == 2
