"""Base class of the models whose prompts are made with a template: prompts and answers, without sending."""

# The annotations stay objects, since the command line reads them from the constructor.
from abc import abstractmethod
from collections.abc import Collection, Mapping, Set
from pathlib import Path
from typing import Any, ClassVar

import attrs

from gridworld.errors import ArgumentError
from gridworld.model_interface import (
    Adjustment,
    CheckedModel,
    ModelInput,
    ModelOutput,
    Prompt,
    Reply,
    ReplyForm,
)
from gridworld.model_interface.chat_model import ChatModel
from multinet_adapters.answer_format import answer_schema, read_output, read_words
from multinet_adapters.prompt_parts import CHANGES, prompt_of, without_system
from multinet_adapters.refusals import Negotiation, RequestPart
from multinet_adapters.sampling_seeds import seed_of
from multinet_adapters.templates import TemplateName, load_template, template_names


@attrs.define(eq=False, slots=False)
class TemplatedModel(ChatModel, CheckedModel):
    """A chat model with a prompt template, an answer format, and a sampling seed; the arguments are its subclasses'."""

    max_seed: ClassVar[int]
    """Exclusive upper bound of sampling seeds."""
    seed: int | None
    template: TemplateName
    structured: bool
    system_message: bool

    @classmethod
    def offline(cls, arguments: Mapping[str, str], kept: Mapping[str, Path]) -> dict[str, str]:
        """Return the arguments with kept templates; raises ArgumentError for a file that is not kept."""
        template = arguments.get("prompt")
        if template is not None and template not in template_names() and "prompt" not in kept:
            raise ArgumentError("the template of its prompts is not kept in the run")
        return super().offline(arguments, kept)

    def _prepare(self, negotiation: Negotiation) -> None:
        """Load the template; raises ValueError if there is none of that name, or if it is invalid."""
        self._template = load_template(self.template)
        self._negotiation = negotiation

    @property
    @abstractmethod
    def model_name(self) -> str:
        """The name in results."""

    @property
    def longest_reasoning(self) -> int | None:
        """Maximum length of the reasoning in a structured answer, in characters; None for no limit."""
        return None

    @property
    def shareable(self) -> bool:
        """Whether threads may share the model; always, since it has no state between steps."""
        return True

    def can_reply(self, form: ReplyForm) -> bool:
        """Return True: any form can be requested."""
        return True

    def prompt(self, input: ModelInput) -> Prompt:
        """Render the prompt for an input, with everything that a server might reject."""
        schema = answer_schema(input.action_space, input.reply, self.longest_reasoning) if self.structured else None
        prompt = prompt_of(input, self._template, schema, self.seed_for(input))
        return prompt if self.system_message else without_system(prompt)

    def seed_for(self, input: ModelInput) -> int | None:
        """Derive a seed from the model's, the episode, the step and the attempt; outside episodes it is the model's."""
        if self.seed is None or input.episode is None:
            return self.seed
        return seed_of(self.max_seed, self.seed, input.episode, input.step_number, input.attempt)

    def adapt(self, prompt: Prompt) -> Prompt:
        """Return the prompt without what the server is known to reject; an open question gets the model's seed."""
        seeded = prompt if prompt.seed is not None else attrs.evolve(prompt, seed=self.seed)
        if not self.system_message:
            seeded = without_system(seeded)
        return self.without(seeded, self._negotiation.refused)

    def without(self, prompt: Prompt, left_out: Collection[str]) -> Prompt:
        """Return the prompt without some parts, named as in `Reply.left_out`."""
        for part, change in CHANGES.items():
            if part in left_out:
                prompt = change(prompt)
        return prompt

    def read(self, reply: Reply, input: ModelInput) -> ModelOutput:
        """Parse the answer in a reply; raises AnswerFault."""
        return read_output(reply, input)

    def words(self, reply: Reply) -> str:
        """Return the text of a reply without reasoning; raises AnswerFault."""
        return read_words(reply)

    def adjustments(self) -> tuple[Adjustment, ...]:
        """Return the fallbacks in use for parts of requests that the server has rejected."""
        return self._negotiation.adjustments

    def kept_files(self) -> Mapping[str, str]:
        """Return the text of the template by its argument, unless it is a bundled one."""
        return {} if self.template in template_names() else {"prompt": self._template.source}


def names_of(parts: Set[RequestPart]) -> tuple[str, ...]:
    """Return the names of parts of a request, sorted."""
    return tuple(sorted(part.value for part in parts))


Settings = dict[str, Any]
"""Settings that go with a prompt, by their names in the server's protocol."""
