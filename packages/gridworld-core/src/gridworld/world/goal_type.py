"""`GoalType`: a predicate on states, its validation, its mission text, and the cells that it marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import attrs

from gridworld.errors import ArgumentError, Problem, describe_value
from gridworld.support.import_strings import pickled_constant
from gridworld.task_spec import Position, to_position
from gridworld.world.mechanism_type import EMPTY, Explained, constant

if TYPE_CHECKING:
    from gridworld.task_spec import TaskSpecification
    from gridworld.world.events import Event
    from gridworld.world.mechanism_type import TypedSpec
    from gridworld.world.state import State
    from gridworld.world.world import World


MOST_DOTS = 9
"""Highest number of dots; after it, numbers start again at 1."""
MarkKind = Literal["goal", "target"]
"""``goal`` for the place that the agent has to reach, ``target`` for any other."""


@attrs.frozen
class Marker:
    """A lattice cell marked by a goal type."""

    position: Position = attrs.field(converter=to_position)
    kind: MarkKind = "target"
    thing: str | None = None
    """Id of the mechanism that has to be brought here, if any; the mark gets the mechanism's colour and dots."""


class Mark(NamedTuple):
    """Looks of a marked cell, which depend on nothing else in the world."""

    kind: MarkKind
    color: str | None = None
    """Colour of the mechanism that belongs here."""
    number: int = 0
    """Number of dots that tell the mechanism from others of its colour; 0 without dots."""
    visited: bool = False
    """Whether the goal's memory counts it as visited."""


def dots_for(place: int) -> int:
    """Return the number of dots, 1 to `MOST_DOTS`, for the mechanism at a position in an order that begins with 1."""
    return (place - 1) % MOST_DOTS + 1


def number_things(markers: Iterable[Marker], color_of: Mapping[str, str | None]) -> dict[str, int]:
    """Return the number of dots of each mechanism with a target, by id: 1, 2, ... within each colour.

    Args:
        markers: the markers of the goal.
        color_of: id to colour, for all mechanisms.
    """
    taken: Counter[str | None] = Counter()
    numbers: dict[str, int] = {}
    for marker in markers:
        if marker.thing is not None and marker.thing not in numbers:
            color = color_of[marker.thing]
            taken[color] += 1
            numbers[marker.thing] = dots_for(taken[color])
    return numbers


def minigrid_reward(step_count: int, max_steps: int) -> float:
    """Return the reward of a success, ``1 - 0.9 * step_count / max_steps``, as in `MiniGridEnv._reward`."""
    return 1 - 0.9 * (step_count / max_steps)


def _to_mission(value: str | Callable[[World], str]) -> Callable[[World], str]:
    return value if callable(value) else constant("mission", value, str)


CommonGoalField = Literal["target", "target_ids", "target_positions"]
"""The common fields of goals in task files, of which each type uses some."""


@attrs.frozen(kw_only=True)
class GoalType:
    """A type of goal: a predicate on states, its validation, and its mission text.

    Raises:
        ArgumentError: `parameters` is not an attrs class.
    """

    # Required: name, summary, predicate and mission.

    name: str

    summary: str

    reached: Callable[[World], Callable[[State], bool]]
    """World to the predicate on its states."""

    mission: Callable[[World], str] = attrs.field(converter=_to_mission)
    """World to the mission text, or one text for all: letters, spaces and commas only, so that MiniGrid's wrappers can
    encode it."""

    # Rules: fields in task files, reward and memory.

    fields: tuple[CommonGoalField, ...] = ()
    """The common fields of `GoalSpec` that the type uses; task files must leave out the others."""

    parameters: type | None = attrs.field(default=None)
    """Attrs class of the further fields of goals of this type, whose values are in `GoalSpec.parameters`."""

    validate: Callable[[TaskSpecification, Mapping[str, TypedSpec]], Iterable[Problem]] = EMPTY
    """``(task, entries)`` to the problems of the goal, with paths relative to the goal; `entries` are the task's
    mechanisms by id."""

    reward: Callable[[int, int], float] = minigrid_reward
    """``(step_count, max_steps)`` to the reward of a success."""

    initial_memory: Callable[[World], Hashable] = EMPTY
    """World to the memory at the start of an episode: a small hashable value that JSON can hold; tuples, not lists."""

    remember: Callable[[World], Callable[[State, tuple[Event, ...]], Hashable]] | None = None
    """World to the update of the memory, ``(state after the step, events) -> memory``; None for a goal without memory.

    The update runs in every step before `reached`, finds the memory so far in ``state.memory``, and may depend only on
    properties by which a search tells states apart: not on the number of steps. An action without an effect must not
    change the memory: action masks rely on it."""

    # Looks and words, beyond its mission.

    markers: Callable[[TaskSpecification], tuple[Marker, ...]] = EMPTY
    """Task to the lattice cells to mark in pictures and texts: the place to reach, targets of blocks. ``maze.goal`` is
    plain floor unless it is among them."""

    visited: Callable[[World, Hashable], Iterable[Position]] | None = None
    """``(world, memory)`` to the marked lattice cells that count as visited. Pictures and texts tell them from the
    others. None if marks never change."""

    explains: Explained | None = None
    """Description for models of every goal of this type: when it is reached, and the looks of its marks where those are
    special; by default its `summary`."""

    # Search and records: properties for the solver and generated tasks.

    timed: bool = False
    """Whether `reached` depends on the number of steps; the solver then tells states apart by it."""

    only_at_last_step: bool = False
    """Whether the goal can only be reached at the last step of the budget, so that every plan is a shortest one."""

    agent_cells: Callable[[World], Iterable[int]] | None = None
    """World to the cells on which it matters whether the agent stands; None where it may matter anywhere. Elsewhere on
    bare floor, `reached` must not depend on where the agent is or looks, nor `remember` on where it walks, turns or
    waits or from which side it handles entities. The solver may then treat all positions there alike."""

    thing_cells: Callable[[World], Mapping[int, Iterable[int]]] | None = None
    """World to the cells that movable entities, by index, must be on for success, one cell each. The condition must be
    necessary, and need not be sufficient. None where nothing is known."""

    ignores_dropped: bool = False
    """Whether neither `reached` nor `remember` depends on where portable entities lie or on their being in the way: to
    a memory, bumping into one is like waiting. The solver may then forget where they lie."""

    version: str | None = None
    """The version of the rules, recorded in fingerprints of runs and certificates of tasks; None records nothing."""

    @parameters.validator
    def _check_parameters(self, attribute: attrs.Attribute[type | None], parameters: type | None) -> None:
        if parameters is not None and not attrs.has(parameters):
            name = describe_value(parameters)
            raise ArgumentError(
                f"goal '{self.name}': its parameters {name} are not an attrs class: decorate it with @attrs.frozen"
            )

    @property
    def explained(self) -> Explained:
        """The description for models of every goal of this type."""
        return Explained(self.summary) if self.explains is None else self.explains

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the constant of its module, since its functions may be lambdas."""
        return pickled_constant(self)
