"""Replies: what a server says to a chat, in the protocol of whoever asks."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

import attrs

from multinet_adapters.testing.model_servers.connection import Connection
from multinet_adapters.testing.model_servers.protocols import Said
from multinet_adapters.testing.model_servers.received import ChatRequest

__all__ = ["Answer", "Body", "Redirect", "Refusal", "Reply", "Status", "Text", "action_json"]


class Reply(ABC):
    """What a server does with a chat request."""

    @abstractmethod
    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Answer, or misbehave."""


@attrs.frozen
class Text(Said, Reply):
    """A proper reply of a model."""

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send it in the request's protocol."""
        request.protocol.send_text(connection, request.number, request.body, self)


@attrs.frozen
class Refusal(Reply):
    """A refusal, as OpenAI's and Anthropic's protocols have it; in Ollama's it is a text like any other."""

    text: str

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send it in the request's protocol."""
        request.protocol.send_refusal(connection, request.number, request.body, self.text)


@attrs.frozen
class Status(Reply):
    """An error with a message in the protocol's own form."""

    status: int
    message: str = "something went wrong"
    headers: Mapping[str, str] = attrs.field(factory=dict)

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send it in the request's protocol."""
        connection.send_json(request.protocol.error(self.status, self.message), self.status, self.headers)


@attrs.frozen
class Body(Reply):
    """Any contents at all."""

    content: bytes
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = attrs.field(factory=dict)

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send them."""
        connection.send_body(self.content, self.status, {"Content-Type": self.content_type, **self.headers})


@attrs.frozen
class Redirect(Reply):
    """A redirect to another address."""

    to: str
    status: int = 307

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send it."""
        connection.send_body(b"", self.status, {"Location": self.to})


Answer = Callable[[ChatRequest], Reply | str]
"""What a server answers to a chat: a reply, or the text of a proper one."""


def action_json(action: int | str, reasoning: str = "as planned", confidence: float = 0.5) -> str:
    """An answer in the form that the adapters ask for."""
    return json.dumps({"reasoning": reasoning, "action": action, "confidence": confidence})
