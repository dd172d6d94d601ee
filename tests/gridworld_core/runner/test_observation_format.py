"""What ``--observation`` can ask for."""

import pytest

from gridworld.errors import ArgumentError, PluginFault, UnknownNameError
from gridworld.hookspecs import ObservationInfo
from gridworld.plugins import Provided, get_registry, using_registry
from gridworld.runner.presentation import ObservationFormat, check_installed, write_texts
from gridworld.text import text_view
from support.worlds import begin, corridor, key


@pytest.mark.parametrize(
    ("text", "image", "texts"),
    [
        ("image", True, ()),
        ("none", False, ()),
        ("text", False, ("text",)),
        ("image+text", True, ("text",)),
        ("sentences+map", False, ("sentences", "map")),
        ("image+my-package/haiku", True, ("my-package/haiku",)),
    ],
)
def test_it_is_read_and_written(text: str, image: bool, texts: tuple[str, ...]) -> None:
    read = ObservationFormat.parse(text)
    assert (read.image, read.texts) == (image, texts)
    assert str(read) == text


def test_picture_is_first_and_texts_keep_their_order() -> None:
    assert str(ObservationFormat.parse("sentences+image+map")) == "image+sentences+map"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "'' is no name"),
        ("image+", "'' is no name"),
        ("map+map", "'map' is given twice"),
        ("image+image", "'image' is given twice"),
        ("map+none", "'none' stands alone"),
    ],
)
def test_what_means_nothing_is_refused(text: str, wrong: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        ObservationFormat.parse(text)
    assert wrong in str(caught.value)


@pytest.mark.parametrize(("name", "hint"), [("imgae", "image"), ("sentence", "sentences"), ("non", "none")])
def test_an_unknown_name_is_refused_with_the_nearest(name: str, hint: str) -> None:
    with pytest.raises(UnknownNameError, match=rf"unknown observation '{name}' \(did you mean '{hint}'\?\)"):
        check_installed(ObservationFormat.parse(f"text+{name}"))


def test_one_of_a_plugin_that_is_missing_can_be_read() -> None:
    assert ObservationFormat.parse("haiku").texts == ("haiku",)


def test_texts_stand_one_below_the_other() -> None:
    episode = begin(corridor("@k.G", k=key()))
    both = write_texts(ObservationFormat.parse("map+sentences"), episode, "now")
    assert both == str(text_view(episode)) == write_texts(ObservationFormat.parse("text"), episode, "now")
    for nothing in ("image", "none"):
        assert write_texts(ObservationFormat.parse(nothing), episode, "now") is None


def failing(episode: object) -> str:
    raise KeyError("seventeen syllables")


def test_a_format_that_fails_is_named() -> None:
    haiku = Provided(ObservationInfo("haiku", "Three lines.", f"{__name__}:failing"), "my-package", "poems")
    registry = get_registry()
    with (
        using_registry(registry.with_provided("observation", [haiku])),
        pytest.raises(PluginFault, match=r"observation 'haiku' \(my-package/poems\) failed in .*seventeen syllables"),
    ):
        write_texts(ObservationFormat.parse("haiku"), begin(corridor("@.G")), "before step 1")
