"""History that a model is given."""

from typing import Any

import attrs
import numpy as np
import pytest

from gridworld.model_interface import ModelInput
from gridworld.task_spec import TaskSpecification
from multinet_eval import EvaluationHarness
from support.runs import ScriptedModel
from support.worlds import block, corridor, door, gate, key, switch, teleporter


def inputs_of(task: TaskSpecification, letters: str, **options: Any) -> list[ModelInput]:
    """Inputs of a model at each step while it plays some letters."""
    model = ScriptedModel(letters)
    EvaluationHarness(model, **options).evaluate_task(task)
    return model.inputs


def story(task: TaskSpecification, letters: str) -> list[str]:
    """The lines that tell of all these steps, as they are told in the step after them."""
    steps = len(letters.replace(" ", ""))
    task = attrs.evolve(task, max_steps=steps + 1)
    *_, last = inputs_of(task, letters, history_text=True, history_text_window=steps)
    text = last.additional_context
    assert text is not None
    return text.splitlines()


def test_changed_pictures_are_clean_in_the_next_step() -> None:
    class Scribbling(ScriptedModel):
        def predict(self, input: ModelInput) -> Any:
            answer = super().predict(input)
            assert input.image is not None
            self.clean = input.image.copy()
            input.image[:] = 255
            return answer

    scribbling, careful = Scribbling("FF"), ScriptedModel("FF")
    for model in (scribbling, careful):
        EvaluationHarness(model).evaluate_task(corridor("@..G"))

    assert np.array_equal(scribbling.clean, np.array(careful.inputs[-1].image))


def test_each_episode_starts_without_a_past() -> None:
    model = ScriptedModel("FF")
    harness = EvaluationHarness(model, history_images=5, history_text=True)
    harness.evaluate_task(corridor("@.G"))
    harness.evaluate_task(corridor("@.G"))

    assert [(given.step_number, given.prior_images, given.additional_context) for given in model.inputs[::2]] == [
        (0, [], ""),
        (0, [], ""),
    ]


@pytest.mark.parametrize(
    ("row", "things", "letters", "effect"),
    [
        ("@.G", {}, "L", "turn_left: turned left"),
        ("@.G", {}, "R", "turn_right: turned right"),
        ("@.G", {}, "W", "done: waited"),
        ("@.G", {}, "LF", "move_forward: bumped into a wall"),
        ("@kG", {"k": key("blue")}, "F", "move_forward: bumped into the blue key"),
        ("@kG", {"k": key("red")}, "P", "pickup: picked up the red key"),
        ("@k.G", {"k": key("red")}, "PD", "drop: dropped the red key"),
        ("@.G", {}, "P", "pickup: nothing happened: there is nothing to pick up in front"),
        ("@.G", {}, "D", "drop: nothing happened: the hand is empty"),
        ("@.G", {}, "T", "toggle: nothing happened: there is nothing to toggle"),
        ("@kDG", {"k": key("red"), "D": door("red")}, "PFF", "move_forward: bumped into the red door"),
        (
            "@kDG",
            {"k": key("red"), "D": door("red")},
            "PFT",
            "toggle: unlocked the red door; the red door opened; used up the red key",
        ),
        ("@DG", {"D": door(initial_state="open")}, "T", "toggle: the grey door closed"),
        (
            "@sgG",
            {"s": switch("g", color="green"), "g": gate()},
            "T",
            "toggle: the green toggle switch went on; the gate opened",
        ),
        ("@b..G", {"b": block(color="purple")}, "F", "move_forward: pushed the purple block; moved one cell forward"),
    ],
)
def test_the_text_tells_each_action_with_its_effect(
    row: str, things: dict[str, Any], letters: str, effect: str
) -> None:
    assert story(corridor(row, **things), letters)[-1] == f"Step {len(letters)}: {effect}."


def test_a_teleporter_is_told_of_after_the_step_into_it() -> None:
    (line,) = story(corridor("@a..b.G", ab=teleporter()), "F")
    walked, teleported = line.split("; ")
    assert walked == "Step 1: move_forward: moved one cell forward"
    assert "teleport" in teleported
