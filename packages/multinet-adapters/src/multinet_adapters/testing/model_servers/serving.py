"""Servers for the time of a ``with``."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from multinet_adapters.testing.model_servers.replies import Answer, Reply, action_json
from multinet_adapters.testing.model_servers.server import MODEL, ModelServer

__all__ = ["refused_address", "serve", "serve_in_turn", "serve_plan"]


@contextmanager
def serve(
    answer: Answer,
    models: Iterable[str] = (MODEL,),
    api_key: str | None = None,
    tls: ssl.SSLContext | None = None,
) -> Iterator[ModelServer]:
    """Run a server that answers each chat with the result of a function, for the time of a ``with``."""
    server = ModelServer(answer, models, api_key, tls)
    try:
        yield server
    finally:
        server.close()


@contextmanager
def serve_in_turn(
    replies: Iterable[Reply | str], api_key: str | None = None, tls: ssl.SSLContext | None = None
) -> Iterator[ModelServer]:
    """Run a server that gives one reply after the other, and then the last one again and again."""
    given = tuple(replies)
    with serve(lambda request: given[min(request.number, len(given) - 1)], api_key=api_key, tls=tls) as server:
        yield server


@contextmanager
def serve_plan(actions: Iterable[int | str]) -> Iterator[ModelServer]:
    """Run a server whose model takes the given actions (names or ids), one for each chat, and then is ``done``."""
    with serve_in_turn([*map(action_json, actions), action_json("done")]) as server:
        yield server


def refused_address() -> str:
    """Return ``http://host:port`` for a port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"
