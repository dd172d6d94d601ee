"""The parts of a prompt as they are printed, and their pictures as files."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multinet_eval.support.output import writing_to

if TYPE_CHECKING:
    from gridworld.model_interface import PromptImage, PromptText

__all__ = ["describe_part", "part_text", "save_pictures"]

LINES = {"text": "--- {role} ---\n{text}", "image": "[image {width}x{height}: {label}]"}
"""Kind of a part to how it is shown."""


def describe_part(part: PromptText | PromptImage) -> dict[str, Any]:
    """A part, JSON-ready; of a picture its size in pixels, and a digest of what it shows."""
    from gridworld.model_interface import PromptImage

    if isinstance(part, PromptImage):
        height, width, _ = part.image.shape
        digest = blake2b(part.image.tobytes(), digest_size=4).hexdigest()
        return {"kind": "image", "label": part.label, "width": width, "height": height, "digest": digest}
    return {"kind": "text", "role": part.role, "text": part.text}


def part_text(described: dict[str, Any]) -> str:
    """A part as it is printed."""
    return LINES[described["kind"]].format(**described)


def save_pictures(prompt: Iterable[PromptText | PromptImage], parts: Iterable[dict[str, Any]], folder: Path) -> None:
    """Write the pictures as PNG files, and add to the description of each the ``file`` that it is in.

    Raises:
        GridworldError: the folder cannot be written.
    """
    from gridworld.model_interface import PromptImage
    from gridworld.support.files import write_bytes
    from gridworld.support.png import encode_png

    with writing_to(f"the pictures into {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        for number, (part, described) in enumerate(zip(prompt, parts, strict=True), start=1):
            if isinstance(part, PromptImage):
                file = folder / f"part_{number:02d}.png"
                write_bytes(file, encode_png(part.image))
                described["file"] = str(file)
