"""`TimelyConnection`: a connection of the server whose requests have to arrive in time.

The server has a thread for each request that is being read, so that a few clients which send a byte now and then could
keep everybody else waiting.
"""

from __future__ import annotations

import socket
from time import monotonic
from typing import Any

from cheroot.makefile import MakeFile, StreamReader
from cheroot.server import HTTPConnection

__all__ = ["TimelyConnection"]

REQUEST_SECONDS = 2.0
"""Within which a request has to arrive as a whole, header and body, from the moment at which it begins."""


class TimelyConnection(HTTPConnection):
    """Ends with ``408 Request Timeout`` when a request takes too long to arrive.

    Args:
        server: the server of cheroot.
        sock: the socket of the client.
        makefile: makes the file that is written to.
    """

    def __init__(self, server: Any, sock: socket.socket, makefile: Any = MakeFile) -> None:
        self._incoming = _Incoming(sock)
        self._is_first = True

        def make_timely(sock: socket.socket, mode: str, size: int) -> Any:
            return _Reader(self._incoming, size) if "r" in mode else makefile(sock, mode, size)

        super().__init__(server, sock, make_timely)

    def communicate(self) -> bool:
        """Read a request and answer it; returns whether the connection stays open."""
        if not self._is_first:
            self._incoming.deadline = monotonic() + REQUEST_SECONDS
        self._is_first = False
        return bool(super().communicate())  # type: ignore[no-untyped-call]  # cheroot gives it no types


class _Incoming(socket.SocketIO):
    """The bytes that come until a deadline; those that are there already can still be read after it."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__(sock, "rb")
        self._socket = sock
        self.deadline = monotonic() + REQUEST_SECONDS

    def readinto(self, buffer: Any) -> int:
        usual = self._socket.gettimeout()
        self._socket.settimeout(max(self.deadline - monotonic(), 0.0))
        try:
            count = super().readinto(buffer)
        finally:
            self._socket.settimeout(usual)
        if count is None:
            raise TimeoutError("timed out")
        return count


class _Reader(StreamReader):
    """Reads lines and bodies from such bytes."""

    def __init__(self, incoming: _Incoming, size: int) -> None:
        super(StreamReader, self).__init__(incoming, size)
        self.bytes_read = 0
