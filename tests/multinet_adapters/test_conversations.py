"""Prompts of several turns: who has said what, and in which order, is the same in every protocol."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.model_interface import PromptImage, PromptText
from multinet_adapters.anthropic_messages import AnthropicAdapter
from multinet_adapters.chat_adapter import ChatAdapter
from multinet_adapters.ollama_vlm_adapter import OllamaVLMAdapter
from multinet_adapters.openai_compatible import OpenAICompatibleAdapter
from multinet_adapters.testing.model_servers import MODEL, serve
from multinet_adapters.testing.model_servers.protocols import CHAT_PATHS
from support.thoroughness import bounded

ADAPTERS: dict[str, ChatAdapter] = {
    "/api/chat": OllamaVLMAdapter(MODEL),
    "/v1/chat/completions": OpenAICompatibleAdapter(MODEL, base_url="http://127.0.0.1:9/v1"),
    "/anthropic/v1/messages": AnthropicAdapter(MODEL),
}


def picture(value: int) -> PromptImage:
    return PromptImage(f"Observation {value}", np.full((2, 3, 3), value, dtype=np.uint8))


PLAYED = [
    PromptText("system", "You control the agent."),
    picture(1),
    PromptText("user", "Step 1. Which action?"),
    PromptText("assistant", "Action: 2"),
    picture(2),
    PromptText("user", "Step 2. Which action?"),
    PromptText("assistant", "Action: 0"),
    picture(3),
    picture(4),
    PromptText("user", "Step 3."),
    PromptText("user", "Which action?"),
]
"""A question of a conversation in which two were answered before."""

words = st.text("abc .", min_size=1, max_size=4).filter(str.strip)
turns = st.lists(
    st.one_of(
        st.builds(PromptText, st.just("user"), words),
        st.builds(PromptText, st.just("assistant"), words),
        st.builds(picture, st.integers(0, 255)),
    ),
    min_size=1,
    max_size=8,
)
system = st.lists(st.builds(PromptText, st.just("system"), words), max_size=2)


def received(path: str, parts: list[Any]) -> Iterator[tuple[str, str, int]]:
    """Each speaker in turn as a server understands it: the texts without white space, and the number of pictures."""
    protocol = CHAT_PATHS[path]
    messages = protocol.messages(ADAPTERS[path].chat_request(parts, None))
    for speaker, said in groupby(messages, lambda message: str(message["role"])):
        together = list(said)
        texts = "".join(text for message in together for text in protocol.texts(message))
        yield speaker, "".join(texts.split()).replace(":", ""), sum(len(protocol.images(each)) for each in together)


def meant(parts: list[Any]) -> Iterator[tuple[str, str, int]]:
    """The same of the parts themselves."""
    for speaker, said in groupby(parts, lambda part: part.role if isinstance(part, PromptText) else "user"):
        together = list(said)
        texts = "".join(part.text if isinstance(part, PromptText) else part.label for part in together)
        yield speaker, "".join(texts.split()), sum(isinstance(part, PromptImage) for part in together)


@pytest.mark.parametrize("path", ADAPTERS)
@bounded(30)
@given(system, turns)
def test_every_speaker_says_what_it_has_said_and_when(path: str, first: list[Any], then: list[Any]) -> None:
    assert list(received(path, [*first, *then])) == list(meant([*first, *then]))


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/anthropic/v1/messages"])
def test_what_a_speaker_says_in_a_row_is_one_message(path: str) -> None:
    messages = CHAT_PATHS[path].messages(ADAPTERS[path].chat_request(PLAYED, None))
    roles = [message["role"] for message in messages]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    assert [len(CHAT_PATHS[path].images(message)) for message in messages] == [0, 1, 0, 1, 0, 2]


def test_ollama_has_a_message_more_for_each_picture_that_another_one_follows() -> None:
    messages = OllamaVLMAdapter(MODEL).chat_request(PLAYED, None)["messages"]
    roles = [message["role"] for message in messages]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user", "user"]
    assert [len(message.get("images", ())) for message in messages] == [0, 1, 0, 1, 0, 1, 1]
    assert messages[-1]["content"] == "Observation 4\n\nStep 3.\n\nWhich action?"


def test_openais_pictures_may_have_a_message_each_with_the_texts_after_it() -> None:
    adapter = OpenAICompatibleAdapter(MODEL, base_url="http://127.0.0.1:9/v1", pictures_apart=True)
    of_ollama = OllamaVLMAdapter(MODEL).chat_request(PLAYED, None)["messages"]
    messages = adapter.chat_request(PLAYED, None)["messages"]
    protocol = CHAT_PATHS["/v1/chat/completions"]
    assert [message["role"] for message in messages] == [message["role"] for message in of_ollama]
    assert [protocol.images(message) for message in messages] == [
        CHAT_PATHS["/api/chat"].images(message) for message in of_ollama
    ]
    assert protocol.texts(messages[-1]) == ["Observation 4:", "Step 3.", "Which action?"]


def test_without_a_system_message_the_assistant_still_says_its_own_words(connect: Any) -> None:
    with serve(lambda request: "Action: 2") as server:
        connect(server, system_message=False).ask(PLAYED)
    roles = [role for role, _ in groupby(message["role"] for message in server.chats[0].messages)]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    assert "You control the agent." in server.chats[0].text
