"""Exact distances on a graph of states: how many actions a success takes at least from each of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gridworld.solver.expansion import WON
from gridworld.solver.exploration import HOPELESS

__all__ = ["distances_to", "success_distances"]


def success_distances(successors: NDArray[np.int32]) -> NDArray[np.int64]:
    """The fewest actions to a success from every state of a graph.

    Args:
        successors: what each state leads to, shape (states, actions): states, or `WON` and other ends.

    Returns:
        Shape (states,); `HOPELESS` where there is none.
    """
    winning = np.flatnonzero((successors == WON).any(axis=1))
    return distances_to(successors, winning, 1)


def distances_to(successors: NDArray[np.int32], sources: NDArray[np.int64], at: int = 0) -> NDArray[np.int64]:
    """The fewest steps from every state of a graph to one of some states.

    Args:
        successors: what each state leads to, shape (states, actions); negative where that is no state.
        sources: the states to get to.
        at: their distance.

    Returns:
        Shape (states,); `HOPELESS` for a state from which none of them can be reached.
    """
    states, actions = successors.shape
    flat = successors.ravel()
    edges = np.flatnonzero((flat >= 0) & (flat != np.repeat(np.arange(states), actions)))
    edges = edges[np.argsort(flat[edges], kind="stable")]
    starts = np.searchsorted(flat[edges], np.arange(states + 1))
    before = edges // actions
    distances = np.full(states, HOPELESS, dtype=np.int64)
    distances[sources] = at
    last = np.empty(states, dtype=np.int64)
    frontier = sources
    while frontier.size:
        at += 1
        nearest = before[_ranges(starts[frontier], starts[frontier + 1])]
        nearest = nearest[distances[nearest] == HOPELESS]
        distances[nearest] = at
        numbers = np.arange(nearest.size)
        last[nearest] = numbers
        frontier = nearest[last[nearest] == numbers]  # each once, which takes far less than to sort them
    return distances


def _ranges(starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int64]:
    """The integers of all half-open ranges, one after another."""
    lengths = stops - starts
    ends = np.cumsum(lengths)
    places: NDArray[np.int64] = np.arange(int(lengths.sum())) - np.repeat(ends - lengths - starts, lengths)
    return places
