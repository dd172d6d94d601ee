"""Exchange between the program and browsers: one view at a time, answered once."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable
from typing import Any

import attrs


class StaleAnswer(Exception):
    """An answer to a view that is no longer shown or has already been answered."""


class WrongChoice(Exception):
    """An answer that the view does not offer."""


@attrs.frozen
class Answer:
    """A person's answer to a view."""

    choice: str
    by: str
    """The key or button used."""
    active: float
    """Time in seconds for which the view was visible, measured by the browser."""
    waited: float = 0.0
    """Seconds since the view was shown, measured by the program."""


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
        """Whether a browser has requested a view."""
        self._delivered = 0
        """Number of the latest view sent."""
        self._finished = False

    def show(self, view: dict[str, Any], choices: Iterable[str] = ()) -> None:
        """Replace the current view.

        Args:
            view: JSON-ready view, without ``number``.
            choices: valid answers.
        """
        with self._changed:
            self._number += 1
            self._content = json.dumps({**view, "number": self._number}, separators=(",", ":")).encode("ascii")
            self._choices, self._answer = frozenset(choices), None
            self._shown_at = time.monotonic()
            self._changed.notify_all()

    def ask(self, view: dict[str, Any], choices: Iterable[str]) -> Answer:
        """Show a view and wait for the answer; KeyboardInterrupt ends the wait."""
        self.show(view, choices)
        with self._changed:
            while self._answer is None:
                self._changed.wait()
            return self._answer

    def finish(self, view: dict[str, Any], seconds: float) -> None:
        """Show the final view and wait up to `seconds` until a browser has fetched it, if any is open."""
        self.show(view)
        with self._changed:
            self._finished = True
            self._changed.notify_all()
            if self._visited:
                self._changed.wait_for(lambda: self._delivered == self._number, seconds)

    def view_after(self, number: int, seconds: float) -> bytes | None:
        """Wait for a view after `number` and return it as JSON; None after `seconds`.

        Args:
            number: number of the view that the browser has; 0 for none.
            seconds: maximum time to wait.
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
        """Answer the current view.

        Raises:
            StaleAnswer: `number` is not the current view, or the view has been answered.
            WrongChoice: the view does not offer the choice.
        """
        with self._changed:
            if number != self._number or self._answer is not None:
                raise StaleAnswer
            if answer.choice not in self._choices:
                raise WrongChoice
            waited = time.monotonic() - self._shown_at
            self._answer = attrs.evolve(answer, waited=waited, active=min(answer.active, waited))
            self._changed.notify_all()
