"""Models behind Anthropic's Messages API or a compatible server."""

from typing import Any, ClassVar

import attrs

from gridworld.model_interface import Finish, Message, Opaque, Picture, Prompt, Reply, Usage
from gridworld.model_interface.prompts import reply_of
from multinet_adapters.addresses import path_of
from multinet_adapters.chat_adapter import Body, ChatAdapter, at_least_one, option
from multinet_adapters.pictures import picture_text
from multinet_adapters.replies import ErrorHints, as_count, member
from multinet_adapters.reply_content import finish_of
from multinet_adapters.templated_model import Settings

VERSION_THAT_SAMPLES = "2023-06-01"
"""Last version of the API that accepts a temperature; also the version that compatible servers know."""
ALL_MODELS = 1000
"""Maximum page size of the list of models."""
GIVEN_BACK = ("thinking", "redacted_thinking")
"""Types of blocks that the provider wants back unchanged."""
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
    takes_unlisted: ClassVar[bool] = True

    def headers(self) -> dict[str, str]:
        """Return the headers with the credential and the version of the API."""
        return {**self._credential.header("x-api-key"), "anthropic-version": self.api_version}

    def body(self, prompt: Prompt, settings: Settings) -> Body:
        """Return the body of ``/v1/messages``."""
        said = [_message(message) for message in prompt.messages if message.role != "system"]
        body: Body = {"model": self.model, "messages": said, **settings}
        system = "".join(message.text for message in prompt.messages if message.role == "system")
        replies = [number for number, message in enumerate(said) if message["role"] == "assistant"]
        if system:
            body["system"] = [_kept(system)] if replies else system
        if replies:  # the next request of a conversation begins like this one
            said[replies[-1]] = {"role": "assistant", "content": [_kept(said[replies[-1]]["content"])]}
        if prompt.schema is not None:
            body["output_config"] = {"format": {"type": "json_schema", "schema": prompt.schema}}
        return body

    def reply(self, body: Body) -> Reply:
        """Read the text of a message, its stop reason and its usage; blocks of thinking are kept as they are."""
        blocks = [block for block in member(body, "content", list) if isinstance(block, dict)]
        reason = body.get("stop_reason")
        return reply_of(
            "".join(member(block, "text", str) for block in blocks if block.get("type") == "text"),
            _thinking(blocks),
            *(Opaque(str(block["type"]), block) for block in blocks if block.get("type") in GIVEN_BACK),
            usage=_usage(body),
            finish=finish_of(reason),
            refusal=_refusal(body) if finish_of(reason) is Finish.REFUSED else "",
        )

    def read_models(self, body: Body) -> list[str]:
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
        return path_of(self.base_url).endswith("/v1")


def _message(message: Message) -> dict[str, Any]:
    """Return a message; texts alone become one string."""
    if not message.pictures:
        return {"role": message.role, "content": message.text}
    return {"role": message.role, "content": [piece for block in message.blocks() for piece in _pieces(block)]}


def _kept(text: str) -> dict[str, Any]:
    """Return a text up to which the provider is to keep the prompt in its cache."""
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}


def _pieces(block: object) -> list[dict[str, Any]]:
    """Convert a text, or a picture and its label, to blocks of the API."""
    if not isinstance(block, Picture):
        return [{"type": "text", "text": block}]
    source = {"type": "base64", "media_type": "image/png", "data": picture_text(block)}
    return [{"type": "text", "text": f"{block.label}:"}, {"type": "image", "source": source}]


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
    return Usage(
        prompt_tokens=sum(counts) if counts else None,
        completion_tokens=as_count(usage.get("output_tokens")),
        cache_read_tokens=as_count(usage.get("cache_read_input_tokens")) or None,
        cache_write_tokens=as_count(usage.get("cache_creation_input_tokens")) or None,
    )
