"""Tasks in which everything is to be found, one for each goal type."""

from collections.abc import Callable
from typing import Any

import pytest

from gridworld.task_spec import TaskSpecification
from support.worlds import draw_everything

GOALS: dict[str, dict[str, Any]] = {
    "reach_position": {"type": "reach_position"},
    "collect_all": {"type": "collect_all", "target_ids": ["k", "s"]},
    "push_block_to": {"type": "push_block_to", "target_ids": ["B"], "target_positions": ["m"]},
    "survive_steps": {"type": "survive_steps"},
}

MakeTask = Callable[..., TaskSpecification]


@pytest.fixture
def make_task() -> MakeTask:
    """Makes a task with all mechanisms; its keyword arguments are the options of `draw`."""
    return draw_everything


@pytest.fixture(params=GOALS)
def task(request: pytest.FixtureRequest) -> TaskSpecification:
    """A task with all mechanisms, of each goal type in turn."""
    return draw_everything(goal=GOALS[request.param])
