"""What a model is given at each step, as a value, and how older records have it."""

import pytest

from gridworld.errors import ArgumentError
from gridworld.runner.presentation import Presentation, gather_presentation
from gridworld.runner.record import EpisodeHeader


@pytest.mark.parametrize("field", ["history_images", "history_text_window"])
def test_a_negative_number_is_refused(field: str) -> None:
    with pytest.raises(ArgumentError, match=f"{field}: expected at least 0, got -1"):
        Presentation(**{field: -1})


def test_an_unknown_word_is_refused() -> None:
    with pytest.raises(ArgumentError, match="image_style: expected one of own, contrast, letters, got 'letter'"):
        Presentation(image_style="letter")  # type: ignore[arg-type] # what a file may say


def test_pictures_can_be_too_small() -> None:
    with pytest.raises(ArgumentError, match="image_size: expected at least 64 pixels, got 63"):
        Presentation(image_size=63)


def test_an_observation_is_written_in_one_way() -> None:
    assert Presentation("map+image") == Presentation("image+map")


def test_an_older_header_has_the_settings_among_its_own() -> None:
    older = {"task_id": "t", "difficulty_tier": 1, "seed": 0, "max_steps": 5, "observation": "text", "version": 1}
    assert EpisodeHeader.from_dict(older).presentation == Presentation("text", explain="none")
    images = {**older, "history_images": 2}
    assert EpisodeHeader.from_dict(images).presentation == Presentation("text", 2, explain="none")


def test_what_has_no_such_setting_stays_as_it_is() -> None:
    plain = {"model": "random"}
    assert gather_presentation(plain) is plain
