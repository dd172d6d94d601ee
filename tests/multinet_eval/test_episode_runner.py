"""How an episode is played moment by moment, and what a model would be given in it."""

from typing import Any

import pytest

from evaluating import ScriptedModel, moments_of
from gridworld.actions import Action
from gridworld.errors import ArgumentError
from gridworld.model_interface import AnswerOutcome
from gridworld.runner.record import EpisodeHeader, Request, Step
from gridworld_minigrid import MiniGridBackend
from multinet_eval.evaluation_harness import EvaluationHarness
from multinet_eval.play.asking import Ask
from multinet_eval.play.episode_runner import EpisodeRunner
from worlds import corridor

TASK = corridor("@..G", max_steps=6)


def test_an_episode_is_yielded_moment_by_moment() -> None:
    moments = moments_of(EpisodeRunner(ScriptedModel("LFRFF"), MiniGridBackend()), corridor("@.G"))

    kinds = [type(moment).__name__ for moment in moments]
    assert kinds == ["EpisodeHeader", *["Ask", "Step"] * 5, "EpisodeEnd"]
    assert [(step.number, step.action, step.requests[-1].outcome) for step in moments if isinstance(step, Step)] == [
        (1, 0, "ok"),
        (2, 2, "no_effect"),
        (3, 1, "ok"),
        (4, 2, "ok"),
        (5, 2, "ok"),
    ]


def test_whoever_holds_the_episode_makes_the_requests() -> None:
    model = ScriptedModel("FF")
    moments = EpisodeRunner(model, MiniGridBackend()).play(corridor("@.G"))
    assert isinstance(next(moments), EpisodeHeader)
    assert isinstance(next(moments), Ask)
    step = moments.send(Request(AnswerOutcome.OK, action=Action.TURN_LEFT))
    assert isinstance(step, Step)
    assert (step.action, model.inputs) == (Action.TURN_LEFT, [])


def test_an_episode_cannot_go_on_without_an_answer() -> None:
    moments = EpisodeRunner(ScriptedModel("FF"), MiniGridBackend()).play(corridor("@.G"))
    next(moments)
    next(moments)
    with pytest.raises(TypeError, match="send what came of the request"):
        next(moments)


def test_what_a_model_would_be_given_at_a_step_is_what_it_is_given_there() -> None:
    model = ScriptedModel("FFF")
    options: dict[str, Any] = {"observation": "image+text", "history_images": 2, "history_text": True}
    harness = EvaluationHarness(model, **options)
    foreseen = [harness.runner.input_at(TASK, step) for step in range(3)]
    assert (model.inputs, model.episodes) == ([], [])

    harness.evaluate_task(TASK)

    for one, other in zip(foreseen, model.inputs, strict=True):
        assert one.image is not None
        assert other.image is not None
        assert one.image.tobytes() == other.image.tobytes()
        assert len(one.prior_images or ()) == len(other.prior_images or ()) == min(one.step_number, 2)
        assert (one.step_number, one.text_prompt, one.text_observation, one.additional_context) == (
            other.step_number,
            other.text_prompt,
            other.text_observation,
            other.additional_context,
        )


def test_after_the_end_of_the_shortest_plan_there_is_nothing_to_ask() -> None:
    with pytest.raises(ArgumentError, match="ends the episode after 3 steps"):
        EpisodeRunner(ScriptedModel(), MiniGridBackend()).input_at(TASK, 3)
