"""Misbehaviour instead of replies: servers that hang, trickle, disconnect, never finish, or do not speak HTTP."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from multinet_adapters.testing.model_servers.connection import Connection
from multinet_adapters.testing.model_servers.received import ChatRequest
from multinet_adapters.testing.model_servers.replies import Reply

__all__ = ["Drop", "Hang", "Huge", "Raw", "Trickle", "TrickleHeaders"]


@attrs.frozen
class Raw(Reply):
    """Arbitrary bytes instead of an HTTP reply, after which the connection is closed."""

    wire: bytes

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send the bytes unchanged."""
        connection.close_connection = True
        connection.wfile.write(self.wire)


class Hang(Reply):
    """Sends nothing until the server is closed."""

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Wait until the server is closed."""
        connection.closing.wait()


@attrs.frozen
class Trickle(Reply):
    """A reply that never ends, sent one byte every `seconds`."""

    seconds: float = 0.05

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send the headers at once, then endless spaces."""
        connection.begin(200, {"Content-Type": "application/json", "Content-Length": "1000000"})
        connection.drip(b" ", self.seconds)


@attrs.frozen
class TrickleHeaders(Reply):
    """Headers that never end, sent one byte every `seconds`."""

    seconds: float = 0.05

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send the status line, then one endless header."""
        connection.wfile.write(b"HTTP/1.1 200 OK\r\nX-Endless: ")
        connection.drip(b"x", self.seconds)


class Drop(Reply):
    """A connection that is closed in the middle of the reply."""

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send less content than announced."""
        connection.begin(200, {"Content-Type": "application/json", "Content-Length": "1000"})
        connection.wfile.write(b'{"model": "')
        connection.close_connection = True


@attrs.define
class Huge(Reply):
    """A reply of `size` bytes; `announced` is whether it has a Content-Length, `sent` counts the bytes sent."""

    size: int = 20_000_000
    announced: bool = False
    status: int = 200
    headers: Mapping[str, str] = attrs.field(factory=dict)
    sent: int = 0

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send spaces for as long as the client reads them."""
        length = {"Content-Length": str(self.size)} if self.announced else {"Connection": "close"}
        connection.begin(self.status, {"Content-Type": "application/json", **length, **self.headers})
        connection.close_connection = True
        chunk = b" " * 65_536
        while self.sent < self.size:
            connection.wfile.write(chunk)
            self.sent += len(chunk)
