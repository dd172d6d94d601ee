"""`KeptPictures`: what observers of pictures have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

__all__ = ["KeptPictures"]

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
