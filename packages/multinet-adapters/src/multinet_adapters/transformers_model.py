"""Adapter for local vision-language models of the transformers library."""

# The annotations stay objects, since the command line reads them from the constructor.
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import attrs

from gridworld.model_interface import (
    AdjustingModel,
    Adjustment,
    AnswerFault,
    AnswerOutcome,
    BatchModel,
    CacheableModel,
    CheckedModel,
    EpisodeInfo,
    ModelInput,
    ModelOutput,
    PreflightCheck,
    PromptedModel,
    PromptImage,
    PromptText,
    ReplyForm,
    Usage,
)
from gridworld.model_interface.capabilities import OpenAnswer, OpenModel
from gridworld.runner.record import Step
from multinet_adapters.answer_format import ModelReply, describe_json, describe_line, read_output, read_words
from multinet_adapters.chat_adapter import FALLBACKS, Parts, at_least_one, named, not_negative, option
from multinet_adapters.local_generation import MAX_SEED, LocalModel, Prompt, check_extra
from multinet_adapters.preflight import run_local_preflight
from multinet_adapters.prompt_parts import by_speaker, prompt_parts, without_system
from multinet_adapters.refusals import Negotiation, RequestPart
from multinet_adapters.sampling_seeds import AskedIn, seed_of
from multinet_adapters.templates import load_template

SEEDING = "by episode, step, attempt and question"


@attrs.frozen(eq=False)
class _Asked:
    """A question within an episode."""

    parts: Parts
    episode: EpisodeInfo | None
    step: int | None = None
    """Step of the episode; None for an open question."""
    attempt: int = 0


@attrs.define(eq=False, slots=False)
class TransformersModel(PromptedModel, CheckedModel, AdjustingModel, CacheableModel, BatchModel, OpenModel):
    """A vision-language model with a chat template, loaded on first use.

    `predict_batch` answers several questions at once, each as `predict` would except for rounding. Threads take turns.
    No state is kept between steps.

    Args:
        model: a folder, which is read without network access, or the name of a model on the hub.
        device: such as ``cpu`` or ``cuda:1``; ``auto`` for a GPU if one is present.
        dtype: dtype of the weights; ``auto`` for the one in the file.
        max_new_tokens: maximum length of a reply, at least 1.
        temperature: sampling temperature, at least 0; 0 selects the likeliest token.
        seed: sampling seed; each reply is determined by it, the episode, step, attempt and question. None for random
            replies.
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
    prompt: str = option("standard")
    structured: bool = option(True)
    system_message: bool = option(True)

    def __attrs_post_init__(self) -> None:
        check_extra()
        self._template = load_template(self.prompt)
        self._negotiation = Negotiation({RequestPart.SYSTEM_MESSAGE: FALLBACKS[RequestPart.SYSTEM_MESSAGE]})
        self._lock = Lock()
        self._loaded: LocalModel | None = None
        self._asked_in = AskedIn()

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

    @property
    def shareable(self) -> bool:
        """Whether threads may share the model; always true, since they share the weights and take turns."""
        return True

    def can_reply(self, form: ReplyForm) -> bool:
        """Return True: any form can be requested."""
        return True

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Set the episode from which seeds of this thread's open questions are derived."""
        self._asked_in.episode = episode

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Return True: no state is kept between steps."""
        return True

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

    def adjustments(self) -> tuple[Adjustment, ...]:
        """Return the fallback for the system message, if the chat template is known to reject it."""
        return self._negotiation.adjustments

    def rendered_prompt(self, input: ModelInput) -> Parts:
        """Return the whole prompt for this input, without loading the model."""
        parts = prompt_parts(input, self._template, describe_json if self.structured else describe_line)
        return parts if self._has_system_message else without_system(parts)

    def predict(self, input: ModelInput) -> ModelOutput:
        """Generate one reply.

        Raises:
            AnswerFault: the reply has no valid answer, or the model cannot run.
        """
        (output,) = self.predict_batch([input])
        if isinstance(output, AnswerFault):
            raise output
        return output

    def predict_batch(self, inputs: Sequence[ModelInput]) -> list[ModelOutput | AnswerFault]:
        """Generate the replies to all inputs at once; faults are returned instead of raised."""
        try:
            replies = self._reply(
                [_Asked(self.rendered_prompt(each), each.episode, each.step_number, each.attempt) for each in inputs]
            )
        except AnswerFault as fault:
            return [fault] * len(inputs)
        return list(map(_output_or_fault, replies, inputs))

    def ask(self, parts: Sequence[PromptText | PromptImage]) -> OpenAnswer:
        """Answer an open question; raises as `predict` does."""
        (reply,) = self._reply([_Asked(list(parts), self._asked_in.episode)])
        return OpenAnswer(read_words(reply), reply.usage)

    @property
    def _has_system_message(self) -> bool:
        return self.system_message and RequestPart.SYSTEM_MESSAGE not in self._negotiation.refused

    def _load(self) -> LocalModel:
        if self._loaded is None:
            self._loaded = LocalModel(self.model, self.device, self.dtype)
        return self._loaded

    def _reply(self, questions: Sequence[_Asked]) -> list[ModelReply]:
        with self._lock:
            model = self._load()
            begun = time.monotonic()
            generated = model.generate(
                [self._prompt(model, asked) for asked in questions], self.max_new_tokens, self.temperature
            )
            seconds = (time.monotonic() - begun) / len(questions)
        return [
            ModelReply(each.text, each.cut_off, usage=Usage(each.prompt_tokens, each.completion_tokens, seconds))
            for each in generated
        ]

    def _prompt(self, model: LocalModel, asked: _Asked) -> Prompt:
        images = [part.image for part in asked.parts if isinstance(part, PromptImage)]
        text = self._render(model, asked.parts)
        if self.seed is None:
            return Prompt(text, images)
        shown = [hashlib.sha256(image.tobytes()).hexdigest() for image in images]
        seed = seed_of(MAX_SEED, self.seed, asked.episode, asked.step, asked.attempt, *shown, text)
        return Prompt(text, images, seed)

    def _render(self, model: LocalModel, parts: Parts) -> str:
        """Apply the chat template, without a system message if the template rejects it."""
        if not self._has_system_message:
            parts = without_system(parts)
        try:
            return model.render(_messages(parts))
        except ValueError as refusal:
            reason = str(refusal)
        if parts == without_system(parts):
            raise _not_rendered(reason)
        try:
            text = model.render(_messages(without_system(parts)))
        except ValueError as refusal:
            raise _not_rendered(str(refusal)) from refusal
        self._negotiation.avoid(RequestPart.SYSTEM_MESSAGE, reason)
        return text


def _messages(parts: Parts) -> list[dict[str, Any]]:
    return [
        {"role": speaker, "content": [piece for part in said for piece in _pieces(part)]}
        for speaker, said in by_speaker(parts)
    ]


def _pieces(part: PromptText | PromptImage) -> list[dict[str, str]]:
    """Convert a text, or a picture and its label, to pieces; pictures become placeholders."""
    if isinstance(part, PromptText):
        return [{"type": "text", "text": part.text}]
    return [{"type": "text", "text": f"{part.label}:"}, {"type": "image"}]


def _output_or_fault(reply: ModelReply, input: ModelInput) -> ModelOutput | AnswerFault:
    try:
        return read_output(reply, input)
    except AnswerFault as fault:
        return fault


def _not_rendered(reason: str) -> AnswerFault:
    message = f"the model's chat template refuses the prompt: {reason}"
    return AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, permanent=True)
