"""How many actions a reply holds, how far they are played, and what is counted."""

from typing import Any

import pytest

from gridworld.errors import ArgumentError, PluginFault
from gridworld.hookspecs import ProtocolInfo
from gridworld.model_interface import AnswerOutcome, ModelOutput, ReplyForm
from gridworld.plugins import Provided, get_registry, using_registry
from gridworld.runner.presentation import Presentation
from gridworld.runner.record import DecisionKind, EndReason, Step
from gridworld.solver.optimal_model import OptimalModel
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from multinet_eval import EvaluationHarness
from multinet_eval.record.task_result import TaskResult
from multinet_eval.settings.asking import Chunk, Plan, Protocol, StepByStep, Subgoal
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
def test_a_shortest_plan_wins_in_as_many_actions_however_it_is_asked_for(protocol: Protocol) -> None:
    task = draw("#######\n#@k.DG#\n#.....#\n#######", k=key("red"), D=switch())
    result = evaluate(OptimalModel(), protocol, task)
    assert result.success
    assert result.steps_taken == result.optimal_steps
    assert result.recording is not None
    most = protocol.reply.max_actions or result.steps_taken
    assert sum(result.outcomes.values()) == -(-result.steps_taken // most)


def test_a_chunk_is_played_to_its_end_where_nothing_unforeseen_happens() -> None:
    model = Planner("FRL", "FFF")
    result = evaluate(model, Chunk(3), corridor("@....G", max_steps=8))
    assert asked_at(model) == [0, 3, 6, 7]
    assert [len(step.requests) for step in result.trajectory[:6]] == [1, 0, 0, 1, 0, 0]


@pytest.mark.parametrize(("letters", "asked"), [("LFFF", [0, 2]), ("PFFF", [0, 1]), ("WFWF", [0])])
def test_a_chunk_ends_at_an_action_without_effect_but_not_at_waiting(letters: str, asked: list[int]) -> None:
    model = Planner(letters)
    evaluate(model, Chunk(4), corridor("@....G", max_steps=4))
    assert asked_at(model)[: len(asked)] == asked
    assert len(model.inputs) == 1 or asked != [0]


def test_a_chunk_ends_when_one_is_teleported() -> None:
    model = Planner("FFF")
    evaluate(model, Chunk(3), draw("########\n#@t.u.G#\n########", tu=teleporter()))
    assert asked_at(model)[:2] == [0, 1]


def test_a_chunk_ends_when_a_thing_comes_into_view_for_the_first_time() -> None:
    task = with_rules(draw("########\n#k.@..G#\n########", k=key("red")), observability="view_cone")
    model = Planner("RLRL", "RLRL")
    evaluate(model, Chunk(4), task)
    assert asked_at(model)[:3] == [0, 1, 5], "the key is seen at the first turn, and is no news at the third"


def test_a_plan_is_played_to_its_end_whatever_happens_and_the_episode_ends_with_it() -> None:
    model = Planner("LFFR")
    result = evaluate(model, Plan(), corridor("@....G"))
    assert asked_at(model) == [0]
    assert (result.success, result.steps_taken, result.ineffective_steps, result.error) == (False, 4, 2, None)
    assert result.recording is not None
    assert result.recording.end.reason is EndReason.STOPPED
    assert [step.kind for step in result.trajectory] == [DecisionKind.ACTION] * 4 + [DecisionKind.STOP]


def test_another_plan_is_asked_for_where_that_is_allowed() -> None:
    model = Planner("LR", "FFFFF")
    assert evaluate(model, Plan(2), corridor("@....G")).success
    assert asked_at(model) == [0, 2]


def test_an_answer_that_is_no_plan_is_none_of_those_allowed() -> None:
    result = evaluate(Planner(AnswerOutcome.REFUSED, "FFFFF"), Plan(), corridor("@....G"))
    assert (result.success, result.lost_steps, result.steps_taken) == (True, 1, 6)


def test_actions_beyond_what_was_asked_for_are_no_answer() -> None:
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


def test_what_a_reply_holds_is_recorded_once() -> None:
    result = evaluate(Planner("FF", "FFF"), Subgoal(), corridor("@....G"))
    first, second = (step.requests[0] for step in result.trajectory if step.requests)
    assert (first.action, first.actions, first.subgoal) == (2, (2, 2), "to get there")
    assert second.actions == (2, 2, 2)


def test_models_that_reply_with_one_action_are_refused_for_more() -> None:
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
    named = f"protocol '{__name__}.Undecided' failed after step 1: LookupError: no idea"
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
def test_a_value_that_cannot_be_is_refused(text: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make_protocol(text)


class Number(Chunk):
    """Says a number instead of a form."""

    reply: Any = 5


class Lost(Chunk):
    """Fails to say what a reply holds."""

    @property
    def reply(self) -> ReplyForm:
        raise LookupError("no form")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("number:3", r"^protocol 'number' \(half-made\): its reply is 5, expected a ReplyForm$"),
        ("lost:3", r"^protocol 'lost' \(half-made\) failed when it was asked for its reply: LookupError: no form"),
    ],
)
def test_a_protocol_that_does_not_say_what_a_reply_holds_is_named(text: str, message: str) -> None:
    provided = [
        Provided(
            ProtocolInfo(each.__name__.lower(), "Half-made.", f"{__name__}:{each.__name__}"), "half-made", "halves"
        )
        for each in (Number, Lost)
    ]
    with (
        using_registry(get_registry().with_provided("protocol", provided)),
        pytest.raises(PluginFault, match=message),
    ):
        make_protocol(text)
