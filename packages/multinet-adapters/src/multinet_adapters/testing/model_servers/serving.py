"""Context managers that run a server inside a ``with`` block."""

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
    """Run a server that answers each chat with a function's result, inside a ``with`` block."""
    server = ModelServer(answer, models, api_key, tls)
    try:
        yield server
    finally:
        server.close()


@contextmanager
def serve_in_turn(
    replies: Iterable[Reply | str], api_key: str | None = None, tls: ssl.SSLContext | None = None
) -> Iterator[ModelServer]:
    """Run a server that gives one reply after the other, repeating the last one."""
    given = tuple(replies)
    with serve(lambda request: given[min(request.number, len(given) - 1)], api_key=api_key, tls=tls) as server:
        yield server


@contextmanager
def serve_plan(actions: Iterable[int | str]) -> Iterator[ModelServer]:
    """Run a server whose model takes the given actions (names or ids), one per chat, and then answers ``done``."""
    with serve_in_turn([*map(action_json, actions), action_json("done")]) as server:
        yield server


def refused_address() -> str:
    """Return ``http://host:port`` for a port without a server."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"
