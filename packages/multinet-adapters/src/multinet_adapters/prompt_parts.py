"""Prompts: an input as messages, with a template; and the prompt without a part that a server rejects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

import attrs

from gridworld.model_interface import Message, ModelInput, Picture, Prompt, ReplyForm, Text
from gridworld.model_interface.prompts import Part
from multinet_adapters.answer_format import action_lines, describe_json, describe_line
from multinet_adapters.refusals import RequestPart
from multinet_adapters.reply_content import split_reasoning
from multinet_adapters.templates import PromptTemplate, Values

NAMES = {
    "answer_format": "answer form",
    "text_observation": "observation",
    "attached": "pictures",
    "max_steps": "step",
    "steps_left": "step",
}
"""Names of parts of a prompt that differ from those of the template's fields."""
EXPLAINED = ("legend", "rules", "examples")
SHOWN, SEEN = "These pictures belong to the legend and the examples.", "I have seen them."
"""User text and reply of the turn with an explanation's pictures, if these have their own turn."""


def prompt_of(
    input: ModelInput, template: PromptTemplate, schema: Mapping[str, Any] | None, seed: int | None
) -> Prompt:
    """Return the whole prompt.

    It consists of the system text, if any, and the pictures of the explanation; then the pictures, user text and reply
    of each turn of the conversation; then the pictures (oldest first, current last) and the user text of the question.

    Args:
        input: the input.
        template: the template.
        schema: JSON schema of the answer; None to ask for a last line of text.
        seed: the sampling seed.
    """
    system, asked = _question(input, template, schema is not None)
    messages = [Message("system", system)] if system else []
    tiles, apart = _explaining(input)
    if apart:
        messages += [Message("user", (*tiles, Text(SHOWN, "legend"))), Message("assistant", (Text(SEEN, "legend"),))]
        tiles = []
    for turn in input.turns:
        _, earlier = _question(turn.input, template, schema is not None)
        _, words = split_reasoning(turn.reply)
        messages += [Message("user", (*tiles, *earlier)), Message("assistant", (Text(words, "reply"),))]
        tiles = []
    return Prompt((*messages, Message("user", (*tiles, *asked))), schema, seed)


def _question(input: ModelInput, template: PromptTemplate, in_schema: bool) -> tuple[list[Text], list[Picture | Text]]:
    """Return the system texts, and the pictures and user texts, of a single question."""
    images = _labelled(input)
    system, user = template.render(_values(input, len(images), in_schema))
    return system, [*images, *user]


def _explaining(input: ModelInput) -> tuple[list[Picture], bool]:
    """Return the explanation's pictures, first and identical in every prompt, and whether they have their own turn."""
    explanation = input.explanation
    if explanation is None:
        return [], False
    tiles = [Picture(each.image, "legend", each.label) for each in explanation.pictures]
    return tiles, bool(tiles) and explanation.apart


def _labelled(input: ModelInput) -> list[Picture]:
    prior = input.prior_images or []
    earlier = [
        Picture(image, "earlier observation", f"Observation {ago} step{'s' * (ago > 1)} ago")
        for ago, image in zip(range(len(prior), 0, -1), prior, strict=True)
    ]
    return earlier if input.image is None else [*earlier, Picture(input.image, "observation", "Current observation")]


def _attached(input: ModelInput, observed: int) -> str:
    """Describe the number of pictures attached to a question, those of legend and examples first."""
    explanation = input.explanation
    explaining = 0 if explanation is None or explanation.apart else len(explanation.pictures)
    total, last = explaining + observed, "the last one is the current observation"
    if explanation is not None and explaining:
        subjects = " and ".join(f"the {name}" for name in ("legend", "examples") if name in explanation.texts())
        return f"{total} pictures: {explaining} for {subjects}, then {observed} of the maze; {last}"
    return f"{total} pictures of the maze; {last}" if total > 1 else "1 picture of the maze, the current observation"


