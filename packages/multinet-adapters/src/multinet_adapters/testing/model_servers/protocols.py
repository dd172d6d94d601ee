"""The protocols of model servers: requests and replies of Ollama, OpenAI and Anthropic."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from base64 import b64decode
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from multinet_adapters.testing.model_servers.connection import Connection

__all__ = ["CHAT_PATHS", "LIST_PATHS", "AnthropicProtocol", "OllamaProtocol", "OpenAIProtocol", "Protocol", "Said"]

CREATED = "2026-01-02T03:04:05.678901Z"
CREATED_SECONDS = 1767323045
"""The time `CREATED`, in seconds since 1970."""
DIGEST = "9f438cb9cd581fc025612d27f7c1a6669ff83a8bb0ed86c94fcf4c5440555697"
GIGABYTE = 2**30


@attrs.frozen
class Said:
    """The content of a model's reply.

    `finish` is ``stop`` or ``length`` (all but Ollama also know ``content_filter``); `thinking` is the reasoning that a
    server returns separately from the answer.
    """

    text: str | None
    finish: str = "stop"
    thinking: str | None = None


class Protocol(ABC):
    """Request and reply format of one family of servers."""

    @abstractmethod
    def check(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        """Raise ValueError if the request violates the protocol; header names are in lower case."""

    def messages(self, body: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the messages of a request, including the system message."""
        return list(body["messages"])

    @abstractmethod
    def texts(self, message: Mapping[str, Any]) -> list[str]:
        """Return the texts of a message."""

    @abstractmethod
    def images(self, message: Mapping[str, Any]) -> list[bytes]:
        """Return the pictures of a message, as the bytes of files."""

    @abstractmethod
    def listing(self, names: Iterable[str]) -> dict[str, Any]:
        """Return a model list in the protocol's format."""

    @abstractmethod
    def error(self, status: int, message: str) -> dict[str, Any]:
        """Return the body of an error with this HTTP status."""

    @abstractmethod
    def send_text(self, connection: Connection, number: int, body: Mapping[str, Any], said: Said) -> None:
        """Send the reply to a chat, numbered from 0, whose request is `body`."""

    @abstractmethod
    def send_refusal(self, connection: Connection, number: int, body: Mapping[str, Any], text: str) -> None:
        """Send a refusal as the reply to a chat, as `send_text` does."""


