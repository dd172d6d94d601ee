"""What things are called: words of models and of the text view, as kind, colour and state that can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from gridworld.ascii.legend import LegendError, SaidThing, Word, read_legend
from gridworld.ascii.vocabulary import vocabulary_of
from gridworld.plugins import get_registry
from gridworld.task.colors import ANY_COLORS

__all__ = ["Name", "name_of", "read_names"]

MARKS = ("goal", "target")
SPELLINGS = {"gray": "grey"}


@attrs.frozen(order=True)
class Name:
    """What can be seen of a thing, its place aside."""

    kind: str
    """Such as ``key``; unknown words are a kind of their own."""
    color: str = ""
    """Empty for what has none."""
    state: str = ""
    """Such as ``locked``; empty for what has only one."""
    words: str = attrs.field(default="", eq=False, order=False, repr=False)
    """How it was said, which reads back as an equal name."""

    def __str__(self) -> str:
        return self.words


def read_names(phrase: str) -> list[Name]:
    """What a phrase such as ``blue block and target`` names, in the words of drawings; at least one thing.

    Dots, ids and what a switch controls are passed over. What is usual may be left out, as in drawings: a ``red door``
    is a locked one.
    """
    return [name_of(said.texts) for said in _things(phrase)]


def _things(phrase: str) -> list[SaidThing]:
    """The parts of a legend; what cannot be read is a thing that is called so."""
    try:
        return read_legend(f"A = {' '.join(phrase.split())}")[1]
    except LegendError:
        return [SaidThing(1, [Word(phrase, 1)])]


def name_of(words: Sequence[str]) -> Name:
    """What the words of one thing mean."""
    texts = [SPELLINGS.get(word, word) for word in words]
    return attrs.evolve(_named(texts), words=" ".join(texts))


def _named(texts: list[str]) -> Name:
    color = next((word for word in texts if word in ANY_COLORS), "")
    others = [word for word in texts if word != color]
    if others and others[-1] in MARKS:
        return Name(others[-1], color, " ".join(others[:-1]))
    vocabulary = vocabulary_of(get_registry())
    meaning = vocabulary.find(texts)
    if meaning is None:
        return Name(" ".join(others), color)
    noun = vocabulary.type_of(meaning.type_name).noun
    states = (_state(field, value) for field, value in sorted(meaning.fields.items()) if value != color)
    part = () if meaning.part is None else (meaning.part.removeprefix("position_"),)
    return Name(noun, color, " ".join(filter(None, (*states, *part))))


def _state(field: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return field if value else f"not {field}"
    return str(value)
