"""Observers: what a batch of environments shows after each step."""

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
"""An array with a row for each copy, or a dictionary of such arrays and of tuples with as many objects."""


class Observer(Protocol):
    """What is shown of many copies at once.

    What it returns never changes later, except where arrays are to be filled again and again.
    """

    def observe(self, rows: NDArray[np.intp], begun: NDArray[np.bool_] | None) -> Observation:
        """What is shown after a step or a reset.

        Args:
            rows: where the copies are; shape (copies,).
            begun: whose episodes have just begun, shape (copies,); None for none.
        """
        ...

    def last(self, rows: NDArray[np.intp], over: NDArray[np.intp]) -> list[Observation]:
        """What is shown at the end of some episodes, each as of a single environment; asked before `observe`.

        Args:
            rows: where the copies are after the step; shape (copies,).
            over: the copies whose episodes have ended, ascending.
        """
        ...


class NothingObserver:
    """Shows a zero, whatever happens."""

    def observe(self, rows: NDArray[np.intp], begun: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Zeros, shape (copies,)."""
        return np.zeros(len(rows), dtype=np.int64)

    def last(self, rows: NDArray[np.intp], over: NDArray[np.intp]) -> list[np.int64]:
        """A zero of each."""
        return [np.int64(0)] * len(over)


class StateObserver:
    """Shows the number of the state, that of its row in the table."""

    def observe(self, rows: NDArray[np.intp], begun: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """The numbers, shape (copies,)."""
        return rows.astype(np.int64)

    def last(self, rows: NDArray[np.intp], over: NDArray[np.intp]) -> list[np.int64]:
        """The numbers of some."""
        return list(rows[over].astype(np.int64))


class Missions:
    """The missions of many copies; they are gathered anew only when an episode has begun.

    Args:
        rows: the rows where copies can be.
        texts: task to its mission.
    """

    def __init__(self, rows: StateRows, texts: Iterable[str]) -> None:
        self._rows, self._texts = rows, tuple(texts)
        self._last: tuple[str, ...] = ()

    def at(self, rows: NDArray[np.intp]) -> tuple[str, ...]:
        """The missions of the tasks that rows belong to."""
        return tuple(map(self._texts.__getitem__, self._rows.tasks(rows).tolist()))

    def of(self, rows: NDArray[np.intp], begun: NDArray[np.bool_] | None) -> tuple[str, ...]:
        """The mission of each copy.

        Args:
            rows: where the copies are; shape (copies,).
            begun: whose episodes have begun since it was asked last, shape (copies,); None for none.
        """
        if not self._last or (len(self._texts) > 1 and begun is not None and begun.any()):
            self._last = self.at(rows)
        return self._last


MOST_KEPT = 64 << 20
"""The most bytes of parts of pictures that are kept to be drawn again; they are then forgotten."""

Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]
Pictures = NDArray[np.uint8]


class KeptPictures(ABC):
    """An `Observer` of pictures of many copies, which are kept in one array and brought up to date.

    Args:
        copy: whether each observation is an array of its own; otherwise it is the one that is kept.
    """

    def __init__(self, copy: bool) -> None:
        self._copy = copy

    @property
    @abstractmethod
    def pictures(self) -> Pictures:
        """Those that are kept, shape (copies, height, width, 3); read-only."""

    @abstractmethod
    def update(self, rows: Rows, begun: Flags | None) -> None:
        """Redraw what is shown differently, as `Observer.observe` says."""

    @property
    def shape(self) -> tuple[int, ...]:
        """That of one picture: (height, width, 3)."""
        return self.pictures.shape[1:]

    def observe(self, rows: Rows, begun: Flags | None) -> Pictures:
        """The pictures, shape (copies, height, width, 3); read-only where they are not copied."""
        self.update(rows, begun)
        return self.pictures.copy() if self._copy else self.pictures

    def last(self, rows: Rows, over: Rows) -> list[Pictures]:
        """The pictures of some."""
        self.update(rows, None)
        return list(self.pictures[over])

    def frames(self, rows: Rows) -> tuple[Pictures, ...]:
        """The picture of each copy where it is now, shape (height, width, 3): arrays that never change."""
        self.update(rows, None)
        return tuple(self.pictures.copy())


class PicturedObserver:
    """An `Observer` of something else, beside which pictures are brought up to date for whoever asks for them.

    Args:
        observer: what is observed.
        pictures: what can be looked at.
    """

    def __init__(self, observer: Observer, pictures: KeptPictures) -> None:
        self._observer, self._pictures = observer, pictures

    def observe(self, rows: Rows, begun: Flags | None) -> Observation:
        """What the other observer shows."""
        self._pictures.update(rows, begun)
        return self._observer.observe(rows, begun)

    def last(self, rows: Rows, over: Rows) -> list[Observation]:
        """What the other observer shows of some."""
        return self._observer.last(rows, over)


class Display(Protocol):
    """How a backend shows some tasks; nothing large is made before it is asked for views or pictures."""

    def picture_shape(self) -> tuple[int, int, int]:
        """That of one picture: (height, width, 3).

        Raises:
            ArgumentError: the tasks are not of one size.
        """
        ...

    def view_bytes(self) -> int:
        """The bytes of the views of one copy."""
        ...

    def bytes_of_state(self) -> int:
        """The bytes that are kept of each state that has been viewed."""
        ...

    def views(self, rows: StateRows, count: int, copy: bool) -> Observer:
        """What shows the backend's own views.

        Args:
            rows: the rows of states.
            count: how many copies.
            copy: whether each observation is in an array of its own; otherwise one array is brought up to date.
        """
        ...

    def pictures(self, rows: StateRows, count: int, copy: bool) -> KeptPictures:
        """What shows pictures; the arguments are those of `views`."""
        ...


def one_size(worlds: Iterable[World]) -> tuple[int, int]:
    """The columns and rows of the mazes of some tasks.

    Raises:
        ArgumentError: they differ; two of the tasks are named.
    """
    first, *others = worlds
    size = first.topology.width, first.topology.height
    for other in others:
        if (other.topology.width, other.topology.height) != size:
            told = (
                f"'{each.task.task_id}' has {each.topology.width} x {each.topology.height}" for each in (first, other)
            )
            raise ArgumentError(f"pictures need tasks of one size, but {' cells and '.join(told)}")
    return size
