"""Servers on loopback that speak the protocols of model servers and answer as a test says.

One server speaks both protocols at once: Ollama's (``/api/chat``, ``/api/tags``) and OpenAI's
(``/v1/chat/completions``, ``/v1/models``). It records every request, and each chat is answered by a function of the
request:

    with serve(lambda request: '{"action": "turn_left"}') as server:
        adapter = OllamaVLMAdapter(model=MODEL, base_url=server.ollama_url)
        ...
        server.chats[0].text      # all that was said, pictures aside
        server.chats[0].images    # the PNG files that came along, in order

`serve_plan(["move_forward", "turn_left"])` answers with one action after the other; `serve_in_turn([...])` gives one
reply after the other, misbehaviours included: `Text` (with a finish reason), `Refusal`, `Status`, `Body`, `Raw`,
`Hang`, `Trickle`, `TrickleHeaders`, `Drop`, `Huge`, `Redirect`. `refused_address()` is where nobody listens.

Only the standard library and attrs are used.
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
from abc import ABC, abstractmethod
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import attrs

__all__ = [
    "MODEL",
    "Answer",
    "Body",
    "ChatRequest",
    "Drop",
    "Hang",
    "Huge",
    "ModelServer",
    "Raw",
    "Received",
    "Redirect",
    "Refusal",
    "Reply",
    "Status",
    "Text",
    "Trickle",
    "TrickleHeaders",
    "action_json",
    "refused_address",
    "serve",
    "serve_in_turn",
    "serve_plan",
]

MODEL = "gridplayer:2b"
"""The name of the model that a server has unless it is told otherwise."""

CREATED = "2026-01-02T03:04:05.678901Z"
DIGEST = "9f438cb9cd581fc025612d27f7c1a6669ff83a8bb0ed86c94fcf4c5440555697"
GIGABYTE = 2**30


# --- what has come in ------------------------------------------------------------------------------------------


@attrs.frozen
class Received:
    """A request as it came; names of headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@attrs.frozen
class ChatRequest:
    """A request for a chat, in either protocol."""

    number: int
    """How many chats this server was asked for before, from 0."""
    protocol: Protocol
    received: Received
    body: Mapping[str, Any]
    """The JSON of the request."""

    @property
    def model(self) -> str:
        """The model that is asked for."""
        return str(self.body["model"])

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages as they came."""
        return list(self.body["messages"])

    @property
    def text(self) -> str:
        """The texts of all messages in order, on lines of their own."""
        return "\n".join(text for message in self.messages for text in self.protocol.texts(message))

    @property
    def images(self) -> list[bytes]:
        """The pictures of all messages in order, as files."""
        return [image for message in self.messages for image in self.protocol.images(message)]


# --- what goes out ---------------------------------------------------------------------------------------------


class Reply(ABC):
    """What a server does with a chat request."""

    @abstractmethod
    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Answer, or misbehave."""


@attrs.frozen
class Text(Reply):
    """A proper reply of a model.

    `finish` is ``stop`` or ``length`` (OpenAI also knows ``content_filter``), `thinking` what the server of a reasoning
    model gives apart from its answer.
    """

    text: str | None
    finish: str = "stop"
    thinking: str | None = None

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send it in the request's protocol."""
        request.protocol.send_text(connection, request, self)


@attrs.frozen
class Refusal(Reply):
    """A refusal, as OpenAI's protocol has it; in Ollama's it is a text like any other."""

    text: str

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send it in the request's protocol."""
        request.protocol.send_refusal(connection, request, self.text)


@attrs.frozen
class Status(Reply):
    """An error with a message in the protocol's own form."""

    status: int
    message: str = "something went wrong"
    headers: Mapping[str, str] = attrs.field(factory=dict)

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send it in the request's protocol."""
        connection.send_json(request.protocol.error(self.message), self.status, self.headers)


@attrs.frozen
class Body(Reply):
    """Any contents at all."""

    content: bytes
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = attrs.field(factory=dict)

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send them."""
        connection.send_body(self.content, self.status, {"Content-Type": self.content_type, **self.headers})


@attrs.frozen
class Raw(Reply):
    """Any bytes in the place of a reply of HTTP, after which the connection ends."""

    wire: bytes

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send them."""
        connection.close_connection = True
        connection.wfile.write(self.wire)


