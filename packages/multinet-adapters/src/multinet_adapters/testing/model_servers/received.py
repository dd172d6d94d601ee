"""Requests received by a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from multinet_adapters.testing.model_servers.protocols import Protocol

__all__ = ["ChatRequest", "Received"]


@attrs.frozen
class Received:
    """A request as received, with header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@attrs.frozen
class ChatRequest:
    """A chat request, in any of the protocols."""

    number: int
    """Number of earlier chat requests to this server, from 0."""
    protocol: Protocol
    received: Received
    body: Mapping[str, Any]
    """JSON body of the request."""

    @property
    def model(self) -> str:
        """The requested model."""
        return str(self.body["model"])

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages as received, including the system message."""
        return self.protocol.messages(self.body)

    @property
    def text(self) -> str:
        """The texts of all messages in order, one per line."""
        return "\n".join(text for message in self.messages for text in self.protocol.texts(message))

    @property
    def images(self) -> list[bytes]:
        """The pictures of all messages in order, as file contents."""
        return [image for message in self.messages for image in self.protocol.images(message)]
