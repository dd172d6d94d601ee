"""``multinet runs render``: an animation of what a model did."""

from pathlib import Path

import pytest
from PIL import Image, ImageSequence

from support.programs import assert_refused, run


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


def test_wrong_calls_are_refused(walked: Path, tmp_path: Path) -> None:
    (tmp_path / "folder.gif").mkdir()
    for arguments, told in (
        ([walked, "3", "-o", "x.gif"], "no episode 3: expected a number from 0 to 2"),
        ([walked, "0", "-o", "x.png"], "expected a name ending in .gif or .webp, got x.png"),
        ([walked, "0", "-o", tmp_path / "nowhere" / "x.gif"], "does not exist"),
        ([walked, "0", "-o", tmp_path / "folder.gif"], "is a folder, expected a file name"),
        ([walked, "0", "-o", "x.gif", "-B", "tile_sise=8"], "tile_sise"),
        ([tmp_path, "0", "-o", "x.gif"], "is not a recorded run"),
    ):
        assert_refused(run("multinet", "runs", "render", *arguments, cwd=tmp_path), told)
