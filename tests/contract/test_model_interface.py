"""`ModelInterface`, what a model is given, and what it answers."""

from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface import (
    FileBasedModelInterface,
    ModelInput,
    ModelInterface,
    ModelOutput,
    RandomModelInterface,
    base,
)
from gridworld.plugins import get_registry
from gridworld.support.import_strings import load_object
from gridworld_minigrid import MiniGridBackend
from multinet_eval import EvaluationHarness
from support.worlds import corridor

IMAGE = np.zeros((8, 8, 3), dtype=np.uint8)

INPUT: dict[str, Any] = {
    "image": IMAGE,
    "text_prompt": "reach the goal",
    "action_space": dict(ACTION_SPACE),
    "step_number": 3,
    "max_steps": 50,
    "additional_context": "Step 1: move_forward: moved one cell forward.",
    "prior_images": [IMAGE],
}
OUTPUT: dict[str, Any] = {"action": 2, "confidence": 0.5, "reasoning": "It is near.", "raw_output": '{"action": 2}'}


class MyModel(ModelInterface):
    """A model with nothing but what the contract asks of one."""

    def __init__(self) -> None:
        self.inputs: list[ModelInput] = []

    @property
    def model_name(self) -> str:
        return "mine"

    def predict(self, input: ModelInput) -> ModelOutput:
        self.inputs.append(input)
        return ModelOutput(action=2)


# --- what goes in and out --------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", INPUT)
def test_a_field_of_the_input_is_given_by_keyword_and_read_by_name(field: str) -> None:
    assert getattr(ModelInput(**INPUT), field) is INPUT[field]


@pytest.mark.parametrize("field", ["additional_context", "prior_images"])
def test_a_field_of_the_input_may_be_none(field: str) -> None:
    assert getattr(ModelInput(**{**INPUT, field: None}), field) is None


@pytest.mark.parametrize("field", OUTPUT)
def test_a_field_of_the_output_is_given_by_keyword_and_read_by_name(field: str) -> None:
    assert getattr(ModelOutput(**OUTPUT), field) == OUTPUT[field]


@pytest.mark.parametrize("field", ["confidence", "reasoning", "raw_output"])
def test_a_field_of_the_output_may_be_none(field: str) -> None:
    assert getattr(ModelOutput(**{**OUTPUT, field: None}), field) is None


def test_the_fields_have_the_types_of_the_contract() -> None:
    given = get_type_hints(ModelInput, {**vars(base), "np": np})
    assert {name: given[name] for name in INPUT if name != "image"} == {
        "text_prompt": str,
        "action_space": dict[int, str],
        "step_number": int,
        "max_steps": int,
        "additional_context": str | None,
        "prior_images": list[np.ndarray] | None,
    }
    answered = get_type_hints(ModelOutput)
    assert {name: answered[name] for name in OUTPUT} == {
        "action": int,
        "confidence": float | None,
        "reasoning": str | None,
        "raw_output": str | None,
    }


def test_the_fields_of_the_input_tell_a_model_of_its_step() -> None:
    model = MyModel()
    EvaluationHarness(model, backend=MiniGridBackend(tile_size=8)).evaluate_task(corridor("@.G", max_steps=9))

    assert [given.step_number for given in model.inputs] == [0, 1]
    for given in model.inputs:
        assert isinstance(given.image, np.ndarray)
        assert given.image.shape == (3 * 8, 5 * 8, 3)
        assert given.image.dtype == np.uint8
        assert (given.text_prompt, given.max_steps) == ("reach the goal", 9)
        assert given.action_space == {
            0: "turn_left",
            1: "turn_right",
            2: "move_forward",
            3: "pickup",
            4: "drop",
            5: "toggle",
            6: "done",
        }
        assert (given.additional_context, given.prior_images) == (None, None)


# --- models ----------------------------------------------------------------------------------------------------


def test_a_model_needs_a_name_and_predict_and_no_more() -> None:
    model = MyModel()
    harness = EvaluationHarness(model, backend=MiniGridBackend(render_mode=None))
    assert harness.evaluate_task(corridor("@.G")).success
    harness.close()


@pytest.mark.parametrize("missing", ["model_name", "predict"])
def test_a_model_without_one_of_them_cannot_be_made(missing: str) -> None:
    parts = {"model_name": MyModel.model_name, "predict": MyModel.predict}
    del parts[missing]
    incomplete: Any = type("Incomplete", (ModelInterface,), parts)
    with pytest.raises(TypeError, match=missing):
        incomplete()


def test_the_input_may_be_given_by_its_keyword() -> None:
    assert MyModel().predict(input=ModelInput(**INPUT)) == ModelOutput(action=2)


def test_the_random_model_is_built_in() -> None:
    model = RandomModelInterface()
    assert isinstance(model, ModelInterface)
    assert model.model_name == "random"
    assert load_object(get_registry().models.get("random").target) is RandomModelInterface


def test_the_file_based_model_is_built_in(tmp_path: Path) -> None:
    model = FileBasedModelInterface(tmp_path)
    assert isinstance(model, ModelInterface)
    assert load_object(get_registry().models.get(model.model_name).target) is FileBasedModelInterface


def test_the_random_model_answers_with_any_action_of_the_space_and_no_other() -> None:
    model = RandomModelInterface()
    answers = [model.predict(ModelInput(**INPUT)) for _ in range(300)]
    assert all(isinstance(answer, ModelOutput) for answer in answers)
    assert {answer.action for answer in answers} == set(ACTION_SPACE)
