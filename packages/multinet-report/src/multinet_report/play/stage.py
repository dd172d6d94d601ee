"""`Stage`: where the program and the browser meet. It shows one view at a time, which is answered once."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable
from typing import Any

import attrs

__all__ = ["Answer", "Stage", "StaleAnswer", "WrongChoice"]


class StaleAnswer(Exception):
    """An answer to a view that is no longer shown, or that has been answered."""


class WrongChoice(Exception):
    """An answer that the view does not offer."""


@attrs.frozen
class Answer:
    """What a person answered to a view."""

    choice: str
    by: str
    """The key or the button."""
    active: float
    """The seconds for which the view was to be seen, as the browser says."""
    waited: float = 0.0
    """The seconds since it was shown, as the program says."""


class Stage:
    """Shows views to any number of browsers, and waits for the answers.

    One thread calls `show`, `ask` and `finish`; any number of others call `view_after` and `answer`.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._number = 0
        self._content = b""
        self._choices: frozenset[str] = frozenset()
        self._answer: Answer | None = None
        self._shown_at = 0.0
        self._visited = False
        """Whether any browser has asked for a view."""
        self._delivered = 0
        """The number of the latest view that has been handed out."""
        self._finished = False

    def show(self, view: dict[str, Any], choices: Iterable[str] = ()) -> None:
        """Show a view in place of the one before.

        Args:
            view: JSON-ready; it is given its ``number``.
            choices: what may be answered to it.
        """
        with self._changed:
            self._number += 1
            self._content = json.dumps({**view, "number": self._number}, separators=(",", ":")).encode("ascii")
            self._choices, self._answer = frozenset(choices), None
            self._shown_at = time.monotonic()
            self._changed.notify_all()

    def ask(self, view: dict[str, Any], choices: Iterable[str]) -> Answer:
        """Show a view and wait for its answer; KeyboardInterrupt ends the wait."""
        self.show(view, choices)
        with self._changed:
            while self._answer is None:
                self._changed.wait()
            return self._answer

    def finish(self, view: dict[str, Any], seconds: float) -> None:
        """Show the last view, and wait until a browser has it, if there is one; not longer than so many seconds."""
        self.show(view)
        with self._changed:
            self._finished = True
            self._changed.notify_all()
            if self._visited:
                self._changed.wait_for(lambda: self._delivered == self._number, seconds)

    def view_after(self, number: int, seconds: float) -> bytes | None:
        """The present view as JSON, once its number is greater than that of another; None if that takes too long.

        Args:
            number: that of the view that the browser has; 0 for none.
            seconds: how long to wait.
        """
        with self._changed:
            self._visited = True
            self._changed.wait_for(lambda: self._number > number or self._finished, seconds)
            if self._number <= number:
                return None
            self._delivered = self._number
            self._changed.notify_all()
            return self._content

    def answer(self, number: int, answer: Answer) -> None:
        """Answer the present view.

        Raises:
            StaleAnswer: its number is another one, or it has been answered.
            WrongChoice: it offers no such choice.
        """
        with self._changed:
            if number != self._number or self._answer is not None:
                raise StaleAnswer
            if answer.choice not in self._choices:
                raise WrongChoice
            waited = time.monotonic() - self._shown_at
            self._answer = attrs.evolve(answer, waited=waited, active=min(answer.active, waited))
            self._changed.notify_all()
