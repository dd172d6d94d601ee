"""Prompts of several turns: who has said what, and in which order, is the same in every protocol."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.model_interface import Message, Picture, Prompt, Text
from gridworld.model_interface.prompts import question as open_question
from multinet_adapters.anthropic_messages import AnthropicAdapter
from multinet_adapters.chat_adapter import ChatAdapter
from multinet_adapters.ollama_vlm_adapter import OllamaVLMAdapter
from multinet_adapters.openai_compatible import OpenAICompatibleAdapter
from multinet_adapters.testing.model_servers import MODEL, serve
from multinet_adapters.testing.model_servers.protocols import CHAT_PATHS
from support.thoroughness import bounded

OLLAMA, ANTHROPIC = OllamaVLMAdapter(MODEL), AnthropicAdapter(MODEL)
OPENAI = OpenAICompatibleAdapter(MODEL, base_url="http://127.0.0.1:9/v1")
ADAPTERS: list[ChatAdapter] = [OLLAMA, OPENAI, ANTHROPIC]
PATHS = {"ollama": "/api/chat", "openai": "/v1/chat/completions", "anthropic": "/anthropic/v1/messages"}


def picture(value: int) -> Picture:
    return Picture(np.full((2, 3, 3), value, dtype=np.uint8), "observation", f"Observation {value}")


def user(*parts: Picture | Text) -> Message:
    return Message("user", parts)


def assistant(text: str) -> Message:
    return Message("assistant", (Text(text, "reply"),))


PLAYED = Prompt(
    (
        Message("system", (Text("You control "), Text("the agent."))),
        user(picture(1), Text("Step 1. Which action?")),
        assistant("Action: 2"),
        user(picture(2), Text("Step 2. Which action?")),
        assistant("Action: 0"),
        user(picture(3), picture(4), Text("Step 3."), Text("\n\nWhich action?")),
    )
)
"""A question of a conversation in which two were answered before."""

words = st.text("abc .", min_size=1, max_size=4).filter(str.strip)
said_by_user = st.lists(st.one_of(st.builds(Text, words), st.builds(picture, st.integers(0, 255))), min_size=1)
turns = st.lists(st.one_of(said_by_user.map(lambda parts: user(*parts)), words.map(assistant)), max_size=6)
system = st.lists(words.map(lambda text: Message("system", (Text(text),))), max_size=1)


def messages_of(adapter: ChatAdapter, prompt: Prompt) -> list[dict[str, Any]]:
    """The messages as a server understands them, that of the system included."""
    return list(CHAT_PATHS[PATHS[adapter.provider]].messages(adapter.body(prompt, adapter.settings_in_use())))


def received(adapter: ChatAdapter, prompt: Prompt) -> Iterator[tuple[str, str, int]]:
    """Each speaker in turn as a server understands it: the texts without white space, and the number of pictures."""
    protocol = CHAT_PATHS[PATHS[adapter.provider]]
    for speaker, said in groupby(messages_of(adapter, prompt), lambda message: str(message["role"])):
        together = list(said)
        texts = "".join(text for message in together for text in protocol.texts(message))
        yield speaker, "".join(texts.split()).replace(":", ""), sum(len(protocol.images(each)) for each in together)


def meant(messages: Sequence[Message]) -> Iterator[tuple[str, str, int]]:
    """The same of the messages themselves."""
    for speaker, said in groupby(messages, lambda message: str(message.role)):
        parts = [part for message in said for part in message.parts]
        texts = "".join(part.label if isinstance(part, Picture) else part.text for part in parts)
        yield speaker, "".join(texts.split()), sum(isinstance(part, Picture) for part in parts)


@pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.provider)
@bounded(30)
@given(system, turns)
def test_every_speaker_says_what_it_has_said_and_when(
    adapter: ChatAdapter, first: list[Message], then: list[Message]
) -> None:
    prompt = Prompt((*first, *then))
    assert list(received(adapter, prompt)) == list(meant(prompt.messages))
    folded = [Message("user", each.parts) for each in first]
    assert list(received(adapter, adapter.without(prompt, ["the system message"]))) == list(meant([*folded, *then]))


@pytest.mark.parametrize("adapter", [OPENAI, ANTHROPIC], ids=lambda adapter: adapter.provider)
def test_what_a_speaker_says_in_a_row_is_one_message(adapter: ChatAdapter) -> None:
    messages, protocol = messages_of(adapter, PLAYED), CHAT_PATHS[PATHS[adapter.provider]]
    roles = [message["role"] for message in messages]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    assert [len(protocol.images(message)) for message in messages] == [0, 1, 0, 1, 0, 2]
    assert protocol.texts(messages[0]) == ["You control the agent."]
    assert protocol.texts(messages[-1]) == ["Observation 3:", "Observation 4:", "Step 3.\n\nWhich action?"]


def test_ollama_has_a_message_more_for_each_picture_that_another_one_follows() -> None:
    messages = messages_of(OLLAMA, PLAYED)
    roles = [message["role"] for message in messages]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user", "user"]
    assert [len(message.get("images", ())) for message in messages] == [0, 1, 0, 1, 0, 1, 1]
    assert messages[-1]["content"] == "Observation 4\n\nStep 3.\n\nWhich action?"


def test_openais_pictures_may_have_a_message_each_with_the_texts_after_it() -> None:
    apart = OpenAICompatibleAdapter(MODEL, base_url="http://127.0.0.1:9/v1", pictures_apart=True)
    messages, of_ollama = messages_of(apart, apart.adapt(PLAYED)), messages_of(OLLAMA, PLAYED)
    protocol = CHAT_PATHS["/v1/chat/completions"]
    assert [message["role"] for message in messages] == [message["role"] for message in of_ollama]
    assert [protocol.images(message) for message in messages] == [
        CHAT_PATHS["/api/chat"].images(message) for message in of_ollama
    ]
    assert protocol.texts(messages[-1]) == ["Observation 4:", "Step 3.\n\nWhich action?"]


def test_without_a_system_message_the_assistant_still_says_its_own_words(connect: Any) -> None:
    with serve(lambda request: "Action: 2") as server:
        connect(server, system_message=False).ask(PLAYED)
    roles = [role for role, _ in groupby(message["role"] for message in server.chats[0].messages)]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    assert "You control the agent." in server.chats[0].text


def test_an_open_question_is_answered_in_words(connect: Any) -> None:
    with serve(lambda request: "<think>hm</think>Two keys.") as server:
        said = connect(server).ask(open_question(picture(1), Text("What is there?"), system="Be brief."))
    assert said == "Two keys."
    (chat,) = server.chats
    assert (chat.text.split("\n")[0], len(chat.images)) == ("Be brief.", 1)
    assert not {"format", "response_format", "output_config"} & chat.body.keys()
