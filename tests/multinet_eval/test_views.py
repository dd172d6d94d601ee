"""What a model is given is what its backend has to give: a run without pictures to show is refused, not played."""

from typing import Any

import pytest

from evaluating import ScriptedModel
from gridworld.errors import ArgumentError
from gridworld.model_interface import ModelInput, PromptedModel, PromptImage, PromptText
from gridworld_minigrid import MiniGridBackend
from multinet_eval import EvaluationHarness
from worlds import corridor

TASK = corridor("@..G", max_steps=6)


class WordyBackend(MiniGridBackend):
    """Observes in words."""

    def observe(self) -> Any:
        return "a corridor"


class PromptedScript(PromptedModel, ScriptedModel):
    """A scripted model with a prompt."""

    def rendered_prompt(self, input: ModelInput) -> list[PromptText | PromptImage]:
        return [PromptText("user", input.text_prompt)]


@pytest.mark.parametrize("observation", ["image", "image+text"])
def test_pictures_of_a_backend_that_observes_in_words_are_refused_before_anything_is_asked(observation: Any) -> None:
    model = ScriptedModel("FFF")
    harness = EvaluationHarness(model, WordyBackend(), observation=observation)
    with pytest.raises(ArgumentError, match=r"^backend 'minigrid' \(gridworld-minigrid\) observes a str, expected an"):
        harness.evaluate_task(TASK)
    assert model.inputs == []


def test_in_words_it_is_played() -> None:
    model = ScriptedModel("FFF")
    assert EvaluationHarness(model, WordyBackend(), observation="text").evaluate_task(TASK).success
    assert all(question.image is None and question.text_observation for question in model.inputs)


def test_a_model_that_is_asked_in_words_cannot_do_without_the_picture_that_they_are_about() -> None:
    blind = MiniGridBackend(render_mode=None)
    with pytest.raises(ArgumentError, match="observes nothing"):
        EvaluationHarness(PromptedScript("FFF"), blind).evaluate_task(TASK)
    assert EvaluationHarness(ScriptedModel("FFF"), blind).evaluate_task(TASK).success


def test_what_a_model_would_be_given_at_a_step_is_what_it_is_given_there() -> None:
    model = ScriptedModel("FFF")
    options: dict[str, Any] = {"observation": "image+text", "history_images": 2, "history_text": True}
    harness = EvaluationHarness(model, **options)
    foreseen = [harness.input_at(TASK, step) for step in range(3)]
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
        EvaluationHarness(ScriptedModel()).input_at(TASK, 3)
