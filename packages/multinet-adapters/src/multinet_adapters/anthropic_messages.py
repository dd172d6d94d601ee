"""Models behind Anthropic's Messages API or a compatible server."""

from typing import Any, ClassVar
from urllib.parse import urlsplit

import attrs

from gridworld.model_interface import PromptImage, PromptText, Usage
from multinet_adapters.answer_format import ModelReply
from multinet_adapters.chat_adapter import ChatAdapter, Parts, Request, at_least_one, option
from multinet_adapters.prompt_parts import by_speaker, picture_text, speaker_of, text_of
from multinet_adapters.refusals import RequestPart
from multinet_adapters.replies import ErrorHints, as_count, member

VERSION_THAT_SAMPLES = "2023-06-01"
"""Last version of the API that accepts a temperature; also the version that compatible servers know."""
ALL_MODELS = 1000
"""Maximum page size of the list of models."""
CUT_OFF = ("max_tokens", "model_context_window_exceeded")
"""Stop reasons of incomplete replies."""
PROMPT_TOKENS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
"""Token counts that add up to the prompt's tokens."""


def _none(adapter: Any, attribute: Any, value: Any) -> None:
    if value is not None:
        raise ValueError(f"{attribute.name}: not supported by the Messages API, got {value}")


def _needed(adapter: Any, attribute: Any, value: int | None) -> None:
    if value is None:
        raise ValueError(f"{attribute.name}: the Messages API needs a number of tokens, at least 1")
    at_least_one(adapter, attribute, value)


@attrs.define(eq=False, slots=False)
class AnthropicAdapter(ChatAdapter):
    """A model behind Anthropic's Messages API; other arguments as for `ChatAdapter`.

    Args:
        base_url: the server's address up to ``/v1/messages``.
        seed: always None, since the API has no seed.
        max_tokens: maximum length of a reply, at least 1; mandatory in this API.
        api_version: version of the API, sent as ``anthropic-version``. Versions from 2026-10-21 on have no temperature.
    """

    base_url: str = option("https://api.anthropic.com")
    seed: int | None = option(None, _none)
    max_tokens: int | None = option(2048, _needed)
    api_version: str = option(VERSION_THAT_SAMPLES, attrs.validators.matches_re(r"\d{4}-\d{2}-\d{2}"))

    provider: ClassVar[str] = "anthropic"
    chat_path: ClassVar[str] = "/v1/messages"
    models_path: ClassVar[str] = f"/v1/models?limit={ALL_MODELS}"
    start_hint: ClassVar[str] = "start the server, or give its address as base_url"
    takes_unlisted: ClassVar[bool] = True

    def headers(self) -> dict[str, str]:
        """Return the headers with the credential and the version of the API."""
        return {**self._credential.header("x-api-key"), "anthropic-version": self.api_version}

    def chat_request(self, parts: Parts, schema: dict[str, Any] | None) -> Request:
        """Return the body of ``/v1/messages``."""
        system = text_of(part for part in parts if speaker_of(part) == "system")
        said = by_speaker(part for part in parts if speaker_of(part) != "system")
        request: Request = {
            "model": self.model,
            "max_tokens": self.max_tokens,
            "messages": [{"role": speaker, "content": _content_of(each)} for speaker, each in said],
        }
        if system:
            request["system"] = system
        if self.temperature is not None:
            request["temperature"] = self.temperature
        if schema is not None:
            request["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        return request

    def without_setting(self, request: Request, part: RequestPart) -> Request:
        """Omit the temperature, the only optional setting."""
        if part is not RequestPart.TEMPERATURE:
            return request
        return {name: value for name, value in request.items() if name != "temperature"}

    def read_chat(self, body: dict[str, Any]) -> ModelReply:
        """Read the text of a message, its stop reason and its usage."""
        blocks = [block for block in member(body, "content", list) if isinstance(block, dict)]
        reason = body.get("stop_reason")
        return ModelReply(
            text="".join(member(block, "text", str) for block in blocks if block.get("type") == "text"),
            cut_off=reason in CUT_OFF,
            thinking=_thinking(blocks),
            refusal=_refusal(body) if reason == "refusal" else None,
            usage=_usage(body),
        )

    def read_models(self, body: dict[str, Any]) -> list[str]:
        """Read the ids in ``/v1/models``."""
        return [member(each, "id", str) for each in member(body, "data", list)]

    def has_no_list(self, status: int) -> bool:
        """Whether a status means that the server has no model list, unless the address wrongly ends in /v1."""
        return status in (404, 405, 501) and not self._has_version()

    def error_hints(self) -> ErrorHints:
        """Return advice for a missing model, a wrong address or a rejected credential."""
        key = self.credential_hint()
        return ErrorHints({401: key, 403: key, 404: self._missing_hint()})

    def _missing_hint(self) -> str:
        if self._has_version():
            return f"base_url has no /v1 here: is it {self.base_url.rpartition('/v1')[0]}?"
        return f"does it have the model '{self.model}', and is base_url right ({self.base_url})?"

    def _has_version(self) -> bool:
        return urlsplit(self.base_url).path.endswith("/v1")


def _content_of(parts: Parts) -> str | list[dict[str, Any]]:
    """Return texts and pictures in order; texts alone become one string."""
    if any(isinstance(part, PromptImage) for part in parts):
        return [block for part in parts for block in _blocks(part)]
    return text_of(parts)


def _blocks(part: PromptText | PromptImage) -> list[dict[str, Any]]:
    """Convert a text, or a picture and its label, to blocks."""
    if isinstance(part, PromptText):
        return [{"type": "text", "text": part.text}]
    source = {"type": "base64", "media_type": "image/png", "data": picture_text(part.image)}
    return [{"type": "text", "text": f"{part.label}:"}, {"type": "image", "source": source}]


def _thinking(blocks: list[dict[str, Any]]) -> str | None:
    """Return the model's thinking, as far as the server returns it."""
    thoughts = [block.get("thinking") for block in blocks if block.get("type") == "thinking"]
    return "".join(thought for thought in thoughts if isinstance(thought, str)) or None


def _refusal(body: dict[str, Any]) -> str:
    """Return the reason for a refusal."""
    details = body.get("stop_details")
    told = details.get("explanation") or details.get("category") if isinstance(details, dict) else None
    return told if isinstance(told, str) else "no reason is given"


def _usage(body: dict[str, Any]) -> Usage:
    """Return the tokens used; the server counts cached prompt tokens separately."""
    usage = body.get("usage")
    if not isinstance(usage, dict):
        return Usage()
    counts = [count for name in PROMPT_TOKENS if (count := as_count(usage.get(name))) is not None]
    return Usage(prompt_tokens=sum(counts) if counts else None, completion_tokens=as_count(usage.get("output_tokens")))
