"""Vision-language models run in this process with the transformers library.

torch and transformers, from the extra ``multinet-adapters[transformers]``, are imported on first use.
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
from gridworld.support.wording import how_to_install

LIBRARIES = ("torch", "transformers")
MAX_SEED = 2**63


@attrs.frozen(eq=False)
class Conversation:
    """A prompt rendered by the model's chat template."""

    text: str
    """Text with a placeholder for each picture."""
    images: Sequence[np.ndarray]
    """Pictures in order, each of shape (height, width, 3), uint8."""
    seed: int | None = None
    """Sampling seed in [0, 2**63); None for a random one."""


@attrs.frozen
class Generated:
    """Reply to a prompt."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    cut_off: bool
    """Whether the reply hit the token limit."""


def check_extra() -> None:
    """Check that the libraries are installed, without importing them.

    Raises:
        ArgumentError: a library is missing; the message says what to install.
    """
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        needs = " and ".join(missing)
        raise ArgumentError(
            f"model 'transformers' needs {needs}: {how_to_install('multinet-adapters', 'transformers')}"
        )


class LocalModel:
    """A loaded model and its processor.

    Args:
        name: a folder, which is read without network access, or the name of a model on the hub.
        device: such as ``cpu`` or ``cuda:1``; ``auto`` for a GPU if one is present.
        dtype: torch dtype of the weights; ``auto`` for the one in the file.

    Raises:
        AnswerFault: permanent `INFRASTRUCTURE`, if the model cannot be loaded.
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
        """Apply the chat template to a conversation, up to the model's reply.

        Raises:
            ValueError: the chat template rejects the conversation; the message is the template's.
        """
        from jinja2 import TemplateError

        try:
            text = self._processor.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True)
        except TemplateError as error:
            raise ValueError(str(error)) from error
        return str(text)

    def generate(self, prompts: Sequence[Conversation], max_new_tokens: int, temperature: float) -> list[Generated]:
        """Answer several prompts, in one batch with pictures and one without.

        Args:
            prompts: the prompts.
            max_new_tokens: maximum length of an answer, at least 1.
            temperature: sampling temperature, at least 0; 0 selects the likeliest token.

        Raises:
            AnswerFault: `INFRASTRUCTURE`, if memory runs out.
        """
        answers: dict[int, Generated] = {}
        for pictured in (True, False):
            places = [place for place, prompt in enumerate(prompts) if bool(prompt.images) is pictured]
            if places:
                given = self._generate([prompts[place] for place in places], max_new_tokens, temperature)
                answers |= zip(places, given, strict=True)
        return [answers[place] for place in range(len(prompts))]

    def _generate(self, prompts: Sequence[Conversation], max_new_tokens: int, temperature: float) -> list[Generated]:
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
            message = "out of memory: lower --batch-size or --history-images, or use another dtype"
            raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message) from error
        width = batch["input_ids"].shape[1]
        lengths = batch["attention_mask"].sum(dim=1).tolist()
        rows = tokens[:, width:].tolist()
        return [self._read(row, length, max_new_tokens) for row, length in zip(rows, lengths, strict=True)]

    def _read(self, tokens: list[int], prompt_tokens: int, max_new_tokens: int) -> Generated:
        """Decode one answer, up to its end token."""
        given = self._model.generation_config.eos_token_id
        ends = set(given) if isinstance(given, list) else {given}
        end = next((place for place, token in enumerate(tokens) if token in ends), None)
        said = tokens if end is None else tokens[: end + 1]
        text = self._processor.decode(said, skip_special_tokens=True)
        return Generated(str(text), prompt_tokens, len(said), end is None and len(tokens) >= max_new_tokens)


class _GumbelNoise:
    """Samples each row with its own seed, independently of the rest of the batch, by the Gumbel-max trick.

    The largest of ``score / temperature + noise``, with standard Gumbel noise, is a draw from the softmax of the scores
    (Gumbel, Statistical Theory of Extreme Values, 1954; Maddison et al., A* Sampling, 2014).
    """

    def __init__(self, temperature: float, seeds: Sequence[int | None]) -> None:
        import torch

        self._temperature = temperature
        self._generators = [torch.Generator() for _ in seeds]
        for generator, seed in zip(self._generators, seeds, strict=True):
            generator.seed() if seed is None else generator.manual_seed(seed)

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Add noise to the scores of each row's next token."""
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
    message = f"cannot load the model '{name}': {reason}; expected a folder, or the name on the hub, of a vision model"
    return AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, permanent=True)