def _values(input: ModelInput, pictures: int, in_schema: bool) -> Values:
    """Return the values of the template's fields."""
    texts: dict[str, str | None] = {
        "mission": input.text_prompt,
        "actions": action_lines(input.action_space),
        "correction": input.correction or None,
        "history": input.additional_context or None,
        "feedback": input.feedback or None,
        "note": input.note or None,
        "text_observation": input.text_observation or None,
        **dict.fromkeys(EXPLAINED),
        **({} if input.explanation is None else input.explanation.texts()),
        "attached": _attached(input, pictures) if input.image is not None else None,
        "pictures": f"{pictures} picture{'s' * (pictures > 1)}" if pictures and input.image is not None else None,
        "step": str(input.step_number + 1),
        "max_steps": str(input.max_steps),
        "steps_left": str(input.max_steps - input.step_number),
    }
    named = ((name, None if text is None else Text(text, NAMES.get(name, name))) for name, text in texts.items())
    return (*named, ("answer_format", _answer_form(input.action_space, input.reply, in_schema)))


def _answer_form(action_space: Mapping[int, str], form: ReplyForm, in_schema: bool) -> Text:
    line = describe_line(action_space, form)
    return Text(describe_json(action_space, form) if in_schema else line, NAMES["answer_format"], plain=line)


# --- without a part that a server rejects ------------------------------------------------------------------------


def _without_schema(prompt: Prompt) -> Prompt:
    """Ask for the answer as a last line of text."""
    return attrs.evolve(prompt, messages=tuple(map(_plain, prompt.messages)), schema=None)


def _plain(message: Message) -> Message:
    parts = [
        Text(part.plain, part.name) if isinstance(part, Text) and part.plain is not None else part
        for part in message.parts
    ]
    return Message(message.role, parts) if parts != list(message.parts) else message


def _without_reasoning_length(prompt: Prompt) -> Prompt:
    """Remove the maximum length of the reasoning from the schema."""
    if not limits_reasoning(prompt):
        return prompt
    assert prompt.schema is not None
    properties = dict(prompt.schema["properties"])
    properties["reasoning"] = {name: each for name, each in properties["reasoning"].items() if name != "maxLength"}
    return attrs.evolve(prompt, schema={**prompt.schema, "properties": properties})


def limits_reasoning(prompt: Prompt) -> bool:
    """Whether a prompt's schema limits the length of the reasoning."""
    properties: Mapping[str, Any] = {} if prompt.schema is None else prompt.schema.get("properties", {})
    return "maxLength" in properties.get("reasoning", {})


def without_system(prompt: Prompt) -> Prompt:
    """Put the text of the system message before the user's message, or in its place if the user has said nothing."""
    if not prompt.messages or prompt.messages[0].role != "system":
        return prompt
    system, *rest = prompt.messages
    if not rest or rest[0].role != "user":
        return attrs.evolve(prompt, messages=(Message("user", system.parts), *rest))
    first, *later = rest
    gap = [Text("\n\n", "wording")] if isinstance(next(iter(first.parts), None), Text) else []
    return attrs.evolve(prompt, messages=(Message("user", (*system.parts, *gap, *first.parts)), *later))


def pictures_apart(prompt: Prompt) -> Prompt:
    """Split each message so that each holds at most one picture and the texts after it; the first those before it."""
    return attrs.evolve(prompt, messages=tuple(chain.from_iterable(map(_apart, prompt.messages))))


def _apart(message: Message) -> list[Message]:
    pieces = split_at_pictures(message)
    if len(pieces) > 1 and not pieces[0].pictures:
        return [Message(message.role, (*pieces[0].parts, *pieces[1].parts)), *pieces[2:]]
    return pieces


def split_at_pictures(message: Message) -> list[Message]:
    """Split a message before each picture; the first piece may lack a picture."""
    pieces: list[list[Part]] = []
    for part in message.parts:
        if isinstance(part, Picture) or not pieces:
            pieces.append([])
        pieces[-1].append(part)
    return [Message(message.role, piece) for piece in pieces] if len(pieces) > 1 else [message]


def _without_seed(prompt: Prompt) -> Prompt:
    return attrs.evolve(prompt, seed=None)


CHANGES: Mapping[RequestPart, Callable[[Prompt], Prompt]] = {
    RequestPart.STRUCTURED_OUTPUT: _without_schema,
    RequestPart.REASONING_LENGTH: _without_reasoning_length,
    RequestPart.SYSTEM_MESSAGE: without_system,
    RequestPart.IMAGES_IN_MESSAGE: pictures_apart,
    RequestPart.SEED: _without_seed,
}
"""Change of a prompt for each part that a server may reject; settings of a request are not part of its prompt."""
