"""Models behind any server with OpenAI's chat protocol, such as vLLM, llama.cpp, LM Studio or hosted services."""

from collections.abc import Mapping, Set
from typing import Any, ClassVar, Literal

import attrs

from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    Finish,
    Message,
    ModelInput,
    Picture,
    Prompt,
    Reply,
    Usage,
)
from gridworld.model_interface.prompts import reply_of
from gridworld.support.wording import nearest_hint
from multinet_adapters.addresses import path_of
from multinet_adapters.chat_adapter import FALLBACKS, Body, ChatAdapter, option
from multinet_adapters.pictures import picture_text
from multinet_adapters.preflight import file_name
from multinet_adapters.prompt_parts import pictures_apart
from multinet_adapters.refusals import Fallback, Negotiation, RequestPart
from multinet_adapters.replies import ErrorHints, as_count, billed_output, error_fault, member, raw_text, seconds_of
from multinet_adapters.reply_content import finish_of, is_broken, read_content
from multinet_adapters.templated_model import Settings

MILLISECONDS = 1e3
TOKEN_LIMIT_NAMES = ("max_tokens", "max_completion_tokens")


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
    takes_unlisted: ClassVar[bool] = True
    fallbacks: ClassVar[Mapping[RequestPart, Fallback]] = {
        **FALLBACKS,
        RequestPart.IMAGES_IN_MESSAGE: Fallback("each is sent in its own message", "pictures_apart=true"),
        RequestPart.TOKEN_LIMIT_NAME: Fallback("the limit is sent under its other name", "max_tokens_field=NAME"),
    }

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        argument = f"max_tokens_field={self._other_field}"
        renamed = attrs.evolve(self.fallbacks[RequestPart.TOKEN_LIMIT_NAME], argument=argument)
        self._negotiation = Negotiation({**self.fallbacks, RequestPart.TOKEN_LIMIT_NAME: renamed})

    @property
    def _other_field(self) -> str:
        (other,) = set(TOKEN_LIMIT_NAMES) - {self.max_tokens_field}
        return other

    def prompt(self, input: ModelInput) -> Prompt:
        """Render the prompt for an input, with each picture in its own message if that is set."""
        prompt = super().prompt(input)
        return pictures_apart(prompt) if self.pictures_apart else prompt

    def adapt(self, prompt: Prompt) -> Prompt:
        """Return the prompt without what the server is known to reject, with each picture in its own message if set."""
        adapted = super().adapt(prompt)
        return pictures_apart(adapted) if self.pictures_apart else adapted

    def settings(self, refused: Set[RequestPart]) -> Settings:
        """Return the temperature and the token limit, under its other name if the first is rejected."""
        settings = super().settings(refused)
        limit = settings.pop("max_tokens", None)
        field = self._other_field if RequestPart.TOKEN_LIMIT_NAME in refused else self.max_tokens_field
        return settings if limit is None else {**settings, field: limit}

    def body(self, prompt: Prompt, settings: Settings) -> Body:
        """Return the body of ``/chat/completions``."""
        body = {"model": self.model, "messages": list(map(_message, prompt.messages)), "stream": False, **settings}
        if prompt.seed is not None:
            body["seed"] = prompt.seed
        if prompt.schema is not None:
            answer = {"name": "answer", "strict": True, "schema": prompt.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": answer}
        return body

    def reply(self, body: Body) -> Reply:
        """Read the first choice and its usage."""
        choices = member(body, "choices", list)
        if not choices or not isinstance(choices[0], dict):
            raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, "the server's reply has no choice in its 'choices'")
        reason, error = choices[0].get("finish_reason"), choices[0].get("error")
        if error or is_broken(reason):
            raise error_fault({"error": error or f"the reply ended with {reason}"}, self.error_hints(), raw_text(body))
        message = member(choices[0], "message", dict)
        finish = finish_of(reason)
        content = read_content(message.get("content"), raw_text(body))
        refusal = _optional_text(message, "refusal") or content.refusal
        refusal = refusal or (f"the server's content filter stopped it ({reason})" if finish is Finish.REFUSED else "")
        return reply_of(
            content.text,
            content.reasoning or next((said for name in REASONING if (said := _optional_text(message, name))), None),
            usage=_usage(body),
            finish=Finish.REFUSED if refusal else finish,
            refusal=refusal,
        )

    def read_models(self, body: Body) -> list[str]:
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
        if path_of(self.base_url).endswith(self.chat_path):
            return False
        return status in (405, 501) or (status == 404 and self._has_path())

    def error_hints(self) -> ErrorHints:
        """Return advice for a missing model, a wrong address or a rejected credential."""
        key = self.credential_hint()
        return ErrorHints({401: key, 403: key, 404: self.missing_hint()})

    def missing_hint(self) -> str:
        """Return advice for HTTP 404."""
        if path_of(self.base_url).endswith(self.chat_path):
            return f"base_url ends before {self.chat_path}: is it {self.base_url.removesuffix(self.chat_path)}?"
        if not self._has_path():
            return f"base_url usually ends in /v1: is it {self.base_url}/v1? If not, is there a model '{self.model}'?"
        return f"does it have the model '{self.model}', and is base_url right ({self.base_url})?"

    def _has_path(self) -> bool:
        return path_of(self.base_url) != ""

    def is_called(self, listed: str) -> bool:
        """Whether a listed name, which may be prefixed by a folder, refers to the model."""
        return listed == self.model or listed.endswith(f"/{self.model}")


REASONING = ("reasoning_content", "reasoning", "thinking", "thought", "reasoning_text")
"""Members of a message in which servers return the reasoning, the first that there is."""


def _optional_text(message: dict[str, Any], name: str) -> str | None:
    value = message.get(name)
    return value if isinstance(value, str) and value else None


def _usage(body: dict[str, Any]) -> Usage:
    """Return the tokens used, and llama.cpp's timings."""
    usage, timings = _optional_object(body, "usage"), _optional_object(body, "timings")
    spent = [seconds_of(timings.get(name), MILLISECONDS) for name in ("prompt_ms", "predicted_ms")]
    known = [seconds for seconds in spent if seconds is not None]
    prompt, completion = as_count(usage.get("prompt_tokens")), as_count(usage.get("completion_tokens"))
    total = as_count(usage.get("total_tokens"))
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=billed_output(prompt, completion, total),
        cache_read_tokens=_cached(usage, prompt),
        server_seconds=sum(known) if known else None,
    )


def _cached(usage: dict[str, Any], prompt: int | None) -> int | None:
    """Return the tokens of the prompt that were read from the provider's cache; None for none."""
    details = _optional_object(usage, "prompt_tokens_details")
    found = as_count(details.get("cached_tokens")) or as_count(usage.get("prompt_cache_hit_tokens"))
    return min(found, prompt or found) if found else None


def _optional_object(body: dict[str, Any], name: str) -> dict[str, Any]:
    value = body.get(name)
    return value if isinstance(value, dict) else {}


def _message(message: Message) -> dict[str, Any]:
    """Return a message; texts alone become one string, since text servers accept no lists."""
    if not message.pictures:
        return {"role": message.role, "content": message.text}
    return {"role": message.role, "content": [piece for block in message.blocks() for piece in _pieces(block)]}


def _pieces(block: object) -> list[dict[str, Any]]:
    """Convert a text, or a picture and its label, to pieces."""
    if not isinstance(block, Picture):
        return [{"type": "text", "text": block}]
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture_text(block)}"}}
    return [{"type": "text", "text": f"{block.label}:"}, picture]
