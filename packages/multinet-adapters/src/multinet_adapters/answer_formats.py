"""The forms of answers that a model is asked for; `multinet_adapters.answers` reads both, whichever was asked for."""

from collections.abc import Mapping
from typing import Any

__all__ = ["action_lines", "answer_schema", "describe_json", "describe_line"]


def answer_schema(action_space: Mapping[int, str]) -> dict[str, Any]:
    """The JSON schema of an answer: the reasoning comes first, so that the model can think before it decides.

    It keeps to the subset of JSON Schema that constrained decoders and hosted services understand.
    """
    return {
        "type": "object",
        "properties": {
            "reasoning": {"type": "string", "description": "Why this action."},
            "action": {"type": "string", "enum": [action_space[number] for number in sorted(action_space)]},
            "confidence": {"type": "number", "description": "How sure you are, from 0 to 1."},
        },
        "required": ["reasoning", "action", "confidence"],
        "additionalProperties": False,
    }


def describe_json(action_space: Mapping[int, str]) -> str:
    """The sentences that ask for an answer as JSON."""
    names = ", ".join(action_space[number] for number in sorted(action_space))
    return (
        "Answer with one JSON object and nothing else:\n"
        '{"reasoning": "<why>", "action": "<name of the action>", "confidence": <how sure you are, from 0 to 1>}\n'
        f"The action is one of: {names}."
    )


def describe_line(action_space: Mapping[int, str]) -> str:
    """The sentence that asks for an answer as a last line."""
    return "End your answer with one line of this form, naming a single action by its id or name:\nAction: <id or name>"


def action_lines(action_space: Mapping[int, str]) -> str:
    """The action space as text, a line for each action."""
    return "\n".join(f"{number}: {action_space[number]}" for number in sorted(action_space))
