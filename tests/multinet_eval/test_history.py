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


def test_earlier_pictures_are_the_very_ones_shown_oldest_first() -> None:
    inputs = inputs_of(corridor("@....G"), "FLFRFFFF", history_images=3)

    assert len(inputs) == 8
    for step, given in enumerate(inputs):
        assert given.prior_images is not None
        shown_before = [earlier.image for earlier in inputs[max(0, step - 3) : step]]
        assert [id(image) for image in given.prior_images] == [id(image) for image in shown_before]


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


@pytest.mark.parametrize("images", [0, 1])
@pytest.mark.parametrize("text", [False, True])
def test_pictures_and_text_are_independent(images: int, text: bool) -> None:
    first, second = inputs_of(corridor("@.G"), "FF", history_images=images, history_text=text)
    assert (first.prior_images, first.additional_context) == ([] if images else None, "" if text else None)
    assert (bool(second.prior_images), bool(second.additional_context)) == (bool(images), text)
    assert first.text_prompt == second.text_prompt == "reach the goal"


def test_the_text_tells_of_the_last_steps_only() -> None:
    inputs = inputs_of(corridor("@..G"), "LRFFF", history_text=True, history_text_window=2)

    lines = [
        "Step 1: turn_left: turned left.",
        "Step 2: turn_right: turned right.",
        "Step 3: move_forward: moved one cell forward.",
        "Step 4: move_forward: moved one cell forward.",
    ]
    told = [given.additional_context for given in inputs]
    assert told == ["", lines[0], *("\n".join(lines[n : n + 2]) for n in range(3))]
    *_, last = inputs_of(corridor("@.G", max_steps=12), "W" * 12, history_text=True)
    assert len((last.additional_context or "").splitlines()) == 10, "ten steps by default"


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
