"""The forms of answers that a model is asked for; `multinet_adapters.answers` reads both, whichever was asked for."""

from collections.abc import Mapping
from typing import Any

from gridworld.model_interface import ReplyForm

__all__ = ["action_lines", "answer_schema", "describe_json", "describe_line"]

SUBGOAL = "What the actions are to achieve."


def answer_schema(action_space: Mapping[int, str], form: ReplyForm) -> dict[str, Any]:
    """The JSON schema of an answer: the reasoning comes first, so that the model can think before it decides.

    It keeps to the subset of JSON Schema that constrained decoders and hosted services understand.
    """
    properties: dict[str, Any] = {"reasoning": {"type": "string", "description": f"Why {_these(form)}."}}
    if form.subgoal:
        properties["subgoal"] = {"type": "string", "description": SUBGOAL}
    action = {"type": "string", "enum": [action_space[number] for number in sorted(action_space)]}
    if form.holds_one_action:
        properties["action"] = action
    else:
        properties["actions"] = {"type": "array", "items": action, "description": f"In order, {_how_many(form)}."}
    if form.note_length:
        properties["note"] = {"type": "string", "description": f"{_note(form)}."}
    properties["confidence"] = {"type": "number", "description": "How sure you are, from 0 to 1."}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def describe_json(action_space: Mapping[int, str], form: ReplyForm) -> str:
    """The sentences that ask for an answer as JSON."""
    names = ", ".join(action_space[number] for number in sorted(action_space))
    fields = ['"reasoning": "<why>"']
    if form.subgoal:
        fields.append('"subgoal": "<what the actions are to achieve>"')
    if form.holds_one_action:
        fields.append('"action": "<name of the action>"')
        choice = f"The action is one of: {names}."
    else:
        fields.append('"actions": ["<name of an action>", ...]')
        choice = f"The actions are taken in order, {_how_many(form)}. Each is one of: {names}."
    if form.note_length:
        fields.append(f'"note": "<{_note(form).lower()}>"')
    fields.append('"confidence": <how sure you are, from 0 to 1>')
    return f"Answer with one JSON object and nothing else:\n{{{', '.join(fields)}}}\n{choice}"


def describe_line(action_space: Mapping[int, str], form: ReplyForm) -> str:
    """The sentences that ask for an answer as last lines."""
    lines = []
    if form.subgoal:
        lines.append("Subgoal: <what the actions are to achieve>")
    if form.note_length:
        lines.append(f"Note: <{_note(form).lower()}>")
    if form.holds_one_action:
        what = "naming a single action by its id or name"
        lines.append("Action: <id or name>")
    else:
        what = f"naming actions by their ids or names, in order, {_how_many(form)}"
        lines.append("Actions: <id or name>, <id or name>, ...")
    count = "one line" if len(lines) == 1 else f"{len(lines)} lines"
    return "\n".join([f"End your answer with {count} of this form, {what}:", *lines])


def action_lines(action_space: Mapping[int, str]) -> str:
    """The action space as text, a line for each action."""
    return "\n".join(f"{number}: {action_space[number]}" for number in sorted(action_space))


def _these(form: ReplyForm) -> str:
    return "this action" if form.holds_one_action else "these actions"


def _how_many(form: ReplyForm) -> str:
    if form.max_actions is None:
        return "as many as it takes to reach the goal"
    return f"at least 1 and at most {form.max_actions}"


def _note(form: ReplyForm) -> str:
    return f"A note to yourself for the next question, on one line of at most {form.note_length} characters"
