"""Models that answer a step by way of an open question: with their transcription, or only from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    CheckedModel,
    EpisodeInfo,
    ModelInput,
    ModelOutput,
    OpenModel,
    PreflightCheck,
    PromptedModel,
    PromptImage,
    PromptText,
)
from gridworld.model_interface.answers import read_object
from multinet_eval.probing.board import MAP_FORM
from multinet_eval.probing.diagnosis import read_reply
from multinet_eval.record.task_result import add_usages

if TYPE_CHECKING:
    from gridworld.runner.record import Step


HEADS = {"rules": "The rules:", "legend": "What there can be:", "examples": "How such puzzles are solved:"}
"""Heading of each of the texts that explain."""


def prompt_about(system: str, shown: ModelInput, question: str) -> list[PromptText | PromptImage]:
    """The whole prompt.

    Args:
        system: how the question is to be taken.
        shown: the moment, with what is explained of it.
        question: what is asked.
    """
    explained = shown.explanation
    told = {} if explained is None else explained.texts()
    headed = [f"{HEADS[name]}\n{text}" for name, text in told.items()]
    pictures = [] if explained is None else [PromptImage(each.label, each.image) for each in explained.pictures]
    if shown.image is not None:
        pictures.append(PromptImage("The board", shown.image))
    words = [] if shown.text_observation is None else [f"The board in words:\n{shown.text_observation}"]
    return [
        PromptText("system", "\n\n".join([system, *headed])),
        *pictures,
        PromptText("user", "\n\n".join([*words, question])),
    ]


Parts = list[PromptText | PromptImage]

POSE_FORM = (
    '"facing": the direction that the agent faces: right, down, left or up, or on boards without squares the degrees '
    'clockwise from right, such as "60 degrees clockwise from right"; "carrying": what it has in its hand, in words, '
    "or null."
)
SYSTEM = """You are the agent in a grid puzzle. At each step you are shown the board.
Answer with a JSON object and nothing else, or with a code block at the end that holds it alone."""
DIAGNOSIS = """Mission: {mission}
Actions: {actions}.
This is step {step} of at most {most}.
First transcribe the board, then plan, then act. The JSON object has these entries, in this order: {board} {pose} \
"plan": the names of the actions that you intend, from now to the goal, in a list; "action": the name of the action to \
take now."""
TRANSCRIPTION = """Transcribe the board. Answer with a JSON object with these entries: {board} {pose}"""


class _Eliciting(PromptedModel, CheckedModel):
    """A model through which another one is asked.

    Args:
        model: who is asked.
    """

    def __init__(self, model: OpenModel) -> None:
        self._model = model

    @property
    def model_name(self) -> str:
        """Name of the model that is asked."""
        return self._model.model_name

    @property
    def seeding(self) -> str | None:
        """Seeding of the model that is asked."""
        return self._model.seeding

    @property
    def shareable(self) -> bool:
        """Whether the model that is asked is: nothing is kept here."""
        return self._model.shareable

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Tell the model that is asked."""
        self._model.begin_episode(episode)

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Each question stands for itself."""
        return True

    def check_ready(self) -> None:
        """Have the model that is asked look, if it can."""
        if isinstance(self._model, CheckedModel):
            self._model.check_ready()

    def preflight(self) -> list[PreflightCheck]:
        """The checks of the model that is asked."""
        return self._model.preflight() if isinstance(self._model, CheckedModel) else []

    def close(self) -> None:
        """Close the model that is asked."""
        self._model.close()


class DiagnosedModel(_Eliciting):
    """Asks for a transcription, a plan and an action in one reply, which is kept as it came."""

    def rendered_prompt(self, input: ModelInput) -> Parts:
        """The question."""
        text = DIAGNOSIS.format(
            mission=input.text_prompt,
            actions=", ".join(ACTION_SPACE.values()),
            step=input.step_number + 1,
            most=input.max_steps,
            board=MAP_FORM,
            pose=POSE_FORM,
        )
        return _question(input, text)

    def predict(self, input: ModelInput) -> ModelOutput:
        """The action of the reply; raises AnswerFault."""
        answer = self._model.ask(self.rendered_prompt(input))
        try:
            reply = read_reply(answer.text)
        except AnswerFault as fault:
            raise AnswerFault(fault.outcome, fault.message, raw_output=answer.text, usage=answer.usage) from None
        return ModelOutput(action=reply.action, raw_output=answer.text, usage=answer.usage)


class TranscribingModel(_Eliciting):
    """Has the model transcribe the board, and then play from its own words, without the picture."""

    def rendered_prompt(self, input: ModelInput) -> Parts:
        """The first question; the second one is the model's own."""
        return _question(input, TRANSCRIPTION.format(board=MAP_FORM, pose=POSE_FORM))

    def predict(self, input: ModelInput) -> ModelOutput:
        """The action that the model chooses by its transcription; raises AnswerFault."""
        said = self._model.ask(self.rendered_prompt(input))
        if read_object(said.text.strip()) is None:
            message = "the transcription is no JSON object"
            raise AnswerFault(AnswerOutcome.UNPARSABLE, message, raw_output=said.text, usage=said.usage)
        explained = input.explanation
        told = None if explained is None else attrs.evolve(explained, pictures=(), examples=None)
        words = attrs.evolve(
            input, image=None, prior_images=None, text_observation=said.text, explanation=told, turns=()
        )
        try:
            output = self._model.predict(words)
        except AnswerFault as fault:
            fault.usage = add_usages([said.usage, fault.usage])
            raise
        both = f"{said.text}\n\n{output.raw_output or ''}".rstrip()
        return attrs.evolve(output, raw_output=both, usage=add_usages([said.usage, output.usage]))


def _question(input: ModelInput, text: str) -> Parts:
    wrong = [] if input.correction is None else [f"Your last answer could not be used: {input.correction}"]
    return prompt_about(SYSTEM, input, "\n\n".join([text, *wrong]))
