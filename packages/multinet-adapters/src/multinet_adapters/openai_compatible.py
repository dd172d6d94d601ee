"""Models behind any server with OpenAI's chat protocol, such as vLLM, llama.cpp, LM Studio or hosted services."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

import attrs

from gridworld.model_interface import AnswerFault, AnswerOutcome, PromptImage, PromptText, Usage
from gridworld.support.wording import nearest_hint
from multinet_adapters.answer_format import ModelReply
from multinet_adapters.chat_adapter import FALLBACKS, ChatAdapter, Parts, Request, option
from multinet_adapters.preflight import file_name
from multinet_adapters.prompt_parts import by_speaker, picture_text, text_of
from multinet_adapters.refusals import Fallback, Negotiation, RequestPart
from multinet_adapters.replies import ErrorHints, as_count, error_fault, member, raw_text, seconds_of

MILLISECONDS = 1e3
TOKEN_LIMIT_NAMES = ("max_tokens", "max_completion_tokens")
SETTINGS = {RequestPart.TEMPERATURE: "temperature", RequestPart.SEED: "seed"}
"""Fields of the body by part of a request."""


@attrs.define(eq=False, slots=False)
class OpenAICompatibleAdapter(ChatAdapter):
    """A model behind a server with OpenAI's chat protocol; other arguments as for `ChatAdapter`.

    Args:
        base_url: the server's address up to ``/chat/completions``; most end with ``/v1``.
        max_tokens_field: field in which `max_tokens` is sent; newer hosted models require ``max_completion_tokens``.
        pictures_apart: whether to send each picture in its own message; some servers accept only one per message.
    """

    base_url: str = option()
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = option("max_tokens")
    pictures_apart: bool = option(False)

    provider: ClassVar[str] = "openai"
    chat_path: ClassVar[str] = "/chat/completions"
    models_path: ClassVar[str] = "/models"
    start_hint: ClassVar[str] = "start the server, or give its address as base_url"
    takes_unlisted: ClassVar[bool] = True
    fallbacks: ClassVar[Mapping[RequestPart, Fallback]] = {
        **FALLBACKS,
        RequestPart.IMAGES_IN_MESSAGE: Fallback("each is sent in its own message", "pictures_apart=true"),
        RequestPart.TOKEN_LIMIT_NAME: Fallback("the limit is sent under its other name", "max_tokens_field=NAME"),
    }

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        (other,) = set(TOKEN_LIMIT_NAMES) - {self.max_tokens_field}
        renamed = attrs.evolve(self.fallbacks[RequestPart.TOKEN_LIMIT_NAME], argument=f"max_tokens_field={other}")
        self._negotiation = Negotiation({**self.fallbacks, RequestPart.TOKEN_LIMIT_NAME: renamed})

    def chat_request(self, parts: Parts, schema: dict[str, Any] | None) -> Request:
        """Return the body of ``/chat/completions``."""
        settings: dict[str, Any] = {
            "temperature": self.temperature,
            "seed": self.sampling_seed(),
            self.max_tokens_field: self.max_tokens,
        }
        if schema is not None:
            answer = {"name": "answer", "strict": True, "schema": schema}
            settings["response_format"] = {"type": "json_schema", "json_schema": answer}
        given = {name: value for name, value in settings.items() if value is not None}
        request = {"model": self.model, "messages": _messages(parts), "stream": False, **given}
        return self.without_setting(request, RequestPart.IMAGES_IN_MESSAGE) if self.pictures_apart else request

    def without_setting(self, request: Request, part: RequestPart) -> Request:
        """Rename the token limit, split messages by picture, or omit the temperature or the seed."""
        if part is RequestPart.TOKEN_LIMIT_NAME:
            other = {name: TOKEN_LIMIT_NAMES[1 - number] for number, name in enumerate(TOKEN_LIMIT_NAMES)}
            return {other.get(name, name): value for name, value in request.items()}
        if part is RequestPart.IMAGES_IN_MESSAGE:
            return {**request, "messages": [each for message in request["messages"] for each in _apart(message)]}
        return {name: value for name, value in request.items() if name != SETTINGS.get(part)}

    def read_chat(self, body: dict[str, Any]) -> ModelReply:
        """Read the first choice and its usage."""
        choices = member(body, "choices", list)
        if not choices or not isinstance(choices[0], dict):
            raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, "the server's reply has no choice in its 'choices'")
        finish, error = choices[0].get("finish_reason"), choices[0].get("error")
        if error or finish == "error":
            raise error_fault({"error": error or "no reason is given"}, self.error_hints(), raw_text(body))
        message = member(choices[0], "message", dict)
        return ModelReply(
            text=_content(message),
            cut_off=finish == "length",
            thinking=_optional_text(message, "reasoning_content") or _optional_text(message, "reasoning"),
            refusal=_optional_text(message, "refusal") or (CONTENT_FILTER if finish == "content_filter" else None),
            usage=_usage(body),
        )

    def read_models(self, body: dict[str, Any]) -> list[str]:
        """Read the ids in ``/models``."""
        return [member(each, "id", str) for each in member(body, "data", list)]

    def check_ready(self) -> str | None:
        """Check that the server answers; returns a warning about a name that it does not list, raises as the parent."""
        names = self.listed_names()
        if not names or any(map(self.is_called, names)):
            return None
        hint = nearest_hint(self.model, map(file_name, names))
        return self._credential.redact(f"{self.base_url} does not list '{self.model}'{hint}")

    def has_no_list(self, status: int) -> bool:
        """Whether a status means that the server has no model list, unless the address looks wrong."""
        if self.base_url.endswith(self.chat_path):
            return False
        return status in (405, 501) or (status == 404 and self._has_path())

    def error_hints(self) -> ErrorHints:
        """Return advice for a missing model, a wrong address or a rejected credential."""
        key = self.credential_hint()
        return ErrorHints({401: key, 403: key, 404: self.missing_hint()})

    def missing_hint(self) -> str:
        """Return advice for HTTP 404."""
        if self.base_url.endswith(self.chat_path):
            return f"base_url ends before {self.chat_path}: is it {self.base_url.removesuffix(self.chat_path)}?"
        if not self._has_path():
            return f"base_url usually ends in /v1: is it {self.base_url}/v1? If not, is there a model '{self.model}'?"
        return f"does it have the model '{self.model}', and is base_url right ({self.base_url})?"

    def _has_path(self) -> bool:
        return urlsplit(self.base_url).path.strip("/") != ""

    def is_called(self, listed: str) -> bool:
        """Whether a listed name, which may be prefixed by a folder, refers to the model."""
        return listed == self.model or listed.endswith(f"/{self.model}")


CONTENT_FILTER = "the server's content filter stopped it"


def _content(message: dict[str, Any]) -> str:
    """Return the text of a message; empty if absent, as in refusals."""
    return "" if message.get("content") is None else member(message, "content", str)


def _optional_text(message: dict[str, Any], name: str) -> str | None:
    value = message.get(name)
    return value if isinstance(value, str) and value else None


def _usage(body: dict[str, Any]) -> Usage:
    """Return the tokens used, and llama.cpp's timings."""
    usage, timings = _optional_object(body, "usage"), _optional_object(body, "timings")
    spent = [seconds_of(timings.get(name), MILLISECONDS) for name in ("prompt_ms", "predicted_ms")]
    known = [seconds for seconds in spent if seconds is not None]
    return Usage(
        prompt_tokens=as_count(usage.get("prompt_tokens")),
        completion_tokens=as_count(usage.get("completion_tokens")),
        server_seconds=sum(known) if known else None,
    )


