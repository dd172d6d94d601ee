"""One step of many copies at once: gathers from tables, and nothing else.

`advance` is pure and written in the array API standard: ``xp`` may be numpy, ``jax.numpy`` (also under ``jit``) or
``array_api_compat.torch``, with the arrays of a `StepTable` on any device. What actions lead to is not decided here:
the tables hold what the kernel has said (`gridworld.vector.stepping_table`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gridworld.world.state import Status

__all__ = ["Copies", "Start", "StepTable", "Stepped", "advance", "moved_to"]

Array = Any
"""An array of the namespace that is given as ``xp``; the integers are of its default type unless it says otherwise."""
RUNNING, SUCCEEDED = Status.RUNNING, Status.SUCCEEDED


class StepTable(NamedTuple):
    """What steps lead to. A row stands for a state."""

    actions: int
    """How many actions there are."""
    following: Array
    """``row * actions + action`` to the row that it leads to; shape (rows * actions,)."""
    status: Array
    """Row to one of `Status`; shape (rows,), uint8."""
    enduring: Array | None
    """Whether being at a row when the budget of steps runs out is a success, shape (rows,), bool; None: nowhere."""
    paid_from: Array
    """Row to where the rewards of its task begin; shape (rows,)."""
    reward: Array
    """Where rewards of a task begin, plus the steps that are left, to the reward of a success; float64."""


class Copies(NamedTuple):
    """Where each copy stands; all of shape (copies,)."""

    row: Array
    left: Array
    """How many steps are left of its budget."""
    over: Array
    """Whether its episode has ended; bool."""


class Start(NamedTuple):
    """Where the next episode of each copy begins: both of shape (copies,), or () where all begin alike."""

    row: Array
    left: Array


class Stepped(NamedTuple):
    """What a step returns of each copy; all of shape (copies,)."""

    reward: Array
    """float64."""
    terminated: Array
    """bool."""
    truncated: Array
    """bool."""
    succeeded: Array
    """bool."""


def advance(xp: Any, table: StepTable, copies: Copies, actions: Array, start: Start) -> tuple[Copies, Stepped]:
    """Take one action in each copy; those whose episode is over begin a new one instead, whatever their action.

    Args:
        xp: the namespace of the arrays.
        table: what steps lead to.
        copies: where the copies stand.
        actions: shape (copies,), integers from 0 to ``table.actions - 1``.
        start: where new episodes begin.
    """
    moved = xp.take(table.following, copies.row * table.actions + actions, axis=0)
    row = moved_to(xp, moved, copies.over, start.row)
    left = moved_to(xp, copies.left - 1, copies.over, start.left)
    status, late = xp.take(table.status, row, axis=0), left == 0
    ended, succeeded = status != RUNNING, status == SUCCEEDED
    if table.enduring is not None:
        endured = late & ~ended & xp.take(table.enduring, row, axis=0)
        ended, succeeded = ended | endured, succeeded | endured
    truncated = late & ~succeeded
    reward = _rewards(xp, table, row, left, succeeded)
    return Copies(row, left, ended | truncated), Stepped(reward, ended, truncated, succeeded)


def moved_to(xp: Any, array: Array, which: Array, new: Array) -> Array:
    """An array of which some elements are those of another; the given one, of the caller's own, may be changed."""
    if xp is not np:
        return xp.where(which, new, array)
    array[which] = new[which] if np.ndim(new) else new  # many times quicker where it is few of them
    return array


def _rewards(xp: Any, table: StepTable, row: Array, left: Array, succeeded: Array) -> Array:
    if xp is not np:
        paid = xp.take(table.reward, xp.take(table.paid_from, row, axis=0) + left, axis=0)
        return xp.where(succeeded, paid, xp.zeros_like(paid))
    reward, which = np.zeros(len(row)), np.flatnonzero(succeeded)
    reward[which] = table.reward[table.paid_from[row[which]] + left[which]]
    return reward
