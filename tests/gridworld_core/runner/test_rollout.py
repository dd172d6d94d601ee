"""`Rollout`: the question, the decision, the step, and why it ends."""

from typing import Any

import pytest

from gridworld.actions import Action
from gridworld.backends.kernel import UnseenBackend
from gridworld.errors import ArgumentError, EpisodeOver
from gridworld.explaining.explainer import explainer_of_everything
from gridworld.explaining.explanation import ExplainLevel
from gridworld.model_interface import AnswerOutcome
from gridworld.plugins import get_registry
from gridworld.runner.presentation import Presentation
from gridworld.runner.record import Decision, DecisionKind, EndReason, Request, Step
from gridworld.runner.rollout import Rollout
from gridworld.task_spec import TaskSpecification
from gridworld.world import square_topology
from gridworld.world.digest import digest
from gridworld_minigrid import MiniGridBackend
from support.worlds import LETTERS, begin, corridor, hazard, key

FORWARD = Decision.act(Action.MOVE_FORWARD)


def start(task: TaskSpecification, **options: Any) -> Rollout:
    return Rollout(UnseenBackend(square_topology(*task.maze.dimensions)), task, **options)


def take_all(rollout: Rollout, letters: str) -> list[Step]:
    return [rollout.take(Decision.act(LETTERS[letter])) for letter in letters]


def asked(outcome: AnswerOutcome, **fields: Any) -> tuple[Request, ...]:
    return (Request(outcome, f"this is {outcome}", **fields),)


def test_the_header_says_what_is_played() -> None:
    task = corridor("@.G", max_steps=9)
    header = start(task, seed=4, presentation=Presentation("text", 2, 5)).header
    assert (header.task_id, header.seed, header.max_steps, header.mission) == ("drawn", 4, 9, "reach the goal")
    assert (header.backend, header.tiling, header.model) == ("unseen", "square", None)
    assert header.presentation == Presentation("text", 2, 5)
    assert header.digest == digest(begin(task).world, begin(task).snapshot)
    assert start(task).header.seed == task.seed


def test_question_is_kept_until_answered() -> None:
    rollout = start(corridor("@.G"), presentation=Presentation("text"))
    question = rollout.question
    assert question is not None
    assert rollout.question is question
    assert question.input.text_observation is not None
    assert (question.input.step_number, question.input.text_prompt) == (0, "reach the goal")
    assert question.snapshot == begin(corridor("@.G")).snapshot
    rollout.take(FORWARD)
    assert rollout.question is not question


@pytest.mark.parametrize("explain", ["none", "full"])
def test_skipped_rendering_changes_nothing_else(explain: ExplainLevel) -> None:
    task = corridor("@k.G", k=key())
    presentation = Presentation(explain=explain)
    explainer = explainer_of_everything(get_registry())
    seen, unseen = (
        Rollout(MiniGridBackend(), task, presentation=presentation, explainer=explainer, looked_at=looked_at)
        for looked_at in (True, False)
    )
    assert seen.header == unseen.header
    for letter in "FPFF":
        first, second = seen.question, unseen.question
        assert first is not None
        assert second is not None
        assert (first.input.image is None, second.input.image, second.observation) == (False, None, None)
        assert first.snapshot == second.snapshot
        told = [each.input.explanation and each.input.explanation.texts() for each in (first, second)]
        assert told[0] == told[1]
        assert seen.take(Decision.act(LETTERS[letter])) == unseen.take(Decision.act(LETTERS[letter]))
        assert unseen.info.keys() == {"events"}


def test_steps_have_events_and_digest() -> None:
    episode = begin(corridor("@k.G", k=key()))
    rollout = start(corridor("@k.G", k=key()))
    for letter in "FPFF":
        step = rollout.take(Decision.act(LETTERS[letter]))
        events = episode.step(LETTERS[letter])
        assert (step.events, step.digest) == (events, digest(episode.world, episode.snapshot))
        assert (step.reward, step.terminated, step.truncated) == (
            episode.reward,
            episode.terminated,
            episode.truncated,
        )


def test_ineffective_action_marks_its_request() -> None:
    rollout = start(corridor("@.G"))
    requests = (*asked(AnswerOutcome.EMPTY), Request(AnswerOutcome.OK, action=3))
    step = rollout.take(Decision.act(Action.PICKUP, requests))
    assert [request.outcome for request in step.requests] == ["empty", "no_effect"]
    assert rollout.take(Decision.act(2, (Request(AnswerOutcome.OK, action=2),))).requests[0].outcome == "ok"


