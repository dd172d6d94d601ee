"""Episodes have their frozen outcomes: actions, states, ends, results, and digests of states.

A change of the rules has to fail here; `freeze.py` writes the outcomes anew.
"""

from pathlib import Path
from typing import Any

import pytest

from gridworld.model_interface import RandomModelInterface
from gridworld.runner.grid_runner import GridRunner
from gridworld.task_spec import TaskSpecification
from multinet_eval.evaluation_harness import EvaluationHarness
from support.scenarios import Kept, kept_outcomes, make_backend, outcome_of, stage
from support.task_files import MECHANISMS, TASKS
from support.thoroughness import first_by_default

KEPT = kept_outcomes()
EXTRAS = [name for name in KEPT if not name[0].isdigit()]
"""Every mechanism on every tiling, and an installed suite; `test_whole_way` has the others."""
RESULTS = ("success", "steps_taken", "total_reward", "terminated", "truncated", "optimal_steps", "ineffective_steps")
SOLVED = [name for name in EXTRAS if name.startswith("mechanisms-") and name.endswith("-optimal")]
BY_DEFAULT = ("mechanisms-square-optimal", "mechanisms-hex-random")
LENGTHY = ("validation_10-random", *(f"mechanisms-{tiling}-random" for tiling in ("triangle", "488", "3464")))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            marks=() if name in BY_DEFAULT else pytest.mark.thorough if name in LENGTHY else pytest.mark.more,
        )
        for name in EXTRAS
    ],
)
def test_a_run_comes_out_as_it_did(name: str, tmp_path: Path) -> None:
    kept = KEPT[name]
    with stage(kept.row, tmp_path / "run-of") as played:
        finished = played.finish(tmp_path / "run")
    assert finished.exit_code == 0, finished.stderr
    outcome, digests = outcome_of(tmp_path / "run", kept.row["backend"])
    assert outcome == kept.outcome
    assert digests == kept.digests


@first_by_default("name", SOLVED)
def test_a_grid_runner_goes_through_the_same_states(name: str) -> None:
    kept = KEPT[name]
    runner = GridRunner(backend=make_backend("multigrid", kept.row["tiling"]))
    for episode in _episodes(kept):
        actions = [action for action, _, _ in episode["steps"]]
        result = runner.collect_demonstrations(_task(episode), actions=actions)
        assert [each.state.to_dict() for each in result.trajectory] == _states(episode)[1:]
        assert (result.success, result.total_reward) == (episode["success"], pytest.approx(episode["total_reward"]))
        assert (result.steps_taken, result.terminated) == (episode["steps_taken"], episode["terminated"])


@first_by_default("name", ["06-minigrid-square-random-none", "mechanisms-hex-random"])
def test_the_harness_measures_what_the_command_does(name: str) -> None:
    kept = KEPT[name]
    harness = EvaluationHarness(
        RandomModelInterface(seed=3), backend=make_backend(kept.row["backend"], kept.row["tiling"])
    )
    for episode in _episodes(kept):
        result = harness.evaluate_task(_task(episode))
        assert {each: getattr(result, each) for each in RESULTS} == {each: episode[each] for each in RESULTS}
    harness.close()


def _episodes(kept: Kept) -> list[dict[str, Any]]:
    episodes: list[dict[str, Any]] = kept.outcome["episodes"]
    return episodes


def _task(episode: dict[str, Any]) -> TaskSpecification:
    (task,) = (each for each in (*TASKS, *MECHANISMS) if each["task_id"] == episode["task_id"])
    return TaskSpecification.from_dict(task)


def _states(episode: dict[str, Any]) -> list[dict[str, Any]]:
    """The states before the first step and after each one."""
    states = [episode["start"]]
    for _, _, changed in episode["steps"]:
        states.append({**states[-1], **changed})
    return states