class OllamaProtocol(Protocol):
    """``/api/chat``: pictures are a list separate from the text of each message."""

    def check(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        """Raise ValueError for a request without messages, the only check that the real server makes."""
        if not isinstance(body.get("messages"), list):
            raise ValueError("messages are missing")

    def texts(self, message: Mapping[str, Any]) -> list[str]:
        """Return the single text of a message."""
        return [message["content"]]

    def images(self, message: Mapping[str, Any]) -> list[bytes]:
        """Return the pictures of a message, decoded from base64."""
        return [b64decode(image, validate=True) for image in message.get("images") or ()]

    def listing(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the reply of ``/api/tags``."""
        return {"models": [self._listed(name) for name in names]}

    def _listed(self, name: str) -> dict[str, Any]:
        details = {"format": "gguf", "family": "grid", "families": ["grid"], "parameter_size": "2B"}
        return {
            "name": name,
            "model": name,
            "modified_at": CREATED,
            "size": 2 * GIGABYTE,
            "digest": DIGEST,
            "details": {"parent_model": "", **details, "quantization_level": "Q4_K_M"},
        }

    def error(self, status: int, message: str) -> dict[str, Any]:
        """Return an error as a plain string."""
        return {"error": message}

    def send_text(self, connection: Connection, number: int, body: Mapping[str, Any], said: Said) -> None:
        """Send one object, or two lines if the request does not disable streaming."""
        message = {"role": "assistant", "content": said.text or ""}
        if said.thinking is not None:
            message["thinking"] = said.thinking
        head = {"model": body["model"], "created_at": CREATED}
        end = {"done": True, "done_reason": said.finish, **OLLAMA_METRICS}
        if body.get("stream", True):
            first = {**head, "message": message, "done": False}
            parts = [first, {**head, "message": {**message, "content": ""}, **end}]
            lines = "".join(json.dumps(part) + "\n" for part in parts)
            connection.send_body(lines.encode(), 200, {"Content-Type": "application/x-ndjson"})
        else:
            connection.send_json({**head, "message": message, **end})

    def send_refusal(self, connection: Connection, number: int, body: Mapping[str, Any], text: str) -> None:
        """Send a refusal as an ordinary text."""
        self.send_text(connection, number, body, Said(text))


OLLAMA_METRICS = {
    "total_duration": 1_500_000_000,
    "load_duration": 200_000_000,
    "prompt_eval_count": 321,
    "prompt_eval_duration": 400_000_000,
    "eval_count": 45,
    "eval_duration": 900_000_000,
}
"""Token counts, and durations in nanoseconds."""


class OpenAIProtocol(Protocol):
    """``/v1/chat/completions``: a message is a text, or a list of texts and pictures."""

    def check(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        """Raise ValueError for a request that a real server would reject."""
        _check_plain_chat(body)

    def texts(self, message: Mapping[str, Any]) -> list[str]:
        """Return the texts of a message, in order."""
        content = message["content"]
        if isinstance(content, str):
            return [content]
        return [part["text"] for part in content if part["type"] == "text"]

    def images(self, message: Mapping[str, Any]) -> list[bytes]:
        """Return the pictures of a message, decoded from data URLs."""
        content = message["content"]
        if isinstance(content, str):
            return []
        return [_decode_data_url(part["image_url"]["url"]) for part in content if part["type"] == "image_url"]

    def listing(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the reply of ``/v1/models``."""
        listed = [
            {"id": name, "object": "model", "created": CREATED_SECONDS, "owned_by": "organization_owner"}
            for name in names
        ]
        return {"object": "list", "data": listed}

    def error(self, status: int, message: str) -> dict[str, Any]:
        """Return an error object with the message."""
        return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}

    def send_text(self, connection: Connection, number: int, body: Mapping[str, Any], said: Said) -> None:
        """Send one object."""
        message = {"role": "assistant", "content": said.text}
        if said.thinking is not None:
            message["reasoning_content"] = said.thinking
        connection.send_json(self._completion(number, body, message, said.finish))

    def send_refusal(self, connection: Connection, number: int, body: Mapping[str, Any], text: str) -> None:
        """Send a message without content but with a refusal."""
        connection.send_json(
            self._completion(number, body, {"role": "assistant", "content": None, "refusal": text}, "stop")
        )

    def _completion(self, number: int, body: Mapping[str, Any], message: dict[str, Any], finish: str) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": CREATED_SECONDS,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
            "usage": {"prompt_tokens": 321, "completion_tokens": 45, "total_tokens": 366},
        }


