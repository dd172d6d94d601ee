"""`StateTable`: all reachable states of a task in arrays, with the outcomes of all actions.

States are distinguished by `State.key`, which includes the goal's memory, and by what has been discovered if anything
is hidden. Step counts, truncation and the agent's knowledge are omitted, since they follow from the path to a state. A
goal that can only be reached at the last step of the budget (`GoalType.only_at_last_step`) can be tabulated if staying
alive until then suffices; other goals that depend on the step count cannot.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cached_property
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.actions import Action
from gridworld.errors import GridworldError
from gridworld.solver.expansion import DEAD, WON, Expansion
from gridworld.solver.exploration import HOPELESS, SearchLimits, TooManyStates
from gridworld.solver.spaces import Bools, Configuration, DiscoveringSpace, Ints, StateSpace, require_compiled
from gridworld.solver.state_graph import Progress, reach_all, success_distances
from gridworld.support.files import parse_json
from gridworld.world.rules import is_reached
from gridworld.world.state import State, Status
from gridworld.world.world import World

LOST = HOPELESS
"""Distance of a state from which no sequence of actions wins."""

DEFAULT_LIMITS = SearchLimits()


class NotTabulatedError(GridworldError):
    """A task has too many states, or its goal depends on the step count.

    Args:
        world: the compiled task.
        reason: a description of the cause.
        limit: the caller's name for the limit that was reached; None if a higher limit would not help.
    """

    def __init__(self, world: World, reason: str, limit: str | None = None) -> None:
        advice = "" if limit is None else f"; raise {limit}"
        super().__init__(f"the states of the task '{world.task.task_id}' cannot be tabulated: {reason}{advice}")
        self.reason = reason
        self.limit = limit


# --- States in arrays ------------------------------------------------------------------------------------------------


@attrs.frozen(eq=False, slots=False)
class PackedStates:
    """States in arrays, without step counts, each as a configuration and a pose."""

    index: Ints
    """``configuration * poses + cell * headings + heading`` of each state; shape (states,)."""
    headings: int
    cells: int
    carried: NDArray[np.int32]
    """Carried entity of each configuration; shape (configurations,)."""
    values: NDArray[Any]
    """Value of each entity by configuration; shape (configurations, entities), of the smallest sufficient dtype."""
    places: NDArray[np.int32]
    """Place of each movable entity by configuration; shape (configurations, movable entities)."""
    discovered: NDArray[np.int32]
    """Index in `discoveries` of each configuration; shape (configurations,)."""
    memory: NDArray[np.int32]
    """Index in `memories` of each configuration; shape (configurations,)."""
    discoveries: tuple[int, ...]
    memories: tuple[Hashable, ...]

    @classmethod
    def of(cls, expansion: Expansion, indices: Ints) -> PackedStates:
        """Pack states of an expansion, independently of its other states.

        Args:
            expansion: the expansion.
            indices: indices of the states, shape (states,).
        """
        poses = expansion.poses
        numbers, pose = np.divmod(indices, poses.count)
        order = _in_order_of_first_use(numbers, len(expansion.configurations))
        met = [expansion.configurations[number] for number in order.tolist()]
        renumbered = np.zeros(len(expansion.configurations), dtype=np.int64)
        renumbered[order] = np.arange(len(order))
        configuration = renumbered[numbers]
        place, heading = np.divmod(pose, poses.headings)
        cells = len(poses.place_of)
        memories: dict[Hashable, int] = {}
        discoveries: dict[int, int] = {}
        most = max((value for each in met for value in each.values), default=0)
        return cls(
            index=(configuration * cells + np.array(poses.cells)[place]) * poses.headings + heading,
            headings=poses.headings,
            cells=cells,
            carried=np.array([each.carried for each in met], dtype=np.int32),
            values=_rows([each.values for each in met], np.min_scalar_type(most)),
            places=_rows([each.places for each in met], np.int32),
            discovered=np.array(
                [discoveries.setdefault(each.discovered, len(discoveries)) for each in met], dtype=np.int32
            ),
            memory=np.array([memories.setdefault(each.memory, len(memories)) for each in met], dtype=np.int32),
            discoveries=tuple(discoveries),
            memories=tuple(memories),
        )

    def state(self, number: int) -> State:
        """Return the state with a number; raises IndexError if there is none."""
        if not 0 <= number < len(self.index):
            raise IndexError(f"no state {number}: there are {len(self.index)} states, numbered from 0")
        pose, heading = divmod(int(self.index[number]), self.headings)
        configuration, cell = divmod(pose, self.cells)
        carried, values, places, memory, discovered, _ = self._configuration(configuration)
        return State(cell, heading, carried, values, places, memory, 0, Status.RUNNING, discovered)

    def number(self, state: State) -> int:
        """Return the number of a state; raises KeyError if it is not among the states."""
        if state.status or not (0 <= state.cell < self.cells and 0 <= state.heading < self.headings):
            raise KeyError("it has ended, or has no such pose")
        key = Configuration(state.carried, state.values, state.places, state.memory, state.discovered, 0)
        index = (self._numbers.get(key, -1) * self.cells + state.cell) * self.headings + state.heading
        place = int(np.searchsorted(self._sorted, index))
        if place == len(self._sorted) or self._sorted[place] != index:
            raise KeyError("it cannot be reached from the start of the task")
        return int(self._order[place])

    def having(self, property_of: Callable[[State], bool]) -> Bools:
        """Return a mask of the states with a property that depends only on values and places; shape (states,)."""
        having = [property_of(state) for state in self.without_poses()]
        return np.array(having, dtype=bool)[self.poses()[0]]

    def without_poses(self) -> list[State]:
        """Return one state for each configuration, at cell 0 and heading 0."""
        configurations = map(self._configuration, range(len(self.carried)))
        return [
            State(0, 0, carried, values, places, memory, 0, Status.RUNNING, discovered)
            for carried, values, places, memory, discovered, _ in configurations
        ]

    def poses(self) -> tuple[Ints, Ints, Ints]:
        """Return each state's configuration number, and the agent's cell and heading; each of shape (states,)."""
        pose, heading = np.divmod(self.index, self.headings)
        configuration, cell = np.divmod(pose, self.cells)
        return configuration, cell, heading

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return all fields as arrays, by name."""
        named = attrs.asdict(self, filter=lambda field, value: isinstance(value, np.ndarray), recurse=False)
        text = json.dumps([self.headings, self.cells, self.discoveries, self.memories])
        return named | {"layout": np.frombuffer(text.encode(), dtype=np.uint8)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> PackedStates:
        """Restore packed states from the result of `to_arrays`."""
        headings, cells, discoveries, memories = parse_json(arrays["layout"].tobytes())
        others = {name: value for name, value in arrays.items() if name != "layout"}
        return cls(
            headings=headings,
            cells=cells,
            discoveries=tuple(discoveries),
            memories=tuple(map(_as_tuples, memories)),
            **others,
        )

    def _configuration(self, number: int) -> Configuration:
        return Configuration(
            int(self.carried[number]),
            tuple(self.values[number].tolist()),
            tuple(self.places[number].tolist()),
            self.memories[self.memory[number]],
            self.discoveries[self.discovered[number]],
            0,
        )

    @cached_property
    def _numbers(self) -> dict[Configuration, int]:
        return {self._configuration(number): number for number in range(len(self.carried))}

    @cached_property
    def _order(self) -> Ints:
        return np.argsort(self.index, kind="stable")

    @cached_property
    def _sorted(self) -> Ints:
        return self.index[self._order]


def _in_order_of_first_use(numbers: Ints, count: int) -> Ints:
    """Return the distinct numbers among some below `count`, in order of first use."""
    first = np.full(count, len(numbers), dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1)  # the first use is written last
    order = np.argsort(first, kind="stable")
    return order[: int(np.count_nonzero(first < len(numbers)))]


def _rows(rows: Iterable[tuple[int, ...]], dtype: Any) -> NDArray[Any]:
    listed = list(rows)
    return np.array(listed, dtype=dtype).reshape(len(listed), -1)


def _as_tuples(value: Any) -> Any:
    """Convert JSON's lists to tuples."""
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


# --- The table -------------------------------------------------------------------------------------------------------


@attrs.frozen(eq=False, slots=False, repr=False)
class StateTable:
    """All reachable living states of a task, numbered in breadth-first order from 0, the start."""

    world: World
    states: PackedStates
    successor: NDArray[np.int32]
    """Target of each action: a state, `WON` or `DEAD`; shape (states, 7)."""
    events: NDArray[np.uint32]
    """Event kinds of each action (`gridworld.world.events.kinds_of`); shape (states, 7)."""
    parent: NDArray[np.int32]
    """Predecessor of each state in the search, -1 for the start; shape (states,)."""
    action: NDArray[np.uint8]
    """Action that led to each state from its predecessor; shape (states,)."""

    def __len__(self) -> int:
        return len(self.successor)

    def __repr__(self) -> str:
        return f"<StateTable of '{self.world.task.task_id}' on {self.world.topology.name}: {len(self)} states>"

    def number(self, state: State) -> int:
        """Return the number of a running state, ignoring its step count.

        Raises:
            KeyError: the state has ended, or cannot be reached from the start of the task.
        """
        return self.states.number(state if self.world.hidden else state._replace(discovered=0))

    def state(self, number: int) -> State:
        """Return the state with a number; its step count is 0.

        Raises:
            IndexError: no state has this number; `WON` and `DEAD` are not states.
        """
        return self.states.state(number)

    def path_to(self, number: int) -> tuple[Action, ...]:
        """Return a shortest sequence of actions from the start to a state; it may be longer than the task's budget.

        Raises:
            IndexError: no state has this number.
        """
        self.states.state(number)
        path = []
        while self.parent[number] >= 0:
            path.append(Action(int(self.action[number])))
            number = int(self.parent[number])
        return tuple(reversed(path))

    def having(self, property_of: Callable[[State], bool]) -> Bools:
        """Return a mask of the states with a property that depends only on values and places; shape (states,)."""
        return self.states.having(property_of)

    @cached_property
    def depth(self) -> Ints:
        """Fewest actions from the start to each state; shape (states,)."""
        depth = np.zeros(len(self), dtype=np.int64)
        first, stop, steps = 0, 1, 0
        while first < len(self):  # layer by layer: states are numbered in the order of those that led to them
            depth[first:stop] = steps
            first, stop, steps = stop, int(np.searchsorted(self.parent, stop)), steps + 1
        return depth

    @cached_property
    def distance(self) -> Ints:
        """Fewest actions to success from each state, or `LOST`; shape (states,).

        For a goal at the last step of the budget: the number of steps left if the state is reached as early as
        possible.
        """
        if not self.world.goal_type.timed:
            return success_distances(self.successor)
        left = self.world.max_steps - self.depth
        return np.where((self.endurance >= left) & (left > 0), left, LOST)

    @cached_property
    def optimal(self) -> Bools:
        """Whether each action begins a shortest plan; shape (states, 7). In a lost state, none does."""
        following = np.where(self.successor >= 0, self.distance[np.maximum(self.successor, 0)], LOST)
        following = np.where(self.successor == WON, 0, following)
        if self.world.goal_type.timed:
            left = self.world.max_steps - self.depth
            endured = self.endurance_after(np.arange(len(self)))
            following = np.where(endured >= left[:, None] - 1, self.distance[:, None] - 1, LOST)
        optimal: Bools = (following == self.distance[:, None] - 1) & ~self.lost[:, None]
        return optimal

    @property
    def lost(self) -> Bools:
        """Whether a state can no longer be won; shape (states,)."""
        lost: Bools = self.distance == LOST
        return lost

    def endurance_after(self, states: Ints) -> Ints:
        """Return how many more steps can be survived after each action, -1 for death; shape (states, 7)."""
        following = self.successor[states]
        return np.where(following >= 0, self.endurance[np.maximum(following, 0)], -1)

    @cached_property
    def endurance(self) -> Ints:
        """Number of further steps that can be survived from each state, `LOST` for no limit; shape (states,)."""
        endurance = np.full(len(self), LOST, dtype=np.int64)
        doomed = (self.successor == DEAD).all(axis=1)
        steps = 0
        while True:
            newly = doomed & (endurance == LOST)
            if not newly.any():
                return endurance
            endurance[newly] = steps
            steps += 1
            ends = (self.successor == DEAD) | (endurance[np.maximum(self.successor, 0)] != LOST)
            doomed = ends.all(axis=1)


def tabulate(
    world: World,
    limits: SearchLimits = DEFAULT_LIMITS,
    progress: Progress = lambda states: None,
    expand: Callable[[StateSpace], Expansion] = Expansion,
) -> StateTable:
    """Tabulate all reachable states of a task.

    Args:
        world: the compiled task.
        limits: limits of the search.
        progress: called with the number of states expanded so far.
        expand: makes or reuses the expansion of a space of the task.

    Raises:
        NotTabulatedError: a limit was reached, or the goal depends on the step count.
        ArgumentError: the world is not a compiled task.
    """
    require_compiled(world)
    goal = world.goal_type
    if goal.timed and not goal.only_at_last_step:
        raise _depends_on_steps(world)
    expansion = expand(DiscoveringSpace(world) if world.hidden else StateSpace(world))
    try:
        graph = reach_all(expansion, world.start, limits, progress)
    except TooManyStates as error:
        raise NotTabulatedError(world, f"more than {error}", f"limits.{error.limit}") from error
    slots = expansion.space.slots
    columns = [slots.index(action) for action in Action]
    layers = _Layers.of(graph.successors)
    table = StateTable(
        world=world,
        states=PackedStates.of(expansion, graph.indices[layers.order]),
        successor=layers.renumbered(graph.successors)[:, columns],
        events=graph.kinds[layers.order][:, columns],
        parent=layers.parent,
        action=np.array(slots, dtype=np.uint8)[layers.slot],
    )
    for array in (table.successor, table.events, table.parent, table.action):
        array.flags.writeable = False  # tables are shared
    at_the_end = (table.state(number)._replace(steps=world.max_steps) for number in range(len(table)))
    if goal.timed and not all(is_reached(world, state) for state in at_the_end):
        raise _depends_on_steps(world)
    return table


@attrs.frozen(eq=False)
class _Layers:
    """Breadth-first order of a graph's states from state 0: by their predecessors, then by slots."""

    order: Ints
    """Old number of each state by new number; shape (states,)."""
    parent: NDArray[np.int32]
    """New number of each state's predecessor, -1 for the first; shape (states,)."""
    slot: Ints
    """Slot of the action that led to each state; shape (states,)."""

    @classmethod
    def of(cls, successors: NDArray[np.int32]) -> _Layers:
        """Order a graph in which every state can be reached from 0; shape (states, slots)."""
        states, slots = successors.shape
        order, way = np.zeros(states, dtype=np.int64), np.zeros(states, dtype=np.int64)
        place = np.full(states, -1, dtype=np.int64)
        place[0], way[0] = 0, -slots
        first, stop = 0, 1
        while first < stop:
            following = successors[order[first:stop]].ravel()
            ways = np.flatnonzero(following >= 0)
            ways = ways[place[following[ways]] < 0]
            reached = following[ways]
            place[reached[::-1]] = stop + ways[::-1]  # the first way to a state is written last
            ways = ways[place[reached] == stop + ways]
            reached = following[ways]
            end = stop + len(ways)
            order[stop:end], way[stop:end] = reached, first * slots + ways
            place[reached] = np.arange(stop, end)
            first, stop = stop, end
        return cls(order, (way // slots).astype(np.int32), way % slots)

    def renumbered(self, successors: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the graph with the new numbers."""
        place = np.empty(len(self.order), dtype=np.int32)
        place[self.order] = np.arange(len(self.order))
        following = successors[self.order]
        return np.where(following >= 0, place[np.maximum(following, 0)], following)


def _depends_on_steps(world: World) -> NotTabulatedError:
    return NotTabulatedError(world, f"its goal '{world.goal_type.name}' depends on the number of steps")
