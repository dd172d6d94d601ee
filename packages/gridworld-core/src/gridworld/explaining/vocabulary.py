"""`SuiteVocabulary`: what can occur in the tasks of a suite, without where, in which task, and under which id.

Everything that a prompt explains follows from it, and nothing from the task that is played: so two tasks that differ
only in what has not been seen have the same first prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

import attrs

from gridworld.task.catalogs import Catalogs
from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import OBSERVABILITY_MODES, Position, Rules, TaskSpecification
from gridworld.world.entries import Entries, Entry
from gridworld.world.goal_type import GoalType
from gridworld.world.marks import Mark
from gridworld.world.mechanism_type import MechanismType

__all__ = ["KnownType", "SuiteVocabulary"]


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
    def of(cls, tasks: Iterable[TaskSpecification], catalogs: Catalogs) -> Self:
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
    def of_everything(cls, catalogs: Catalogs) -> Self:
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


def _marks(catalogs: Catalogs, task: TaskSpecification) -> Iterator[Mark]:
    colors: Mapping[str, str | None] = {
        spec.id: catalogs.mechanisms.get(name).color(spec) for name, specs in task.mechanisms.groups() for spec in specs
    }
    for marker in catalogs.goals.get(task.goal.type).markers(task):
        yield Mark(marker.kind, None if marker.thing is None else colors[marker.thing])


def _specs(kind: MechanismType) -> Iterator[Any]:
    """One spec for each choice of the fields that have few, in all colours."""
    for entry in Entries(kind).listed():
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
