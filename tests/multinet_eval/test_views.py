"""A model with a prompt is refused on a backend without the pictures that it needs."""

from typing import Any

import pytest

from gridworld.errors import ArgumentError
from gridworld_minigrid import MiniGridBackend
from multinet_eval import EvaluationHarness
from support.runs import AskedModel, ScriptedModel
from support.worlds import corridor

TASK = corridor("@..G", max_steps=6)


class WordyBackend(MiniGridBackend):
    """Observes in words."""

    def observe(self) -> Any:
        return "a corridor"


@pytest.mark.parametrize("observation", ["image", "image+text"])
def test_observations_in_words_are_refused_before_asking(observation: Any) -> None:
    model = ScriptedModel("FFF")
    harness = EvaluationHarness(model, WordyBackend(), observation=observation)
    with pytest.raises(ArgumentError, match=r"^backend 'minigrid' observes a str, expected an"):
        harness.evaluate_task(TASK)
    assert model.inputs == []


def test_observations_in_words_can_be_played() -> None:
    model = ScriptedModel("FFF")
    assert EvaluationHarness(model, WordyBackend(), observation="text").evaluate_task(TASK).success
    assert all(question.image is None and question.text_observation for question in model.inputs)


def test_a_chat_model_needs_the_picture() -> None:
    blind = MiniGridBackend(render_mode=None)
    with pytest.raises(ArgumentError, match="observes nothing"):
        EvaluationHarness(AskedModel(), blind).evaluate_task(TASK)
    assert EvaluationHarness(ScriptedModel("FFF"), blind).evaluate_task(TASK).success