class Hang(Reply):
    """Not one byte, until the server is closed."""

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Wait."""
        connection.model_server.closing.wait()


@attrs.frozen
class Trickle(Reply):
    """A reply that never ends, a byte at a time, every `seconds`."""

    seconds: float = 0.05

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send the headers at once, and then blanks."""
        connection.begin(200, {"Content-Type": "application/json", "Content-Length": "1000000"})
        connection.drip(b" ", self.seconds)


@attrs.frozen
class TrickleHeaders(Reply):
    """Headers that never end, a byte at a time, every `seconds`."""

    seconds: float = 0.05

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send the status line, and then one endless header."""
        connection.wfile.write(b"HTTP/1.1 200 OK\r\nX-Endless: ")
        connection.drip(b"x", self.seconds)


class Drop(Reply):
    """A connection that is cut in the middle of the reply."""

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send less than was announced."""
        connection.begin(200, {"Content-Type": "application/json", "Content-Length": "1000"})
        connection.wfile.write(b'{"model": "')
        connection.close_connection = True


@attrs.define
class Huge(Reply):
    """A reply of `size` bytes; `announced` says whether it tells its length beforehand, `sent` how much was taken."""

    size: int = 20_000_000
    announced: bool = False
    status: int = 200
    headers: Mapping[str, str] = attrs.field(factory=dict)
    sent: int = 0

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send blanks for as long as somebody takes them."""
        length = {"Content-Length": str(self.size)} if self.announced else {"Connection": "close"}
        connection.begin(self.status, {"Content-Type": "application/json", **length, **self.headers})
        connection.close_connection = True
        chunk = b" " * 65_536
        while self.sent < self.size:
            connection.wfile.write(chunk)
            self.sent += len(chunk)


@attrs.frozen
class Redirect(Reply):
    """A redirect to another address."""

    to: str
    status: int = 307

    def send(self, connection: Connection, request: ChatRequest) -> None:
        """Send it."""
        connection.send_body(b"", self.status, {"Location": self.to})


Answer = Callable[[ChatRequest], Reply | str]
"""What a server answers to a chat: a reply, or the text of a proper one."""


# --- the protocols ---------------------------------------------------------------------------------------------


class Protocol(ABC):
    """How one family of servers writes requests and replies."""

    @abstractmethod
    def check(self, body: Mapping[str, Any]) -> None:
        """Raise ValueError if the request is not one of this protocol."""

    @abstractmethod
    def texts(self, message: Mapping[str, Any]) -> list[str]:
        """The texts of a message."""

    @abstractmethod
    def images(self, message: Mapping[str, Any]) -> list[bytes]:
        """The pictures of a message, as files."""

    @abstractmethod
    def error(self, message: str) -> dict[str, Any]:
        """The body of an error."""

    @abstractmethod
    def send_text(self, connection: Connection, request: ChatRequest, reply: Text) -> None:
        """Send a model's reply."""

    @abstractmethod
    def send_refusal(self, connection: Connection, request: ChatRequest, text: str) -> None:
        """Send a model's refusal."""


class OllamaProtocol(Protocol):
    """``/api/chat``: pictures are a list beside the text of each message."""

    def check(self, body: Mapping[str, Any]) -> None:
        """As the server does, it takes anything that has messages."""
        if not isinstance(body.get("messages"), list):
            raise ValueError("messages are missing")

    def texts(self, message: Mapping[str, Any]) -> list[str]:
        """The one text."""
        return [message["content"]]

    def images(self, message: Mapping[str, Any]) -> list[bytes]:
        """Base64, decoded."""
        return [b64decode(image, validate=True) for image in message.get("images") or ()]

    def error(self, message: str) -> dict[str, Any]:
        """A plain text."""
        return {"error": message}

    def send_text(self, connection: Connection, request: ChatRequest, reply: Text) -> None:
        """One object, or two lines unless the request forbids a stream."""
        message = {"role": "assistant", "content": reply.text or ""}
        if reply.thinking is not None:
            message["thinking"] = reply.thinking
        head = {"model": request.model, "created_at": CREATED}
        end = {"done": True, "done_reason": reply.finish, **OLLAMA_METRICS}
        if request.body.get("stream", True):
            first = {**head, "message": message, "done": False}
            parts = [first, {**head, "message": {**message, "content": ""}, **end}]
            lines = "".join(json.dumps(part) + "\n" for part in parts)
            connection.send_body(lines.encode(), 200, {"Content-Type": "application/x-ndjson"})
        else:
            connection.send_json({**head, "message": message, **end})

    def send_refusal(self, connection: Connection, request: ChatRequest, text: str) -> None:
        """A text like any other."""
        self.send_text(connection, request, Text(text))


