"""Scripted reactions of a server to a chat, in the protocol of the request."""

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
    """A server's reaction to a chat request."""

    @abstractmethod
    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send the reply."""


@attrs.frozen
class Text(Said, Reply):
    """A regular model reply."""

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send the reply in the request's protocol."""
        request.protocol.send_text(connection, request.number, request.body, self)


@attrs.frozen
class Refusal(Reply):
    """A refusal as in OpenAI's and Anthropic's protocols; Ollama's protocol sends an ordinary text."""

    text: str

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send the refusal in the request's protocol."""
        request.protocol.send_refusal(connection, request.number, request.body, self.text)


@attrs.frozen
class Status(Reply):
    """An error with a message, in the protocol's own format."""

    status: int
    message: str = "something went wrong"
    headers: Mapping[str, str] = attrs.field(factory=dict)

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send the error in the request's protocol."""
        connection.send_json(request.protocol.error(self.status, self.message), self.status, self.headers)


@attrs.frozen
class Body(Reply):
    """A reply with arbitrary content."""

    content: bytes
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = attrs.field(factory=dict)

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send the content with its status, content type and headers."""
        connection.send_body(self.content, self.status, {"Content-Type": self.content_type, **self.headers})


@attrs.frozen
class Redirect(Reply):
    """A redirect to another address."""

    to: str
    status: int = 307

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send the redirect."""
        connection.send_body(b"", self.status, {"Location": self.to})


Answer = Callable[[ChatRequest], Reply | str]
"""Returns the server's reply to a chat request, or the text of a regular reply."""


def action_json(action: int | str, reasoning: str = "as planned", confidence: float = 0.5) -> str:
    """Return an answer in the format that the adapters request."""
    return json.dumps({"reasoning": reasoning, "action": action, "confidence": confidence})
