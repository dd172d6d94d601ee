"""Models behind an Ollama server (``ollama serve``)."""

from collections.abc import Set
from typing import Any, ClassVar, Literal

import attrs

from gridworld.model_interface import AnswerFault, AnswerOutcome, Finish, Message, Picture, Prompt, Reply, Usage
from gridworld.model_interface.prompts import reply_of
from gridworld.support.wording import nearest_hint
from multinet_adapters.addresses import path_of
from multinet_adapters.chat_adapter import Body, ChatAdapter, at_least_one, option
from multinet_adapters.pictures import picture_text
from multinet_adapters.preflight import nearest_names
from multinet_adapters.prompt_parts import split_at_pictures
from multinet_adapters.refusals import RequestPart
from multinet_adapters.replies import ErrorHints, as_count, member, raw_text, seconds_of
from multinet_adapters.reply_content import finish_of, read_content
from multinet_adapters.templated_model import Settings

__all__ = ["OllamaVLMAdapter"]

NANOSECONDS = 1e9


@attrs.define(eq=False, slots=False)
class OllamaVLMAdapter(ChatAdapter):
    """A model behind an Ollama server; other arguments as for `ChatAdapter`.

    Requests forbid the server to drop earlier messages silently when the context is full, so a prompt that is too long
    is an error. Increase `num_ctx` for many pictures.

    Args:
        num_ctx: length of the context in tokens, at least 1; None for the server's default.
        think: whether a reasoning model reasons first, or how much; None for the server's default.
    """

    base_url: str = option("http://127.0.0.1:11434")
    num_ctx: int | None = option(None, at_least_one)
    think: bool | Literal["low", "medium", "high"] | None = option(None)

    provider: ClassVar[str] = "ollama"
    own_members: ClassVar[frozenset[str]] = frozenset({"think"})
    chat_path: ClassVar[str] = "/api/chat"
    models_path: ClassVar[str] = "/api/tags"
    start_hint: ClassVar[str] = "start it with 'ollama serve', or give its address as base_url"

    def settings(self, refused: Set[RequestPart]) -> Settings:
        """Return the options of requests, and whether to think."""
        temperature = None if RequestPart.TEMPERATURE in refused else self.temperature
        options = {"temperature": temperature, "num_predict": self.max_tokens, "num_ctx": self.num_ctx}
        given = {"options": {name: value for name, value in options.items() if value is not None}}
        return {**self.extra_body, **given, **({} if self.think is None else {"think": self.think})}

    def body(self, prompt: Prompt, settings: Settings) -> Body:
        """Return the body of ``/api/chat``."""
        messages = [_message(piece) for message in prompt.messages for piece in split_at_pictures(message)]
        body = {"model": self.model, "messages": messages, "stream": False, "truncate": False, "shift": False}
        if prompt.schema is not None:
            body["format"] = prompt.schema
        seed = {} if prompt.seed is None else {"seed": prompt.seed}
        return {**body, **settings, "options": {**settings["options"], **seed}}

    def reply(self, body: Body) -> Reply:
        """Read the message, its end reason and its usage."""
        message = member(body, "message", dict)
        if body.get("done") is False:
            raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, "the server sent an incomplete reply")
        thinking = message.get("thinking")
        usage = Usage(
            prompt_tokens=as_count(body.get("prompt_eval_count")),
            completion_tokens=as_count(body.get("eval_count")),
            server_seconds=seconds_of(body.get("total_duration"), NANOSECONDS),
        )
        finish, reason = finish_of(body.get("done_reason")), body.get("done_reason")
        thought = thinking if isinstance(thinking, str) else None
        content = read_content(message.get("content"), raw_text(body))
        refusal = f"the server's content filter stopped it ({reason})" if finish is Finish.REFUSED else ""
        return reply_of(content.text, content.reasoning or thought, usage=usage, finish=finish, refusal=refusal)

    def read_models(self, body: Body) -> list[str]:
        """Read the names in ``/api/tags``."""
        return [member(each, "name", str) for each in member(body, "models", list)]

    def error_hints(self) -> ErrorHints:
        """Return advice for a missing model or credential."""
        key = self.credential_hint()
        return ErrorHints({401: key, 403: key, 404: self._missing_hint()})

    def _missing_hint(self) -> str:
        if "/v1" in path_of(self.base_url):
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
            hint, nearest = nearest_hint(self.model, names), nearest_names(self.model, names)
            message = f"{self.base_url} has no model '{self.model}'{hint}; it has: {nearest}"
            fault = AnswerFault(AnswerOutcome.INFRASTRUCTURE, f"{message}. Fetch it with 'ollama pull {self.model}'")
            raise self._credential.redact_fault(fault)


def _message(message: Message) -> dict[str, Any]:
    """Return a message with at most one picture.

    The server puts the pictures of a message before its text, so a label stays next to its picture only if each picture
    has its own message. The server joins consecutive messages of one speaker again. It never drops the last message,
    which has the current picture and the question.
    """
    texts = [block.label if isinstance(block, Picture) else str(block) for block in message.blocks()]
    body: dict[str, Any] = {"role": message.role, "content": "\n\n".join(texts)}
    pictures = list(map(picture_text, message.pictures))
    return {**body, "images": pictures} if pictures else body
