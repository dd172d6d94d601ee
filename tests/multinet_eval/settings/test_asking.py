"""Protocols, and policies for unusable answers."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.errors import ArgumentError
from gridworld.model_interface import AnswerOutcome, ModelOutput, ReplyForm
from gridworld.runner.presentation import Presentation
from gridworld.runner.record import DecisionKind, EndReason, Step
from gridworld.solver.optimal_model import OptimalModel
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from multinet_eval import EvaluationHarness
from multinet_eval.record.task_result import TaskResult
from multinet_eval.settings.asking import (
    AnswerPolicies,
    Chunk,
    FaultPolicy,
    LastResort,
    Plan,
    Protocol,
    StepByStep,
    Subgoal,
)
from multinet_eval.settings.plugin_objects import make_protocol
from support.runs import AnsweringModel, ScriptedModel
from support.twins import with_rules
from support.worlds import LETTERS, corridor, draw, key, switch, teleporter

BLIND = MiniGridBackend(render_mode=None)
PROTOCOLS = [StepByStep(), Chunk(1), Chunk(3), Chunk(1000), Subgoal(), Subgoal(2), Plan(), Plan(2)]


class Planner(AnsweringModel):
    """Replies with the letters of one answer after another, as many actions as there are letters."""

    def __init__(self, *replies: str | AnswerOutcome | ModelOutput) -> None:
        super().__init__(*(_output(each) if type(each) is str else each for each in replies))

    def can_reply(self, form: ReplyForm) -> bool:
        return True


def _output(letters: str) -> ModelOutput:
    actions = tuple(LETTERS[letter] for letter in letters)
    return ModelOutput(actions[0], actions=actions, subgoal="to get there", raw_output=letters)


def evaluate(
    model: ScriptedModel | OptimalModel, protocol: Protocol, task: TaskSpecification, **options: Any
) -> TaskResult:
    shown = Presentation("text")
    return EvaluationHarness(model, BLIND, presentation=shown, protocol=protocol, **options).evaluate_task(task)


def asked_at(model: ScriptedModel) -> list[int]:
    """The steps, from 0, at which the model was asked."""
    return [given.step_number for given in model.inputs]


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda each: f"{type(each).__name__}{each.reply.max_actions}")
def test_a_shortest_plan_wins_under_every_protocol(protocol: Protocol) -> None:
    task = draw("#######\n#@k.DG#\n#.....#\n#######", k=key("red"), D=switch())
    result = evaluate(OptimalModel(), protocol, task)
    assert result.success
    assert result.steps_taken == result.optimal_steps
    assert result.recording is not None
    most = protocol.reply.max_actions or result.steps_taken
    assert sum(result.outcomes.values()) == -(-result.steps_taken // most)


def test_an_undisturbed_chunk_is_played_to_its_end() -> None:
    model = Planner("FRL", "FFF")
    result = evaluate(model, Chunk(3), corridor("@....G", max_steps=8))
    assert asked_at(model) == [0, 3, 6, 7]
    assert [len(step.requests) for step in result.trajectory[:6]] == [1, 0, 0, 1, 0, 0]


@pytest.mark.parametrize(("letters", "asked"), [("LFFF", [0, 2]), ("PFFF", [0, 1]), ("WFWF", [0])])
def test_a_chunk_ends_at_ineffective_actions_but_not_waiting(letters: str, asked: list[int]) -> None:
    model = Planner(letters)
    evaluate(model, Chunk(4), corridor("@....G", max_steps=4))
    assert asked_at(model)[: len(asked)] == asked
    assert len(model.inputs) == 1 or asked != [0]


def test_a_chunk_ends_when_one_is_teleported() -> None:
    model = Planner("FFF")
    evaluate(model, Chunk(3), draw("########\n#@t.u.G#\n########", tu=teleporter()))
    assert asked_at(model)[:2] == [0, 1]


def test_a_chunk_ends_at_something_new_in_view() -> None:
    task = with_rules(draw("########\n#k.@..G#\n########", k=key("red")), observability="view_cone")
    model = Planner("RLRL", "RLRL")
    evaluate(model, Chunk(4), task)
    assert asked_at(model)[:3] == [0, 1, 5], "the key is seen at the first turn, and is no news at the third"


def test_a_plan_is_played_to_its_end_and_ends_the_episode() -> None:
    model = Planner("LFFR")
    result = evaluate(model, Plan(), corridor("@....G"))
    assert asked_at(model) == [0]
    assert (result.success, result.steps_taken, result.ineffective_steps, result.error) == (False, 4, 2, None)
    assert result.recording is not None
    assert result.recording.end.reason is EndReason.STOPPED
    assert [step.kind for step in result.trajectory] == [DecisionKind.ACTION] * 4 + [DecisionKind.STOP]


def test_several_plans_can_be_allowed() -> None:
    model = Planner("LR", "FFFFF")
    assert evaluate(model, Plan(2), corridor("@....G")).success
    assert asked_at(model) == [0, 2]


def test_unusable_answers_do_not_count_as_plans() -> None:
    result = evaluate(Planner(AnswerOutcome.REFUSED, "FFFFF"), Plan(), corridor("@....G"))
    assert (result.success, result.lost_steps, result.steps_taken) == (True, 1, 6)


def test_too_many_actions_are_unparsable() -> None:
    result = evaluate(Planner("FFFF", "FFF", "FF"), Chunk(3), corridor("@....G"))
    assert result.outcomes["unparsable"] == 1
    assert result.success


@pytest.mark.parametrize("bad", [7, -1, "up", None])
def test_one_illegal_action_makes_the_whole_reply_illegal(bad: Any) -> None:
    result = evaluate(
        Planner(ModelOutput(2, actions=(2, bad)), ModelOutput(2, actions=(2, bad))),
        Chunk(3),
        corridor("@..G", max_steps=2),
    )
    assert (result.outcomes["illegal"], result.lost_steps) == (2, 2)


def test_single_action_models_are_refused_for_several() -> None:
    with pytest.raises(ArgumentError, match=r"model 'scripted' replies with a single action.*protocol 'step'"):
        EvaluationHarness(ScriptedModel(), BLIND, protocol=Chunk(2))
    with pytest.raises(ArgumentError, match="without notes"):
        EvaluationHarness(ScriptedModel(), BLIND, presentation=Presentation("text", note_length=9))


class Undecided(Chunk):
    """Fails to say whether it goes on."""

    def goes_on(self, after: Step, came_into_view: bool) -> bool:
        raise LookupError("no idea")


def test_a_protocol_that_raises_ends_the_episode_and_is_named() -> None:
    result = evaluate(Planner("FFF"), Undecided(3), corridor("@....G"))
    assert result.recording is not None
    assert result.recording.end.reason is EndReason.PLUGIN
    named = f"protocol '{__name__}.Undecided' failed in goes_on after step 1: LookupError: no idea"
    assert (result.error or "").startswith(named)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("step", ReplyForm()),
        ("chunk:4", ReplyForm(4)),
        ("subgoal", ReplyForm(20, subgoal=True)),
        ("subgoal:3", ReplyForm(3, subgoal=True)),
        ("plan", ReplyForm(None)),
        ("plan:2", ReplyForm(None)),
    ],
)
def test_a_protocol_is_named_with_its_value(text: str, form: ReplyForm) -> None:
    assert make_protocol(text).reply == form


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("chunk", "protocol 'chunk' needs a value: chunk:SIZE"),
        ("chunk:0", "max_actions must be at least 1, got 0"),
        ("chunk:many", "expected int, got 'many'"),
        ("step:2", "takes no value"),
        ("plan:0", "replies must be at least 1, got 0"),
    ],
)
def test_invalid_protocol_values_are_refused(text: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make_protocol(text)


SKIP, FAIL = LastResort.SKIP, LastResort.FAIL


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("skip", FaultPolicy(0, SKIP)),
        ("fail", FaultPolicy(0, FAIL)),
        ("retry:2", FaultPolicy(2, SKIP)),
        ("retry:0", FaultPolicy(0, SKIP)),
        ("retry:12,skip", FaultPolicy(12, SKIP)),
        ("retry:2,fail", FaultPolicy(2, FAIL)),
        (" Retry: 2, FAIL ", FaultPolicy(2, FAIL)),
    ],
)
def test_a_policy_is_read_from_its_text(text: str, expected: FaultPolicy) -> None:
    assert FaultPolicy.parse(text) == expected


def test_the_last_resort_defaults_to_the_callers() -> None:
    assert FaultPolicy.parse("retry:3", then=FAIL) == FaultPolicy(3, FAIL)
    assert FaultPolicy.parse("retry:3,skip", then=FAIL) == FaultPolicy(3, SKIP)


@given(st.builds(FaultPolicy, st.integers(0, 999_999), st.sampled_from(LastResort)))
def test_a_policy_reads_back_as_written(policy: FaultPolicy) -> None:
    assert FaultPolicy.parse(str(policy)) == policy


@pytest.mark.parametrize(
    "text",
    ["", "retry", "retry:", "retry:two", "retry:-1", "retry:1.5", "retry:1,", "retry:1,retry:2", "skip,fail", "no"],
)
def test_other_texts_are_refused_with_the_forms(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected skip, fail, retry:N, retry:N,skip or retry:N,fail, got '.*'"):
        FaultPolicy.parse(text)


def test_defaults_retry_unreadable_answers_and_infrastructure() -> None:
    policies = AnswerPolicies()
    assert {outcome: str(policies.of(outcome)) for outcome in AnswerOutcome if outcome not in ("ok", "no_effect")} == {
        "unparsable": "retry:2,skip",
        "empty": "retry:2,skip",
        "truncated": "retry:1,skip",
        "refused": "skip",
        "illegal": "skip",
        "infrastructure": "retry:5,fail",
    }


@pytest.mark.parametrize("policy", ["skip", "retry:3,skip", FaultPolicy(3, SKIP)])
def test_no_step_is_lost_to_an_infrastructure_fault(policy: FaultPolicy | str) -> None:
    with pytest.raises(ValueError, match="expected retry:N or fail"):
        AnswerPolicies(on_infrastructure=policy)
