"""Earlier answers that a model is given: the conversation, its notes, and feedback on its actions."""

from typing import Any

import attrs
import numpy as np
import pytest

from gridworld.errors import ArgumentError
from gridworld.model_interface import AnswerOutcome, ModelInput, ModelOutput, ReplyForm
from gridworld.runner.presentation import Presentation
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from multinet_eval import EvaluationHarness
from multinet_eval.settings.asking import Chunk
from support.runs import AnsweringModel, ScriptedModel
from support.worlds import LETTERS, corridor


class Talker(AnsweringModel):
    """Says what it plays; a text beside the letter is its note."""

    def __init__(self, *answers: tuple[str, str | None] | AnswerOutcome) -> None:
        super().__init__(*(each if isinstance(each, AnswerOutcome) else _say(*each) for each in answers))

    def can_reply(self, form: ReplyForm) -> bool:
        return True


def _say(letters: str, note: str | None = None) -> ModelOutput:
    actions = tuple(LETTERS[letter] for letter in letters)
    words = f"I play {letters}" if note is None else f"I play {letters}, and note: {note}"
    return ModelOutput(actions[0], actions=actions, raw_output=words, note=note)


def inputs_of(model: ScriptedModel, task: TaskSpecification, **presentation: Any) -> list[ModelInput]:
    chunks = Chunk(9) if isinstance(model, Talker) else None
    shown = Presentation(**presentation)
    harness = EvaluationHarness(model, MiniGridBackend(tile_size=8), presentation=shown, protocol=chunks)
    harness.evaluate_task(task)
    return model.inputs


def talk(*letters: str) -> Talker:
    return Talker(*((each, None) for each in letters))


# --- the conversation ------------------------------------------------------------------------------------------


def test_a_question_follows_earlier_questions_and_replies() -> None:
    first, second, third, *_ = inputs_of(talk("F", "LR", "F"), corridor("@....G"), context="conversation")
    assert first.turns == ()
    assert [turn.reply for turn in third.turns] == ["I play F", "I play LR"]
    asked = [turn.input for turn in third.turns]
    assert [given.step_number for given in asked] == [0, 1]
    assert [np.array_equal(given.image, then.image) for given, then in zip(asked, (first, second), strict=True)] == [
        True,
        True,
    ]


@pytest.mark.parametrize(("steps", "images"), [(8, 2), (3, 0), (2, 5), (0, 0), (1, 1)])
def test_a_long_conversation_stays_within_its_bounds(steps: int, images: int) -> None:
    options = {"context": "conversation", "context_steps": steps, "context_images": images}
    inputs = inputs_of(talk(*"LR" * 30), corridor("@....G", max_steps=60), **options)
    settled = inputs[max(steps, images) + 1 :]
    assert len(settled) > 50
    for given in settled:
        assert len(given.turns) == steps
        shown = [turn.input.image is not None for turn in given.turns]
        assert shown == [False] * (steps - min(steps, images)) + [True] * min(steps, images)
        assert not any(turn.input.turns or turn.input.prior_images for turn in given.turns)


def test_each_turn_is_changed_once_when_its_picture_is_left_out() -> None:
    inputs = inputs_of(talk(*"LR" * 10), corridor("@....G", max_steps=20), context="conversation", context_images=3)
    forms: dict[int, list[Any]] = {}
    for given in inputs:
        for turn in given.turns:
            seen = forms.setdefault(turn.input.step_number, [])
            if not seen or seen[-1] is not turn:
                seen.append(turn)
    settled = [seen for step, seen in forms.items() if step < 16]
    assert {len(seen) for seen in settled} == {2}
    for with_picture, without in settled:
        assert attrs.evolve(with_picture.input, image=None) != with_picture.input
        assert (without.reply, without.input.image) == (with_picture.reply, None)
        assert without.input.text_prompt == with_picture.input.text_prompt


def test_unusable_answers_are_recorded_with_their_message() -> None:
    model = Talker(AnswerOutcome.UNPARSABLE, ("F", None))
    _, again, after, *_ = inputs_of(model, corridor("@....G"), context="conversation")
    (turn,) = after.turns
    assert turn.reply == "I play F"
    assert turn.input.correction == again.correction
    assert again.correction is not None


@pytest.mark.parametrize("context_steps", [1, 8])
def test_notes_in_earlier_turns_are_cut_to_the_limit(context_steps: int) -> None:
    model = Talker(("F", "too long a note"), ("F", "short"), ("F", None))
    options = {"context": "conversation", "context_steps": context_steps, "note_length": 12}
    inputs = inputs_of(model, corridor("@.....G"), **options)
    replies = [turn.reply for given in inputs for turn in given.turns]
    assert "I play F, and note: too long a n" in replies
    assert "I play F, and note: short" in replies
    assert not any("too long a not" in reply for reply in replies)


def test_a_model_without_words_has_said_the_names_of_its_actions() -> None:
    _, second, *_ = inputs_of(ScriptedModel("FF"), corridor("@....G"), context="conversation")
    assert [turn.reply for turn in second.turns] == ["move_forward"]


def test_earlier_pictures_come_once() -> None:
    with pytest.raises(ArgumentError, match="history_images: a conversation already contains earlier pictures"):
        Presentation(context="conversation", history_images=1)


# --- notes -----------------------------------------------------------------------------------------------------


def test_a_note_is_handed_back_until_another_one_is_left() -> None:
    model = Talker(("F", "east is free"), ("F", None), ("F", "too long a note"), ("F", ""))
    inputs = inputs_of(model, corridor("@.....G"), note_length=12)
    assert [given.note for given in inputs[:5]] == [None, "east is free", "east is free", "too long a n", ""]
    assert {given.reply.note_length for given in inputs} == {12}


# --- feedback --------------------------------------------------------------------------------------------------


def test_feedback_covers_all_actions_since_the_last_question() -> None:
    inputs = inputs_of(talk("LF", "RF", "W"), corridor("@....G"), feedback="effect")
    assert [given.feedback for given in inputs[:4]] == [
        None,
        "turn_left: turned left.\nmove_forward: bumped into a wall.",
        "turn_right: turned right.\nmove_forward: moved one cell forward.",
        "done: waited.",
    ]


def test_a_lost_step_is_told_as_well() -> None:
    _, _, _, after, *_ = inputs_of(Talker(*[AnswerOutcome.UNPARSABLE] * 3), corridor("@....G"), feedback="effect")
    assert after.feedback == "no action: this is unparsable."