class AnthropicProtocol(Protocol):
    """``/v1/messages``: the system text is separate from the messages, which are texts or lists of blocks."""

    def check(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        """Raise ValueError for a request that the real API would reject."""
        _check_plain_chat(body)
        if "anthropic-version" not in headers:
            raise ValueError("anthropic-version: header is required")
        if not isinstance(body.get("max_tokens"), int):
            raise ValueError("max_tokens: Field required")
        samples = headers["anthropic-version"] < VERSION_THAT_DOES_NOT_SAMPLE
        for name in body:
            if name not in ANTHROPIC_FIELDS or (name == "temperature" and not samples):
                raise ValueError(f"{name}: Extra inputs are not permitted")
        for number, message in enumerate(body["messages"]):
            if message["role"] not in ("user", "assistant"):
                raise ValueError(f"messages.{number}.role: Input should be 'user' or 'assistant'")
            if not all(self.texts(message)):
                raise ValueError(f"messages.{number}: text content blocks must be non-empty")

    def messages(self, body: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the messages of a request, starting with the system text."""
        system = [{"role": "system", "content": body["system"]}] if "system" in body else []
        return [*system, *body["messages"]]

    def texts(self, message: Mapping[str, Any]) -> list[str]:
        """Return the texts of a message, in order."""
        return [block["text"] for block in _blocks_of(message) if block["type"] == "text"]

    def images(self, message: Mapping[str, Any]) -> list[bytes]:
        """Return the pictures of a message, decoded from base64."""
        return [_decode_source(block["source"]) for block in _blocks_of(message) if block["type"] == "image"]

    def listing(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the reply of ``/v1/models`` as a single page."""
        listed = [
            {"type": "model", "id": name, "display_name": name, "created_at": CREATED, "lifecycle": "active"}
            for name in names
        ]
        ends = {"first_id": listed[0]["id"], "last_id": listed[-1]["id"]} if listed else {}
        return {"data": listed, "has_more": False, **ends}

    def error(self, status: int, message: str) -> dict[str, Any]:
        """Return an error object with the kind of error."""
        kind = ANTHROPIC_ERRORS.get(status, "invalid_request_error" if status < 500 else "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_loopback"}

    def send_text(self, connection: Connection, number: int, body: Mapping[str, Any], said: Said) -> None:
        """Send one message."""
        blocks = [] if said.text is None else [{"type": "text", "text": said.text}]
        if said.thinking is not None:
            blocks = [{"type": "thinking", "thinking": said.thinking, "signature": "c2lnbmVk"}, *blocks]
        connection.send_json(self._message(number, body, blocks, ANTHROPIC_REASONS.get(said.finish, said.finish), None))

    def send_refusal(self, connection: Connection, number: int, body: Mapping[str, Any], text: str) -> None:
        """Send a message without content, with the reason for the refusal."""
        details = {"type": "refusal", "category": None, "explanation": text}
        connection.send_json(self._message(number, body, [], "refusal", details))

    def _message(
        self,
        number: int,
        body: Mapping[str, Any],
        blocks: list[dict[str, Any]],
        reason: str,
        details: dict[str, Any] | None,
    ) -> dict[str, Any]:
        return {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": blocks,
            "stop_reason": reason,
            "stop_sequence": None,
            "stop_details": details,
            "usage": {
                "input_tokens": 21,
                "cache_creation_input_tokens": 100,
                "cache_read_input_tokens": 200,
                "output_tokens": 45,
            },
        }


VERSION_THAT_DOES_NOT_SAMPLE = "2026-10-21"
"""First version of the API that rejects a temperature; versions are dates."""
ANTHROPIC_FIELDS = {"model", "max_tokens", "messages", "system", "temperature", "output_config", "stream"}
"""Fields of a request that this server knows."""
ANTHROPIC_ERRORS = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
ANTHROPIC_REASONS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}


def _check_plain_chat(body: Mapping[str, Any]) -> None:
    if not isinstance(body.get("messages"), list) or not body["messages"]:
        raise ValueError("'messages' must be a non-empty array")
    if body.get("stream"):
        raise ValueError("this server does not stream")


def _blocks_of(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _decode_source(source: Mapping[str, Any]) -> bytes:
    if (source["type"], source["media_type"]) != ("base64", "image/png"):
        raise ValueError(f"expected image/png as base64, got {source['media_type']} as {source['type']}")
    return b64decode(source["data"], validate=True)


def _decode_data_url(url: str) -> bytes:
    head, comma, data = url.partition(",")
    if head != "data:image/png;base64" or not comma:
        raise ValueError(f"expected data:image/png;base64, got {head[:40]}")
    return b64decode(data, validate=True)


OLLAMA, OPENAI, ANTHROPIC = OllamaProtocol(), OpenAIProtocol(), AnthropicProtocol()
CHAT_PATHS: dict[str, Protocol] = {
    "/api/chat": OLLAMA,
    "/v1/chat/completions": OPENAI,
    "/anthropic/v1/messages": ANTHROPIC,
}
"""Protocol of chat requests by path."""
LIST_PATHS: dict[str, Protocol] = {"/api/tags": OLLAMA, "/v1/models": OPENAI, "/anthropic/v1/models": ANTHROPIC}
"""Protocol of model list requests by path."""
