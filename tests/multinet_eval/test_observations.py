"""Observations of a world: the picture, the text, or both, and nothing that the rules hide."""

from itertools import pairwise
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gridworld.backends.base import AbstractGridBackend
from gridworld.errors import ArgumentError, UnknownNameError
from gridworld.model_interface import ModelInput
from gridworld.runner.presentation import Presentation
from gridworld.task_spec import TaskSpecification
from gridworld.text import text_view
from gridworld_minigrid import MiniGridBackend
from multinet_eval import EvaluationHarness
from support.runs import ScriptedModel
from support.thoroughness import in_turn
from support.twins import actions_of, change_out_of_sight, seen_in, with_rules
from support.worlds import LETTERS, begin, block, corridor, door, draw, gate, key, play, switch, tasks

PARTIAL = ("view_cone", "fog_of_war")
LETTER = {int(action): letter for letter, action in LETTERS.items()}
seeds = st.integers(0, 2**32 - 1)


def inputs_of(task: TaskSpecification, letters: str, **options: Any) -> list[ModelInput]:
    """Inputs of a model at each step while it plays some letters and no more."""
    model = ScriptedModel(letters)
    steps = len(letters.replace(" ", ""))
    backend = MiniGridBackend(tile_size=8)
    harness = EvaluationHarness(model, backend=backend, max_states=10, **options)
    harness.evaluate_task(attrs.evolve(task, max_steps=min(task.max_steps, steps + 1)))
    return model.inputs


def story(task: TaskSpecification, letters: str) -> list[str]:
    """History of some steps, without their numbers and actions."""
    *_, last = inputs_of(task, letters, history_text=True, history_text_window=100)
    assert last.additional_context is not None
    return [line.split(": ", 2)[2] for line in last.additional_context.splitlines()]


# --- Picture, text or both ---------------------------------------------------------------------------------------

ROOM = """
    ########
    #@k.D..#
    #......#
    #.....G#
    ########
"""
WALK = "FPFRFLT"


def room(mode: str = "fog_of_war") -> TaskSpecification:
    return draw(ROOM, k=key("red"), D=door("red"), rules={"observability": mode, "view_size": 5})


@pytest.mark.parametrize(
    ("options", "has_picture", "has_text"),
    [
        ({}, True, False),
        ({"observation": "image"}, True, False),
        ({"observation": "text"}, False, True),
        ({"observation": "image+text"}, True, True),
        ({"observation": "none"}, False, False),
    ],
)
def test_an_observation_is_a_picture_a_text_both_or_neither(
    options: dict[str, Any], has_picture: bool, has_text: bool
) -> None:
    inputs = inputs_of(room(), WALK, history_images=1, **options)
    assert len(inputs) == len(WALK) + 1
    assert {isinstance(each.image, np.ndarray) for each in inputs} == {has_picture}
    assert {bool(each.text_observation) for each in inputs} == {has_text}
    for before, after in pairwise(inputs):
        assert [image is before.image for image in after.prior_images or []] == [True] * has_picture


@pytest.mark.parametrize(
    ("mode", "observation"), [("full", "text"), ("view_cone", "image+text"), ("fog_of_war", "text")]
)
def test_the_text_is_the_text_view_of_the_present(mode: str, observation: str) -> None:
    inputs = inputs_of(room(mode), WALK, observation=observation)
    episode = begin(room(mode))
    for shown, letter in zip(inputs, f"{WALK}W", strict=True):
        assert shown.text_observation == str(text_view(episode))
        play(episode, letter)


def test_texts_stand_below_each_other_in_the_order_of_their_names() -> None:
    both = inputs_of(room(), WALK, observation="coordinates+sentences")
    apart = [inputs_of(room(), WALK, observation=each) for each in ("coordinates", "sentences")]
    for one, first, second in zip(both, *apart, strict=True):
        assert one.text_observation == f"{first.text_observation}\n\n{second.text_observation}"


def test_all_pictures_have_the_requested_form() -> None:
    presentation = Presentation("image", 1, image_size=70, image_coordinates=True, image_style="contrast")
    *_, last = inputs_of(room(), WALK, presentation=presentation)
    assert last.prior_images is not None
    assert [max(np.asarray(image).shape[:2]) for image in (last.image, *last.prior_images)] == [70, 70]


class OwnPictures(MiniGridBackend):
    """A backend that draws only in its own style."""

    draws_any_size = False
    set_pictures = AbstractGridBackend.set_pictures


