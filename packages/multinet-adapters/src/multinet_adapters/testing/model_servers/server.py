"""A loopback server that runs on its own threads until it is closed."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterable
from contextlib import suppress
from http.server import ThreadingHTTPServer
from typing import Any

from gridworld.support.files import parse_json
from multinet_adapters.testing.model_servers.connection import Connection
from multinet_adapters.testing.model_servers.protocols import CHAT_PATHS, LIST_PATHS, Protocol
from multinet_adapters.testing.model_servers.received import ChatRequest, Received
from multinet_adapters.testing.model_servers.replies import Answer, Reply, Status, Text

__all__ = ["MODEL", "ModelServer"]

MODEL = "gridplayer:2b"
"""Default model name of a server."""


class ModelServer:
    """A server that runs until it is closed.

    The model list that it reports is in `listed`: by default all of `models`.

    Args:
        answer: answers each chat request; called on the thread of its connection.
        models: names of the available models; a chat with any other gets status 404.
        api_key: required credential, if any; any other gets status 401.
        tls: certificate for serving over TLS, if any.
        port: port to listen on; by default any free one.
    """

    def __init__(
        self,
        answer: Answer,
        models: Iterable[str] = (MODEL,),
        api_key: str | None = None,
        tls: ssl.SSLContext | None = None,
        port: int = 0,
    ) -> None:
        self.answer = answer
        self.models = tuple(models)
        self.listed = self.models
        self.api_key = api_key
        self.received: list[Received] = []
        self.chats: list[ChatRequest] = []
        self.closing = threading.Event()
        self.lock = threading.Lock()
        self.connections: set[socket.socket] = set()
        self._http = _Http(("127.0.0.1", port), _Handler)
        self._http.model_server = self
        self._scheme = "http"
        if tls is not None:
            self._scheme = "https"
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The port on which the server listens."""
        return int(self._http.server_port)

    @property
    def address(self) -> str:
        """The server's address, ``http://host:port``, or ``https`` with TLS."""
        return f"{self._scheme}://127.0.0.1:{self._http.server_port}"

    @property
    def ollama_url(self) -> str:
        """The base address of Ollama's protocol."""
        return self.address

    @property
    def openai_url(self) -> str:
        """The base address of OpenAI's protocol."""
        return f"{self.address}/v1"

    @property
    def anthropic_url(self) -> str:
        """The base address of Anthropic's protocol."""
        return f"{self.address}/anthropic"

    def close(self) -> None:
        """Stop listening, release hanging replies, and close all connections."""
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
        with self.lock:
            for each in self.connections:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    model_server: ModelServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect."""


class _Handler(Connection):
    """One client connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    @property
    def model_server(self) -> ModelServer:
        """The server that the connection belongs to."""
        return self.server.model_server

    def setup(self) -> None:
        """Register the connection, so that it can be closed."""
        super().setup()
        self.closing = self.model_server.closing
        with self.model_server.lock:
            self.model_server.connections.add(self.connection)

    def finish(self) -> None:
        """Unregister the connection."""
        with self.model_server.lock:
            self.model_server.connections.discard(self.connection)
        super().finish()

    def do_GET(self) -> None:
        """Reply with the model list."""
        if not self._admit(self._receive(b"")):
            return
        protocol = LIST_PATHS.get(self.path.partition("?")[0])
        if protocol is None:
            self.send_json({"error": "not found"}, 404)
        else:
            self.send_json(protocol.listing(self.model_server.listed))

    def do_POST(self) -> None:
        """Reply to chats."""
        received = self._receive(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        if not self._admit(received):
            return
        protocol = CHAT_PATHS.get(self.path)
        if protocol is None:
            self.send_json({"error": "not found"}, 404)
            return
        try:
            request = self._record_chat(protocol, received)
        except (ValueError, KeyError, TypeError) as error:
            self.send_json(protocol.error(400, f"bad request: {error!r}"), 400)
            return
        self._reply(request).send(self, request)

    def _receive(self, body: bytes) -> Received:
        headers = {name.lower(): value for name, value in self.headers.items()}
        received = Received(self.command, self.path, headers, body)
        with self.model_server.lock:
            self.model_server.received.append(received)
        return received

    def _admit(self, received: Received) -> bool:
        """Whether the credential is right; replies to a wrong one by repeating it, as careless servers do."""
        api_key, headers = self.model_server.api_key, received.headers
        given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
        if api_key is None or given == api_key:
            return True
        self.send_json({"error": {"message": f"wrong credential: {given}"}}, 401)
        return False

    def _record_chat(self, protocol: Protocol, received: Received) -> ChatRequest:
        server = self.model_server
        with server.lock:
            request = ChatRequest(len(server.chats), protocol, received, parse_json(received.body))
            protocol.check(request.body, received.headers)
            _ = (request.text, request.images, request.model)  # so that what cannot be read is refused
            server.chats.append(request)
        return request

    def _reply(self, request: ChatRequest) -> Reply:
        if request.model not in self.model_server.models:
            return Status(404, f"model '{request.model}' not found")
        try:
            reply = self.model_server.answer(request)
        except Exception as error:  # a defect of the test has to be seen at the other end
            return Status(500, f"the test's own answer failed: {error!r}")
        return Text(reply) if isinstance(reply, str) else reply

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing, since requests are recorded."""
