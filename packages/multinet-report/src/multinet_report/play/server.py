"""Threaded HTTP server of the page."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from gridworld.errors import ArgumentError
from gridworld.support.wording import how_to_install
from multinet_report.play.application import LONGEST_BODY

THREADS = 16
"""Maximum number of browsers waiting for a view."""
BACKLOG = 128
"""Length of the connection queue; rejected clients retry after a second."""
LONGEST_HEADERS = 16384
"""Maximum size of request headers, in bytes."""
SHUTDOWN = 1
"""Seconds granted to open requests when the server is closed."""


def check_installed() -> None:
    """Check that the server library is installed; raises ArgumentError with advice."""
    if find_spec("cheroot") is None:
        raise ArgumentError(f"playing in a browser needs a server: {how_to_install('multinet-report', 'play')}")


class PlayServer:
    """A server that starts listening when it is created.

    Args:
        host: name or address to listen on.
        port: port to listen on; 0 for any free port.
        make_application: returns the WSGI application for a port.

    Raises:
        OSError: the address or port is not available.
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
