"""Tours: waypoints remember in their order that they have been visited, and the goal asks for all of them."""

from typing import Any

import pytest

from example_plugins import on_every_tiling, win, world_on
from gridworld.backends.grid_state import full_grid_state
from gridworld.errors import TaskFormatError
from gridworld.solver import Verdict, solve
from gridworld.task_spec import TaskSpecification
from gridworld.text import text_view
from gridworld.world import Episode
from gridworld.world.events import Changed, Succeeded
from worlds import Thing, begin, corridor, door, draw, play

TOUR = {"type": "visit_in_order"}


def waypoint(number: Any) -> Thing:
    return Thing("waypoints", {"number": number})


def visited(episode: Episode) -> set[str]:
    states = full_grid_state(episode.world, episode.snapshot).mechanism_states["waypoints"]
    return {name for name, value in states.items() if value == "visited"}


def test_waypoints_count_in_the_order_of_their_numbers() -> None:
    episode = begin(corridor("b@aG", goal=TOUR, a=waypoint(1), b=waypoint(2)))
    assert visited(episode) == set()
    play(episode, "LL F")
    assert visited(episode) == set()
    play(episode, "RR FF")
    assert visited(episode) == {"a"}
    play(episode, "LL F F")
    assert visited(episode) == {"a", "b"}
    assert episode.succeeded


def test_that_one_is_visited_is_told_once() -> None:
    episode = begin(corridor("@a.bG", goal=TOUR, a=waypoint(1), b=waypoint(2)))
    cells = episode.world.by_id["a"].cells
    assert Changed("a", cells, "visited") in episode.step(2)
    play(episode, "F LL")
    assert not [event for event in episode.step(2) if isinstance(event, Changed)]


def test_waypoints_of_one_number_may_be_visited_in_any_order() -> None:
    task = corridor("b@aG", goal=TOUR, a=waypoint(1), b=waypoint(1))
    for letters in ("F LL FF", "LL F RR FF"):
        episode = begin(task)
        play(episode, letters)
        assert episode.succeeded


def test_the_last_visit_ends_the_episode_and_the_goal_cell_means_nothing() -> None:
    episode = begin(corridor("@aGb", goal=TOUR, a=waypoint(1), b=waypoint(2)))
    play(episode, "FF")
    assert not episode.terminated
    assert episode.step(2)[-1] == Succeeded()


def test_a_tour_without_waypoints_is_refused() -> None:
    assert corridor("@.G", goal=TOUR).validate() == (False, ["goal.type: the task has no waypoints to visit"])


@pytest.mark.parametrize("number", [0, 10, "1", None])
def test_a_number_without_a_picture_is_refused(number: Any) -> None:
    with pytest.raises(TaskFormatError, match=r"mechanisms\.waypoints\[0\]\.number"):
        corridor("@aG", goal=TOUR, a=waypoint(number))


def test_the_text_view_tells_which_is_next() -> None:
    episode = begin(corridor("@a.bG", goal=TOUR, a=waypoint(1), b=waypoint(2)))
    play(episode, "FF")
    text = str(text_view(episode))
    assert "A visited number-1 waypoint: 1 behind." in text
    assert "An unvisited number-2 waypoint: 1 ahead." in text


ROUND = """
    #######
    #@..a.#
    #.##.c#
    #b#G..#
    #######
"""


@on_every_tiling
def test_the_solver_finds_a_tour_and_it_is_in_order(tiling: str) -> None:
    task = draw(ROUND, goal=TOUR, a=waypoint(1), b=waypoint(2), c=waypoint(3))
    episode = win(world_on(tiling, task))
    assert visited(episode) == {"a", "b", "c"}
    assert order_of_visits(task, tiling) == ["a", "b", "c"]


def order_of_visits(task: TaskSpecification, tiling: str) -> list[str]:
    """The waypoints as they come to be visited in the solver's plan."""
    world = world_on(tiling, task)
    episode = Episode(world)
    episode.reset()
    plan = solve(world).plan
    assert plan is not None
    events = [event for action in plan for event in episode.step(action)]
    return [event.entity for event in events if isinstance(event, Changed)]


@on_every_tiling
def test_the_solver_knows_when_a_waypoint_cannot_be_visited(tiling: str) -> None:
    task = draw("######\n#@.a##\n######\n#b..G#\n######", goal=TOUR, a=waypoint(1), b=waypoint(2))
    assert solve(world_on(tiling, task)).verdict == Verdict.UNSOLVABLE


@on_every_tiling
def test_a_tour_goes_through_doors(tiling: str) -> None:
    task = corridor("@aDb.G", goal=TOUR, a=waypoint(1), b=waypoint(2), D=door(initial_state="closed"))
    assert visited(win(world_on(tiling, task))) == {"a", "b"}
