"""Parts of requests that a server has accepted or refused.

A part that it refuses from the start is not sent again for as long as the adapter lives, so that nothing is refused
twice. One that it has taken before is left out of the request that was refused, and sent again with the next:
otherwise a single error would change how the rest of a run is asked.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping

import attrs

from gridworld.model_interface import Adjustment
from multinet_adapters.refusals import RequestPart

__all__ = ["Fallback", "Negotiation"]


@attrs.frozen
class Fallback:
    """What is sent instead of a part that a server refuses."""

    instead: str
    """What is done, in words."""
    argument: str
    """The argument of the adapter that does so from the start."""


class Negotiation:
    """The parts that were refused or taken, shared by all threads that use an adapter; it only ever grows.

    Args:
        fallbacks: the parts that can be left out or replaced, and how.
    """

    def __init__(self, fallbacks: Mapping[RequestPart, Fallback]) -> None:
        self._fallbacks = dict(fallbacks)
        self._adjustments: dict[RequestPart, Adjustment] = {}
        self._for_good: dict[RequestPart, None] = {}
        self._taken: frozenset[str] = frozenset()
        self._lock = threading.Lock()

    @property
    def refused(self) -> frozenset[RequestPart]:
        """The parts that are no longer sent as they were."""
        return frozenset(self._adjustments)

    @property
    def adjustments(self) -> tuple[Adjustment, ...]:
        """What is sent otherwise, and why, in the order in which it was found out."""
        return tuple(self._adjustments.values())

    @property
    def refused_for_good(self) -> tuple[RequestPart, ...]:
        """The refused parts that have no fallback, in the order in which they were refused."""
        return tuple(self._for_good)

    def can_avoid(self, part: RequestPart) -> bool:
        """Whether a part has a fallback."""
        return part in self._fallbacks

    def note_answer(self, sent: Iterable[str]) -> None:
        """Remember parts of a request that was answered."""
        with self._lock:
            self._taken |= set(sent)

    def avoid(self, part: RequestPart, reason: str) -> None:
        """Use the fallback of a part from now on, unless it has been taken before; `reason` is what the server said."""
        fallback = self._fallbacks[part]
        with self._lock:
            if part not in self._adjustments and part not in self._taken:
                adjustment = Adjustment(part.value, fallback.instead, reason, fallback.argument)
                self._adjustments = {**self._adjustments, part: adjustment}

    def note_refusal(self, part: RequestPart) -> None:
        """Remember a refused part that has no fallback; it is still sent, since another request may do without."""
        with self._lock:
            self._for_good = {**self._for_good, part: None}
