"""The figures that the repository keeps and that follow from its code and measurements.

``nox -s figures`` makes them and the tables (`texts`) anew. The site is not built while one of them is out of date.
Pictures of the report page need a browser and have their own program (`browser_pictures`).
"""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from pictures import all_pictures
from PIL import Image, ImageChops, ImageSequence, ImageStat
from speed_charts import speed_charts
from texts import kept, outdated_texts, write

__all__ = ["outdated_figures"]

MOST_DIFFERENCE = 4
"""Of the mean of pixels, 0 to 255: other versions of Pillow smooth edges in another way."""


def outdated_figures() -> dict[str, bytes]:
    """Paths below ``docs/`` of kept pictures that look different from those that the code draws now."""
    charts = {f"pictures/{name}.svg": chart.encode("utf-8") for name, chart in speed_charts()}
    drawn = {**all_pictures(), **charts}
    return {path: content for path, content in drawn.items() if not _is_current(path, content)}


def _is_current(path: str, content: bytes) -> bool:
    before = kept(path)
    if before is None or before == content or Path(path).suffix in (".svg", ".md"):
        return before == content
    old, new = list(_frames(before)), list(_frames(content))
    return len(old) == len(new) and all(map(_are_alike, old, new))


def _frames(content: bytes) -> Iterator[Image.Image]:
    with Image.open(BytesIO(content)) as picture:
        yield from (frame.convert("RGB") for frame in ImageSequence.Iterator(picture))


def _are_alike(one: Image.Image, other: Image.Image) -> bool:
    difference = ImageStat.Stat(ImageChops.difference(one, other)).mean if one.size == other.size else [255.0]
    return max(difference) <= MOST_DIFFERENCE


if __name__ == "__main__":
    write(outdated_texts() | outdated_figures())
