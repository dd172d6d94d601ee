"""`PlayServer`: serves an application to browsers, in threads, until it is closed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from gridworld.errors import ArgumentError
from gridworld.support.installing import how_to_install
from multinet_report.play.application import LONGEST_BODY

__all__ = ["PlayServer", "check_installed"]

THREADS = 16
"""Each browser that waits for its next view has one."""
BACKLOG = 128
"""Connections that may wait to be accepted; a client waits a second to try again where there is no room."""
LONGEST_HEADERS = 16384
"""In bytes."""
SHUTDOWN = 1
"""The seconds for which requests may still be answered when the server is closed."""


def check_installed() -> None:
    """Make sure that there is a server to play by; raises ArgumentError, which says what to install."""
    if find_spec("cheroot") is None:
        raise ArgumentError(f"playing in a browser needs a server: {how_to_install('multinet-report', 'play')}")


class PlayServer:
    """Listens from the start on.

    Args:
        host: the name or address of this machine to listen at.
        port: the port; 0 for any that is free.
        make_application: is given the port, and returns a WSGI application.

    Raises:
        OSError: it cannot listen there.
    """

    def __init__(self, host: str, port: int, make_application: Callable[[int], Any]) -> None:
        from cheroot.wsgi import Server

        from multinet_report.play.timely_connection import TimelyConnection

        self._server = Server(
            (host, port), None, numthreads=THREADS, shutdown_timeout=SHUTDOWN, request_queue_size=BACKLOG
        )
        self._server.ConnectionClass = TimelyConnection
        self._server.max_request_body_size = LONGEST_BODY
        self._server.max_request_header_size = LONGEST_HEADERS
        self._server.prepare()
        self.port: int = self._server.bind_addr[1]
        self._server.wsgi_app = make_application(self.port)
        self._thread = threading.Thread(target=self._server.serve, name="play-server", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._server.stop()
        self._thread.join()
