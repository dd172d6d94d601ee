"""A server on 127.0.0.1 with OpenAI's chat protocol, of which a test decides every byte.

with ChatServer(lambda body, number: said("move_forward")) as server:
    run_eval("--model", "openai", "-M", f"base_url={server.url}", ...)
    server.bodies      # the JSON of every chat request, in the order in which they came
"""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

__all__ = ["MODEL", "ChatServer", "Raw", "failed", "said"]

MODEL = "scripted"


@dataclass(frozen=True)
class Raw:
    """A reply: status, contents, and headers beside ``Content-Length``, which is right unless it is among them."""

    status: int
    content: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def said(action: str | None = None, usage: Any = None, text: str | None = None, **answer: Any) -> Raw:
    """A reply of the model: an action and other parts of an answer as JSON, or any text."""
    words = text if text is not None else json.dumps({"reasoning": "so", "action": action, "confidence": 0.5, **answer})
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": words}}
    return Raw(200, json.dumps({"choices": [choice], "usage": usage}).encode())


def failed(status: int, message: str, **headers: str) -> Raw:
    """An error; names of headers are written with underscores."""
    content = json.dumps({"error": {"message": message}}).encode()
    return Raw(status, content, {name.replace("_", "-"): value for name, value in headers.items()})


class ChatServer:
    """A server for the time of a ``with``.

    Args:
        answer: ``(body of a chat request, its number from 0) -> reply``.
        path: what stands before ``/v1`` in its address.
        models: the list of models, if it is not as usual.
        port: by default any that is free.
    """

    def __init__(
        self, answer: Callable[[dict[str, Any], int], Raw], path: str = "", models: Raw | None = None, port: int = 0
    ) -> None:
        self.answer = answer
        self.models = models or Raw(200, json.dumps({"data": [{"id": MODEL}]}).encode())
        self.bodies: list[dict[str, Any]] = []
        self.lock = threading.Lock()
        self._path = path
        self._http = _Http(("127.0.0.1", port), _Handler)
        self._http.chat_server = self
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        """The base address."""
        return f"http://127.0.0.1:{self._http.server_port}{self._path}/v1"

    @property
    def port(self) -> int:
        """The port at which it listens."""
        return self._http.server_port

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    chat_server: ChatServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def do_GET(self) -> None:
        self._send(self.server.chat_server.models)

    def do_POST(self) -> None:
        body, chat_server = json.loads(self.rfile.read(int(self.headers["Content-Length"]))), self.server.chat_server
        with chat_server.lock:
            number = len(chat_server.bodies)
            chat_server.bodies.append(body)
        self._send(chat_server.answer(body, number))

    def _send(self, reply: Raw) -> None:
        self.send_response(reply.status)
        for name, value in {"Content-Length": str(len(reply.content)), **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.content)
        self.close_connection = "Content-Length" in reply.headers

    def log_message(self, format: str, *arguments: Any) -> None:
        """Requests are kept, not printed."""