def test_a_lost_step_costs_budget_and_nothing_happens() -> None:
    rollout = start(corridor("@.G", max_steps=3))
    before = rollout.state
    step = rollout.take(Decision.lose(asked(AnswerOutcome.REFUSED)))
    assert (step.number, step.kind, step.action, step.events, step.digest) == (1, DecisionKind.LOST, None, (), None)
    assert rollout.state == before
    rollout.take(Decision.lose())
    assert rollout.question is not None
    rollout.take(FORWARD)
    assert rollout.question is None
    assert rollout.end().reason is EndReason.BUDGET


@pytest.mark.parametrize(
    ("row", "letters", "reason"),
    [
        ("@.G", "FF", EndReason.GOAL),
        ("@hG", "F", EndReason.DEATH),
        ("@..G", "LLL", EndReason.BUDGET),
        ("@..G", "F", EndReason.STOPPED),
    ],
)
def test_an_episode_ends_for_a_reason(row: str, letters: str, reason: EndReason) -> None:
    things = {"h": hazard()} if "h" in row else {}
    rollout = start(corridor(row, max_steps=3, **things))
    take_all(rollout, letters)
    end = rollout.end()
    assert (end.reason, end.error, end.final_state) == (reason, None, rollout.state)
    assert (rollout.question is None) == (reason is not EndReason.STOPPED)


@pytest.mark.parametrize(
    ("requests", "reason", "error", "permanent"),
    [
        ((), EndReason.STOPPED, None, False),
        (asked(AnswerOutcome.UNPARSABLE), EndReason.ANSWER, None, False),
        (
            asked(AnswerOutcome.INFRASTRUCTURE),
            EndReason.INFRASTRUCTURE,
            "infrastructure: this is infrastructure",
            False,
        ),
        (
            asked(AnswerOutcome.INFRASTRUCTURE) + asked(AnswerOutcome.INFRASTRUCTURE, permanent=True),
            EndReason.INFRASTRUCTURE,
            "infrastructure: this is infrastructure (asked 2 times) (asking again cannot help)",
            True,
        ),
    ],
    ids=["policy", "answer", "fault", "permanent fault"],
)
def test_stops_have_the_reason_of_their_requests(
    requests: tuple[Request, ...], reason: EndReason, error: str | None, permanent: bool
) -> None:
    rollout = start(corridor("@.G"))
    rollout.take(FORWARD)
    step, end = rollout.take(Decision.stop(requests)), rollout.end()
    assert (step.number, step.kind, rollout.question) == (2, DecisionKind.STOP, None)
    assert (end.reason, end.error, end.permanent) == (reason, error, permanent)


def test_after_the_end_nothing_can_be_taken() -> None:
    rollout = start(corridor("@.G"))
    take_all(rollout, "FF")
    with pytest.raises(EpisodeOver, match="goal"):
        rollout.take(FORWARD)


def test_history_has_lost_steps_and_pictures() -> None:
    rollout = Rollout(MiniGridBackend(), corridor("@..G"), presentation=Presentation("image", 2, 3))
    pictures = []
    for decision in (Decision.lose(asked(AnswerOutcome.EMPTY)), FORWARD, FORWARD):
        assert rollout.question is not None
        pictures.append(rollout.question.input.image)
        rollout.take(decision)
    assert rollout.question is not None
    assert rollout.question.input.additional_context == (
        "Step 1: no action: this is empty.\n"
        "Step 2: move_forward: moved one cell forward.\n"
        "Step 3: move_forward: moved one cell forward."
    )
    prior = rollout.question.input.prior_images
    assert prior is not None
    assert [image.tobytes() for image in prior] == [picture.tobytes() for picture in pictures[1:]]


def test_pictures_are_required_only_for_models() -> None:
    class Numbers(UnseenBackend):
        def observe(self) -> Any:
            return 3

    topology = square_topology(*corridor("@.G").maze.dimensions)
    assert Rollout(Numbers(topology), corridor("@.G")).question is not None
    with pytest.raises(ArgumentError, match="observes a int, expected an RGB picture"):
        _ = Rollout(Numbers(topology), corridor("@.G"), presentation=Presentation()).question
