"""Playing a model through tasks, and its results."""

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any, cast

import attrs
import numpy as np
import pytest

import multinet_eval
from gridworld.actions import ACTION_SPACE
from gridworld.errors import ArgumentError, InvalidTaskError, UnknownNameError
from gridworld.model_interface import (
    EpisodeInfo,
    ModelInput,
    ModelInterface,
    ModelOutput,
    RandomModelInterface,
    Usage,
)
from gridworld.model_interface.baselines import GreedyModel
from gridworld.plugins import load_registry, using_registry
from gridworld.solver.explorer_model import ExplorerModel
from gridworld.solver.optimal_model import OptimalModel
from gridworld.suites import SuiteError
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from multinet_eval.evaluation_harness import EvaluationHarness
from multinet_eval.record.task_result import TaskResult
from support.runs import ScriptedModel, outcomes, write_corridor
from support.worlds import corridor, draw, hazard

LONG_ROOM = """
    #########
    #@......#
    #.......#
    #......G#
    #########
"""


def long_room(task_id: str = "room", seed: int = 1, **options: Any) -> TaskSpecification:
    """A room that random actions hardly ever cross in 40 steps."""
    return attrs.evolve(draw(LONG_ROOM, **{"max_steps": 40, **options}), task_id=task_id, seed=seed)


