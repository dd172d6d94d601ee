"""A connection with a time limit for incoming requests.

The server reads each request in a thread, so without a limit a few slow clients could block all others.
"""

from __future__ import annotations

import socket
from time import monotonic
from typing import Any

from cheroot.makefile import MakeFile, StreamReader
from cheroot.server import HTTPConnection

REQUEST_SECONDS = 2.0
"""Time limit for a complete request, in seconds from its first byte."""


class TimelyConnection(HTTPConnection):
    """Connection that answers ``408 Request Timeout`` if a request arrives too slowly.

    Args:
        server: the cheroot server.
        sock: the client's socket.
        makefile: creates the file for writing.
    """

    def __init__(self, server: Any, sock: socket.socket, makefile: Any = MakeFile) -> None:
        self._incoming = _Incoming(sock)
        self._is_first = True

        def make_timely(sock: socket.socket, mode: str, size: int) -> Any:
            return _Reader(self._incoming, size) if "r" in mode else makefile(sock, mode, size)

        super().__init__(server, sock, make_timely)

    def communicate(self) -> bool:
        """Read and answer a request; returns whether the connection stays open."""
        if not self._is_first:
            self._incoming.deadline = monotonic() + REQUEST_SECONDS
        self._is_first = False
        return bool(super().communicate())  # type: ignore[no-untyped-call]  # cheroot gives it no types


class _Incoming(socket.SocketIO):
    """Received bytes, subject to a deadline; bytes that have already arrived can be read after it."""

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
    """Reads lines and bodies from `_Incoming`."""

    def __init__(self, incoming: _Incoming, size: int) -> None:
        super(StreamReader, self).__init__(incoming, size)
        self.bytes_read = 0
