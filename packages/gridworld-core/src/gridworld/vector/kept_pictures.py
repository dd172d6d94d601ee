"""`KeptPictures`: what observers of pictures have in common; and pictures beside something else that is observed."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from gridworld.vector.observer import Observation, Observer

__all__ = ["MOST_KEPT", "KeptPictures", "PicturedObserver"]

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
