"""`WalkingRegions`: where an agent comes to that walks about and turns on bare floor, with things in its way."""

from __future__ import annotations

from collections.abc import Set

import numpy as np
from numpy.typing import NDArray

from gridworld.solver.poses import Poses, Way

__all__ = ["WalkingRegions"]

REMEMBERED = 1 << 22
"""So many poses, counted in each arrangement of things, are remembered with the regions that they are in."""
OF_AN_ARRANGEMENT = 180
"""Bytes that are kept of an arrangement of things beside its regions, as measured."""
NO_REGION = -1


class WalkingRegions:
    """The regions of bare floor.

    Args:
        poses: those of the world.
        bare: the places that are bare floor at any time, shape (places,).
    """

    def __init__(self, poses: Poses, bare: NDArray[np.bool_]) -> None:
        self._poses = poses
        turned, returns = _orbits(poses)
        bare = bare[poses.here] & returns
        ahead = np.flatnonzero(bare & (poses.ahead >= 0))
        ahead = ahead[bare[poses.after[Way.AHEAD, ahead]]]
        steps = np.unique(np.stack([turned[ahead], turned[poses.after[Way.AHEAD, ahead]]], axis=1), axis=0)
        self._turned, self._bare = turned, bare
        self._place_of: dict[int, int] = dict(zip(turned[bare].tolist(), poses.here[bare].tolist(), strict=True))
        """Each orbit on bare floor to its place."""
        self._beside: dict[int, list[int]] = {orbit: [] for orbit in self._place_of}
        for orbit, other in steps.tolist():
            self._beside[orbit].append(other)
        self._returns = all(orbit in self._beside[other] for orbit, other in steps.tolist())
        """Whether every step can be taken back; otherwise nothing is foreseen."""
        self._regions: dict[Set[int], NDArray[np.int64]] = {}

    @property
    def memory(self) -> int:
        """Bytes of the regions that are remembered, about."""
        return len(self._regions) * (self._poses.count * 8 + OF_AN_ARRANGEMENT)

    def around(self, poses: NDArray[np.int64], taken: Set[int]) -> NDArray[np.int64]:
        """The poses to which an agent can walk from some poses.

        Args:
            poses: where it begins, shape (poses,); from what is no bare floor it does not walk.
            taken: the places where movable things are.

        Returns:
            Shape (poses,), in ascending order.
        """
        if not self._returns:
            return poses[:0]
        regions = self._regions.get(taken)
        if regions is None:
            if len(self._regions) * self._poses.count > REMEMBERED:
                self._regions.clear()
            regions = self._regions[taken] = self._find_regions(taken)
        begun = set(regions[poses].tolist()) - {NO_REGION}
        if len(begun) == 1:
            return np.flatnonzero(regions == begun.pop())
        return np.flatnonzero(np.isin(regions, sorted(begun))) if begun else poses[:0]

    def _find_regions(self, taken: Set[int]) -> NDArray[np.int64]:
        """Pose to the number of its region, or `NO_REGION`."""
        region_of = np.full(self._poses.count, NO_REGION, dtype=np.int64)
        closed = {orbit for orbit, place in self._place_of.items() if place in taken}
        for first in self._place_of:
            if first in closed:
                continue
            closed.add(first)
            frontier = [first]
            for orbit in frontier:  # the list grows while it is walked through
                region_of[orbit] = first
                for other in self._beside[orbit]:
                    if other not in closed:
                        closed.add(other)
                        frontier.append(other)
        return np.where(self._bare, region_of[self._turned], NO_REGION)


def _orbits(poses: Poses) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Pose to the least of those to which turning on and on leads, and whether that leads back to the pose itself.

    A cell may have fewer edges than there are headings; nobody comes to face where it has none, or comes back there.
    """
    same = np.arange(poses.count)
    least, returns, following = same, np.zeros(poses.count, dtype=bool), same
    for _ in range(poses.headings):
        following = poses.after[Way.LEFT, following]
        least, returns = np.minimum(least, following), returns | (following == same)
    return least, returns
