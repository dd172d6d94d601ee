"""One step of a batch of environments, using only lookups in transition tables.

`advance` is pure and written in the array API standard: ``xp`` may be numpy, ``jax.numpy`` (also under ``jit``) or
``array_api_compat.torch``, with the arrays of a `StepTable` on any device. The tables hold the kernel's transitions
(`gridworld.vector.stepping_table`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gridworld.world.state import Status

Array = Any
"""An array of the namespace ``xp``; integers have its default dtype unless stated otherwise."""
RUNNING, SUCCEEDED = Status.RUNNING, Status.SUCCEEDED


class StepTable(NamedTuple):
    """Transitions as arrays; each row is a state."""

    actions: int
    """Number of actions."""
    following: Array
    """Next row, at index ``row * actions + action``; shape (rows * actions,)."""
    status: Array
    """`Status` of each row; shape (rows,), uint8."""
    enduring: Array | None
    """Mask of rows that count as success when the step budget runs out, shape (rows,), bool; None if there are none."""
    paid_from: Array
    """For each row, the index in `reward` at which its task begins; shape (rows,)."""
    reward: Array
    """Reward of a success, at the index from `paid_from` plus the remaining steps; float64."""


class Batch(NamedTuple):
    """Current rows of a batch of environments; all arrays have shape (num_envs,)."""

    row: Array
    left: Array
    """Remaining steps of the budget."""
    over: Array
    """Whether the episode has ended; bool."""


class Start(NamedTuple):
    """Start of each environment's next episode: arrays of shape (num_envs,), or () if all are equal."""

    row: Array
    left: Array


class Stepped(NamedTuple):
    """Outcome of a step; all arrays have shape (num_envs,)."""

    reward: Array
    """Reward of each environment, float64."""
    terminated: Array
    """Whether the episode ended by success or death, bool."""
    truncated: Array
    """Whether the step budget ran out without success, bool."""
    succeeded: Array
    """Whether the goal was reached, bool."""


def advance(xp: Any, table: StepTable, batch: Batch, actions: Array, start: Start) -> tuple[Batch, Stepped]:
    """Take one action in each environment; an environment whose episode is over begins the next one instead.

    Args:
        xp: the array namespace.
        table: the transitions.
        batch: the current rows of the environments.
        actions: shape (num_envs,), integers from 0 to ``table.actions - 1``.
        start: the start of new episodes.
    """
    moved = xp.take(table.following, batch.row * table.actions + actions, axis=0)
    row = moved_to(xp, moved, batch.over, start.row)
    left = moved_to(xp, batch.left - 1, batch.over, start.left)
    status, late = xp.take(table.status, row, axis=0), left == 0
    ended, succeeded = status != RUNNING, status == SUCCEEDED
    if table.enduring is not None:
        endured = late & ~ended & xp.take(table.enduring, row, axis=0)
        ended, succeeded = ended | endured, succeeded | endured
    truncated = late & ~succeeded
    reward = _rewards(xp, table, row, left, succeeded)
    return Batch(row, left, ended | truncated), Stepped(reward, ended, truncated, succeeded)


def moved_to(xp: Any, array: Array, which: Array, new: Array) -> Array:
    """Return `array` with the elements of `new` where `which` is true; may modify `array` in place."""
    if xp is not np:
        return xp.where(which, new, array)
    array[which] = new[which] if np.ndim(new) else new  # many times faster where few elements change
    return array


def _rewards(xp: Any, table: StepTable, row: Array, left: Array, succeeded: Array) -> Array:
    if xp is not np:
        paid = xp.take(table.reward, xp.take(table.paid_from, row, axis=0) + left, axis=0)
        return xp.where(succeeded, paid, xp.zeros_like(paid))
    reward, which = np.zeros(len(row)), np.flatnonzero(succeeded)
    reward[which] = table.reward[table.paid_from[row[which]] + left[which]]
    return reward
