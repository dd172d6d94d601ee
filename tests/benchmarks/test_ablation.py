"""The benchmark that switches off shortcuts of the solver: each can be switched off, and that changes no answer."""

from typing import Any

import pytest

from gridworld.solver import measure_difficulty, solve
from gridworld.world import World
from support.random_tasks import compile_on, random_task
from support.sources import load_benchmark
from support.worlds import block, compiled, corridor, draw

ABLATION, MAZES = load_benchmark("ablation"), load_benchmark("mazes")

FETCHING_AGAIN = 110
"""The seed of a task in which a key has to be put down and fetched again: a plan of the relaxed space does not win."""


@pytest.fixture(scope="module")
def worlds() -> list[World]:
    """A maze with a key, three blocks in a room, a task that takes more than its relaxation, and one to survive."""
    goal = {"type": "push_block_to", "target_ids": ["a", "b", "c"], "target_positions": [[3, 1], [3, 2], [3, 3]]}
    blocks = draw("######\n#@a..#\n#.b..#\n#.c.G#\n######", a=block(), b=block(), c=block(), goal=goal)
    fetching, ground = random_task(FETCHING_AGAIN), corridor("@..G", goal={"type": "survive_steps"}, max_steps=30)
    return [compiled(MAZES.keyed_maze(9, 1)), compiled(blocks), compile_on("square", fetching), compiled(ground)]


@pytest.mark.parametrize("shortcut", ABLATION.SHORTCUTS, ids=lambda shortcut: shortcut.name)
def test_each_shortcut_can_be_switched_off_and_changes_no_answer(shortcut: Any, worlds: list[World]) -> None:
    expected = [(solve(world).length, measure_difficulty(world).dependency_depth) for world in worlds]
    with shortcut.off() as used:
        found = [(solve(world).length, measure_difficulty(world).dependency_depth) for world in worlds]
    assert found == expected
    assert used


def test_a_row_for_each_shortcut_tells_whether_it_was_asked_for(worlds: list[World]) -> None:
    figures = list(ABLATION.measure_answers({"maze": lambda: solve(worlds[0])}))
    assert [figure.name for figure in figures] == [
        "with all shortcuts",
        *(f"without {shortcut.name}" for shortcut in ABLATION.SHORTCUTS),
    ]
    by_name = {figure.name: figure for figure in figures}
    assert by_name["without relaxation"].value is not None
    assert by_name["without graph of shortest plans"].note == "never asked for here"
