"""Whose the parts of a prompt are: what one speaker says in a row is one message."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

import attrs

from gridworld.model_interface import PromptImage, PromptText

__all__ = ["by_picture", "by_speaker", "speaker_of", "text_of", "without_system"]


def speaker_of(part: PromptText | PromptImage) -> str:
    """``system``, ``user`` or ``assistant``; pictures are the user's."""
    return part.role if isinstance(part, PromptText) else "user"


def by_speaker(parts: Iterable[PromptText | PromptImage]) -> list[tuple[str, list[PromptText | PromptImage]]]:
    """Each speaker in turn, with all that it says before another one speaks."""
    return [(speaker, list(said)) for speaker, said in groupby(parts, speaker_of)]


def by_picture(parts: Iterable[PromptText | PromptImage]) -> list[list[PromptText | PromptImage]]:
    """The parts in pieces, each but perhaps the first a picture with the texts after it."""
    pieces: list[list[PromptText | PromptImage]] = []
    for part in parts:
        if isinstance(part, PromptImage) or not pieces:
            pieces.append([])
        pieces[-1].append(part)
    return pieces


def without_system(parts: Iterable[PromptText | PromptImage]) -> list[PromptText | PromptImage]:
    """The same parts, those of the system said by the user."""
    return [
        attrs.evolve(part, role="user") if isinstance(part, PromptText) and part.role == "system" else part
        for part in parts
    ]


def text_of(parts: Iterable[PromptText | PromptImage]) -> str:
    """The texts as paragraphs; pictures are left out."""
    return "\n\n".join(part.text for part in parts if isinstance(part, PromptText))
