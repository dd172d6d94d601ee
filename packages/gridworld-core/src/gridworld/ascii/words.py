"""Words for mechanisms, and the task fields that they stand for.

The text view uses the same words. Each mechanism type supplies words for every combination of its fields that have few
choices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import attrs

from gridworld.task.attrs_schema import SAMPLE_COLOR, Entries, Entry
from gridworld.task.catalogs import Catalogs
from gridworld.task.colors import ANY_COLORS
from gridworld.task_spec import Rules

if TYPE_CHECKING:
    from gridworld.world.mechanism_type import MechanismType


@attrs.frozen
class WordMeaning:
    """The mechanism type and fields that a phrase stands for."""

    type_name: str
    """Name of the mechanism type in task files."""
    fields: Mapping[str, Any] = attrs.field(hash=False)
    """Fields of the task file entry that follow from the words, without positions and id."""
    part: str | None = None
    """Position field that the words name, for types with several; None otherwise."""


class Vocabulary:
    """The words for all available mechanism types.

    Args:
        catalogs: the available types.
    """

    def __init__(self, catalogs: Catalogs) -> None:
        self._types: dict[str, MechanismType] = {names[0]: kind for names, kind in catalogs.mechanisms.entries()}
        self._color_fields: dict[str, str] = {}
        full, short = _Meanings(), _Meanings()
        self._position_fields: dict[str, tuple[str, ...]] = {}
        for name, kind in self._types.items():
            full.note(name, WordMeaning(name, {}))
            entries = Entries(kind.spec)
            self._position_fields[name] = entries.position_fields
            for entry in entries.listed():
                self._note(name, kind, entry, full, short)
        self._meanings = short.unambiguous() | full.unambiguous()

    def type_of(self, name: str) -> MechanismType:
        """Return the mechanism type with this name."""
        return self._types[name]

    def position_fields(self, name: str) -> tuple[str, ...]:
        """Return the position fields of a mechanism type; empty for types that cannot be drawn."""
        return self._position_fields[name]

    def phrases(self) -> list[str]:
        """Return the known phrases without colours."""
        return sorted(" ".join(words.split()) for words in self._meanings)

    def find(self, words: Iterable[str]) -> WordMeaning | None:
        """Find the meaning of words, which may include a colour; None if they have no meaning."""
        said = list(words)
        exact = self._meanings.get(" ".join(said))
        if exact is not None:
            return exact
        for place, word in enumerate(said):
            if word in ANY_COLORS:
                meaning = self._meanings.get(" ".join([*said[:place], *said[place + 1 :]]))
                if meaning is not None and meaning.type_name in self._color_fields:
                    fields = {**meaning.fields, self._color_fields[meaning.type_name]: word}
                    return attrs.evolve(meaning, fields=fields)
        return None

    def describe(self, type_name: str, spec: Any, part: str) -> str:
        """Return the words of the text view for an entry of a task."""
        return _words(self._types[type_name], spec, part)

    def _note(self, name: str, kind: MechanismType, entry: Entry, full: _Meanings, short: _Meanings) -> None:
        fields = {field: value for field, value in entry.fields.items() if field != entry.color_field}
        if entry.color_field is not None:
            self._color_fields[name] = entry.color_field
        for place in kind.positions(entry.spec):
            part = kind.part(entry.spec, place)
            meaning = WordMeaning(name, fields, place if part else None)
            words = _without_color(_words(kind, entry.spec, place))
            full.note(words, meaning)
            short.note(_without_color(f"{kind.describe(entry.spec)} {part}"), meaning)
            short.note(" ".join(word for word in words.split() if word != kind.noun), meaning)


class _Meanings:
    """Collects meanings of words; the first one per mechanism type wins."""

    def __init__(self) -> None:
        self._noted: dict[str, dict[str, WordMeaning]] = {}

    def note(self, words: str, meaning: WordMeaning) -> None:
        """Add a meaning, unless the words already have one of this mechanism type."""
        self._noted.setdefault(words, {}).setdefault(meaning.type_name, meaning)

    def unambiguous(self) -> dict[str, WordMeaning]:
        """Return the words that have a meaning in exactly one mechanism type."""
        return {
            words: meaning
            for words, found in self._noted.items()
            if words and len(found) == 1
            for meaning in found.values()
        }


@lru_cache(maxsize=8)
def vocabulary_of(catalogs: Catalogs) -> Vocabulary:
    """Return the vocabulary of the available types; cached, since building it takes longer than reading a drawing."""
    return Vocabulary(catalogs)


def _words(kind: MechanismType, spec: Any, part: str) -> str:
    value = kind.values[kind.initial_value(spec, Rules())]
    return " ".join(filter(None, (kind.adjective(spec, value), kind.describe(spec), kind.part(spec, part))))


def _without_color(words: str) -> str:
    return " ".join(word for word in words.split() if word != SAMPLE_COLOR)
