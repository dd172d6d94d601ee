"""Which of several routes was taken is told by the last cell of each."""

import attrs
import pytest

from gridworld.errors import InvalidTaskError
from gridworld.task.routes import NEITHER, read_routes, route_taken, with_only
from gridworld.task_spec import Position, TaskSpecification
from support.worlds import draw

ROUTES = {
    "short": {"cells": [[2, 1], [3, 1]], "mechanisms": ["d"]},
    "long": {"cells": [[1, 2], [1, 3], [2, 3], [3, 3], [4, 3], [4, 2]]},
}


def task(routes: object) -> TaskSpecification:
    picture = "######\n#@..G#\n#.##.#\n#....#\n######"
    return attrs.evolve(draw(picture), metadata={"routes": routes})


@pytest.mark.parametrize(
    ("positions", "taken"),
    [
        ([(1, 1), (2, 1), (3, 1), (4, 1)], "short"),
        ([(1, 1), (2, 1), (1, 1), (1, 2), (1, 3), (2, 3), (3, 3), (4, 3), (4, 2), (4, 1)], "long"),
        ([(1, 1), (2, 1), (1, 1), (1, 2)], NEITHER),
        ([(1, 1), (2, 1), (3, 1), (4, 1), (4, 2)], "short"),
        ([], NEITHER),
    ],
    ids=["walked", "turned back from the other one", "entered only", "walked back by the other one", "nowhere"],
)
def test_the_first_that_is_walked_to_its_end_was_taken(positions: list[tuple[int, int]], taken: str) -> None:
    assert route_taken(read_routes(task(ROUTES)), positions) == taken


def test_a_route_is_left_alone_by_walling_up_the_last_cells_of_the_others() -> None:
    walls = with_only(task(ROUTES), "short").maze.wall_cells()
    assert Position(4, 2) in walls
    assert Position(3, 1) not in walls


def test_tasks_without_routes_have_none() -> None:
    assert read_routes(attrs.evolve(task({}), metadata={})) == {}


@pytest.mark.parametrize("wrong", [["a"], {"a": {"cells": []}}, {"a": {"cell": [[1, 1]]}}, {"a": {"cells": [[1]]}}])
def test_routes_that_are_not_well_formed_are_refused(wrong: object) -> None:
    with pytest.raises(InvalidTaskError, match=r"metadata\.routes"):
        read_routes(task(wrong))