OLLAMA_METRICS = {
    "total_duration": 1_500_000_000,
    "load_duration": 200_000_000,
    "prompt_eval_count": 321,
    "prompt_eval_duration": 400_000_000,
    "eval_count": 45,
    "eval_duration": 900_000_000,
}
"""Counts of tokens, and durations in nanoseconds."""


class OpenAIProtocol(Protocol):
    """``/v1/chat/completions``: a message is a text, or a list of texts and pictures."""

    def check(self, body: Mapping[str, Any]) -> None:
        """What a server refuses."""
        if not isinstance(body.get("messages"), list) or not body["messages"]:
            raise ValueError("'messages' must be a non-empty array")
        if body.get("stream"):
            raise ValueError("this server does not stream")

    def texts(self, message: Mapping[str, Any]) -> list[str]:
        """The texts, in order."""
        content = message["content"]
        if isinstance(content, str):
            return [content]
        return [part["text"] for part in content if part["type"] == "text"]

    def images(self, message: Mapping[str, Any]) -> list[bytes]:
        """Data addresses, decoded."""
        content = message["content"]
        if isinstance(content, str):
            return []
        return [_decode_data_url(part["image_url"]["url"]) for part in content if part["type"] == "image_url"]

    def error(self, message: str) -> dict[str, Any]:
        """An object with the message in it."""
        return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}

    def send_text(self, connection: Connection, request: ChatRequest, reply: Text) -> None:
        """One object."""
        message = {"role": "assistant", "content": reply.text}
        if reply.thinking is not None:
            message["reasoning_content"] = reply.thinking
        connection.send_json(self._completion(request, message, reply.finish))

    def send_refusal(self, connection: Connection, request: ChatRequest, text: str) -> None:
        """A message without contents."""
        connection.send_json(self._completion(request, {"role": "assistant", "content": None, "refusal": text}, "stop"))

    def _completion(self, request: ChatRequest, message: dict[str, Any], finish: str) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{request.number}",
            "object": "chat.completion",
            "created": 1767323045,
            "model": request.model,
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
            "usage": {"prompt_tokens": 321, "completion_tokens": 45, "total_tokens": 366},
        }


def _decode_data_url(url: str) -> bytes:
    head, comma, data = url.partition(",")
    if head != "data:image/png;base64" or not comma:
        raise ValueError(f"expected data:image/png;base64, got {head[:40]}")
    return b64decode(data, validate=True)


OLLAMA, OPENAI = OllamaProtocol(), OpenAIProtocol()
CHAT_PATHS: dict[str, Protocol] = {"/api/chat": OLLAMA, "/v1/chat/completions": OPENAI}


# --- the server ------------------------------------------------------------------------------------------------