def test_pictures_of_a_fixed_size_are_resized() -> None:
    model = ScriptedModel("F")
    presentation = Presentation(image_size=70)
    EvaluationHarness(model, OwnPictures(tile_size=8), presentation=presentation).evaluate_task(room())
    assert {np.asarray(each.image).shape for each in model.inputs} == {(44, 70, 3)}


@pytest.mark.parametrize(
    ("options", "lacking"),
    [({"image_style": "letters"}, "the style 'letters'"), ({"image_coordinates": True}, "coordinates")],
)
def test_undrawable_observations_are_refused_by_name(options: dict[str, Any], lacking: str) -> None:
    presentation = Presentation(**options)
    with pytest.raises(ArgumentError, match=f"backend 'minigrid' .* does not support {lacking}"):
        EvaluationHarness(ScriptedModel(), OwnPictures(), presentation=presentation)


@pytest.mark.parametrize("observation", ["", "image+", "text+text", "none+text", "imgae"])
def test_any_other_observation_is_refused(observation: Any) -> None:
    with pytest.raises((ArgumentError, UnknownNameError), match="observation"):
        EvaluationHarness(ScriptedModel(), observation=observation)


# --- The history tells only what was witnessed -------------------------------------------------------------------

GATE_BEHIND = """
    #########
    #s@..g..#
    #......G#
    #########
"""


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("full", "the yellow toggle switch went on; the gate opened."),
        ("view_cone", "the yellow toggle switch went on."),
        ("fog_of_war", "the yellow toggle switch went on."),
    ],
)
def test_a_gate_that_opens_is_told_of_only_by_who_sees_it(mode: str, told: str) -> None:
    task = draw(GATE_BEHIND, s=switch("g"), g=gate(), rules={"observability": mode})
    assert story(task, "RRT")[-1] == told


@pytest.mark.parametrize("mode", ["full", *PARTIAL])
def test_a_hidden_gate_that_opens_in_view_is_not_told_of(mode: str) -> None:
    rules = {"observability": mode, "hidden_mechanisms": ["g"]}
    assert story(corridor("@s.gG", s=switch("g"), g=gate(), rules=rules), "T") == ["the yellow toggle switch went on."]


def test_a_hidden_switch_under_a_block_is_not_told_of() -> None:
    things = {"b": block(), "x": switch("g", switch_type="hold"), "g": gate()}
    task = corridor("@bx.gG", rules={"hidden_mechanisms": ["x"]}, **things)
    assert story(task, "F") == ["pushed the grey block; moved one cell forward; the gate opened."]


@pytest.mark.parametrize(
    ("thing", "letter", "told"),
    [
        (key("blue"), "F", "discovered the blue key; bumped into the blue key."),
        (key("blue"), "P", "discovered the blue key; picked up the blue key."),
        (switch(color="green"), "T", "discovered the green toggle switch; the green toggle switch went on."),
        (gate(), "F", "discovered the gate; bumped into the gate."),
    ],
    ids=["bump", "pickup", "toggle", "gate"],
)
def test_a_discovery_is_told_with_what_came_of_the_action(thing: Any, letter: str, told: str) -> None:
    assert story(corridor("@x.G", x=thing, rules={"hidden_mechanisms": ["x"]}), letter) == [told]


REMEMBERING = {
    "history": Presentation("image+text", history_images=2, history_text_window=10, explain="none"),
    "conversation": Presentation("image+text", context="conversation", feedback="effect", explain="none"),
}


@in_turn("mode, past", PARTIAL, list(REMEMBERING))
def test_inputs_do_not_depend_on_unseen_cells(mode: str, past: str) -> None:
    episodes = 0

    @given(tasks(max_side=12), seeds, st.integers(5, 40))
    def compare(task: TaskSpecification, seed: int, length: int) -> None:
        nonlocal episodes
        task = with_rules(task, observability=mode)
        actions = actions_of(task, seed, length)
        twin = change_out_of_sight(task, seen_in(task, actions), seed)
        assume(twin != task)
        letters = "".join(LETTER[action] for action in actions)
        options = {"presentation": REMEMBERING[past]}
        shown = [inputs_of(each, letters, **options)[: len(actions) + 1] for each in (task, twin)]
        for one, other in zip(*shown, strict=True):
            assert plain(one) == plain(other)
        episodes += 1

    compare()
    assert episodes >= 15


def plain(question: ModelInput) -> dict[str, Any]:
    """All that a model is given, as values that can be compared."""
    images = [image.tobytes() for image in (question.image, *(question.prior_images or ())) if image is not None]
    turns = [(plain(turn.input), turn.reply) for turn in question.turns]
    rest = {"image": None, "prior_images": None, "turns": turns, "pixels": images}
    return {**attrs.asdict(question, recurse=False), **rest}
