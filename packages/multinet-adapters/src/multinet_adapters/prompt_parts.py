"""From what a model is given for a step to the texts and pictures that it is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gridworld.model_interface import ModelInput, PromptImage, PromptText, ReplyForm
from multinet_adapters.answer_formats import action_lines
from multinet_adapters.answers import split_reasoning
from multinet_adapters.templates import PromptTemplate

__all__ = ["prompt_parts"]


DescribeFormat = Callable[[Mapping[int, str], ReplyForm], str]
"""Says how to answer."""


def prompt_parts(
    input: ModelInput, template: PromptTemplate, describe_format: DescribeFormat
) -> list[PromptText | PromptImage]:
    """A whole prompt.

    The system's text if there is one, and the pictures of what is explained; of each turn of the conversation its
    pictures, the user's text and the reply; then the pictures (the oldest first, the current one last) and the user's
    text of the question.
    """
    system, images, user = _question(input, template, describe_format)
    parts: list[PromptText | PromptImage] = [PromptText("system", system)] if system else []
    parts += _explaining(input)
    for turn in input.turns:
        _, earlier, asked = _question(turn.input, template, describe_format)
        _, words = split_reasoning(turn.reply)
        parts += [*earlier, PromptText("user", asked), PromptText("assistant", words)]
    return [*parts, *images, PromptText("user", user)]


def _question(
    input: ModelInput, template: PromptTemplate, describe_format: DescribeFormat
) -> tuple[str, list[PromptImage], str]:
    """The system's text, the pictures and the user's text of one question."""
    images = _labelled(input)
    system, user = template.render(_values(input, len(images), describe_format(input.action_space, input.reply)))
    return system, images, user


EXPLAINED: dict[str, str | None] = {"legend": None, "rules": None, "examples": None}
SHOWN, SEEN = "These pictures belong to what is explained.", "I have seen them."
"""The turn that the pictures of an explanation are, where they have one of their own: what is said, and the reply."""


def _explaining(input: ModelInput) -> list[PromptText | PromptImage]:
    """The pictures of what is explained; they come first, since they are the same in every prompt."""
    explanation = input.explanation
    if explanation is None or not explanation.pictures:
        return []
    tiles = [PromptImage(each.label, each.image) for each in explanation.pictures]
    return [*tiles, PromptText("user", SHOWN), PromptText("assistant", SEEN)] if explanation.apart else [*tiles]


def _labelled(input: ModelInput) -> list[PromptImage]:
    prior = input.prior_images or []
    earlier = [PromptImage(_label(len(prior) - index), image) for index, image in enumerate(prior)]
    return earlier if input.image is None else [*earlier, PromptImage("Current observation", input.image)]


def _label(steps_ago: int) -> str:
    return f"Observation {steps_ago} step{'s' * (steps_ago > 1)} ago"


def _values(input: ModelInput, pictures: int, answer_format: str) -> dict[str, str | None]:
    """Every field of a template; None where there is nothing to tell."""
    return {
        "mission": input.text_prompt,
        "actions": action_lines(input.action_space),
        "answer_format": answer_format,
        "correction": input.correction or None,
        "history": input.additional_context or None,
        "feedback": input.feedback or None,
        "note": input.note or None,
        "text_observation": input.text_observation or None,
        **EXPLAINED,
        **({} if input.explanation is None else input.explanation.texts()),
        "pictures": f"{pictures} picture{'s' * (pictures > 1)}" if pictures and input.image is not None else None,
        "step": str(input.step_number + 1),
        "max_steps": str(input.max_steps),
        "steps_left": str(input.max_steps - input.step_number),
    }
