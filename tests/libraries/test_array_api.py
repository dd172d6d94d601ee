"""`advance` takes any arrays of the array API standard."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import array_api_strict
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gridworld.task_spec import TaskSpecification
from gridworld.vector import Batch, Start, SteppingTable, StepTable, advance
from support.thoroughness import bounded
from support.worlds import compiled, tasks

COPIES = 6


def play(xp: ModuleType, table: SteppingTable, actions: list[list[int]]) -> list[list[list[Any]]]:
    """The columns that copies and steps have after each step, with arrays of a namespace."""
    arrays = StepTable(*(xp.asarray(each.copy()) if isinstance(each, np.ndarray) else each for each in table.arrays))
    row, left = int(table.start_rows[0]), int(table.budgets[0])
    copies = Batch(xp.full(COPIES, row), xp.full(COPIES, left), xp.zeros(COPIES, dtype=xp.bool))
    start = Start(xp.asarray(row), xp.asarray(left))
    told = []
    for taken in actions:
        copies, stepped = advance(xp, arrays, copies, xp.asarray(taken), start)
        told.append([np.asarray(each).tolist() for each in (copies.row, *stepped)])
    return told


@bounded(20)
@given(task=tasks(max_side=6), draw=st.randoms(use_true_random=False))
def test_steps_are_those_of_numpy(task: TaskSpecification, draw: Any) -> None:
    table = SteppingTable([compiled(task)], max_states=3_000)
    if table.complete:
        actions = [[draw.randrange(7) for _ in range(COPIES)] for _ in range(40)]
        assert play(array_api_strict, table, actions) == play(np, table, actions)
