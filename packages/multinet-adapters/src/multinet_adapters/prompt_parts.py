"""Prompts: the texts and pictures of a model input, in the order in which they are sent."""

from __future__ import annotations

from base64 import b64encode
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from itertools import groupby
from threading import Lock
from typing import TYPE_CHECKING

import attrs

from gridworld.model_interface import ModelInput, PromptImage, PromptText, ReplyForm
from gridworld.support.png import encode_png
from multinet_adapters.answer_format import action_lines, split_reasoning
from multinet_adapters.templates import PromptTemplate

if TYPE_CHECKING:
    import numpy as np


def speaker_of(part: PromptText | PromptImage) -> str:
    """Return ``system``, ``user`` or ``assistant``; pictures belong to the user."""
    return part.role if isinstance(part, PromptText) else "user"


def by_speaker(parts: Iterable[PromptText | PromptImage]) -> list[tuple[str, list[PromptText | PromptImage]]]:
    """Group consecutive parts by the same speaker."""
    return [(speaker, list(said)) for speaker, said in groupby(parts, speaker_of)]


def by_picture(parts: Iterable[PromptText | PromptImage]) -> list[list[PromptText | PromptImage]]:
    """Group the parts so that each group has one picture and the texts after it; the first may lack a picture."""
    pieces: list[list[PromptText | PromptImage]] = []
    for part in parts:
        if isinstance(part, PromptImage) or not pieces:
            pieces.append([])
        pieces[-1].append(part)
    return pieces


def without_system(parts: Iterable[PromptText | PromptImage]) -> list[PromptText | PromptImage]:
    """Return the parts with system texts moved to the user."""
    return [
        attrs.evolve(part, role="user") if isinstance(part, PromptText) and part.role == "system" else part
        for part in parts
    ]


def text_of(parts: Iterable[PromptText | PromptImage]) -> str:
    """Join the texts as paragraphs, ignoring pictures."""
    return "\n\n".join(part.text for part in parts if isinstance(part, PromptText))


MOST = 256
"""Maximum number of encoded pictures in the cache, a few kilobytes each."""

_texts: OrderedDict[bytes, str] = OrderedDict()
_lock = Lock()


def picture_text(image: np.ndarray) -> str:
    """Encode a picture as PNG in base 64.

    Args:
        image: shape (height, width, 3), uint8.
    """
    digest = blake2b(image.tobytes(), salt=str(image.shape[:2]).encode()[:16]).digest()
    with _lock:
        known = _texts.get(digest)
        if known is not None:
            _texts.move_to_end(digest)
            return known
    text = b64encode(encode_png(image)).decode("ascii")
    with _lock:
        _texts[digest] = text
        while len(_texts) > MOST:
            _texts.popitem(last=False)
    return text


DescribeFormat = Callable[[Mapping[int, str], ReplyForm], str]
"""Returns instructions for the answer format."""


def prompt_parts(
    input: ModelInput, template: PromptTemplate, describe_format: DescribeFormat
) -> list[PromptText | PromptImage]:
    """Return the whole prompt, in order.

    It consists of the system text, if any, and the pictures of the explanation; then the pictures, user text and reply
    of each turn of the conversation; then the pictures (oldest first, current last) and the user text of the question.
    """
    system, images, user = _question(input, template, describe_format)
    parts: list[PromptText | PromptImage] = [PromptText("system", system)] if system else []
    parts += _explaining(input)
    for turn in input.turns:
        _, earlier, asked = _question(turn.input, template, describe_format)
        _, words = split_reasoning(turn.reply)
        parts += [*earlier, PromptText("user", asked), PromptText("assistant", words)]
    return [*parts, *images, PromptText("user", user)]


def _question(
    input: ModelInput, template: PromptTemplate, describe_format: DescribeFormat
) -> tuple[str, list[PromptImage], str]:
    """Return the system text, pictures and user text of a single question."""
    images = _labelled(input)
    system, user = template.render(_values(input, len(images), describe_format(input.action_space, input.reply)))
    return system, images, user


EXPLAINED: dict[str, str | None] = {"legend": None, "rules": None, "examples": None}
SHOWN, SEEN = "These pictures belong to the legend and the examples.", "I have seen them."
"""User text and reply of the turn with an explanation's pictures, if these have their own turn."""


def _explaining(input: ModelInput) -> list[PromptText | PromptImage]:
    """Return the explanation's pictures, identical and first in every prompt, which helps caching."""
    explanation = input.explanation
    if explanation is None or not explanation.pictures:
        return []
    tiles = [PromptImage(each.label, each.image) for each in explanation.pictures]
    return [*tiles, PromptText("user", SHOWN), PromptText("assistant", SEEN)] if explanation.apart else [*tiles]


def _labelled(input: ModelInput) -> list[PromptImage]:
    prior = input.prior_images or []
    earlier = [
        PromptImage(f"Observation {ago} step{'s' * (ago > 1)} ago", image)
        for ago, image in zip(range(len(prior), 0, -1), prior, strict=True)
    ]
    return earlier if input.image is None else [*earlier, PromptImage("Current observation", input.image)]


def _attached(input: ModelInput, observed: int) -> str:
    """Describe the number of pictures attached to a question, those of legend and examples first."""
    explanation = input.explanation
    explaining = 0 if explanation is None or explanation.apart else len(explanation.pictures)
    total, last = explaining + observed, "the last one is the current observation"
    if explanation is not None and explaining:
        subjects = " and ".join(f"the {name}" for name in ("legend", "examples") if name in explanation.texts())
        return f"{total} pictures: {explaining} for {subjects}, then {observed} of the maze; {last}"
    return f"{total} pictures of the maze; {last}" if total > 1 else "1 picture of the maze, the current observation"


def _values(input: ModelInput, pictures: int, answer_format: str) -> dict[str, str | None]:
    """Return the values of the template's fields; None for fields without a value."""
    return {
        "mission": input.text_prompt,
        "actions": action_lines(input.action_space),
        "answer_format": answer_format,
        "correction": input.correction or None,
        "history": input.additional_context or None,
        "feedback": input.feedback or None,
        "note": input.note or None,
        "text_observation": input.text_observation or None,
        **EXPLAINED,
        **({} if input.explanation is None else input.explanation.texts()),
        "attached": _attached(input, pictures) if input.image is not None else None,
        "pictures": f"{pictures} picture{'s' * (pictures > 1)}" if pictures and input.image is not None else None,
        "step": str(input.step_number + 1),
        "max_steps": str(input.max_steps),
        "steps_left": str(input.max_steps - input.step_number),
    }
