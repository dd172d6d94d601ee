"""Adapter for local vision-language models of the transformers library."""

# The annotations stay objects, since the command line reads them from the constructor.
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Literal

import attrs

from gridworld.model_interface import (
    Adjustment,
    AnswerFault,
    AnswerOutcome,
    Finish,
    ModelInput,
    Picture,
    PreflightCheck,
    Prompt,
    Reply,
    Sent,
    Usage,
)
from gridworld.model_interface.chat_model import BatchChatModel
from gridworld.model_interface.prompts import reply_of
from multinet_adapters.chat_adapter import FALLBACKS, at_least_one, named, not_negative, option
from multinet_adapters.local_generation import MAX_SEED, Conversation, LocalModel, check_extra
from multinet_adapters.preflight import run_local_preflight
from multinet_adapters.refusals import Negotiation, RequestPart
from multinet_adapters.templated_model import TemplatedModel, names_of
from multinet_adapters.templates import TemplateName

SEEDING = "by episode, step and attempt"


@attrs.define(eq=False, slots=False)
class TransformersModel(TemplatedModel, BatchChatModel):
    """A vision-language model with a chat template, loaded on first use.

    `send_many` answers several prompts at once, each as `send` would except for rounding. Threads take turns.
    No state is kept between steps.

    Args:
        model: a folder, which is read without network access, or the name of a model on the hub.
        device: such as ``cpu`` or ``cuda:1``; ``auto`` for a GPU if one is present.
        dtype: dtype of the weights; ``auto`` for the one in the file.
        max_new_tokens: maximum length of a reply, at least 1.
        temperature: sampling temperature, at least 0; 0 selects the likeliest token.
        seed: sampling seed; the seed of each reply is derived from it, the episode, the step and the attempt. None for
            random replies.
        prompt: the name of a template (minimal, standard, verbose, chain_of_thought) or the path of a file.
        structured: whether to ask for an answer as JSON; otherwise as a last line. Either form is accepted.
        system_message: whether to send the system text as a separate message; otherwise it precedes the user text.

    Raises:
        ArgumentError: the extra is not installed.
        ValueError: a setting is invalid.
    """

    model: str = attrs.field(validator=named)
    device: str = option("auto", named)
    dtype: Literal["auto", "float64", "float32", "bfloat16", "float16"] = option("auto")
    max_new_tokens: int = option(512, at_least_one)
    temperature: float = option(0.0, not_negative)
    seed: int | None = option(None)
    template: TemplateName = attrs.field(default="standard", kw_only=True, alias="prompt")
    structured: bool = option(True)
    system_message: bool = option(True)

    max_seed: ClassVar[int] = MAX_SEED

    def __attrs_post_init__(self) -> None:
        check_extra()
        self._prepare(Negotiation({RequestPart.SYSTEM_MESSAGE: FALLBACKS[RequestPart.SYSTEM_MESSAGE]}))
        self._lock = Lock()
        self._loaded: LocalModel | None = None

    @property
    def model_name(self) -> str:
        """The name in results: ``transformers/NAME``, with the name of the model or its folder."""
        folder = Path(self.model)
        return f"transformers/{folder.resolve().name if folder.is_dir() else self.model}"

    @property
    def samples(self) -> bool:
        """Whether the temperature is above 0."""
        return self.temperature > 0

    @property
    def seeding(self) -> str | None:
        """Name of the seed derivation rule; None without a fixed seed."""
        return SEEDING if self.samples and self.seed is not None else None

    def check_ready(self) -> None:
        """Load the model.

        Raises:
            AnswerFault: permanent `INFRASTRUCTURE`, if it cannot be loaded.
        """
        with self._lock:
            self._load()

    def preflight(self) -> list[PreflightCheck]:
        """Check loading, the system message, pictures, and the format of answers."""
        return list(self.preflight_along())

    def preflight_along(
        self, question: ModelInput | None = None, begin: Callable[[str], object] = lambda name: None
    ) -> Iterator[PreflightCheck]:
        """Yield the checks of `preflight` one by one, with a question of a run if one is given."""
        return run_local_preflight(self, question, begin)

    def send_many(self, prompts: Sequence[Prompt]) -> list[Reply | AnswerFault]:
        """Generate the replies to all prompts at once; faults are returned instead of raised."""
        try:
            return list(self._replies(prompts))
        except AnswerFault as fault:
            permanent, settings = fault.permanent, self.settings_in_use()
            return [
                AnswerFault(fault.outcome, fault.message, permanent=permanent, sent=(Sent(prompt, settings),))
                for prompt in prompts
            ]

    def settings_in_use(self) -> dict[str, Any]:
        """Return the settings that go with each prompt."""
        return {"temperature": self.temperature, "max_new_tokens": self.max_new_tokens}

    def _load(self) -> LocalModel:
        if self._loaded is None:
            self._loaded = LocalModel(self.model, self.device, self.dtype)
        return self._loaded

    def _replies(self, prompts: Sequence[Prompt]) -> Iterator[Reply]:
        with self._lock:
            model = self._load()
            begun = time.monotonic()
            rendered = [self._render(model, prompt) for prompt in prompts]
            conversations = [conversation for _, conversation, _ in rendered]
            generated = model.generate(conversations, self.max_new_tokens, self.temperature)
            seconds = (time.monotonic() - begun) / len(prompts)
        left_out = names_of(self._negotiation.refused)
        for (sent, _, found), each in zip(rendered, generated, strict=True):
            yield reply_of(
                each.text,
                usage=Usage(each.prompt_tokens, each.completion_tokens, seconds),
                finish=Finish.LENGTH if each.cut_off else Finish.STOP,
                sent=sent,
                settings=self.settings_in_use(),
                left_out=left_out,
                adjustments=found,
            )

    def _render(self, model: LocalModel, prompt: Prompt) -> tuple[Prompt, Conversation, tuple[Adjustment, ...]]:
        """Apply the chat template, without a system message if the template rejects it."""
        try:
            return prompt, _conversation(model, prompt), ()
        except ValueError as refusal:
            reason = str(refusal)
        other = self.without(prompt, [RequestPart.SYSTEM_MESSAGE])
        if other.digest == prompt.digest:
            raise _not_rendered(reason)
        try:
            conversation = _conversation(model, other)
        except ValueError as refusal:
            raise _not_rendered(str(refusal)) from refusal
        adjustment = self._negotiation.avoid(RequestPart.SYSTEM_MESSAGE, reason)
        return other, conversation, () if adjustment is None else (adjustment,)


def _conversation(model: LocalModel, prompt: Prompt) -> Conversation:
    """Render a prompt; raises ValueError if the chat template rejects it."""
    messages = [
        {"role": message.role, "content": [piece for block in message.blocks() for piece in _pieces(block)]}
        for message in prompt.messages
    ]
    pixels = [picture.pixels for message in prompt.messages for picture in message.pictures]
    return Conversation(model.render(messages), pixels, prompt.seed)


def _pieces(block: object) -> list[dict[str, Any]]:
    """Convert a text, or a picture and its label, to pieces; pictures become placeholders."""
    if not isinstance(block, Picture):
        return [{"type": "text", "text": block}]
    return [{"type": "text", "text": f"{block.label}:"}, {"type": "image"}]


def _not_rendered(reason: str) -> AnswerFault:
    message = f"the model's chat template refuses the prompt: {reason}"
    return AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, permanent=True)
