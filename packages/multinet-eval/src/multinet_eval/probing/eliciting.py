"""Wrapper models that answer a step through an open question: with a transcription, or only from one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

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
from gridworld.plugins.registry import owner_of
from gridworld.support.faults import calling
from multinet_eval.probing.board import MAP_FORM
from multinet_eval.probing.diagnosis import read_reply
from multinet_eval.record.task_result import add_usages

if TYPE_CHECKING:
    from gridworld.runner.record import Step


HEADS = {"rules": "The rules:", "legend": "What can appear in a maze:", "examples": "How such puzzles are solved:"}
"""Headings of the explanatory texts."""


def prompt_about(system: str, shown: ModelInput, question: str) -> list[PromptText | PromptImage]:
    """Build the whole prompt.

    Args:
        system: instructions for the question.
        shown: the model input of the moment, with its explanation.
        question: the question.
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
    """Base class of models that query a wrapped model.

    Args:
        model: the wrapped model.
    """

    def __init__(self, model: OpenModel) -> None:
        self._model = model

    @property
    def model_name(self) -> str:
        """Name of the wrapped model."""
        return self._model.model_name

    @property
    def seeding(self) -> str | None:
        """Seed derivation rule of the wrapped model."""
        return self._model.seeding

    @property
    def shareable(self) -> bool:
        """Whether the wrapped model is shareable; the wrapper has no state."""
        return self._model.shareable

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Pass the episode to the wrapped model."""
        self._model.begin_episode(episode)

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Return True: questions are independent, so there is no state to restore."""
        return True

    def check_ready(self) -> str | None:
        """Check that the wrapped model is ready, if it can be checked."""
        return self._model.check_ready() if isinstance(self._model, CheckedModel) else None

    def preflight(self) -> list[PreflightCheck]:
        """Return the checks of the wrapped model."""
        return self._model.preflight() if isinstance(self._model, CheckedModel) else []

    def close(self) -> None:
        """Close the wrapped model."""
        self._model.close()

    def _calling(self, method: str) -> AbstractContextManager[None]:
        """Attribute exceptions to the wrapped model."""
        return calling(owner_of("model", self._model, self.model_name), method, passing=AnswerFault)


class DiagnosedModel(_Eliciting):
    """Asks for a transcription, a plan and an action in one reply, which is recorded unchanged."""

    def rendered_prompt(self, input: ModelInput) -> Parts:
        """Return the prompt of the question."""
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
        """Return the action of the reply; raises AnswerFault."""
        with self._calling("ask"):
            answer = self._model.ask(self.rendered_prompt(input))
        try:
            reply = read_reply(answer.text)
        except AnswerFault as fault:
            raise AnswerFault(fault.outcome, fault.message, raw_output=answer.text, usage=answer.usage) from None
        return ModelOutput(action=reply.action, raw_output=answer.text, usage=answer.usage)


class TranscribingModel(_Eliciting):
    """Asks for a transcription of the board, then for an action based on that text alone, without the picture."""

    def rendered_prompt(self, input: ModelInput) -> Parts:
        """Return the prompt of the first question; the second is the wrapped model's own."""
        return _question(input, TRANSCRIPTION.format(board=MAP_FORM, pose=POSE_FORM))

    def answer_schema(self, input: ModelInput) -> dict[str, Any] | None:
        """Return the wrapped model's schema of the second answer."""
        return self._model.answer_schema(input) if isinstance(self._model, PromptedModel) else None

    def predict(self, input: ModelInput) -> ModelOutput:
        """Return the action that the model chooses from its transcription; raises AnswerFault."""
        with self._calling("ask"):
            said = self._model.ask(self.rendered_prompt(input))
        if read_object(said.text.strip()) is None:
            message = "the transcription is not a JSON object"
            raise AnswerFault(AnswerOutcome.UNPARSABLE, message, raw_output=said.text, usage=said.usage)
        explained = input.explanation
        told = None if explained is None else attrs.evolve(explained, pictures=(), examples=None)
        words = attrs.evolve(
            input, image=None, prior_images=None, text_observation=said.text, explanation=told, turns=()
        )
        try:
            with self._calling("predict"):
                output = self._model.predict(words)
        except AnswerFault as fault:
            fault.usage = add_usages([said.usage, fault.usage])
            raise
        both = f"{said.text}\n\n{output.raw_output or ''}".rstrip()
        return attrs.evolve(output, raw_output=both, usage=add_usages([said.usage, output.usage]))


def _question(input: ModelInput, text: str) -> Parts:
    wrong = [] if input.correction is None else [f"Your last answer could not be used: {input.correction}"]
    return prompt_about(SYSTEM, input, "\n\n".join([text, *wrong]))
