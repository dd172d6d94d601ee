"""How persons are called as models, and the keys by which they play, at the terminal and in a browser."""

from __future__ import annotations

from collections.abc import Mapping

PREFIX = "human/"


def model_of(pseudonym: str) -> str:
    """The name of the model that a person is."""
    return f"{PREFIX}{pseudonym}"


def is_person(model: str) -> bool:
    """Whether a model is a person with a pseudonym."""
    return model.startswith(PREFIX)


KEYS = {
    "move_forward": ("up", "f"),
    "turn_left": ("left", "l"),
    "turn_right": ("right", "r"),
    "pickup": ("p",),
    "drop": ("d",),
    "toggle": ("t", " "),
    "done": ("w", "."),
}
"""Action to its keys, beside the digit of its id."""


def keys_of(action_space: Mapping[int, str]) -> dict[int, tuple[str, ...]]:
    """The id of each action to its keys, the digit last; ids in their order."""
    return {
        number: (*KEYS.get(name, ()), *([str(number)] if 0 <= number <= 9 else []))
        for number, name in sorted(action_space.items())
    }
