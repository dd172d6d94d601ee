"""Model names of persons, and the keys with which they play at the terminal and in a browser."""

from __future__ import annotations

from collections.abc import Mapping

PREFIX = "human/"


def model_of(pseudonym: str) -> str:
    """Return the model name of a person."""
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
"""Keys of actions, in addition to the digits of their ids."""


def keys_of(action_space: Mapping[int, str]) -> dict[int, tuple[str, ...]]:
    """Return the keys of each action id, the digit last, in the order of ids."""
    return {
        number: (*KEYS.get(name, ()), *([str(number)] if 0 <= number <= 9 else []))
        for number, name in sorted(action_space.items())
    }
