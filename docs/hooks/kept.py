"""The files that the repository keeps of what is made from its code: reading, comparing and writing them."""

import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageChops, ImageSequence

__all__ = ["DOCS", "is_current", "kept", "write"]

DOCS = Path(__file__).parents[1]
BLOCK = 16
"""Side of the blocks in which pictures are compared, in pixels: small enough to show an agent in another cell."""
MOST_DIFFERENCE = 24
"""Of the mean of a block's pixels, 0 to 255: other versions of Pillow smooth edges in another way."""


def kept(path: str) -> bytes | None:
    """The content of a file below ``docs/``, if there is one."""
    return (DOCS / path).read_bytes() if (DOCS / path).exists() else None


def write(made: dict[str, bytes]) -> None:
    """Write files below ``docs/``, and name them."""
    for path, content in made.items():
        sys.stdout.write(f"docs/{path}\n")
        (DOCS / path).parent.mkdir(parents=True, exist_ok=True)
        (DOCS / path).write_bytes(content)


def is_current(path: str, content: bytes) -> bool:
    """Whether a file is kept and is, or for pictures looks like, what is made now."""
    before = kept(path)
    if before is None or before == content or Path(path).suffix in (".svg", ".md"):
        return before == content
    old, new = list(_frames(before)), list(_frames(content))
    return len(old) == len(new) and all(map(_are_alike, old, new))


def _frames(content: bytes) -> Iterator[Image.Image]:
    with Image.open(BytesIO(content)) as picture:
        yield from (frame.convert("RGB") for frame in ImageSequence.Iterator(picture))


def _are_alike(one: Image.Image, other: Image.Image) -> bool:
    if one.size != other.size:
        return False
    blocks = ImageChops.difference(one, other).reduce(BLOCK)
    return max(high for _, high in blocks.getextrema()) <= MOST_DIFFERENCE
