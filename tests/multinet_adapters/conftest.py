"""Adapters of every kind, connected to servers on loopback."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface import ModelInput
from multinet_adapters.anthropic_messages import AnthropicAdapter
from multinet_adapters.chat_adapter import ChatAdapter
from multinet_adapters.lmstudio_vlm_adapter import LMStudioVLMAdapter
from multinet_adapters.ollama_vlm_adapter import OllamaVLMAdapter
from multinet_adapters.openai_compatible import OpenAICompatibleAdapter
from multinet_adapters.testing.model_servers import MODEL, ModelServer

Connect = Callable[..., ChatAdapter]
Question = Callable[..., ModelInput]

KINDS: dict[str, type[ChatAdapter]] = {
    "ollama": OllamaVLMAdapter,
    "openai": OpenAICompatibleAdapter,
    "lmstudio": LMStudioVLMAdapter,
    "anthropic": AnthropicAdapter,
}


def address_for(kind: str, server: ModelServer) -> str:
    """The base address of a server in the protocol of a kind of adapter."""
    return {"ollama": server.ollama_url, "anthropic": server.anthropic_url}.get(kind, server.openai_url)


@pytest.fixture
def connect_as() -> Iterator[Callable[[str, ModelServer], ChatAdapter]]:
    """Makes an adapter of a kind for a server; closed after the test."""
    made: list[ChatAdapter] = []

    def connect(kind: str, server: ModelServer, **options: Any) -> ChatAdapter:
        made.append(KINDS[kind](**{"model": MODEL, "base_url": address_for(kind, server), **options}))
        return made[-1]

    yield connect
    for adapter in made:
        adapter.close()


@pytest.fixture(params=["ollama", "openai", "anthropic"])
def connect(request: pytest.FixtureRequest, connect_as: Connect) -> Connect:
    """Makes an adapter for a server, of each protocol in turn."""
    return lambda server, **options: connect_as(request.param, server, **options)


@pytest.fixture(params=["ollama", "openai"])
def connect_seeded(request: pytest.FixtureRequest, connect_as: Connect) -> Connect:
    """Makes an adapter for a server, of each protocol that has a seed."""
    return lambda server, **options: connect_as(request.param, server, **options)


@pytest.fixture
def connect_openai(connect_as: Connect) -> Connect:
    """Makes an adapter for a server, of one protocol, for what all of them share."""
    return lambda server, **options: connect_as("openai", server, **options)


@pytest.fixture
def question() -> Question:
    """What a model is given for a step, with a small picture unless told otherwise."""

    def make(**changes: Any) -> ModelInput:
        given = {
            "image": np.zeros((8, 8, 3), dtype=np.uint8),
            "text_prompt": "reach the goal",
            "action_space": dict(ACTION_SPACE),
            "step_number": 0,
            "max_steps": 20,
        }
        return ModelInput(**{**given, **changes})

    return make
