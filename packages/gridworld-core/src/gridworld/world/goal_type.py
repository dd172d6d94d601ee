"""`GoalType`: a predicate on states, its validation, and the sentence that tells an agent about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import attrs

from gridworld.errors import ArgumentError, Problem, describe_value
from gridworld.support.import_strings import pickled_constant
from gridworld.task_spec import Position, to_position
from gridworld.world.mechanism_type import Explained, constant

if TYPE_CHECKING:
    from gridworld.task_spec import TaskSpecification
    from gridworld.world.events import Event
    from gridworld.world.mechanism_type import TypedSpec
    from gridworld.world.state import State
    from gridworld.world.world import World


MOST_DOTS = 9
"""After so many things they begin with one dot again."""
MarkKind = Literal["goal", "target"]
"""The place to reach, or any other target."""


@attrs.frozen
class Marker:
    """One lattice cell that a goal type has marked."""

    position: Position = attrs.field(converter=to_position)
    kind: MarkKind = "target"
    """``goal`` for the place that the agent has to reach, ``target`` for any other."""
    thing: str | None = None
    """The id of the mechanism that has to come here, if one has: the mark has its colour and its dots."""


class Mark(NamedTuple):
    """What is drawn on a marked cell; it depends on nothing else in the world."""

    kind: MarkKind
    color: str | None = None
    """The colour of what belongs here."""
    number: int = 0
    """How many dots tell what belongs here from others of its colour; 0 for none."""
    visited: bool = False
    """Whether the goal's memory says that it is done with."""


def dots_for(place: int) -> int:
    """The number of dots, 1 to `MOST_DOTS`, of the thing in a place of an order that begins with 1."""
    return (place - 1) % MOST_DOTS + 1


def number_things(markers: Iterable[Marker], color_of: Mapping[str, str | None]) -> dict[str, int]:
    """Id to number of dots, for each thing that has a target: 1, 2, ... among those of one colour.

    Args:
        markers: what the goal marks.
        color_of: id to colour of all mechanisms.
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
    """The reward of a success, ``1 - 0.9 * step_count / max_steps``, as in `MiniGridEnv._reward`."""
    return 1 - 0.9 * (step_count / max_steps)


def _no_markers(task: TaskSpecification) -> tuple[Marker, ...]:
    return ()


def _no_problems(task: TaskSpecification, entries: Mapping[str, TypedSpec]) -> Iterable[Problem]:
    return ()


def _to_mission(value: str | Callable[[World], str]) -> Callable[[World], str]:
    return value if callable(value) else constant("mission", value, str)


def _nothing_remembered(world: World) -> Hashable:
    return ()


CommonGoalField = Literal["target", "target_ids", "target_positions"]
"""The fields that every goal in a task file may have, as far as its type uses them."""


@attrs.frozen(kw_only=True)
class GoalType:
    """A kind of goal: a predicate on states, its validation, and the sentence that tells an agent about it.

    Raises:
        ArgumentError: `parameters` is no attrs class.
    """

    # Every goal: what it is called, when it is reached, and what the agent is told.

    name: str

    summary: str

    reached: Callable[[World], Callable[[State], bool]]
    """Compiles the predicate for one world."""

    mission: Callable[[World], str] = attrs.field(converter=_to_mission)
    """The sentence for one world, or a text for all: letters, spaces and commas only, so that MiniGrid's wrappers can
    encode it."""

    # Rules: its fields in a task file, its reward, and its memory.

    fields: tuple[CommonGoalField, ...] = ()
    """Which of the common fields of `GoalSpec` it uses; the others have to be left out."""

    parameters: type | None = attrs.field(default=None)
    """An attrs class of further fields; their values are found in `GoalSpec.parameters`."""

    validate: Callable[[TaskSpecification, Mapping[str, TypedSpec]], Iterable[Problem]] = _no_problems
    """``(task, entries)`` to the problems of the goal, with paths relative to the goal; `entries` are the task's
    mechanisms by their ids."""

    reward: Callable[[int, int], float] = minigrid_reward
    """``(step_count, max_steps) -> reward`` of a success."""

    initial_memory: Callable[[World], Hashable] = _nothing_remembered
    """What it remembers at the start of an episode: a small hashable value that JSON can hold; tuples, not lists."""

    remember: Callable[[World], Callable[[State, tuple[Event, ...]], Hashable]] | None = None
    """Compiles the update for one world: ``(state after the step, its events) -> memory`` from then on.

    It runs in every step before `reached` is asked, finds the memory so far in ``state.memory``, and has to depend on
    nothing but what a search tells states apart by: not on the number of steps. Action masks take it that an action
    without an effect changes nothing of it. None for a goal without memory."""

    # Looks and words, beyond its mission.

    markers: Callable[[TaskSpecification], tuple[Marker, ...]] = _no_markers
    """Lattice cells to mark in pictures and texts: the place to reach, targets of blocks. ``maze.goal`` is plain floor
    unless it is among them."""

    visited: Callable[[World, Hashable], Iterable[Position]] | None = None
    """``(world, memory)`` to the marked lattice cells that are done with, such as corners visited so far. Pictures and
    texts tell them from the others; None where no mark ever is."""

    explains: Explained | None = None
    """What models are told of every goal of this type: when it is reached, and how what it marks looks, where that is
    more than every mark of its kind; by default its `summary`."""

    # Search and records: what the solver and generated tasks may know of it.

    timed: bool = False
    """Whether `reached` depends on the number of steps; the solver then tells states apart by it."""

    only_at_last_step: bool = False
    """Whether it can only be reached at the last step of the budget, so that every plan is a shortest one."""

    agent_cells: Callable[[World], Iterable[int]] | None = None
    """The cells on which it matters whether the agent stands. Elsewhere on bare floor it makes no difference to
    `reached` where the agent is or looks, nor to `remember` where it walks, turns or waits, and from which side it
    handles things. The solver may then take it that doing so is the same everywhere. None where it may matter
    anywhere."""

    thing_cells: Callable[[World], Mapping[int, Iterable[int]]] | None = None
    """Movable entities, by their indices, to the cells on one of which each of them has to be for success. What it
    names has to be necessary, and need not be sufficient; None where nothing is known."""

    ignores_dropped: bool = False
    """Whether neither `reached` nor `remember` depends on where things that were picked up lie, nor on their being in
    the way: to a memory, bumping into one is like waiting. The solver may then forget where they lie."""

    version: str | None = None
    """The version of its rules, recorded in fingerprints of runs and certificates of tasks; None records nothing."""

    @parameters.validator
    def _check_parameters(self, attribute: attrs.Attribute[type | None], parameters: type | None) -> None:
        if parameters is not None and not attrs.has(parameters):
            name = describe_value(parameters)
            raise ArgumentError(
                f"goal '{self.name}': its parameters {name} are not an attrs class: decorate it with @attrs.frozen"
            )

    @property
    def explained(self) -> Explained:
        """What models are told of every goal of this type."""
        return Explained(self.summary) if self.explains is None else self.explains

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as the constant of its module, since its functions may be lambdas."""
        return pickled_constant(self)