class ModelServer:
    """A server that runs until it is closed.

    Args:
        answer: what to do with each chat request; called on the thread of its connection.
        models: the names of the models that it has; a chat with another is answered with 404.
        api_key: the credential that it wants, if any; anything else is answered with 401.
        tls: the certificate by which it is reached through TLS, if it is.

    The names that it lists are in `listed`: all that it has, unless a test says otherwise.
    """

    def __init__(
        self,
        answer: Answer,
        models: Iterable[str] = (MODEL,),
        api_key: str | None = None,
        tls: ssl.SSLContext | None = None,
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
        self._http = _Http(("127.0.0.1", 0), Connection)
        self._http.model_server = self
        self._scheme = "http"
        if tls is not None:
            self._scheme = "https"
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """``http://host:port``, or ``https`` with TLS."""
        return f"{self._scheme}://127.0.0.1:{self._http.server_port}"

    @property
    def ollama_url(self) -> str:
        """The base address of Ollama's protocol."""
        return self.address

    @property
    def openai_url(self) -> str:
        """The base address of OpenAI's protocol."""
        return f"{self.address}/v1"

    def close(self) -> None:
        """Stop listening, let go of whoever hangs, and cut all connections."""
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
        """A client that goes away is no error here."""


class Connection(BaseHTTPRequestHandler):
    """One connection of a client."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    @property
    def model_server(self) -> ModelServer:
        """The server that this belongs to."""
        return self.server.model_server

    def setup(self) -> None:
        """Note the connection, so that it can be cut."""
        super().setup()
        with self.model_server.lock:
            self.model_server.connections.add(self.connection)

    def finish(self) -> None:
        """Forget it."""
        with self.model_server.lock:
            self.model_server.connections.discard(self.connection)
        super().finish()

    def do_GET(self) -> None:
        """The lists of models."""
        if not self._admit(self._receive(b"")):
            return
        names = self.model_server.listed
        if self.path == "/api/tags":
            self.send_json({"models": [_ollama_model(name) for name in names]})
        elif self.path == "/v1/models":
            self.send_json({"object": "list", "data": [_openai_model(name) for name in names]})
        else:
            self.send_json({"error": "not found"}, 404)

    def do_POST(self) -> None:
        """Chats."""
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
            self.send_json(protocol.error(f"bad request: {error!r}"), 400)
            return
        self._reply(request).send(self, request)

    def _receive(self, body: bytes) -> Received:
        headers = {name.lower(): value for name, value in self.headers.items()}
        received = Received(self.command, self.path, headers, body)
        with self.model_server.lock:
            self.model_server.received.append(received)
        return received

    def _admit(self, received: Received) -> bool:
        """Whether the credential is right; it is told if not, and echoed as careless servers do."""
        api_key, given = self.model_server.api_key, received.headers.get("authorization")
        if api_key is None or given == f"Bearer {api_key}":
            return True
        self.send_json({"error": {"message": f"wrong credential: {given}"}}, 401)
        return False

    def _record_chat(self, protocol: Protocol, received: Received) -> ChatRequest:
        server = self.model_server
        with server.lock:
            request = ChatRequest(len(server.chats), protocol, received, json.loads(received.body))
            protocol.check(request.body)
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

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Send the status and the headers."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def send_body(self, content: bytes, status: int, headers: Mapping[str, str]) -> None:
        """Send a whole reply."""
        self.begin(status, {**headers, "Content-Length": str(len(content))})
        self.wfile.write(content)

    def send_json(self, value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """Send a whole reply of JSON."""
        self.send_body(json.dumps(value).encode(), status, {"Content-Type": "application/json", **(headers or {})})

    def drip(self, byte: bytes, seconds: float) -> None:
        """Send a byte at a time, until the client has gone or the server is closed."""
        self.close_connection = True
        while not self.model_server.closing.wait(seconds):
            self.wfile.write(byte)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are recorded, not printed."""


def _ollama_model(name: str) -> dict[str, Any]:
    details = {"format": "gguf", "family": "grid", "families": ["grid"], "parameter_size": "2B"}
    return {
        "name": name,
        "model": name,
        "modified_at": CREATED,
        "size": 2 * GIGABYTE,
        "digest": DIGEST,
        "details": {"parent_model": "", **details, "quantization_level": "Q4_K_M"},
    }


def _openai_model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 1767323045, "owned_by": "organization_owner"}


# --- in a test -------------------------------------------------------------------------------------------------


@contextmanager
def serve(
    answer: Answer,
    models: Iterable[str] = (MODEL,),
    api_key: str | None = None,
    tls: ssl.SSLContext | None = None,
) -> Iterator[ModelServer]:
    """A server that answers each chat as a function says, for the time of a ``with``."""
    server = ModelServer(answer, models, api_key, tls)
    try:
        yield server
    finally:
        server.close()


@contextmanager
def serve_in_turn(
    replies: Iterable[Reply | str], api_key: str | None = None, tls: ssl.SSLContext | None = None
) -> Iterator[ModelServer]:
    """A server that gives one reply after the other; the last one again and again."""
    given = tuple(replies)
    with serve(lambda request: given[min(request.number, len(given) - 1)], api_key=api_key, tls=tls) as server:
        yield server


@contextmanager
def serve_plan(actions: Iterable[int | str]) -> Iterator[ModelServer]:
    """A server whose model takes the given actions (names or ids), one for each chat, and then is ``done``."""
    with serve_in_turn([*map(action_json, actions), action_json("done")]) as server:
        yield server


def action_json(action: int | str, reasoning: str = "as planned", confidence: float = 0.5) -> str:
    """An answer in the form that the adapters ask for."""
    return json.dumps({"reasoning": reasoning, "action": action, "confidence": confidence})


def refused_address() -> str:
    """``http://host:port`` of a port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"
