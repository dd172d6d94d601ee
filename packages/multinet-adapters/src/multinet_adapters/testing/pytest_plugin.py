"""Opt-in pytest fixture `model_server` for testing adapters.

Put this into the ``conftest.py`` at the root of the tests, or into a test module:

    pytest_plugins = ["multinet_adapters.testing.pytest_plugin"]

It needs pytest (``pip install 'multinet-adapters[testing]'``), unlike the rest of `multinet_adapters.testing`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from multinet_adapters.testing.model_servers import ModelServer, action_json, serve

__all__ = ["model_server"]


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A loopback server that speaks the protocols of Ollama, OpenAI and Anthropic and records all requests.

    Its model answers ``done`` in every step, until a test sets `answer` to another function of the request.
    """
    with serve(lambda request: action_json("done")) as server:
        yield server
