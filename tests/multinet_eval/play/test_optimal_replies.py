"""A model that replies with a shortest plan wins in the fewest actions, however it is asked and whatever is shown."""

from itertools import product

import pytest

from gridworld.plugins.tilings import compile_on
from gridworld.runner.presentation import Presentation
from gridworld.solver import Verdict, solve
from gridworld.solver.optimal_model import OptimalModel
from gridworld.suites import find_suite
from gridworld.task_spec import TaskSpecification
from gridworld_multigrid import MultiGridBackend
from multinet_eval import EvaluationHarness
from multinet_eval.settings.plugin_objects import make_protocol

TILINGS = ("square", "hex", "triangle", "488", "3464")
PROTOCOLS = ("step", "chunk:3", "subgoal", "plan")
OBSERVATIONS = ("image", "text", "map", "sentences", "coordinates", "image+map", "none")
CONTEXTS = ("fresh", "conversation")
TASKS = {task.task_id: task for task in find_suite("validation_10")}

pytestmark = pytest.mark.more


@pytest.mark.parametrize("tiling", TILINGS)
@pytest.mark.parametrize(
    "task", [TASKS[name] for name in ("v05_single_switch", "v08_key_key_chain")], ids=lambda task: task.task_id
)
def test_a_shortest_plan_wins_in_every_setting(task: TaskSpecification, tiling: str) -> None:
    solution = solve(compile_on(tiling, task))
    if solution.verdict is not Verdict.SOLVED:
        assert solution.verdict is Verdict.UNSOLVABLE
        return
    backend = MultiGridBackend(tiling, image_size=64)
    for protocol, observation, context in product(PROTOCOLS, OBSERVATIONS, CONTEXTS):
        presentation = Presentation(observation, context=context)
        harness = EvaluationHarness(
            OptimalModel(), backend, presentation=presentation, protocol=make_protocol(protocol)
        )
        result = harness.evaluate_task(task)
        how = f"{protocol}, {observation}, {context}"
        assert result.success, how
        assert result.steps_taken == result.actions_taken == solution.length, how
        if protocol == "plan":
            assert result.answered == 1, how
