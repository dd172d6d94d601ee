"""``multinet runs render``: an animation of what a model did."""

from pathlib import Path

import pytest
from PIL import Image, ImageSequence

from support.commands import run


def animated(path: Path) -> tuple[int, tuple[int, int]]:
    """How long an animation takes, in milliseconds, and its size."""
    with Image.open(path) as picture:
        return sum(frame.info["duration"] for frame in ImageSequence.Iterator(picture)), picture.size


@pytest.mark.parametrize("name", ["episode.gif", "episode.WEBP"])
def test_each_step_is_shown_for_as_long_as_it_is_said(name: str, walked: Path, tmp_path: Path) -> None:
    finished = run("multinet", "runs", "render", walked, "2", "-o", tmp_path / name, "--milliseconds", "100")
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")
    if name.endswith("gif"):
        assert animated(tmp_path / name) == (500, (56, 24))  # the start and four steps; seven by three cells
    with Image.open(tmp_path / name) as picture:
        assert picture.n_frames == 5


def test_drawing_needs_no_model_and_takes_other_tile_sizes(walked: Path, tmp_path: Path) -> None:
    output = tmp_path / "episode.gif"
    assert run("multinet", "runs", "render", walked, "0", "-o", output, "-B", "tile_size=16").returncode == 0
    assert animated(output) == (750, (80, 48))
