"""`SuiteVocabulary`: everything that can occur in the tasks of a suite, without positions, tasks and ids.

Explanations are written from the vocabulary, not from the played task. Tasks that differ only in unseen parts therefore
have the same first prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, Self

import attrs

from gridworld.support.wording import one_line
from gridworld.task.attrs_schema import Entries, Entry
from gridworld.task.catalogs import Catalogs
from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import OBSERVABILITY_MODES, Position, Rules, TaskSpecification
from gridworld.world.goal_type import GoalType, Mark
from gridworld.world.mechanism_type import Explained, MechanismType


@attrs.frozen
class KnownType:
    """A mechanism type with its possible specs."""

    type: MechanismType
    specs: tuple[Any, ...]
    """Distinct specs, completed by the rules, with ids and positions made equal."""


@attrs.frozen
class SuiteVocabulary:
    """Everything that can occur in a suite, independent of the order and number of tasks."""

    mechanisms: tuple[KnownType, ...] = ()
    """Mechanism types, sorted by name."""
    goals: tuple[GoalType, ...] = ()
    """Goal types, sorted by name."""
    marks: tuple[Mark, ...] = ()
    """Possible marks of goals, without dots."""
    rules: tuple[Rules, ...] = (Rules(),)
    """Distinct rules, without hidden mechanisms."""
    hides: bool = False
    """Whether mechanisms can be hidden."""

    @classmethod
    def of(cls, tasks: Iterable[TaskSpecification], catalogs: Catalogs) -> Self:
        """Collect the vocabulary of valid tasks.

        Args:
            tasks: the tasks.
            catalogs: their mechanism and goal types.

        Raises:
            UnknownNameError, AmbiguousNameError: a type is not in the catalogs.
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
    def of_everything(cls, catalogs: Catalogs) -> Self:
        """Collect all variants of all types, in the six colours, that task file entries can express."""
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
    """Complete a spec by the rules, and replace its id and positions with fixed ones."""
    places = {field: Position(1 + number, 1) for number, field in enumerate(kind.positions(spec))}
    return attrs.evolve(kind.completed(spec, rules), id=kind.noun, **places)


def _marks(catalogs: Catalogs, task: TaskSpecification) -> Iterator[Mark]:
    colors: Mapping[str, str | None] = {
        spec.id: catalogs.mechanisms.get(name).color(spec) for name, specs in task.mechanisms.groups() for spec in specs
    }
    for marker in catalogs.goals.get(task.goal.type).markers(task):
        yield Mark(marker.kind, None if marker.thing is None else colors[marker.thing])


def _specs(kind: MechanismType) -> Iterator[Any]:
    """Yield specs for all choices of fields with few values, in all colours."""
    for entry in Entries(kind.spec).listed():
        for spec in _in_all_colors(kind, entry):
            yield _nameless(kind, spec, Rules())


def _in_all_colors(kind: MechanismType, entry: Entry) -> Iterator[Any]:
    """Yield specs of an entry in the six colours, or without colour if colour is optional and unused in words."""
    field, spec = entry.color_field, entry.spec
    if field is None:
        yield spec
    elif kind.color(spec) is None and attrs.fields_dict(kind.spec)[field].default is None:
        yield attrs.evolve(spec, **{field: None})
    else:
        yield from (attrs.evolve(spec, **{field: color}) for color in COLOR_NAMES)


class Form(NamedTuple):
    """The form of an entity apart from its colour: an adjective such as ``locked``, or a part such as ``entrance``."""

    adjective: str
    part: str

    def __str__(self) -> str:
        return " ".join(filter(None, self))

    def of(self, name: str) -> str:
        """Return the name of an entity in this form, such as ``locked door``."""
        return " ".join(filter(None, (self.adjective, name, self.part)))


class Seen(NamedTuple):
    """An example of how an entity looks."""

    spec: Any
    value: int
    """Index of the state."""
    part: int
    """Index of the position."""


@attrs.frozen
class ThingWords:
    """Words for entities of one type that are explained together."""

    type: MechanismType
    name: str
    """Name without colour, such as ``hold switch`` or ``lava hazard``."""
    forms: tuple[Form, ...]
    """Possible forms, in the order of the type's states; at least one."""
    colors: tuple[str, ...]
    """Possible colours; empty for entities without colour."""
    looks: tuple[str, ...]
    """Distinct looks under the rules."""
    does: tuple[tuple[str, ...], ...]
    """For each of the rules, sentences about the effects of the entities."""
    seen: dict[tuple[Form, str | None], Seen]
    """Examples by form and colour."""


@attrs.frozen
class _Variant:
    """A spec with its explanations under each of the rules."""

    spec: Any
    told: tuple[Explained, ...]

    @property
    def looks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(looks for each in self.told if (looks := one_line(each.looks))))

    @property
    def does(self) -> list[tuple[str, ...]]:
        return [tuple(line for sentence in each.does if (line := one_line(sentence))) for each in self.told]


def gather_things(known: KnownType, rules: Sequence[Rules]) -> list[ThingWords]:
    """Collect the words for a mechanism type, sorted by name; errors of the type's functions pass through."""
    groups: dict[tuple[str, tuple[str, ...]], list[_Variant]] = {}
    for spec in known.specs:
        told = tuple(known.type.explained(spec, each) for each in rules)
        variant = _Variant(spec, told)
        phrase = " ".join(filter(None, (known.type.kind(spec), known.type.noun)))
        groups.setdefault((phrase, variant.looks), []).append(variant)
    gathered = [_words(known.type, phrase, variants) for (phrase, _), variants in groups.items()]
    kind = known.type  # without possible entries, there are no looks
    bare = ThingWords(kind, kind.noun, (Form("", ""),), (), (), ((kind.summary,),), {})
    return sorted(gathered, key=lambda each: each.name) or [bare]


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
    by_rules = zip(*(variant.does for variant in variants), strict=True)
    does = tuple(tuple(dict.fromkeys(chain.from_iterable(sentences))) for sentences in by_rules)
    found = {color for _, color in seen if color is not None}
    colors = (*(color for color in COLOR_NAMES if color in found), *sorted(found - set(COLOR_NAMES)))
    return ThingWords(kind, name, forms, colors, variants[0].looks, does, seen)


def _forms(kind: MechanismType, variant: _Variant) -> Iterator[tuple[Form, Seen]]:
    spec, possible = variant.spec, [kind.values if each.states is None else each.states for each in variant.told]
    for number, value in enumerate(kind.values):
        if any(value in states for states in possible):
            for part, field in enumerate(kind.positions(spec)):
                yield Form(kind.adjective(spec, value), kind.part(spec, field)), Seen(spec, number, part)
