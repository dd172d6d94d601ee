"""Observers: compute the observations of a batch of environments after each step.

An observer returns arrays with one row per environment, or a dictionary of such arrays and of tuples. They never change
later, unless the caller asks for arrays to be reused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gridworld.errors import ArgumentError
from gridworld.vector.state_rows import StateRows
from gridworld.world.world import World

Observation = Any
Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]
Pictures = NDArray[np.uint8]

MOST_KEPT = 64 << 20
"""Maximum memory of cached picture parts in bytes; when exceeded, all are evicted."""


class Observer(Protocol):
    """Computes the observations of a batch of environments."""

    def observe(self, rows: Rows, begun: Flags | None) -> Observation:
        """Observe after a step or a reset.

        Args:
            rows: the row of each environment; shape (num_envs,).
            begun: environments whose episodes have just begun, shape (num_envs,); None if none have.
        """
        ...

    def last(self, rows: Rows, over: Rows) -> list[Observation]:
        """Return the last observations of ended episodes, in the form of single environments; called before `observe`.

        Args:
            rows: the row of each environment after the step; shape (num_envs,).
            over: the environments whose episodes have ended, ascending.
        """
        ...


class NothingObserver:
    """Observes a constant zero."""

    def observe(self, rows: Rows, begun: Flags | None) -> NDArray[np.int64]:
        """Return zeros, shape (num_envs,)."""
        return np.zeros(len(rows), dtype=np.int64)

    def last(self, rows: Rows, over: Rows) -> list[np.int64]:
        """Return one zero per ended episode."""
        return [np.int64(0)] * len(over)


class StateObserver:
    """Observes the state number, that is, its row in the table."""

    def observe(self, rows: Rows, begun: Flags | None) -> NDArray[np.int64]:
        """Return the state numbers, shape (num_envs,)."""
        return rows.astype(np.int64)

    def last(self, rows: Rows, over: Rows) -> list[np.int64]:
        """Return the state numbers of ended episodes."""
        return list(rows[over].astype(np.int64))


class BatchMissions:
    """The missions of a batch, recollected only when episodes have begun.

    Args:
        rows: the rows of states.
        worlds: the tasks, in the order of the rows' tasks.
    """

    def __init__(self, rows: StateRows, worlds: Iterable[World]) -> None:
        self._rows, self._texts = rows, tuple(world.goal_type.mission(world) for world in worlds)
        self._last: tuple[str, ...] = ()

    def at(self, rows: Rows) -> tuple[str, ...]:
        """Return the missions of the tasks that rows belong to."""
        return tuple(map(self._texts.__getitem__, self._rows.tasks(rows).tolist()))

    def of(self, rows: Rows, begun: Flags | None) -> tuple[str, ...]:
        """Return the mission of each environment; arguments as for `Observer.observe`."""
        if not self._last or (len(self._texts) > 1 and begun is not None and begun.any()):
            self._last = self.at(rows)
        return self._last


class KeptPictures(ABC):
    """Base class of observers that keep pictures in one array and redraw what changes.

    Args:
        copy: whether each observation is a new array instead of the kept one.
    """

    def __init__(self, copy: bool) -> None:
        self._copy = copy

    @property
    @abstractmethod
    def pictures(self) -> Pictures:
        """The kept pictures, shape (num_envs, height, width, 3); read-only."""

    @abstractmethod
    def update(self, rows: Rows, begun: Flags | None) -> None:
        """Redraw what has changed; arguments as for `Observer.observe`."""

    def observe(self, rows: Rows, begun: Flags | None) -> Pictures:
        """Return the pictures, shape (num_envs, height, width, 3); read-only unless copied."""
        self.update(rows, begun)
        return self.pictures.copy() if self._copy else self.pictures

    def last(self, rows: Rows, over: Rows) -> list[Pictures]:
        """Return the final pictures of ended episodes."""
        self.update(rows, None)
        return list(self.pictures[over])

    def frames(self, rows: Rows) -> tuple[Pictures, ...]:
        """Return one picture per environment, shape (height, width, 3), which never changes."""
        self.update(rows, None)
        return tuple(self.pictures.copy())


class PicturedObserver:
    """Wraps another observer and keeps pictures up to date for `render`.

    Args:
        observer: computes the observations.
        pictures: the pictures.
    """

    def __init__(self, observer: Observer, pictures: KeptPictures) -> None:
        self._observer, self._pictures = observer, pictures

    def observe(self, rows: Rows, begun: Flags | None) -> Observation:
        """Return the other observer's observation."""
        self._pictures.update(rows, begun)
        return self._observer.observe(rows, begun)

    def last(self, rows: Rows, over: Rows) -> list[Observation]:
        """Return the other observer's last observations."""
        return self._observer.last(rows, over)


def one_size(worlds: Iterable[World]) -> tuple[int, int]:
    """Return the columns and rows shared by all mazes; raises `ArgumentError`, naming two tasks, if they differ."""
    first, *others = worlds
    size = first.topology.width, first.topology.height
    for other in others:
        if (other.topology.width, other.topology.height) != size:
            told = (
                f"'{each.task.task_id}' has {each.topology.width} x {each.topology.height}" for each in (first, other)
            )
            raise ArgumentError(f"pictures need tasks of one size, but {' cells and '.join(told)}")
    return size
