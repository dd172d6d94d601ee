"""The things that can occur, gathered by what is told of them: one `ThingWords` for all that differ in colour alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import attrs

from gridworld.explaining.vocabulary import KnownType
from gridworld.support.wording import one_line
from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import Rules
from gridworld.world.explained import Explained
from gridworld.world.mechanism_type import MechanismType

__all__ = ["Form", "Seen", "ThingWords", "gather_things"]


class Form(NamedTuple):
    """What a thing can look like, its colour aside: ``locked``, or the ``entrance`` of a teleporter."""

    adjective: str
    part: str

    def __str__(self) -> str:
        return " ".join(filter(None, self))

    def of(self, name: str) -> str:
        """A thing of that name in this form, such as ``locked door``."""
        return " ".join(filter(None, (self.adjective, name, self.part)))


class Seen(NamedTuple):
    """One way in which a thing can be seen."""

    spec: Any
    value: int
    """The number of its state."""
    part: int
    """Which of its places."""


@attrs.frozen
class ThingWords:
    """Things of one type of which the same is told."""

    type: MechanismType
    name: str
    """Without colour, such as ``hold switch`` or ``lava hazard``."""
    forms: tuple[Form, ...]
    """What they can look like, in the order of the type's states; one at least."""
    colors: tuple[str, ...]
    """What they can have; empty for what has no colour."""
    looks: tuple[str, ...]
    """How they look, under each of the rules where these change it."""
    does: tuple[tuple[str, ...], ...]
    """What they do under each of the rules, in sentences."""
    seen: dict[tuple[Form, str | None], Seen]
    """Form and colour to an example."""


@attrs.frozen
class _Variant:
    """A spec, and what is told of it under each of the rules."""

    spec: Any
    told: tuple[Explained, ...]

    @property
    def looks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(looks for each in self.told if (looks := one_line(each.looks))))

    @property
    def does(self) -> list[tuple[str, ...]]:
        return [tuple(line for sentence in each.does if (line := one_line(sentence))) for each in self.told]


def gather_things(known: KnownType, rules: Sequence[Rules]) -> list[ThingWords]:
    """What is to be told of a mechanism type, in the order of the things' names.

    Raises:
        Exception: whatever the type's functions raise.
    """
    groups: dict[tuple[str, tuple[str, ...]], list[_Variant]] = {}
    for spec in known.specs:
        told = tuple(known.type.explained(spec, each) for each in rules)
        variant = _Variant(spec, told)
        groups.setdefault((_phrase(known.type, spec), variant.looks), []).append(variant)
    gathered = [_words(known.type, phrase, variants) for (phrase, _), variants in groups.items()]
    return sorted(gathered, key=lambda each: each.name) or [_bare_words(known.type)]


def _phrase(kind: MechanismType, spec: Any) -> str:
    return " ".join(filter(None, (kind.kind(spec), kind.noun)))


def _words(kind: MechanismType, phrase: str, variants: Sequence[_Variant]) -> ThingWords:
    seen: dict[tuple[Form, str | None], Seen] = {}
    for variant in variants:
        for form, example in _forms(kind, variant):
            seen.setdefault((form, kind.color(variant.spec)), example)
    forms = tuple(dict.fromkeys(form for form, _ in seen))
    adjectives = {form.adjective for form in forms}
    name = phrase
    if len(adjectives) == 1 and forms[0].adjective:
        name, renamed = f"{forms[0].adjective} {phrase}", {form: Form("", form.part) for form in forms}
        forms = tuple(renamed[form] for form in forms)
        seen = {(renamed[form], color): example for (form, color), example in seen.items()}
    does = tuple(map(_together, zip(*(variant.does for variant in variants), strict=True)))
    return ThingWords(kind, name, forms, _sorted_colors(color for _, color in seen), variants[0].looks, does, seen)


def _together(variants: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """All sentences, each once."""
    return tuple(dict.fromkeys(sentence for does in variants for sentence in does))


def _bare_words(kind: MechanismType) -> ThingWords:
    """What is told where no entry could be made: nothing can be shown."""
    return ThingWords(kind, kind.noun, (Form("", ""),), (), (), ((kind.summary,),), {})


def _forms(kind: MechanismType, variant: _Variant) -> Iterator[tuple[Form, Seen]]:
    spec, possible = variant.spec, [kind.values if each.states is None else each.states for each in variant.told]
    for number, value in enumerate(kind.values):
        if any(value in states for states in possible):
            for part, field in enumerate(kind.positions(spec)):
                yield Form(kind.adjective(spec, value), kind.part(spec, field)), Seen(spec, number, part)


def _sorted_colors(colors: Iterable[str | None]) -> tuple[str, ...]:
    """The six in their order, then the others by name."""
    named = {color for color in colors if color is not None}
    return tuple(sorted(named, key=lambda color: (color not in COLOR_NAMES, _place(color), color)))


def _place(color: str) -> int:
    return COLOR_NAMES.index(color) if color in COLOR_NAMES else 0
