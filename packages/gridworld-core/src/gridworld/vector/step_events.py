"""The kernel's records of what happens in many copies, asked for one copy after the other: for statistics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridworld.vector.stepping import Copies
from gridworld.vector.stepping_table import SteppingTable

__all__ = ["no_events", "step_events"]


def step_events(table: SteppingTable, copies: Copies, actions: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """The events of a step as `gridworld.runner.task_set.step_info` has them: ``events`` and ``event_records``.

    Args:
        table: what actions lead to.
        copies: where the copies stand before it; where an episode is over, nothing happens but that the next begins.
        actions: shape (copies,).

    Returns:
        Arrays of objects, both of shape (copies,): tuples of events, and lists of dictionaries.
    """
    infos = no_events(len(copies.row))
    for copy in np.flatnonzero(~copies.over).tolist():
        events = table.events(int(copies.row[copy]), int(copies.left[copy]), int(actions[copy]))
        infos["events"][copy] = events
        infos["event_records"][copy] = [event.to_dict() for event in events]
    return infos


def no_events(count: int) -> dict[str, NDArray[Any]]:
    """The same of so many copies in which nothing has happened."""
    events, records = np.empty(count, dtype=object), np.empty(count, dtype=object)
    for copy in range(count):
        events[copy], records[copy] = (), []
    return {"events": events, "event_records": records}