def _optional_object(body: dict[str, Any], name: str) -> dict[str, Any]:
    value = body.get(name)
    return value if isinstance(value, dict) else {}


def _messages(parts: Parts) -> list[dict[str, Any]]:
    """Return one message per group of parts by the same speaker."""
    return [{"role": speaker, "content": _content_of(said)} for speaker, said in by_speaker(parts)]


def _content_of(parts: Parts) -> str | list[dict[str, Any]]:
    """Return texts and pictures in order; texts alone become one string, since text servers accept no lists."""
    if any(isinstance(part, PromptImage) for part in parts):
        return [piece for part in parts for piece in _pieces(part)]
    return text_of(parts)


def _pieces(part: PromptText | PromptImage) -> list[dict[str, Any]]:
    """Convert a text, or a picture and its label, to pieces."""
    if isinstance(part, PromptText):
        return [{"type": "text", "text": part.text}]
    data = picture_text(part.image)
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    return [{"type": "text", "text": f"{part.label}:"}, picture]


def _apart(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Split a message before the label of each picture but the first."""
    content = message["content"]
    pictures = (
        [] if isinstance(content, str) else [n for n, piece in enumerate(content) if piece["type"] == "image_url"]
    )
    starts = [0, *(place - 1 for place in pictures[1:])]
    if len(starts) == 1:
        return [message]
    return [{**message, "content": content[start:end]} for start, end in pairwise([*starts, len(content)])]
