"""What a server is sent in a conversation: turns of a chat, within bounds, each changed once."""

import json
import re
from typing import Any

import pytest

from gridworld.runner.presentation import Presentation
from gridworld_minigrid import MiniGridBackend
from multinet_adapters.testing.model_servers import ChatRequest, action_json, serve
from multinet_eval import EvaluationHarness
from worlds import corridor

STEPS, IMAGES = 5, 2
CHAT = Presentation("image+text", context="conversation", context_steps=STEPS, context_images=IMAGES)
SETTLED = STEPS + 1
"""From this request on, the conversation is full."""


def turn_about(request: ChatRequest) -> str:
    """Turn left and right again, so that the world has two poses in turn."""
    return action_json(("turn_left", "turn_right")[request.number % 2])


def chats_of(connect: Any, steps: int) -> list[ChatRequest]:
    with serve(turn_about) as server:
        harness = EvaluationHarness(connect(server), MiniGridBackend(tile_size=8), presentation=CHAT)
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


def test_each_message_is_rewritten_once_at_most(connect: Any) -> None:
    """By its place in the conversation: first as it was asked, then without its picture."""
    forms: dict[int, list[str]] = {}
    for number, chat in enumerate(chats_of(connect, 12)):
        asked = [message for message in chat.messages if message["role"] == "user"]
        for ago, message in enumerate(reversed(asked)):
            seen = forms.setdefault(number - ago, [])
            plain = json.dumps(message)
            if not seen or seen[-1] != plain:
                seen.append(plain)
    assert max(map(len, forms.values())) == 2
