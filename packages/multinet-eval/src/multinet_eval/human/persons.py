"""How persons are called as models: ``human/`` and a pseudonym, so that each is a model of their own."""

from __future__ import annotations

__all__ = ["is_person", "model_of"]

PREFIX = "human/"


def model_of(pseudonym: str) -> str:
    """The name of the model that a person is."""
    return f"{PREFIX}{pseudonym}"


def is_person(model: str) -> bool:
    """Whether a model is a person with a pseudonym."""
    return model.startswith(PREFIX)
