"""What can be asked of a backend's pictures, and what a backend says that draws only in its own style."""

from typing import Any

import pytest

from gridworld.backends.kernel import UnseenBackend
from gridworld.backends.pictures import OWN_PICTURES, PictureSettings
from gridworld.errors import ArgumentError
from gridworld.world import square_topology


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"size": 63}, "image_size: expected at least 64 pixels, got 63"),
        ({"style": "letter"}, r"image_style: expected one of own, contrast, letters, got 'letter' \(did you mean"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ArgumentError, match=wrong):
        PictureSettings(**options)


def test_wishes_name_changed_settings() -> None:
    assert list(OWN_PICTURES.wishes()) == []
    asked = PictureSettings(size=224, coordinates=True, style="letters")
    assert list(asked.wishes()) == ["the size 224", "coordinates", "the style 'letters'"]


def test_size_above_max_side_is_refused() -> None:
    OWN_PICTURES.check_size(64)
    PictureSettings(size=64).check_size(64)
    with pytest.raises(ArgumentError, match="image_size: 65 pixels are more than the backend's max_side, 64"):
        PictureSettings(size=65).check_size(64)


def test_backends_support_only_own_pictures_by_default() -> None:
    backend = UnseenBackend(square_topology(3, 3))
    assert not backend.draws_any_size
    backend.set_pictures(OWN_PICTURES)
    with pytest.raises(ArgumentError, match=r"'unseen' draws .* does not support coordinates and the style 'contrast'"):
        backend.set_pictures(PictureSettings(coordinates=True, style="contrast"))
