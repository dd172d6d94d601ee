"""Tasks in which everything is to be found, one for each goal type."""

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


@pytest.fixture(params=[pytest.param(name, marks=() if name == "collect_all" else pytest.mark.more) for name in GOALS])
def task(request: pytest.FixtureRequest) -> TaskSpecification:
    """A task with all mechanisms, of each goal type in turn."""
    return draw_everything(goal=GOALS[request.param])
