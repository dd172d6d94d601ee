"""Models behind an Ollama server (``ollama serve``)."""

from typing import Any, ClassVar
from urllib.parse import urlsplit

import attrs

from gridworld.model_interface import AnswerFault, AnswerOutcome, PromptImage, Usage
from gridworld.support.wording import nearest_hint
from multinet_adapters.answer_format import ModelReply
from multinet_adapters.chat_adapter import ChatAdapter, Parts, Request, at_least_one, option
from multinet_adapters.prompt_parts import by_picture, by_speaker, picture_text
from multinet_adapters.refusals import RequestPart
from multinet_adapters.replies import ErrorHints, as_count, member, seconds_of

__all__ = ["OllamaVLMAdapter"]

NANOSECONDS = 1e9
SETTINGS = {RequestPart.TEMPERATURE: "temperature", RequestPart.SEED: "seed"}
"""Options by part of a request."""


@attrs.define(eq=False, slots=False)
class OllamaVLMAdapter(ChatAdapter):
    """A model behind an Ollama server; other arguments as for `ChatAdapter`.

    Requests forbid the server to drop earlier messages silently when the context is full, so a prompt that is too long
    is an error. Increase `num_ctx` for many pictures.

    Args:
        num_ctx: length of the context in tokens, at least 1; None for the server's default.
        think: whether a reasoning model reasons first; None for the server's default.
    """

    base_url: str = option("http://127.0.0.1:11434")
    num_ctx: int | None = option(None, at_least_one)
    think: bool | None = option(None)

    provider: ClassVar[str] = "ollama"
    chat_path: ClassVar[str] = "/api/chat"
    models_path: ClassVar[str] = "/api/tags"
    start_hint: ClassVar[str] = "start it with 'ollama serve', or give its address as base_url"

    def chat_request(self, parts: Parts, schema: dict[str, Any] | None) -> Request:
        """Return the body of ``/api/chat``."""
        request = {
            "model": self.model,
            "messages": _messages(parts),
            "stream": False,
            "truncate": False,
            "shift": False,
            "options": self._options(),
        }
        if schema is not None:
            request["format"] = schema
        if self.think is not None:
            request["think"] = self.think
        return request

    def without_setting(self, request: Request, part: RequestPart) -> Request:
        """Omit the temperature or the seed."""
        options = {name: value for name, value in request["options"].items() if name != SETTINGS.get(part)}
        return {**request, "options": options}

    def read_chat(self, body: dict[str, Any]) -> ModelReply:
        """Read the message, its end reason and its usage."""
        message = member(body, "message", dict)
        if body.get("done") is False:
            raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, "the server sent an incomplete reply")
        thinking = message.get("thinking")
        return ModelReply(
            text=member(message, "content", str),
            cut_off=body.get("done_reason") == "length",
            thinking=thinking if isinstance(thinking, str) else None,
            usage=Usage(
                prompt_tokens=as_count(body.get("prompt_eval_count")),
                completion_tokens=as_count(body.get("eval_count")),
                server_seconds=seconds_of(body.get("total_duration"), NANOSECONDS),
            ),
        )

    def read_models(self, body: dict[str, Any]) -> list[str]:
        """Read the names in ``/api/tags``."""
        return [member(each, "name", str) for each in member(body, "models", list)]

    def error_hints(self) -> ErrorHints:
        """Return advice for a missing model or credential."""
        key = self.credential_hint()
        return ErrorHints({401: key, 403: key, 404: self._missing_hint()})

    def _missing_hint(self) -> str:
        if "/v1" in urlsplit(self.base_url).path:
            return f"base_url has no /v1 here: is it {self.base_url.rpartition('/v1')[0]}?"
        return f"if the model is missing: 'ollama pull {self.model}'"

    def is_called(self, listed: str) -> bool:
        """Whether a listed name refers to the model, ignoring case; a name without a tag means ``latest``."""
        name = self.model if ":" in self.model.rpartition("/")[2] else f"{self.model}:latest"
        return listed.casefold() == name.casefold()

    def check_ready(self) -> None:
        """Check that the server answers and has the model.

        Raises:
            AnswerFault: `INFRASTRUCTURE`, with advice in the message.
        """
        names = self.listed_names() or []
        if not any(map(self.is_called, names)):
            listed = ", ".join(names) or "none"
            message = f"{self.base_url} has no model '{self.model}'{nearest_hint(self.model, names)}; it has: {listed}"
            fault = AnswerFault(AnswerOutcome.INFRASTRUCTURE, f"{message}. Fetch it with 'ollama pull {self.model}'")
            raise self._credential.redact_fault(fault)

    def _options(self) -> dict[str, Any]:
        options = {
            "temperature": self.temperature,
            "seed": self.sampling_seed(),
            "num_predict": self.max_tokens,
            "num_ctx": self.num_ctx,
        }
        return {name: value for name, value in options.items() if value is not None}


def _messages(parts: Parts) -> list[dict[str, Any]]:
    """Return messages by speaker, split so that each holds at most one picture and the texts after it.

    The server puts the pictures of a message before its text, so a label stays next to its picture only if each picture
    has its own message. The server joins consecutive messages of one speaker again. It never drops the last message,
    which has the current picture and the question.
    """
    return [_message(speaker, piece) for speaker, said in by_speaker(parts) for piece in by_picture(said)]


def _message(speaker: str, parts: Parts) -> dict[str, Any]:
    """Return a message with at most one picture."""
    texts = [part.label if isinstance(part, PromptImage) else part.text for part in parts]
    message: dict[str, Any] = {"role": speaker, "content": "\n\n".join(texts)}
    pictures = [picture_text(part.image) for part in parts if isinstance(part, PromptImage)]
    return {**message, "images": pictures} if pictures else message
