"""Requests as a server has received them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from multinet_adapters.testing.model_servers.protocols import Protocol

__all__ = ["ChatRequest", "Received"]


@attrs.frozen
class Received:
    """A request as it came; names of headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@attrs.frozen
class ChatRequest:
    """A request for a chat, in any of the protocols."""

    number: int
    """Number of earlier chat requests to this server, from 0."""
    protocol: Protocol
    received: Received
    body: Mapping[str, Any]
    """The JSON of the request."""

    @property
    def model(self) -> str:
        """The requested model."""
        return str(self.body["model"])

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages as received, including the system's message."""
        return self.protocol.messages(self.body)

    @property
    def text(self) -> str:
        """The texts of all messages in order, on lines of their own."""
        return "\n".join(text for message in self.messages for text in self.protocol.texts(message))

    @property
    def images(self) -> list[bytes]:
        """The pictures of all messages in order, as files."""
        return [image for message in self.messages for image in self.protocol.images(message)]
