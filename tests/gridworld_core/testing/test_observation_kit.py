"""The kit for formats of observations passes sound ones and says what is wrong with others."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from gridworld.hookspecs import ObservationInfo
from gridworld.plugins import get_registry
from gridworld.testing import ObservationConformance
from gridworld.testing.conformance import run_checks
from gridworld.text import full_text
from gridworld.world import Episode

OWN = ("coordinates", "map", "sentences", "text")


def verdict_of(observation: Any, check: str) -> tuple[str, str]:
    """The verdict of a check, and what is wrong."""
    kit = type("Kit", (ObservationConformance,), {"observation": staticmethod(observation)})
    (result,) = run_checks(kit, [f"test_{check}"])
    return result.verdict, result.wrong


@pytest.mark.parametrize("name", OWN)
def test_our_own_conform(name: str) -> None:
    kit = type("Kit", (ObservationConformance,), {"observation": name})
    assert [result for result in run_checks(kit) if result.verdict != "passed"] == []


def test_our_own_are_all_that_the_core_provides() -> None:
    catalog = get_registry().observations
    assert sorted(each.item.name for each in catalog if each.distribution == "gridworld-core") == list(OWN)


def test_one_may_be_named_by_its_import_string() -> None:
    kit = type("Kit", (ObservationConformance,), {"observation": "gridworld.text:full_text"})
    assert {result.verdict for result in run_checks(kit, ["test_it_changes_nothing"])} == {"passed"}


def counting() -> Callable[[Episode], str]:
    calls = itertools.count()
    return lambda episode: f"{full_text(episode)} {next(calls)}"


def playing(episode: Episode) -> str:
    episode.step(0)
    return "played"


def silent(episode: Episode) -> Any:
    return None


def failing(episode: Episode) -> str:
    raise KeyError("heading")


TELLING_TOO_MUCH: dict[str, Callable[[Episode], str]] = {
    "counts things": lambda episode: str(len(episode.world.entities)),
    "lists positions": lambda episode: str(episode.state.places),
    "reads the task": lambda episode: str(episode.world.task.mechanisms),
}


@pytest.mark.parametrize("name", TELLING_TOO_MUCH)
def test_one_that_tells_of_what_is_not_seen_is_caught(name: str) -> None:
    verdict, wrong = verdict_of(TELLING_TOO_MUCH[name], "it_tells_nothing_of_what_has_not_been_seen")
    assert verdict == "failed"
    assert "its text depends on what is on cells that have never been in view" in wrong


def test_one_that_tells_where_a_goal_out_of_sight_is_is_caught() -> None:
    verdict, wrong = verdict_of(
        lambda episode: str(episode.world.task.maze.goal), "it_tells_nothing_of_a_goal_that_has_not_been_seen"
    )
    assert (verdict, "depends on where the goal is" in wrong) == ("failed", True)


def test_one_that_tells_of_what_is_hidden_is_caught() -> None:
    verdict, wrong = verdict_of(lambda episode: str(sorted(episode.world.by_id)), "it_tells_nothing_of_what_is_hidden")
    assert (verdict, "depends on what is hidden" in wrong) == ("failed", True)


@pytest.mark.parametrize(
    ("observation", "check", "wrong"),
    [
        (counting(), "a_moment_has_one_text", "has another text when it is asked for again"),
        (playing, "it_changes_nothing", "it plays on in the episode"),
        (silent, "it_changes_nothing", "it gives None"),
        (failing, "it_changes_nothing", "raised KeyError"),
    ],
    ids=["state", "plays", "no text", "raises"],
)
def test_one_that_is_no_function_of_the_moment_is_caught(observation: Any, check: str, wrong: str) -> None:
    verdict, told = verdict_of(observation, check)
    assert verdict == "failed"
    assert wrong in told


@pytest.mark.parametrize("name", ["image", "none", "map+more"])
def test_a_name_that_cannot_be_given_is_caught(name: str) -> None:
    info = ObservationInfo(name, "What is shown.", "gridworld.text:full_text")
    kit = type("Kit", (ObservationConformance,), {"observation": info})
    (result,) = run_checks(kit, ["test_its_name_can_be_given"])
    assert (result.verdict, f"'{name}'" in result.wrong) == ("failed", True)
