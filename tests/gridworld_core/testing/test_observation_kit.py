"""The kit for formats of observations passes sound ones, and each of its checks catches a broken one."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from gridworld.hookspecs import ObservationInfo
from gridworld.testing import ObservationConformance
from gridworld.text import full_text
from gridworld.world import Episode
from support.sample_plugins import assert_caught, assert_conforms, assert_has_broken_ones


def test_one_may_be_named_by_its_import_string() -> None:
    assert_conforms(ObservationConformance, observation="gridworld.text:full_text")


calls = itertools.count()


def playing(episode: Episode) -> str:
    episode.step(0)
    return "played"


ONE_TEXT = "a_moment_has_one_text_and_stays_as_it_was"
UNSEEN = "it_tells_nothing_of_what_has_not_been_seen"

BROKEN: list[tuple[str, Callable[[Episode], Any]]] = [
    (ONE_TEXT, lambda episode: f"{full_text(episode)} {next(calls)}"),
    (ONE_TEXT, playing),
    (ONE_TEXT, lambda episode: None),
    (ONE_TEXT, lambda episode: {}["heading"]),
    (UNSEEN, lambda episode: str(len(episode.world.entities))),
    (UNSEEN, lambda episode: str(episode.state.places)),
    (UNSEEN, lambda episode: str(episode.world.task.maze.goal)),
    ("it_tells_nothing_of_what_is_hidden", lambda episode: str(sorted(episode.world.by_id))),
]


@pytest.mark.parametrize(("check", "observation"), BROKEN)
def test_a_broken_format_is_caught(check: str, observation: Callable[[Episode], Any]) -> None:
    assert_caught(ObservationConformance, check, observation=staticmethod(observation))


@pytest.mark.parametrize("name", ["image", "none", "map+more"])
def test_a_name_that_cannot_be_given_is_caught(name: str) -> None:
    info = ObservationInfo(name, "What is shown.", "gridworld.text:full_text")
    assert_caught(ObservationConformance, "its_name_can_be_given", observation=info)


def test_every_check_has_a_broken_format() -> None:
    assert_has_broken_ones(ObservationConformance, ["its_name_can_be_given", *(check for check, _ in BROKEN)])
