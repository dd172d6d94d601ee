"""`Display`: how a backend shows tasks in vector environments."""

from __future__ import annotations

from typing import Protocol

from gridworld.vector.kept_pictures import KeptPictures
from gridworld.vector.observer import Observer
from gridworld.vector.state_rows import StateRows

__all__ = ["Display"]


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
