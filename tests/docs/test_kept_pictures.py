"""The pictures in the repository are small, and each is shown somewhere."""

from pathlib import Path

import pytest
from PIL import Image

REPOSITORY = Path(__file__).parents[2]
PICTURES = sorted((REPOSITORY / "docs" / "pictures").iterdir())
STILL, ANIMATED = 60_000, 300_000
"""The most bytes of a picture."""


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_it_is_small(path: Path) -> None:
    with Image.open(path) as picture:
        moves = getattr(picture, "n_frames", 1) > 1  # Pillow has this only for formats that can move
    assert path.stat().st_size < (ANIMATED if moves else STILL)


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_it_is_shown(path: Path) -> None:
    pages = [REPOSITORY / "README.md", *(REPOSITORY / "docs").rglob("*.md")]
    assert any(f"pictures/{path.name}" in page.read_text(encoding="utf-8") for page in pages)


def test_the_readme_shows_a_moving_picture_on_its_first_screen() -> None:
    first = (REPOSITORY / "README.md").read_text(encoding="utf-8").splitlines()[:20]
    assert any("pictures/five-tilings.webp" in line for line in first)