def play(letters: str, task: TaskSpecification, **options: Any) -> TaskResult:
    return EvaluationHarness(ScriptedModel(letters), **options).evaluate_task(task)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Tasks of tiers 1, 2, 2 and 4, the second of which needs 3 steps and the others 2."""
    write_corridor(tmp_path, "a", tier=2)
    write_corridor(tmp_path, "b", "@..G", tier=2)
    write_corridor(tmp_path / "sub", "c", tier=1)
    write_corridor(tmp_path / "sub", "d", tier=4)
    return tmp_path


def test_success_is_measured_against_optimum_and_budget() -> None:
    assert play("LRFPF", corridor("@.G", max_steps=10)) == TaskResult(
        task_id="drawn",
        difficulty_tier=1,
        seed=1,
        mission="reach the goal",
        success=True,
        steps_taken=5,
        max_steps=10,
        optimal_steps=2,
        optimality_ratio=2 / 5,
        total_reward=1 - 0.9 * (5 / 10),
        terminated=True,
        truncated=False,
        ineffective_steps=1,
        actions_taken=5,
        answered=5,
        lost_steps=0,
        outcomes=outcomes(ok=4, no_effect=1),
        fault=None,
        error=None,
        tiling="square",
        usage=Usage(),
    )


@pytest.mark.parametrize(
    ("letters", "task", "expected"),
    [
        ("", corridor("@.G", max_steps=4), (False, False, True, 4, 2, 0.0, None)),
        ("FF", corridor("@.G", max_steps=2), (True, True, False, 2, 2, pytest.approx(0.1), 1.0)),
        ("F", draw("#####\n#@hG#\n#...#\n#####", h=hazard()), (False, True, False, 1, 7, 0.0, None)),
    ],
    ids=["the budget is used up", "success at the last step", "death"],
)
def test_an_end_is_a_success_a_termination_or_a_truncation(
    letters: str, task: TaskSpecification, expected: tuple[Any, ...]
) -> None:
    result = play(letters, task)
    ended = (result.success, result.terminated, result.truncated)
    assert (*ended, result.steps_taken, result.optimal_steps, result.total_reward, result.optimality_ratio) == expected


def test_a_model_is_told_of_the_episode_before_its_first_step() -> None:
    model = ScriptedModel("FF")
    EvaluationHarness(model).evaluate_task(long_room(seed=17))
    assert model.episodes == [EpisodeInfo("room", 17, "reach the goal", 40)]


def test_each_step_gives_picture_mission_actions_and_budget() -> None:
    model = ScriptedModel("FF")
    EvaluationHarness(model, MiniGridBackend(tile_size=8)).evaluate_task(corridor("@.G", max_steps=9))

    assert [given.step_number for given in model.inputs] == [0, 1]
    for given in model.inputs:
        assert given.image is not None
        assert given.image.shape == (3 * 8, 5 * 8, 3)
        assert given.image.dtype == np.uint8
        assert (given.text_prompt, given.max_steps) == ("reach the goal", 9)
        assert given.action_space == ACTION_SPACE


@pytest.mark.parametrize("baseline", [RandomModelInterface, GreedyModel, OptimalModel, ExplorerModel])
def test_models_derived_from_baselines_are_given_pictures(baseline: type[ModelInterface]) -> None:
    given = []

    class Hesitant(baseline):
        def predict(self, model_input: ModelInput) -> ModelOutput:
            given.append(model_input.image)
            return super().predict(model_input)

    result = EvaluationHarness(Hesitant(), MiniGridBackend()).evaluate_task(corridor("@.G", max_steps=5))
    assert len(given) == result.steps_taken
    assert not any(image is None for image in given)
    assert not baseline().looks_at_pictures


def test_actions_may_be_numbers_of_another_type() -> None:
    class Numeric(ScriptedModel):
        def predict(self, input: ModelInput) -> ModelOutput:
            return ModelOutput(action=np.int64(2))  # type: ignore[arg-type]  # what an argmax gives

    assert EvaluationHarness(Numeric()).evaluate_task(corridor("@.G")).success


def test_an_invalid_task_is_refused_without_harm() -> None:
    harness = EvaluationHarness(ScriptedModel("FF"))
    with pytest.raises(InvalidTaskError, match="max_steps"):
        harness.evaluate_task(corridor("@.G", max_steps=0))
    assert harness.evaluate_task(corridor("@.G")).success


@pytest.mark.parametrize(
    ("task", "options", "unsolvable"),
    [(long_room(), {"max_states": 1}, False), (corridor("@.#.G", max_steps=5), {}, True)],
    ids=["the solver gives up", "it cannot be won"],
)
def test_an_unknown_optimum_does_not_stop_the_suite(
    task: TaskSpecification, options: dict[str, Any], unsolvable: bool, tmp_path: Path
) -> None:
    task.to_json(tmp_path / "first.json")
    write_corridor(tmp_path, "second")

    metrics = EvaluationHarness(ScriptedModel("FF"), **options).evaluate_task_dir(tmp_path)

    first, second = metrics.task_results
    assert (first.optimal_steps, first.optimality_ratio, first.success) == (None, None, False)
    assert (first.unsolvable, second.unsolvable) == (unsolvable, False)
    assert (first.steps_taken, first.truncated) == (task.max_steps, True)
    assert second.success


def test_a_task_is_played_with_its_own_seed_unless_one_is_given() -> None:
    task = long_room(seed=31)
    for given, played in ((None, 31), (0, 0), (8, 8)):
        model = ScriptedModel()
        harness = EvaluationHarness(model, seed=given)
        result = harness.evaluate_task(task)
        assert (result.seed, model.episodes[0].seed) == (played, played)
        assert harness.metrics("suite", [result]).seed is given


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "random"}, "model must be an instance of ModelInterface, got 'random'; make_model of"),
        (
            {"model": RandomModelInterface},
            "model must be an instance of ModelInterface, got the class RandomModelInterface itself",
        ),
        ({"backend": "multigrid"}, "backend must be an instance of AbstractGridBackend, got 'multigrid'"),
        ({"protocol": "chunk:5"}, "protocol must be an instance of Protocol, got 'chunk:5'"),
        ({"policies": "lose"}, "policies must be an instance of AnswerPolicies, got 'lose'"),
    ],
)
def test_names_are_refused_where_things_are_expected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        EvaluationHarness(**{"model": RandomModelInterface(), **options})


@pytest.mark.parametrize("task", ["task.json", {}, None])
def test_other_objects_are_no_tasks(task: Any) -> None:
    harness = EvaluationHarness(RandomModelInterface())
    with pytest.raises(TypeError, match=r"must be an instance of TaskSpecification.*from_json"):
        harness.evaluate_task(task)
    with pytest.raises(TypeError, match=r"must be an instance of TaskSpecification.*from_json"):
        harness.evaluate_tasks([corridor("@.G"), task], "mixed")


@pytest.mark.parametrize("seed", [3.5, "3", True])
def test_seeds_are_whole_numbers(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed must be a whole number"):
        EvaluationHarness(RandomModelInterface(), seed=seed)


def test_a_seed_may_be_one_of_numpys_numbers() -> None:
    result = EvaluationHarness(ScriptedModel("FF"), seed=cast("Any", np.int64(3))).evaluate_task(corridor("@.G"))
    assert result.recording is not None
    assert json.loads(json.dumps(result.recording.to_dict()))["header"]["seed"] == 3


class MeetingModel(ScriptedModel):
    """Meets another thread at its first step."""

    def __init__(self) -> None:
        super().__init__("FF")
        self.met = Barrier(2, timeout=30)

    def predict(self, input: ModelInput) -> ModelOutput:
        if input.step_number == 0:
            self.met.wait()
            self.met.wait()
        return super().predict(input)


def test_a_second_thread_is_refused() -> None:
    model = MeetingModel()
    harness = EvaluationHarness(model)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(harness.evaluate_task, corridor("@.G"))
        model.met.wait()
        with pytest.raises(ArgumentError, match="make one for each thread"):
            harness.evaluate_task(corridor("@.G"))
        model.met.wait()
        assert first.result().success
    model = ScriptedModel("FF")
    assert pickle.loads(pickle.dumps(EvaluationHarness(model))).evaluate_task(corridor("@.G")).success


def test_a_broken_file_is_refused_before_playing(folder: Path) -> None:
    (folder / "z.json").write_text("{")
    model = ScriptedModel("FF")
    harness = EvaluationHarness(model)
    for evaluate in (
        harness.evaluate_task_dir,
        harness.evaluate_all,
        lambda task_dir: harness.evaluate_tier(1, task_dir),
    ):
        with pytest.raises(SuiteError, match=r"z\.json"):
            evaluate(folder)
    assert model.inputs == []


def test_without_minigrid_a_backend_is_required() -> None:
    with using_registry(load_registry(["gridworld-minigrid"])), pytest.raises(UnknownNameError, match="minigrid"):
        EvaluationHarness(ScriptedModel())


def test_the_package_offers_only_its_public_names() -> None:
    assert multinet_eval.EvaluationHarness is EvaluationHarness
    with pytest.raises(AttributeError, match="no attribute 'Harness'"):
        multinet_eval.Harness  # noqa: B018
