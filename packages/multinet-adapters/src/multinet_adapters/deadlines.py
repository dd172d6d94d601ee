"""Connections that end a reply which takes too long as a whole.

The time-outs of sockets are for each read, so a server that sends a byte now and then could hold its client for ever.
Here a timer shuts the connection down at the deadline, whether headers or contents are awaited.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, ProxyManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.response import HTTPResponse

__all__ = ["Deadline", "DeadlineAdapter"]


class _Current(threading.local):
    """The deadline of the request that this thread is making."""

    deadline: Deadline | None = None


_current = _Current()


class Deadline:
    """The time that one reply may take, counted from the end of the request; used in a ``with`` around the exchange.

    It works for requests of this thread through a `DeadlineAdapter`.
    """

    def __init__(self, seconds: float) -> None:
        self.expired = False
        self._seconds = seconds
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._over = False

    def __enter__(self) -> Deadline:
        _current.deadline = self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.deadline = None
        with self._lock:
            self._over = True
            if self._timer is not None:
                self._timer.cancel()

    def watch(self, connection: socket.socket) -> None:
        """Begin to count, and shut this connection down when time is up."""
        self._timer = threading.Timer(self._seconds, self._expire, [connection])
        self._timer.daemon = True
        self._timer.start()

    def _expire(self, connection: socket.socket) -> None:
        with self._lock:
            if self._over:
                return
            self.expired = True
            # The plain socket's own method: the one of a TLS socket would first disturb the thread that reads from it.
            with suppress(OSError, TypeError):
                socket.socket.shutdown(connection, socket.SHUT_RDWR)


def _watch(connection: Any) -> None:
    deadline = _current.deadline
    if deadline is not None and connection is not None:
        deadline.watch(connection)


class _WatchedConnection(HTTPConnection):
    def getresponse(self) -> HTTPResponse:  # type: ignore[override]
        _watch(self.sock)
        return super().getresponse()


class _WatchedTLSConnection(HTTPSConnection):
    def getresponse(self) -> HTTPResponse:  # type: ignore[override]
        _watch(self.sock)
        return super().getresponse()


class _Pool(HTTPConnectionPool):
    ConnectionCls = _WatchedConnection


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = _WatchedTLSConnection


POOLS = {"http": _Pool, "https": _TLSPool}


class DeadlineAdapter(HTTPAdapter):
    """Makes the connections of a `requests.Session` heed the `Deadline` of their thread."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Make the pools of direct connections."""
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = POOLS

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> ProxyManager:
        """Make the pools of connections through a proxy; those of SOCKS proxies stay as they are."""
        manager: ProxyManager = super().proxy_manager_for(proxy, **kwargs)
        if proxy.lower().startswith("http"):
            manager.pool_classes_by_scheme = POOLS
        return manager
