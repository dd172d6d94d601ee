"""Questions as files, to be sent by hand: a text that can be pasted as it is, and the pictures to attach."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from gridworld.model_interface import PromptImage, PromptText
from gridworld.support.files import write_bytes, write_text
from gridworld.support.png import encode_png
from gridworld.support.wording import make_visible
from multinet_adapters.speakers import by_speaker

__all__ = ["write_packet"]


def write_packet(path: Path, parts: Sequence[PromptText | PromptImage]) -> list[Path]:
    """Write a prompt, its text last, so that its presence means that all is there.

    Pictures are numbered from 1 in the order of the prompt; the text says which is which.

    Args:
        path: of the text; the pictures are beside it, as ``NAME.picture_1.png`` and so on.
        parts: the prompt.

    Returns:
        The text and the pictures, in order.

    Raises:
        OSError: something cannot be written.
    """
    images = [part for part in parts if isinstance(part, PromptImage)]
    pictures = [path.with_name(f"{path.stem}.picture_{number}.png") for number in range(1, len(images) + 1)]
    for picture, part in zip(pictures, images, strict=True):
        write_bytes(picture, encode_png(part.image))
    write_text(path, make_visible("\n\n".join(_paragraphs(parts))) + "\n")
    return [path, *pictures]


def _paragraphs(parts: Iterable[PromptText | PromptImage]) -> Iterable[str]:
    number = 0
    for speaker, said in by_speaker(parts):
        if speaker == "assistant":
            yield "You answered:"
        for part in said:
            if isinstance(part, PromptText):
                yield part.text
            else:
                number += 1
                yield f"[Picture {number}: {part.label}]"
