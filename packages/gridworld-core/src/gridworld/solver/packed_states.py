"""`PackedStates`: many states in arrays, found by their numbers and the other way round."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cached_property
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.solver.expansion import Expansion
from gridworld.solver.spaces import Configuration
from gridworld.world.state import State, Status

__all__ = ["PackedStates"]


@attrs.frozen(eq=False, slots=False)
class PackedStates:
    """States without their number of steps, each as a configuration and a pose."""

    index: NDArray[np.int64]
    """State to ``configuration * poses + cell * headings + heading``; shape (states,)."""
    headings: int
    cells: int
    carried: NDArray[np.int32]
    """Configuration to the carried entity; shape (configurations,)."""
    values: NDArray[Any]
    """Shape (configurations, entities), of as many bytes as they need."""
    places: NDArray[np.int32]
    """Shape (configurations, movable entities)."""
    discovered: NDArray[np.int32]
    """Configuration to what has been discovered, a place in `discoveries`; shape (configurations,)."""
    memory: NDArray[np.int32]
    """Configuration to what the goal remembers, a place in `memories`; shape (configurations,)."""
    discoveries: tuple[int, ...]
    memories: tuple[Hashable, ...]

    @classmethod
    def of(cls, expansion: Expansion, indices: NDArray[np.int64]) -> PackedStates:
        """Some of the states that an expansion has numbered, the same whatever else it has numbered before.

        Args:
            expansion: the expansion.
            indices: those of the states, shape (states,).
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
        """The state with a number; raises IndexError if there is none."""
        if not 0 <= number < len(self.index):
            raise IndexError(f"there are {len(self.index)} states, numbered from 0; {number} is none of them")
        pose, heading = divmod(int(self.index[number]), self.headings)
        configuration, cell = divmod(pose, self.cells)
        carried, values, places, memory, discovered, _ = self._configuration(configuration)
        return State(cell, heading, carried, values, places, memory, 0, Status.RUNNING, discovered)

    def number(self, state: State) -> int:
        """The number of a state; raises KeyError if it is none of these."""
        if state.status or not (0 <= state.cell < self.cells and 0 <= state.heading < self.headings):
            raise KeyError("it has ended, or has no such pose")
        key = Configuration(state.carried, state.values, state.places, state.memory, state.discovered, 0)
        index = (self._numbers.get(key, -1) * self.cells + state.cell) * self.headings + state.heading
        place = int(np.searchsorted(self._sorted, index))
        if place == len(self._sorted) or self._sorted[place] != index:
            raise KeyError("it cannot be reached from the start of the task")
        return int(self._order[place])

    def having(self, property_of: Callable[[State], bool]) -> NDArray[np.bool_]:
        """Whether states have a property, which may depend on values and places alone; shape (states,)."""
        having = [property_of(state) for state in self.without_poses()]
        return np.array(having, dtype=bool)[self.poses()[0]]

    def without_poses(self) -> list[State]:
        """Number of a configuration to a state with it, at cell 0 and with heading 0."""
        return [_at_no_pose(self._configuration(number)) for number in range(len(self.carried))]

    def poses(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """State to the number of its configuration, the agent's cell and its heading; each of shape (states,)."""
        pose, heading = np.divmod(self.index, self.headings)
        configuration, cell = np.divmod(pose, self.cells)
        return configuration, cell, heading

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All of it as arrays, by name."""
        named = attrs.asdict(self, filter=lambda field, value: isinstance(value, np.ndarray), recurse=False)
        text = json.dumps([self.headings, self.cells, self.discoveries, self.memories])
        return named | {"layout": np.frombuffer(text.encode(), dtype=np.uint8)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> PackedStates:
        """What `to_arrays` has returned."""
        headings, cells, discoveries, memories = json.loads(arrays["layout"].tobytes())
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
    def _order(self) -> NDArray[np.int64]:
        return np.argsort(self.index, kind="stable")

    @cached_property
    def _sorted(self) -> NDArray[np.int64]:
        return self.index[self._order]


def _in_order_of_first_use(numbers: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The different ones among some numbers below `count`."""
    first = np.full(count, len(numbers), dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1)  # the first use is written last
    order = np.argsort(first, kind="stable")
    return order[: int(np.count_nonzero(first < len(numbers)))]


def _at_no_pose(configuration: Configuration) -> State:
    carried, values, places, memory, discovered, _ = configuration
    return State(0, 0, carried, values, places, memory, 0, Status.RUNNING, discovered)


def _rows(rows: Iterable[tuple[int, ...]], dtype: Any) -> NDArray[Any]:
    listed = list(rows)
    return np.array(listed, dtype=dtype).reshape(len(listed), -1)


def _as_tuples(value: Any) -> Any:
    """JSON's lists as the tuples that they were."""
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value
