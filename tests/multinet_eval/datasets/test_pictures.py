"""Animations show each picture for as long as it was there, in files that a GIF can be."""

from pathlib import Path

import pytest
from PIL import Image, ImageSequence
from PIL.Image import Image as Picture

from gridworld.errors import ArgumentError
from multinet_eval.datasets import pictures
from multinet_eval.datasets.pictures import LONGEST, save_animation

RED, BLUE = (255, 0, 0), (0, 0, 255)


def plain(color: tuple[int, int, int]) -> Picture:
    return Image.new("RGB", (80, 60), color)


def shown(path: Path) -> list[tuple[tuple[int, ...], int]]:
    """The colour of each picture of an animation, and for how many milliseconds it is shown."""
    found = []
    with Image.open(path) as animation:
        for frame in ImageSequence.Iterator(animation):
            color = frame.convert("RGB").getpixel((5, 5))
            assert isinstance(color, tuple)
            found.append((color, frame.info["duration"]))
    return found


def test_pictures_that_are_alike_are_one_that_is_shown_for_as_long(tmp_path: Path) -> None:
    colors = [RED, RED, BLUE, RED, RED, RED]
    assert save_animation(map(plain, colors), tmp_path / "a.gif", 100) == len(colors)
    assert shown(tmp_path / "a.gif") == [(RED, 200), (BLUE, 100), (RED, 300)]


def test_no_picture_is_shown_for_longer_than_a_gif_can(tmp_path: Path) -> None:
    colors = [RED, *[BLUE] * 20]
    assert save_animation(map(plain, colors), tmp_path / "a.gif", 60_000) == len(colors)
    assert shown(tmp_path / "a.gif") == [(RED, 60_000), (BLUE, LONGEST)]


def test_one_picture_for_a_long_time_takes_no_more_memory_than_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MOST_BYTES", 3 * 80 * 60)
    assert save_animation((plain(RED) for _ in range(3000)), tmp_path / "a.webp", 250) == 3000


def test_too_many_different_pictures_are_refused_before_more_are_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MOST_BYTES", 3 * 80 * 60 * 4)
    drawn = iter([RED, BLUE] * 10)
    with pytest.raises(ArgumentError, match=r"5 different pictures of 80 x 60 pixels .* 'multinet report'"):
        save_animation(map(plain, drawn), tmp_path / "a.gif", 100)
    assert len(list(drawn)) == 15
    assert not (tmp_path / "a.gif").exists()
