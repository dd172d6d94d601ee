"""`Connection`: what a reply can do with its request's connection."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any

__all__ = ["Connection"]


class Connection(BaseHTTPRequestHandler):
    """One client connection; write raw bytes to `wfile`, and set `close_connection` to end it after the reply."""

    closing: threading.Event
    """Set when the server is closed."""

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Send the status and the headers."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def send_body(self, content: bytes, status: int, headers: Mapping[str, str]) -> None:
        """Send a complete reply."""
        self.begin(status, {**headers, "Content-Length": str(len(content))})
        self.wfile.write(content)

    def send_json(self, value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """Send a complete JSON reply."""
        self.send_body(json.dumps(value).encode(), status, {"Content-Type": "application/json", **(headers or {})})

    def drip(self, byte: bytes, seconds: float) -> None:
        """Send one byte at a time until the client disconnects or the server is closed."""
        self.close_connection = True
        while not self.closing.wait(seconds):
            self.wfile.write(byte)
