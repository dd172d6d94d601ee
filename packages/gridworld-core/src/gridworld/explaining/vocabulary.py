"""`SuiteVocabulary`: what can occur in the tasks of a suite, without where, in which task, and under which id.

Everything that a prompt explains follows from it, and nothing from the task that is played: so two tasks that differ
only in what has not been seen have the same first prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

import attrs

from gridworld.support.wording import one_line
from gridworld.task.attrs_schema import Entries, Entry
from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import OBSERVABILITY_MODES, Position, Rules, TaskSpecification
from gridworld.world.catalogs import WorldCatalogs
from gridworld.world.goal_type import GoalType, Mark
from gridworld.world.mechanism_type import Explained, MechanismType


@attrs.frozen
class KnownType:
    """A mechanism type, and what there can be of it."""

    type: MechanismType
    specs: tuple[Any, ...]
    """Different ones, completed by rules, with one id and the same places for all."""


@attrs.frozen
class SuiteVocabulary:
    """What can occur; the order of tasks, and how often something occurs, do not matter."""

    mechanisms: tuple[KnownType, ...] = ()
    """Sorted by name."""
    goals: tuple[GoalType, ...] = ()
    """Sorted by name."""
    marks: tuple[Mark, ...] = ()
    """What goals can mark, without dots."""
    rules: tuple[Rules, ...] = (Rules(),)
    """Different ones, with no mechanism hidden."""
    hides: bool = False
    """Whether mechanisms can be hidden."""

    @classmethod
    def of(cls, tasks: Iterable[TaskSpecification], catalogs: WorldCatalogs) -> Self:
        """The vocabulary of valid tasks.

        Args:
            tasks: the tasks.
            catalogs: the types that they use.

        Raises:
            UnknownNameError, AmbiguousNameError: a task uses a type that the catalogs have not got.
        """
        found, goals, marks, rules, hides = dict[str, dict[Any, None]](), set[str](), set[Mark](), set[Rules](), False
        for task in tasks:
            for name, specs in task.mechanisms.groups():
                kind = catalogs.mechanisms.get(name)
                found.setdefault(name, {}).update((_nameless(kind, spec, task.rules), None) for spec in specs)
            goals.add(task.goal.type)
            marks.update(_marks(catalogs, task))
            rules.add(attrs.evolve(task.rules, hidden_mechanisms=()))
            hides |= bool(task.rules.hidden_mechanisms)
        return cls(
            mechanisms=tuple(_known(catalogs.mechanisms.get(name), found[name]) for name in sorted(found)),
            goals=tuple(catalogs.goals.get(name) for name in sorted(goals)),
            marks=tuple(sorted(marks, key=str)),
            rules=tuple(sorted(rules, key=str)) or (Rules(),),
            hides=hides,
        )

    @classmethod
    def of_everything(cls, catalogs: WorldCatalogs) -> Self:
        """All that the types at hand can have, as far as it can be made from the fields of their entries.

        Things have the six colours; of a type whose entries cannot be made there is nothing to show.
        """
        rules = [
            Rules(key_consumption=consumed, observability=mode)
            for mode in OBSERVABILITY_MODES
            for consumed in (True, False)
        ]
        types = {names[0]: kind for names, kind in catalogs.mechanisms.entries()}
        goals = {names[0]: kind for names, kind in catalogs.goals.entries()}
        return cls(
            mechanisms=tuple(_known(types[name], _specs(types[name])) for name in sorted(types)),
            goals=tuple(goals[name] for name in sorted(goals)),
            marks=(Mark("goal"), Mark("target"), *(Mark("target", color) for color in COLOR_NAMES)),
            rules=tuple(rules),
            hides=True,
        )


def _known(kind: MechanismType, specs: Iterable[Any]) -> KnownType:
    return KnownType(kind, tuple(sorted(specs, key=repr)))


def _nameless(kind: MechanismType, spec: Any, rules: Rules) -> Any:
    """The spec with what rules say where it says nothing, and without anything of its place in a task."""
    places = {field: Position(1 + number, 1) for number, field in enumerate(kind.positions(spec))}
    return attrs.evolve(kind.completed(spec, rules), id=kind.noun, **places)


def _marks(catalogs: WorldCatalogs, task: TaskSpecification) -> Iterator[Mark]:
    colors: Mapping[str, str | None] = {
        spec.id: catalogs.mechanisms.get(name).color(spec) for name, specs in task.mechanisms.groups() for spec in specs
    }
    for marker in catalogs.goals.get(task.goal.type).markers(task):
        yield Mark(marker.kind, None if marker.thing is None else colors[marker.thing])


def _specs(kind: MechanismType) -> Iterator[Any]:
    """One spec for each choice of the fields that have few, in all colours."""
    for entry in Entries(kind.spec).listed():
        for spec in _in_all_colors(kind, entry):
            yield _nameless(kind, spec, Rules())


def _in_all_colors(kind: MechanismType, entry: Entry) -> Iterator[Any]:
    """The entry in the six colours; without one where it can do without, and no words depend on it."""
    field, spec = entry.color_field, entry.spec
    if field is None:
        yield spec
    elif kind.color(spec) is None and attrs.fields_dict(kind.spec)[field].default is None:
        yield attrs.evolve(spec, **{field: None})
    else:
        yield from (attrs.evolve(spec, **{field: color}) for color in COLOR_NAMES)


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
