"""The table of optimal lengths in the documentation is complete, and true where that is quick to check."""

from pathlib import Path

import pytest

from gridworld.plugins import get_registry
from gridworld.plugins.tilings import find_tiling, lay_out
from gridworld.solver import solve
from gridworld.suites import load_benchmark
from gridworld.world import compile_world

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "optimal-lengths.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("|")
]
TILINGS = ROWS[0][2:]
LENGTHS = {row[0]: dict(zip(TILINGS, row[2:], strict=True)) for row in ROWS[2:]}
BUNDLED = {
    f"{suite}/{task.task_id}": task
    for suite in ("tiers", "validation_10")
    for task in load_benchmark(get_registry().benchmarks.get(suite))
}
QUICK = ("v01", "v04", "v05", "t1_")
"""Beginnings of the names of tasks that are soon solved."""
CELLS = [
    pytest.param(name, tiling, marks=() if tiling == "square" else pytest.mark.more)
    if name.split("/")[1].startswith(QUICK)
    else pytest.param(name, tiling, marks=pytest.mark.thorough)
    for name in BUNDLED
    for tiling in TILINGS
]


def test_every_bundled_task_has_a_length_on_every_tiling() -> None:
    assert set(LENGTHS) == set(BUNDLED)
    assert set(TILINGS) == set(get_registry().tilings.names())


def test_every_cell_is_decided() -> None:
    cells = {cell for lengths in LENGTHS.values() for cell in lengths.values()}
    assert {cell for cell in cells if not cell.isdecimal()} == {"unsolvable"}


def test_every_task_without_blocks_can_be_won_within_its_budget_on_every_tiling() -> None:
    for name, task in BUNDLED.items():
        if not task.mechanisms.blocks:
            assert all(int(length) <= task.max_steps for length in LENGTHS[name].values()), name


@pytest.mark.parametrize(("name", "tiling"), CELLS)
def test_a_length_is_the_one_that_the_solver_finds(name: str, tiling: str) -> None:
    world = compile_world(BUNDLED[name], lay_out(find_tiling(tiling), BUNDLED[name]))
    solution = solve(world)
    assert LENGTHS[name][tiling] == str(solution.length or solution.verdict.value)
