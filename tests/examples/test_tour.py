"""Tours: the goal remembers which cells have been visited, in order or not, and may ask to come back."""

import json
from typing import Any

import pytest

from gridworld.backends.thing_glyphs import mark_glyph
from gridworld.errors import InvalidTaskError, TaskFormatError
from gridworld.solver import solve
from gridworld.task_spec import Position, TaskSpecification
from gridworld.text import text_view
from gridworld.world import Episode
from gridworld.world.digest import digest
from gridworld.world.knowledge import shown_differently
from support.plugins import on_every_tiling, win
from support.tilings import compiled_on
from support.worlds import begin, corridor, draw, play, teleporter


def tour(*waypoints: tuple[int, int], **fields: bool) -> dict[str, Any]:
    return {"type": "tour", "waypoints": [list(place) for place in waypoints], **fields}


CORNERS = ((1, 1), (5, 1), (1, 3), (5, 3))
ROOM = "#######\n#.....#\n#..@..#\n#....G#\n#######"


@on_every_tiling
def test_all_corners_are_visited_and_the_solver_knows_the_shortest_round(tiling: str) -> None:
    task = draw(ROOM, goal=tour(*CORNERS))
    episode = win(compiled_on(tiling, task))
    assert sorted(episode.state.memory) == sorted(CORNERS)
    back = win(compiled_on(tiling, draw(ROOM, goal=tour(*CORNERS, come_back=True))))
    assert back.world.topology.lattice[back.state.cell] == (3, 2)
    assert back.state.steps > episode.state.steps


@on_every_tiling
def test_a_visited_waypoint_is_told_and_shown_differently(tiling: str) -> None:
    episode = Episode(compiled_on(tiling, draw(ROOM, goal=tour(*CORNERS))))
    episode.reset()
    start, first = episode.snapshot, str(text_view(episode))
    corner = episode.world.topology.anchor(Position(*CORNERS[0]))
    for action in solve(episode.world, until=lambda state: state.cell == corner).plan or ():
        episode.step(action)
    look = episode.look(corner)
    assert look is not None
    assert look.mark is not None
    assert look.mark.visited
    assert corner in shown_differently(episode.world, start, episode.snapshot)
    assert "visited target" in str(text_view(episode))
    assert "visited target" not in first
    assert mark_glyph(look.mark) != mark_glyph(look.mark._replace(visited=False))
    episode.restore(start)
    assert str(text_view(episode)) == first


def test_in_order_a_waypoint_counts_only_after_those_before_it() -> None:
    episode = begin(corridor("..@.G", goal=tour((4, 1), (2, 1), in_order=True)))
    play(episode, "LL F")
    assert episode.state.memory == ()
    play(episode, "RR FF")
    assert episode.state.memory == ((4, 1),)
    play(episode, "LL F F")
    assert episode.succeeded


def test_in_any_order_it_does_not_matter_how_they_are_listed() -> None:
    for letters in ("F LL FF", "LL F RR FF"):
        digests = []
        for places in (((4, 1), (2, 1)), ((2, 1), (4, 1))):
            episode = begin(corridor("..@.G", goal=tour(*places)))
            play(episode, letters)
            assert episode.succeeded
            digests.append((digest(episode.world, episode.snapshot), episode.world.goal_type.mission(episode.world)))
        assert digests[0] == digests[1]


def test_the_start_counts_as_visited_but_not_before_its_turn() -> None:
    task = corridor("@.G", goal=tour((1, 1), (3, 1)))
    assert begin(task).state.memory == ((1, 1),)
    assert play(begin(task), "FF").goal_reached
    second = begin(corridor("@.G", goal=tour((3, 1), (1, 1), in_order=True)))
    assert second.state.memory == ()
    assert play(second, "FF LL FF").goal_reached


def test_the_exit_of_a_teleporter_and_its_entrance_are_visited() -> None:
    episode = begin(corridor("@a#b.G", ab=teleporter(), goal=tour((2, 1), (4, 1))))
    assert play(episode, "F").goal_reached


def test_the_memory_is_part_of_the_snapshot_and_of_the_digest_and_json_can_hold_it() -> None:
    episode = begin(corridor(".@.G", goal=tour((1, 1), (4, 1))))
    start = episode.snapshot
    play(episode, "LL F RR F")
    after = episode.snapshot
    assert after.state.memory == ((1, 1),)
    assert json.loads(json.dumps(after.state.memory)) == [[1, 1]]
    forgetful = after._replace(state=after.state.remembering(()))
    assert digest(episode.world, after) != digest(episode.world, forgetful)
    episode.restore(start)
    assert episode.state.memory == ()
    play(episode, "FF")
    assert not episode.terminated
    episode.restore(after)
    play(episode, "FF")
    assert episode.succeeded


@pytest.mark.parametrize(
    ("goal", "problem"),
    [
        (tour(), "goal.waypoints: names no cell to visit"),
        (tour((9, 9)), "goal.waypoints[0]: [9, 9] is a wall or outside the maze"),
        (tour((3, 1), (0, 0)), "goal.waypoints[1]: [0, 0] is a wall or outside the maze"),
        (tour((3, 1), (3, 1)), "goal.waypoints[1]: [3, 1] is named twice"),
    ],
)
def test_a_tour_that_cannot_be_is_refused(goal: dict[str, Any], problem: str) -> None:
    assert corridor("@.G", goal=goal).validate() == (False, [problem])


def test_a_tour_that_is_over_at_the_start_is_refused() -> None:
    with pytest.raises(InvalidTaskError, match="already reached at the start"):
        begin(corridor("@.G", goal=tour((1, 1))))


def test_the_mission_names_the_cells_in_words() -> None:
    goal = tour((21, 1), (112, 1), in_order=True, come_back=True)
    task = draw("#" * 130 + "\n#@" + "." * 126 + "G#\n" + "#" * 130, goal=goal)
    assert begin(task).world.goal_type.mission(begin(task).world) == (
        "visit column twenty one row one, column one hundred twelve row one, in this order, and come back to the start"
    )


def test_an_unknown_field_is_refused_with_the_nearest() -> None:
    with pytest.raises(TaskFormatError, match="waypoints"):
        corridor("@.G", goal={"type": "tour", "way_points": [[1, 1]]})


DETOUR = """
    #######
    #@....#
    #.##..#
    #.#G..#
    #######
"""


@on_every_tiling
def test_the_solver_finds_a_tour_and_it_is_in_order(tiling: str) -> None:
    places = ((5, 1), (1, 3), (5, 2))
    task = draw(DETOUR, goal=tour(*places, in_order=True))
    assert order_of_visits(compiled_on(tiling, task).task, tiling) == list(places)


def order_of_visits(task: TaskSpecification, tiling: str) -> list[tuple[int, int]]:
    """The waypoints as they come to be visited in the solver's plan."""
    episode = Episode(compiled_on(tiling, task))
    episode.reset()
    plan = solve(episode.world).plan
    assert plan is not None
    visited: list[tuple[int, int]] = []
    for action in plan:
        episode.step(action)
        visited += episode.state.memory[len(visited) :]
    return visited
