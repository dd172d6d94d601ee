"""`ChatModel`: a model that is asked with a `Prompt`, in steps that can be repeated, cached and checked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from gridworld.model_interface.answers import AnswerFault
from gridworld.model_interface.base import BatchModel, EpisodeInfo, ModelInput, ModelInterface, ModelOutput
from gridworld.model_interface.prompts import Prompt, Reply, Sent

if TYPE_CHECKING:
    from gridworld.model_interface.steps import Step


class ChatModel(ModelInterface):
    """A model without state between steps, whose answers depend only on its settings and the prompt.

    Only `send` communicates with the model; the other methods are pure functions of their arguments, the model's
    settings, and what its server is known to reject. Therefore a prompt can be shown without being sent, an answer can
    be cached, and a record can be checked.
    """

    @abstractmethod
    def prompt(self, input: ModelInput) -> Prompt:
        """Render the prompt for an input; its seed is derived from the episode, the step and the attempt."""

    @abstractmethod
    def send(self, prompt: Prompt) -> Reply:
        """Send a prompt, and again without the parts that the server rejects.

        Raises:
            AnswerFault: there is no reply; `AnswerFault.sent` names what was sent.
        """

    @abstractmethod
    def read(self, reply: Reply, input: ModelInput) -> ModelOutput:
        """Parse the answer in a reply.

        Raises:
            AnswerFault: the reply has no usable answer.
        """

    @abstractmethod
    def words(self, reply: Reply) -> str:
        """Return the text of a reply to an open question, without reasoning.

        Raises:
            AnswerFault: the text is missing or was cut off, or the model declined to answer.
        """

    def adapt(self, prompt: Prompt) -> Prompt:
        """Return the prompt without the parts that this server is known to reject; by default unchanged."""
        return prompt

    def without(self, prompt: Prompt, left_out: Collection[str]) -> Prompt:
        """Return the prompt without parts named as in `Reply.left_out`; by default unchanged."""
        return prompt

    def seed_for(self, input: ModelInput) -> int | None:
        """Return the sampling seed of the prompt for an input; by default None, for none."""
        return None

    def settings_in_use(self) -> dict[str, Any]:
        """Return the JSON-ready settings that go with the next prompt, as in `Reply.settings`; by default none."""
        return {}

    def settings_without(self, left_out: Collection[str]) -> dict[str, Any]:
        """Return the settings of a request that was made without some parts; by default those in use."""
        return self.settings_in_use()

    def kept_files(self) -> Mapping[str, str]:
        """Return the text of each file that prompts depend on, by the argument that names it; by default none."""
        return {}

    @property
    def samples(self) -> bool:
        """Whether answers are sampled, that is, the temperature is above 0. The default is True.

        It may change from False to True during use, for example when a server rejects a temperature.
        """
        return True

    @classmethod
    def offline(cls, arguments: Mapping[str, str], kept: Mapping[str, Path]) -> dict[str, str]:
        """Return the arguments of a model that renders the prompts of a recorded run and sends nothing.

        Args:
            arguments: the recorded arguments by name; an override removes those that name a credential.
            kept: copies of the files of `kept_files`, by argument.

        Raises:
            ArgumentError: an argument names a file that is not kept with the run.
        """
        return {**arguments, **{name: str(path) for name, path in kept.items()}}

    def answer(self, prompt: Prompt, input: ModelInput) -> ModelOutput:
        """Send an adapted prompt and parse the answer.

        Raises:
            AnswerFault: there is no usable answer.
        """
        return self.read_sent(self.send(prompt), prompt, input)

    def read_sent(self, reply: Reply, prompt: Prompt, input: ModelInput) -> ModelOutput:
        """Parse the answer in a reply to a prompt, and note in it what was sent; raises as `read` does."""
        noted = {**_noted(reply), "sent": (sent_for(reply, prompt),)}
        try:
            return attrs.evolve(self.read(reply, input), **noted)
        except AnswerFault as fault:
            raise fault.noting(**noted) from fault.__cause__

    def predict(self, input: ModelInput) -> ModelOutput:
        """Choose an action; raises AnswerFault."""
        return self.answer(self.adapt(self.prompt(input)), input)

    def ask(self, prompt: Prompt) -> str:
        """Answer an open question; raises AnswerFault."""
        return self.words(self.send(self.adapt(prompt)))

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Return True: there is no state between steps."""
        return True


class BatchChatModel(ChatModel, BatchModel):
    """A `ChatModel` that answers several prompts at once."""

    @abstractmethod
    def send_many(self, prompts: Sequence[Prompt]) -> list[Reply | AnswerFault]:
        """Send several prompts; return the replies in order, with faults in place of missing ones."""

    def send(self, prompt: Prompt) -> Reply:
        """Send one prompt; raises AnswerFault."""
        (reply,) = self.send_many([prompt])
        if isinstance(reply, AnswerFault):
            raise reply
        return reply

    def answer_many(self, prompts: Sequence[Prompt], inputs: Sequence[ModelInput]) -> list[ModelOutput | AnswerFault]:
        """Send adapted prompts and parse the answers, in order; faults are returned instead of raised."""
        outputs: list[ModelOutput | AnswerFault] = []
        for reply, prompt, asked in zip(self.send_many(prompts), prompts, inputs, strict=True):
            if isinstance(reply, Reply):
                try:
                    outputs.append(self.read_sent(reply, prompt, asked))
                except AnswerFault as fault:
                    outputs.append(fault)
            else:
                outputs.append(reply)
        return outputs

    def predict_batch(self, inputs: Sequence[ModelInput]) -> list[ModelOutput | AnswerFault]:
        """Choose an action for each input; faults are returned instead of raised."""
        return self.answer_many([self.adapt(self.prompt(each)) for each in inputs], inputs)


def sent_for(reply: Reply, prompt: Prompt) -> Sent:
    """Return what was sent for a prompt: `Reply.sent`, or the prompt itself if the reply does not tell."""
    return Sent(prompt if reply.sent is None else reply.sent, reply.settings)


def _noted(reply: Reply) -> dict[str, Any]:
    """Return what outputs and faults tell about the request, besides what was sent."""
    return {
        "usage": reply.usage,
        "left_out": reply.left_out,
        "adjustments": reply.adjustments,
    }
