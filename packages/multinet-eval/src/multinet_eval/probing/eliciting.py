"""Wrapper models that answer a step through an open question: with a transcription, or only from one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    CheckedModel,
    EpisodeInfo,
    Message,
    ModelInput,
    ModelOutput,
    Picture,
    PreflightCheck,
    Prompt,
    Reply,
    Text,
)
from gridworld.model_interface.answers import read_object
from gridworld.model_interface.chat_model import ChatModel, sent_for
from gridworld.runner.record import Step
from multinet_eval.probing.board import MAP_FORM
from multinet_eval.probing.diagnosis import read_reply
from multinet_eval.record.task_result import add_usages


def prompt_about(system: str, shown: ModelInput, question: str, correction: str | None = None) -> Prompt:
    """Build the whole prompt of a question about a moment.

    Args:
        system: instructions for the question.
        shown: the model input of the moment, with its explanation.
        question: the question.
        correction: what was wrong with the last answer, as a sentence.
    """
    explained = shown.explanation
    told = [Text(system, "instructions")]
    for name, text in ({} if explained is None else explained.texts()).items():
        told += [Text("\n\n", "wording"), Text(text, name)]
    parts: list[Picture | Text] = []
    if explained is not None:
        parts += [Picture(each.image, "legend", each.label) for each in explained.pictures]
    if shown.image is not None:
        parts.append(Picture(shown.image, "observation", "The board"))
    if shown.text_observation is not None:
        parts += [Text("The board in words:\n", "wording"), Text(shown.text_observation, "observation")]
        parts.append(Text("\n\n", "wording"))
    parts.append(Text(question, "question"))
    if correction is not None:
        parts.append(Text(f"\n\n{correction}", "correction"))
    return Prompt((Message("system", told), Message("user", parts)))


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


class _Eliciting(ChatModel, CheckedModel):
    """Base class of models that ask a wrapped model something else.

    Args:
        model: the wrapped model.
    """

    def __init__(self, model: ChatModel) -> None:
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

    @property
    def samples(self) -> bool:
        """Whether the wrapped model samples."""
        return self._model.samples

    def settings_in_use(self) -> dict[str, Any]:
        """Return the settings of the wrapped model."""
        return self._model.settings_in_use()

    def settings_without(self, left_out: Collection[str]) -> dict[str, Any]:
        """Return the settings of the wrapped model."""
        return self._model.settings_without(left_out)

    def kept_files(self) -> Mapping[str, str]:
        """Return the files of the wrapped model."""
        return self._model.kept_files()

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Pass the episode to the wrapped model."""
        self._model.begin_episode(episode)

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Pass the steps to the wrapped model, whose requests these were."""
        return self._model.resume_episode(episode, steps)

    def adapt(self, prompt: Prompt) -> Prompt:
        """Return the prompt as the wrapped model would."""
        return self._model.adapt(prompt)

    def without(self, prompt: Prompt, left_out: Collection[str]) -> Prompt:
        """Return the prompt as the wrapped model would."""
        return self._model.without(prompt, left_out)

    def send(self, prompt: Prompt) -> Reply:
        """Send a prompt to the wrapped model; raises AnswerFault."""
        return self._model.send(prompt)

    def words(self, reply: Reply) -> str:
        """Return the text of a reply; raises AnswerFault."""
        return self._model.words(reply)

    def check_ready(self) -> str | None:
        """Check that the wrapped model is ready, if it can be checked."""
        return self._model.check_ready() if isinstance(self._model, CheckedModel) else None

    def check_ready_within(self, seconds: float) -> str | None:
        """Check within a limit that the wrapped model is ready, if it can be checked."""
        return self._model.check_ready_within(seconds) if isinstance(self._model, CheckedModel) else None

    def preflight(self) -> list[PreflightCheck]:
        """Return the checks of the wrapped model."""
        return self._model.preflight() if isinstance(self._model, CheckedModel) else []

    def close(self) -> None:
        """Close the wrapped model."""
        self._model.close()

    def _asking(self, input: ModelInput, text: str) -> Prompt:
        """Return the prompt of a question, with the seed that the wrapped model derives for the input."""
        wrong = None if input.correction is None else f"Your last answer could not be used: {input.correction}"
        return attrs.evolve(prompt_about(SYSTEM, input, text, wrong), seed=self._model.seed_for(input))


class DiagnosedModel(_Eliciting):
    """Asks for a transcription, a plan and an action in one reply, which is recorded unchanged."""

    def prompt(self, input: ModelInput) -> Prompt:
        """Render the prompt of the question."""
        text = DIAGNOSIS.format(
            mission=input.text_prompt,
            actions=", ".join(ACTION_SPACE.values()),
            step=input.step_number + 1,
            most=input.max_steps,
            board=MAP_FORM,
            pose=POSE_FORM,
        )
        return self._asking(input, text)

    def read(self, reply: Reply, input: ModelInput) -> ModelOutput:
        """Return the action of the reply; raises AnswerFault."""
        words = self.words(reply)
        try:
            return ModelOutput(action=read_reply(words).action, raw_output=words)
        except AnswerFault as fault:
            raise AnswerFault(fault.outcome, fault.message, raw_output=words) from None


class TranscribingModel(_Eliciting):
    """Asks for a transcription of the board, then for an action based on that text alone, without the picture."""

    def prompt(self, input: ModelInput) -> Prompt:
        """Render the prompt of the first question; the second is the wrapped model's own."""
        return self._asking(input, TRANSCRIPTION.format(board=MAP_FORM, pose=POSE_FORM))

    def read(self, reply: Reply, input: ModelInput) -> ModelOutput:
        """Return the action of the second reply; raises AnswerFault."""
        return self._model.read(reply, input)

    def answer(self, prompt: Prompt, input: ModelInput) -> ModelOutput:
        """Return the action that the model chooses from its transcription; raises AnswerFault."""
        reply = self._model.send(prompt)
        first, found = sent_for(reply, prompt), reply.adjustments
        try:
            said = self._model.words(reply)
            if read_object(said.strip()) is None:
                message = "the transcription is not a JSON object"
                raise AnswerFault(AnswerOutcome.UNPARSABLE, message, raw_output=said)
        except AnswerFault as fault:
            raise fault.noting(sent=(first,), usage=reply.usage, left_out=reply.left_out, adjustments=found) from None
        try:
            output = self._model.predict(_told(input, said))
        except AnswerFault as fault:
            usage = add_usages([reply.usage, fault.usage])
            raise fault.noting(
                sent=(first, *fault.sent), usage=usage, adjustments=(*found, *fault.adjustments)
            ) from None
        return attrs.evolve(
            output,
            raw_output=f"{said}\n\n{output.raw_output or ''}".rstrip(),
            usage=add_usages([reply.usage, output.usage]),
            sent=(first, *output.sent),
            adjustments=(*found, *output.adjustments),
        )


def _told(input: ModelInput, transcription: str) -> ModelInput:
    """Return the input with a transcription in place of all pictures."""
    explained = input.explanation
    told = None if explained is None else attrs.evolve(explained, pictures=(), examples=None)
    return attrs.evolve(
        input, image=None, prior_images=None, text_observation=transcription, explanation=told, turns=()
    )
