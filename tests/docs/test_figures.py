"""The figures and tables of the documentation are in the repository, small, shown and up to date."""

import re
from pathlib import Path

import pytest
from PIL import Image

REPOSITORY = Path(__file__).parents[2]
DOCS = REPOSITORY / "docs"
PICTURES = sorted((DOCS / "pictures").iterdir())
STILL, ANIMATED, TOGETHER = 60_000, 300_000, 2_000_000
"""The most bytes of a picture, and of all pictures."""


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_a_picture_is_small_and_shown(path: Path) -> None:
    moves = False
    if path.suffix != ".svg":
        with Image.open(path) as picture:
            moves = getattr(picture, "n_frames", 1) > 1  # Pillow has this only for formats that can move
    assert path.stat().st_size < (ANIMATED if moves else STILL)
    pages = [REPOSITORY / "README.md", *DOCS.rglob("*.md")]
    assert any(f"pictures/{path.name})" in page.read_text(encoding="utf-8") for page in pages)


def test_all_pictures_together_are_small() -> None:
    assert sum(path.stat().st_size for path in PICTURES) < TOGETHER


def test_the_readme_shows_a_moving_picture_on_its_first_screen() -> None:
    first = (REPOSITORY / "README.md").read_text(encoding="utf-8").splitlines()[:20]
    assert any(re.search(r"!\[.*\]\(docs/pictures/.*\.(webp|gif)\)", line) for line in first)


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the modules of docs/hooks importable."""
    monkeypatch.syspath_prepend(str(DOCS / "hooks"))


@pytest.mark.usefixtures("hooks")
def test_tables_and_references_are_those_that_the_code_makes() -> None:
    from texts import outdated_texts

    assert sorted(outdated_texts()) == [], "run: python docs/hooks/texts.py"


@pytest.mark.usefixtures("hooks")
def test_diagrams_of_tilings_are_those_that_the_code_draws() -> None:
    from pictures import made_diagrams

    for name, diagram in made_diagrams():
        kept = (DOCS / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
        assert kept == diagram, "run: nox -s figures"
