"""Our goal types are tested by the kit that others test theirs by."""

from gridworld.plugins import CORE_DISTRIBUTION, get_registry
from gridworld.testing import GoalConformance


class TestCollectAll(GoalConformance):
    goal = "collect_all"
    examples = (
        {"target_ids": ["stage-key"]},
        {"target_ids": ["stage-switch"]},
        {"target_ids": ["stage-key", "stage-switch"]},
    )


class TestPushBlockTo(GoalConformance):
    goal = "push_block_to"


class TestReachPosition(GoalConformance):
    goal = "reach_position"
    examples = ({}, {"target": [1, 4]})


class TestSurviveSteps(GoalConformance):
    goal = "survive_steps"


def test_every_goal_type_of_the_core_is_tested() -> None:
    tested = {kit.goal for kit in GoalConformance.__subclasses__() if kit.__module__ == __name__}
    provided = get_registry().goals
    assert tested == {each.item.name for each in provided if each.distribution == CORE_DISTRIBUTION}
