"""`GoalType`: a predicate on states, with its validation, mission text, and marked cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import attrs

from gridworld.errors import ArgumentError, Owner, Problem, describe_value
from gridworld.support.checks import named_fields
from gridworld.task_spec import Position, to_position
from gridworld.world.mechanism_type import EMPTY, Explained, constant
from gridworld.world.owned_hooks import HookForm, own_hooks, pickled_constant

if TYPE_CHECKING:
    from gridworld.task_spec import TaskSpecification
    from gridworld.world.events import Event
    from gridworld.world.mechanism_type import TypedSpec
    from gridworld.world.state import State
    from gridworld.world.world import World


MOST_DOTS = 9
"""Largest number of dots; larger numbers start again at 1."""
MarkKind = Literal["goal", "target"]
"""``goal`` for the cell that the agent must reach, ``target`` for any other."""


@named_fields
@attrs.frozen
class Marker:
    """A lattice cell marked by a goal type."""

    position: Position = attrs.field(converter=to_position)
    kind: MarkKind = "target"
    thing: str | None = None
    """Id of the mechanism to bring here, if any; the mark gets its colour and dots, and is on the first cell of the
    patch only."""


class Mark(NamedTuple):
    """How a marked cell looks, independent of the rest of the world."""

    kind: MarkKind
    color: str | None = None
    """Colour of the mechanism that belongs here."""
    number: int = 0
    """Number of dots that distinguish this mechanism from others of its colour; 0 without dots."""
    visited: bool = False
    """Whether the goal's memory counts the cell as visited."""


def dots_for(place: int) -> int:
    """Return the number of dots, 1 to `MOST_DOTS`, of the n-th mechanism, counting from 1."""
    return (place - 1) % MOST_DOTS + 1


def number_things(markers: Iterable[Marker], color_of: Mapping[str, str | None]) -> dict[str, int]:
    """Return the number of dots of each mechanism with a target, by id: 1, 2, ... within each colour.

    Args:
        markers: the markers of the goal.
        color_of: colour of each mechanism, by id.
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
"""The common goal fields in task files; each type uses some of them."""


HOOK_FORMS = {
    "reached": HookForm("world", Callable),
    "mission": HookForm("world", str),
    "validate": HookForm("task, entries", Problem, tuple),
    "reward": HookForm("step_count, max_steps"),
    "initial_memory": HookForm("world"),
    "remember": HookForm("world", Callable),
    "markers": HookForm("task", Marker, tuple),
    "visited": HookForm("world, memory", tuple, tuple),
    "agent_cells": HookForm("world", int, tuple),
    "thing_cells": HookForm("world", Iterable, dict),
}
"""Forms of the functions of a `GoalType`."""


@named_fields
@attrs.frozen(kw_only=True)
class GoalType:
    """A type of goal: a predicate on states, with its validation and mission text.

    Raises:
        ArgumentError: `parameters` is not an attrs class, or a function does not take its parameters.
    """

    # Required: name, summary, predicate and mission.

    name: str

    summary: str

    reached: Callable[[World], Callable[[State], bool]]
    """Builds the predicate on a world's states."""

    mission: Callable[[World], str] = attrs.field(converter=_to_mission)
    """Builds the mission text of a world; may be given as a fixed text.

    Use letters, spaces and commas only, so that MiniGrid's wrappers can encode it.
    """

    # Rules: fields in task files, reward and memory.

    fields: tuple[CommonGoalField, ...] = ()
    """The common fields of `GoalSpec` that the type uses; task files must omit the others."""

    parameters: type | None = attrs.field(default=None)
    """Attrs class of the type's own fields, whose values are in `GoalSpec.parameters`."""

    validate: Callable[[TaskSpecification, Mapping[str, TypedSpec]], Iterable[Problem]] = EMPTY
    """Returns the goal's problems, with paths relative to the goal; `entries` are the task's mechanisms by id."""

    reward: Callable[[int, int], float] = minigrid_reward
    """Returns the reward of a success from ``(step_count, max_steps)``."""

    initial_memory: Callable[[World], Hashable] = EMPTY
    """Returns a world's memory at the start: a small hashable value that JSON can hold; use tuples, not lists."""

    remember: Callable[[World], Callable[[State, tuple[Event, ...]], Hashable]] | None = None
    """Builds the memory update of a world, ``(state after the step, events) -> memory``; None for a goal without
    memory.

    The update runs in every step before `reached`, and finds the memory so far in ``state.memory``. It may depend only
    on properties by which a search distinguishes states, so not on the step count. An action without an effect must not
    change the memory: action masks rely on it.
    """

    # Looks and words, beyond its mission.

    markers: Callable[[TaskSpecification], tuple[Marker, ...]] = EMPTY
    """Returns the lattice cells to mark in pictures and texts: the cell to reach, targets of blocks.

    ``maze.goal`` is plain floor unless it is among them.
    """

    visited: Callable[[World, Hashable], Iterable[Position]] | None = None
    """Returns the marked lattice cells that count as visited, from ``(world, memory)``.

    Pictures and texts distinguish them from the others. None if marks never change.
    """

    explains: Explained | None = None
    """Description of every goal of this type for models: when it is reached, and how its marks look if they are
    special.

    By default its `summary`.
    """

    # Search and records: properties for the solver and generated tasks.

    timed: bool = False
    """Whether `reached` depends on the step count; the solver then distinguishes states by it."""

    only_at_last_step: bool = False
    """Whether the goal can only be reached at the last step of the budget, so that every plan is a shortest one."""

    agent_cells: Callable[[World], Iterable[int]] | None = None
    """Returns the cells of a world on which it matters whether the agent stands; None if it may matter anywhere.

    Elsewhere on bare floor, `reached` must not depend on where the agent is or looks, nor `remember` on where it walks,
    turns or waits or from which side it handles entities. The solver may then treat all positions there alike.
    """

    thing_cells: Callable[[World], Mapping[int, Iterable[int]]] | None = None
    """Returns, for each movable entity by index, the cells of which it must be on one for success.

    The condition must be necessary, but need not be sufficient. None if nothing is known.
    """

    ignores_dropped: bool = False
    """Whether neither `reached` nor `remember` depends on where portable entities lie or whom they obstruct.

    For `remember`, bumping into one must be like waiting. The solver may then forget where they lie.
    """

    version: str | None = None
    """Version of the rules, recorded in run fingerprints and task certificates; None records nothing."""

    owner: Owner = attrs.field(
        default=attrs.Factory(lambda self: Owner(f"goal '{self.name}'"), takes_self=True), eq=False, repr=False
    )
    """The plugin, for messages; set when the plugin is loaded."""

    def __attrs_post_init__(self) -> None:
        own_hooks(self, HOOK_FORMS)

    @parameters.validator
    def _check_parameters(self, attribute: attrs.Attribute[type | None], parameters: type | None) -> None:
        if parameters is not None and not attrs.has(parameters):
            name = describe_value(parameters)
            raise ArgumentError(
                f"goal '{self.name}': its parameters {name} are not an attrs class: decorate it with @attrs.frozen"
            )

    @property
    def explained(self) -> Explained:
        """Description of goals of this type for models."""
        return Explained(self.summary) if self.explains is None else self.explains

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the constant of its module, since its functions may be lambdas."""
        return pickled_constant(self)
