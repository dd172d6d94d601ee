"""Episodes with unusable answers, policy by policy."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    ModelInput,
    ModelOutput,
    OracleInterface,
    Usage,
)
from gridworld.runner.record import Step
from gridworld.task_spec import TaskSpecification
from gridworld.world import State
from gridworld_minigrid import MiniGridBackend
from multinet_eval.evaluation_harness import EvaluationHarness
from multinet_eval.play.limits import Backoff
from multinet_eval.record.task_result import TaskResult
from multinet_eval.settings.asking import AnswerPolicies
from support.runs import AnsweringModel, ScriptedModel, outcomes
from support.worlds import corridor, draw, hazard

UNPARSABLE, EMPTY, TRUNCATED = AnswerOutcome.UNPARSABLE, AnswerOutcome.EMPTY, AnswerOutcome.TRUNCATED
ILLEGAL, REFUSED, INFRASTRUCTURE = AnswerOutcome.ILLEGAL, AnswerOutcome.REFUSED, AnswerOutcome.INFRASTRUCTURE

POLICY_OF = {
    UNPARSABLE: "on_unparsable",
    EMPTY: "on_unparsable",
    TRUNCATED: "on_truncated",
    ILLEGAL: "on_illegal",
    REFUSED: "on_refused",
    INFRASTRUCTURE: "on_infrastructure",
}
MODELS_FAULTS = [fault for fault in POLICY_OF if fault is not INFRASTRUCTURE]


def play(model: ScriptedModel, task: TaskSpecification | None = None, **options: Any) -> TaskResult:
    """One episode, by default of two cells in at most 6 steps, without a picture; `options` may name policies."""
    policies = AnswerPolicies(**{name: options.pop(name) for name in POLICY_OF.values() if name in options})
    harness = EvaluationHarness(
        model,
        MiniGridBackend(render_mode=None),
        policies=policies,
        **{"backoff": Backoff(sleep=lambda seconds: None), **options},
    )
    return harness.evaluate_task(task or corridor("@.G", max_steps=6))


def steps_of(model: ScriptedModel, **options: Any) -> list[Step]:
    """The steps of an episode."""
    return list(play(model, **options).trajectory)


# Skip: the step is lost


@pytest.mark.parametrize("fault", MODELS_FAULTS)
def test_a_skipped_step_is_lost_and_nothing_happens_in_the_world(fault: AnswerOutcome) -> None:
    result = play(AnsweringModel("F", fault, fault, "F"), **{POLICY_OF[fault]: "skip"})

    assert (result.success, result.steps_taken, result.lost_steps) == (True, 4, 2)
    assert result.optimality_ratio == 2 / 4
    assert result.total_reward == pytest.approx(1 - 0.9 * 2 / 6)
    assert result.outcomes == outcomes(ok=2, **{fault.value: 2})
    assert (result.fault, result.error) == (None, None)


@pytest.mark.parametrize(
    ("answers", "lost", "success"),
    [
        ([REFUSED, REFUSED, "F", "L", REFUSED, REFUSED, "R", "F"], 4, False),
        ([ILLEGAL] * 100, 6, False),
        ([*[REFUSED] * 4, "F", "F"], 4, True),
    ],
)
def test_lost_steps_use_up_the_budget(answers: list[str | AnswerOutcome], lost: int, success: bool) -> None:
    result = play(AnsweringModel(*answers))
    assert (result.success, result.terminated, result.truncated) == (success, success, not success)
    assert (result.steps_taken, result.lost_steps, result.max_steps) == (6, lost, 6)
    assert (result.outcomes["ok"], result.outcomes["refused"] + result.outcomes["illegal"]) == (6 - lost, lost)


def test_staying_alive_is_not_won_by_silence() -> None:
    task = draw("#####\n#@hG#\n#...#\n#####", h=hazard(), goal={"type": "survive_steps"}, max_steps=5)

    assert play(AnsweringModel(*"WWWWW"), task).success
    for silence in ([REFUSED] * 5, [REFUSED, *"WWWWW"], [*"WWWW", REFUSED, "W"]):
        result = play(AnsweringModel(*silence), task)
        assert (result.success, result.truncated, result.steps_taken) == (False, True, 5)


def test_the_step_number_counts_lost_steps() -> None:
    model = AnsweringModel(REFUSED, "L", REFUSED, "R", "F", "F")
    play(model)
    assert [(given.step_number, given.max_steps) for given in model.inputs] == [(number, 6) for number in range(6)]


def test_the_history_tells_of_lost_steps() -> None:
    model = AnsweringModel("F", REFUSED, "L")
    play(model, history_text=True)
    assert (model.inputs[3].additional_context or "").splitlines() == [
        "Step 1: move_forward: moved one cell forward.",
        "Step 2: no action: this is refused.",
        "Step 3: turn_left: turned left.",
    ]


def test_a_lost_step_has_its_picture_in_the_history() -> None:
    model = AnsweringModel("F", REFUSED, "F")
    EvaluationHarness(model, MiniGridBackend(tile_size=8), history_images=5).evaluate_task(corridor("@..G"))
    first, second, third, fourth = (given.image for given in model.inputs[:4])
    assert first is not None
    assert second is third
    assert not np.array_equal(first, np.array(second))
    assert [id(image) for image in model.inputs[3].prior_images or []] == [id(first), id(second), id(third)]
    assert fourth is not third


# Retry: the step is asked for again


@pytest.mark.parametrize("fault", POLICY_OF)
def test_retries_come_before_the_last_resort(fault: AnswerOutcome) -> None:
    """Two retries are enough, too few so that the step is lost, or too few so that the episode ends."""
    policy = POLICY_OF[fault]
    result = play(AnsweringModel(fault, fault, "F", fault, "F"), **{policy: "retry:2"})
    assert (result.success, result.steps_taken, result.lost_steps) == (True, 2, 0)
    if fault is INFRASTRUCTURE:
        assert result.outcomes == outcomes(ok=2)
        return
    assert result.outcomes == outcomes(ok=2, **{fault.value: 3})
    result = play(AnsweringModel(*[fault] * 3, "F", *[fault] * 2, "F"), **{policy: "retry:2"})
    assert (result.success, result.steps_taken, result.lost_steps) == (True, 3, 1)
    assert result.outcomes == outcomes(ok=2, **{fault.value: 5})
    result = play(AnsweringModel("F", *[fault] * 9), **{policy: "retry:2,fail"})
    assert (result.success, result.fault, result.steps_taken) == (False, fault.value, 1)
    assert result.outcomes == outcomes(ok=1, **{fault.value: 3})


def test_each_policy_counts_its_own_retries() -> None:
    result = play(AnsweringModel(UNPARSABLE, EMPTY, UNPARSABLE, "F", "F"), on_unparsable="retry:2")
    assert (result.lost_steps, result.steps_taken) == (1, 3)
    apart = play(AnsweringModel(TRUNCATED, EMPTY, UNPARSABLE, "F", "F"), on_unparsable="retry:2")
    assert (apart.lost_steps, apart.steps_taken) == (0, 2)
    answers = (UNPARSABLE, INFRASTRUCTURE, REFUSED, INFRASTRUCTURE, UNPARSABLE, "F", "F")
    result = play(AnsweringModel(*answers), on_unparsable="retry:2", on_refused="retry:1", on_infrastructure="retry:2")
    assert (result.lost_steps, result.steps_taken, result.success) == (0, 2, True)


@pytest.mark.parametrize("fault", MODELS_FAULTS)
def test_a_retry_states_the_problem_and_the_expected_form(fault: AnswerOutcome) -> None:
    model = AnsweringModel(fault, "F", "F")
    play(model, **{POLICY_OF[fault]: "retry:1"})

    first, again, following = model.inputs
    assert (first.correction, following.correction) == (None, None)
    wrong = (
        "it was cut off at the length limit, before the action; keep the reasoning short, and"
        if fault is TRUNCATED
        else f"this is {fault};"
    )
    assert again.correction == (
        f"{wrong} answer in the form asked for, with exactly one of {', '.join(ACTION_SPACE.values())}."
    )
    assert again.step_number == first.step_number == 0


def test_an_answer_cut_off_is_asked_for_once_more_and_then_skipped() -> None:
    began = AnswerFault(TRUNCATED, "the reply hit its token limit", raw_output='{"reasoning": "", "action": "tur')
    model = AnsweringModel(began, TRUNCATED, "F", "F")
    result = play(model)
    assert (result.lost_steps, result.steps_taken, len(model.inputs)) == (1, 3, 4)
    assert "before its end" in str(model.inputs[1].correction)


def test_a_correction_stays_short_and_on_one_line() -> None:
    model = AnsweringModel(AnswerFault(UNPARSABLE, "no JSON in:\n" + "blah " * 5000), "F", "F")
    play(model)
    correction = model.inputs[1].correction
    assert correction is not None
    assert "no JSON in: blah blah" in correction
    assert "\n" not in correction
    assert len(correction) < 500


def test_infrastructure_faults_repeat_the_same_request() -> None:
    model = AnsweringModel(INFRASTRUCTURE, UNPARSABLE, INFRASTRUCTURE, "F", "F")
    play(model)
    first, second, corrected, again, _ = model.inputs
    assert [given.correction is None for given in (first, second)] == [True, True]
    assert corrected.correction == again.correction is not None


def test_a_changed_action_space_is_whole_in_the_retry() -> None:
    class Meddling(AnsweringModel):
        def predict(self, input: ModelInput) -> ModelOutput:
            assert input.action_space == ACTION_SPACE
            input.action_space.clear()
            return super().predict(input)

    assert play(Meddling(UNPARSABLE, "F", "F")).success


def test_an_oracle_is_shown_the_state_before_each_request() -> None:
    class Oracle(OracleInterface, AnsweringModel):
        def look_into(self, world: Any) -> None:
            self.cells: list[int] = []

        def observe(self, state: State) -> None:
            self.cells.append(state.cell)

    oracle = Oracle(UNPARSABLE, "F", REFUSED, "F")
    play(oracle)
    start = oracle.cells[0]
    assert oracle.cells == [start, start, start + 1, start + 1]


# Fail: the episode ends


@pytest.mark.parametrize("fault", MODELS_FAULTS)
def test_a_failed_episode_ends_at_once_and_is_scored(fault: AnswerOutcome) -> None:
    model = AnsweringModel("F", fault, "F")
    result = play(model, **{POLICY_OF[fault]: "fail"})

    assert (result.success, result.terminated, result.truncated) == (False, False, False)
    assert (result.fault, result.error, result.scored) == (fault.value, None, True)
    assert (result.steps_taken, result.lost_steps, result.optimal_steps) == (1, 0, 2)
    assert len(model.inputs) == 2


# Infrastructure


def test_episodes_ended_by_infrastructure_are_not_scored() -> None:
    result = play(AnsweringModel("F", *[INFRASTRUCTURE] * 9), on_infrastructure="retry:2")

    assert result.error == "infrastructure: this is infrastructure (asked 3 times)"
    assert (result.scored, result.success, result.fault) == (False, False, None)
    assert (result.terminated, result.truncated) == (False, False)
    assert (result.steps_taken, result.optimal_steps) == (1, None)
    assert result.outcomes == outcomes(ok=1)
    result = play(AnsweringModel(INFRASTRUCTURE, "F", "F"), on_infrastructure="fail")
    assert result.error == "infrastructure: this is infrastructure"


def test_permanent_faults_are_not_retried() -> None:
    slept: list[float] = []
    model = AnsweringModel("F", INFRASTRUCTURE, AnswerFault(INFRASTRUCTURE, "no such model", permanent=True), "F")
    result = play(model, on_infrastructure="retry:9", backoff=Backoff(sleep=slept.append))

    assert len(model.inputs) == 3
    assert len(slept) == 1
    assert (result.scored, result.permanent) == (False, True)
    assert result.error == "infrastructure: no such model (asked 2 times) (asking again cannot help)"


def test_no_task_is_played_after_a_permanent_fault() -> None:
    model = AnsweringModel("F", "F", AnswerFault(INFRASTRUCTURE, "no such model", permanent=True))
    harness = EvaluationHarness(model, MiniGridBackend(render_mode=None))
    metrics = harness.evaluate_tasks([corridor("@.G"), corridor("@.G"), corridor("@.G")], "suite")

    assert len(metrics.task_results) == 2
    assert (metrics.complete, metrics.num_success, metrics.num_unscored) == (False, 1, 1)


class Unlucky(random.Random):
    """Waits as long as can be."""

    def random(self) -> float:
        return 1.0


@pytest.mark.parametrize(
    ("answers", "waits"),
    [
        ([*[INFRASTRUCTURE] * 4, "F", INFRASTRUCTURE, "F"], [1, 2, 4, 8, 1]),
        ([INFRASTRUCTURE, AnswerFault(INFRASTRUCTURE, "busy", retry_after=30), "F", "F"], [1, 30]),
        ([UNPARSABLE, EMPTY, "F", REFUSED, "F"], []),
    ],
    ids=["growing with retries", "as the server asks", "not for the model's faults"],
)
def test_only_infrastructure_faults_are_waited_for(answers: list[Any], waits: list[float]) -> None:
    slept: list[float] = []
    backoff = Backoff(first=1, factor=2, sleep=slept.append, rng=Unlucky())
    assert play(AnsweringModel(*answers), backoff=backoff).error is None
    assert slept == waits


# Illegal actions


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError


OTHERS = [7, -1, 2.5, "move_forward", None, [2], (2, {}), True, float("nan"), 10**30, Unprintable()]


@pytest.mark.parametrize("action", OTHERS, ids=range(len(OTHERS)))
def test_actions_outside_the_action_space_are_illegal(action: Any) -> None:
    (first, *_) = steps_of(AnsweringModel(ModelOutput(action), "F", "F"))
    assert (first.last.outcome, first.last.action, first.action) == (ILLEGAL, None, None)
    expected = "is not in the action space, expected the number of an action, such as 2 (move_forward)"
    assert first.last.message.endswith(expected)
    assert type(action) is not Unprintable or first.last.message.startswith("an unprintable Unprintable is not")


# What is kept


def test_a_step_holds_every_request() -> None:
    *_, last = steps_of(AnsweringModel("F", INFRASTRUCTURE), on_infrastructure="fail")
    assert (last.number, last.last.outcome, last.action) == (2, INFRASTRUCTURE, None)
    output = ModelOutput(2, confidence=0.5, reasoning="It is near.", raw_output="{}", usage=Usage(prompt_tokens=9))
    lost, won, *_ = steps_of(AnsweringModel(REFUSED, UNPARSABLE, output, "F"))

    assert (lost.number, lost.action, lost.kind) == (1, None, "lost")
    assert [(request.outcome, request.message) for request in lost.requests] == [(REFUSED, "this is refused")]
    assert won.number == 2
    assert won.action == 2
    first, second = won.requests
    assert (first.outcome, first.raw_output, first.action) == (UNPARSABLE, "hm", None)
    assert (second.outcome, second.action, second.confidence) == ("ok", 2, 0.5)
    assert (second.reasoning, second.raw_output, second.usage) == ("It is near.", "{}", Usage(prompt_tokens=9))


def test_usage_is_added_and_unreported_parts_stay_none() -> None:
    output = ModelOutput(2, usage=Usage(prompt_tokens=10, completion_tokens=5))
    result = play(AnsweringModel(UNPARSABLE, output, "F"))
    assert result.usage == Usage(prompt_tokens=10, completion_tokens=6, seconds=None, server_seconds=None)


@given(st.lists(st.sampled_from([*"LRFPDTW", *POLICY_OF]), max_size=40), st.sampled_from(["skip", "fail", "retry:1"]))
def test_every_answer_is_counted_once_and_the_budget_is_kept(answers: list[str | AnswerOutcome], policy: str) -> None:
    model = AnsweringModel(*answers)
    result = play(
        model, corridor("@......G", max_steps=12), on_unparsable=policy, on_refused=policy, on_illegal="retry:1,skip"
    )

    failed = answers[: len(model.inputs)].count(INFRASTRUCTURE)
    assert sum(result.outcomes.values()) == result.answered == len(model.inputs) - failed
    assert result.steps_taken == result.outcomes["ok"] + result.outcomes["no_effect"] + result.lost_steps
    assert result.ineffective_steps == result.outcomes["no_effect"]
    assert result.steps_taken <= 12
    ends = [result.success, result.truncated, result.fault is not None, result.error is not None]
    assert ends.count(True) == 1
