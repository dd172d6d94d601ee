"""Running a vision-language model of the library transformers in this process: prompts in, texts out.

It is imported without torch and transformers, which come with the extra ``multinet-adapters[transformers]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from gridworld.errors import ArgumentError
from gridworld.model_interface import AnswerFault, AnswerOutcome
from gridworld.support.installing import how_to_install

__all__ = ["Generated", "LocalModel", "Prompt", "check_extra"]

LIBRARIES = ("torch", "transformers")
MAX_SEED = 2**63


@attrs.frozen(eq=False)
class Prompt:
    """What a model is asked."""

    text: str
    """As the model's chat template has it, with a mark for each picture."""
    images: Sequence[np.ndarray]
    """In order, each of shape (height, width, 3), uint8."""
    seed: int | None = None
    """What decides the sampling, from 0 to 2**63 - 1; None to draw it."""


@attrs.frozen
class Generated:
    """What a model said to a prompt."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    cut_off: bool
    """Whether it had not ended when it was as long as it may be."""


def check_extra() -> None:
    """Make sure that the libraries are installed, without importing them.

    Raises:
        ArgumentError: one is not; the message says what to install.
    """
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        needs = " and ".join(missing)
        raise ArgumentError(
            f"model 'transformers' needs {needs}: {how_to_install('multinet-adapters', 'transformers')}"
        )


class LocalModel:
    """A model with its processor, loaded.

    Args:
        name: a folder, which is read without any network, or the name of a model on the hub.
        device: such as ``cpu`` or ``cuda:1``; ``auto`` for a GPU if there is one.
        dtype: of the weights, by its name in torch; ``auto`` for that of the file.

    Raises:
        AnswerFault: it cannot be loaded; the outcome is `INFRASTRUCTURE`, and permanent.
    """

    def __init__(self, name: str, device: str, dtype: str) -> None:
        import torch
        import transformers

        transformers.logging.disable_progress_bar()
        files = {"local_files_only": Path(name).is_dir()}
        try:
            self._device = torch.device(_best_device() if device == "auto" else device)
            self._processor = transformers.AutoProcessor.from_pretrained(name, **files)
            model = transformers.AutoModelForImageTextToText.from_pretrained(name, dtype=dtype, **files)
            self._model = model.to(self._device).eval()
        except (OSError, ValueError, ImportError, RuntimeError) as error:
            raise _not_loaded(name, error) from error
        if self._processor.chat_template is None:
            raise _not_loaded(name, ValueError("it has no chat template"))
        tokenizer = self._processor.tokenizer
        tokenizer.padding_side = "left"
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token

    def render(self, messages: Sequence[dict[str, Any]]) -> str:
        """The text of a conversation, up to where the model speaks.

        Raises:
            ValueError: the chat template refuses it; the message is the template's.
        """
        from jinja2 import TemplateError

        try:
            text = self._processor.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True)
        except TemplateError as error:
            raise ValueError(str(error)) from error
        return str(text)

    def generate(self, prompts: Sequence[Prompt], max_new_tokens: int, temperature: float) -> list[Generated]:
        """Answer several prompts at once; those with pictures apart from those without.

        Args:
            prompts: what is asked.
            max_new_tokens: the length of an answer, at least 1.
            temperature: of the sampling, at least 0; at 0 the likeliest token is taken each time.

        Raises:
            AnswerFault: memory does not suffice; the outcome is `INFRASTRUCTURE`.
        """
        answers: dict[int, Generated] = {}
        for pictured in (True, False):
            places = [place for place, prompt in enumerate(prompts) if bool(prompt.images) is pictured]
            if places:
                given = self._generate([prompts[place] for place in places], max_new_tokens, temperature)
                answers |= zip(places, given, strict=True)
        return [answers[place] for place in range(len(prompts))]

    def _generate(self, prompts: Sequence[Prompt], max_new_tokens: int, temperature: float) -> list[Generated]:
        import torch

        images = [list(prompt.images) for prompt in prompts] if prompts[0].images else None
        batch = self._processor(
            text=[prompt.text for prompt in prompts], images=images, padding=True, return_tensors="pt"
        ).to(self._device, dtype=self._model.dtype)
        noise = [_GumbelNoise(temperature, [prompt.seed for prompt in prompts])] if temperature else []
        try:
            with torch.inference_mode():
                tokens = self._model.generate(
                    **batch,
                    max_new_tokens=max_new_tokens,
                    do_sample=False,
                    num_beams=1,
                    logits_processor=noise,
                    pad_token_id=self._processor.tokenizer.pad_token_id,
                )
        except torch.OutOfMemoryError as error:
            message = "memory does not suffice: use a smaller --batch-size or --history-images, or another dtype"
            raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message) from error
        width = batch["input_ids"].shape[1]
        lengths = batch["attention_mask"].sum(dim=1).tolist()
        rows = tokens[:, width:].tolist()
        return [self._read(row, length, max_new_tokens) for row, length in zip(rows, lengths, strict=True)]

    def _read(self, tokens: list[int], prompt_tokens: int, max_new_tokens: int) -> Generated:
        """One answer, up to where the model ended it."""
        given = self._model.generation_config.eos_token_id
        ends = set(given) if isinstance(given, list) else {given}
        end = next((place for place, token in enumerate(tokens) if token in ends), None)
        said = tokens if end is None else tokens[: end + 1]
        text = self._processor.decode(said, skip_special_tokens=True)
        return Generated(str(text), prompt_tokens, len(said), end is None and len(tokens) >= max_new_tokens)


class _GumbelNoise:
    """Makes the likeliest token one that is drawn: each row by itself, whatever rows are beside it.

    The largest of ``score / temperature + noise``, with noise of the standard Gumbel distribution, is drawn from the
    softmax of the scores (Gumbel, Statistical Theory of Extreme Values, 1954; Maddison et al., A* Sampling, 2014).
    """

    def __init__(self, temperature: float, seeds: Sequence[int | None]) -> None:
        import torch

        self._temperature = temperature
        self._generators = [torch.Generator() for _ in seeds]
        for generator, seed in zip(self._generators, seeds, strict=True):
            generator.seed() if seed is None else generator.manual_seed(seed)

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """The scores of the next token of each row, with the noise."""
        import torch

        uniform = torch.stack(
            [torch.rand(scores.shape[1], generator=each, dtype=torch.float64) for each in self._generators]
        )
        noise = -torch.log(-torch.log(uniform.clamp(min=torch.finfo(torch.float64).tiny)))
        return scores.double() / self._temperature + noise.to(scores.device)


def _best_device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _not_loaded(name: str, error: Exception) -> AnswerFault:
    reason = str(error).strip().partition("\n")[0]
    message = (
        f"cannot load the model '{name}': {reason}; expected a folder, or a name on the hub, of a model for images"
    )
    return AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, permanent=True)
