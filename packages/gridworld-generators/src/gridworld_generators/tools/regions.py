"""Connectivity of regions: reachability, distances, articulation points, separators and cuts.

A region is a set of lattice cells, connected through four neighbours. Its patches are connected in the same way on
every tiling: patches of neighbours touch, and diagonal seams between walls are sealed. Exclude the cells of barriers
from a region to treat them as walls.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence, Set

import attrs

from gridworld.task_spec import Position

Neighbors = Mapping[Position, Sequence[Position]]
"""Neighbours of each cell, as in `Sketch.neighbors`."""


def reachable(region: Set[Position], start: Position, neighbors: Neighbors) -> set[Position]:
    """Return the cells of a region that are reachable from one of them, which is included."""
    found, waiting = {start}, [start]
    while waiting:
        for there in neighbors[waiting.pop()]:
            if there in region and there not in found:
                found.add(there)
                waiting.append(there)
    return found


def components(region: Set[Position], neighbors: Neighbors) -> list[set[Position]]:
    """Return the connected parts of a region, largest first, then by first cell."""
    left, found = set(region), []
    for cell in sorted(region):
        if cell in left:
            part = reachable(left, cell, neighbors)
            left -= part
            found.append(part)
    return sorted(found, key=len, reverse=True)


def distances(region: Set[Position], sources: Iterable[Position], neighbors: Neighbors) -> dict[Position, int]:
    """Map each reachable cell to its distance in moves from the nearest source, nearest first."""
    found = dict.fromkeys(sources, 0)
    waiting = deque(found)
    while waiting:
        here = waiting.popleft()
        onward = found[here] + 1
        for there in neighbors[here]:
            if there in region and there not in found:
                found[there] = onward
                waiting.append(there)
    return found


def shortest_path(region: Set[Position], start: Position, end: Position, neighbors: Neighbors) -> list[Position]:
    """Return a shortest path, both ends included; empty if no path leads from start to end."""
    before = {start: start}
    waiting = deque([start])
    while waiting and end not in before:
        here = waiting.popleft()
        for there in neighbors[here]:
            if there in region and there not in before:
                before[there] = here
                waiting.append(there)
    if end not in before:
        return []
    path = [end]
    while path[-1] != start:
        path.append(before[path[-1]])
    return path[::-1]


def cut_cells(region: Set[Position], neighbors: Neighbors) -> set[Position]:
    """Return the articulation points of a connected region, each of whose removal splits the region.

    Hopcroft and Tarjan, "Algorithm 447", Communications of the ACM 16 (1973).
    """
    if not region:
        return set()
    root = min(region)
    order, above = _depth_first(region, root, neighbors)
    number = {cell: count for count, cell in enumerate(order)}
    low = dict(number)
    found: set[Position] = set()
    for cell in reversed(order[1:]):
        parent = above[cell]
        others = (number[there] for there in neighbors[cell] if there in number and there != parent)
        low[cell] = min(low[cell], min(others, default=low[cell]))
        low[parent] = min(low[parent], low[cell])
        if parent != root and low[cell] >= number[parent]:
            found.add(parent)
    below_root = sum(parent == root for parent in above.values())
    return found | {root} if below_root > 1 else found


def _depth_first(
    region: Set[Position], root: Position, neighbors: Neighbors
) -> tuple[list[Position], dict[Position, Position]]:
    """Return the cells in depth-first order, and the parent of each cell but the first."""
    order, above = [root], dict[Position, Position]()
    seen = {root}
    stack = [(root, iter(neighbors[root]))]
    while stack:
        here, ways = stack[-1]
        onward = next((there for there in ways if there in region and there not in seen), None)
        if onward is None:
            stack.pop()
            continue
        seen.add(onward)
        order.append(onward)
        above[onward] = here
        stack.append((onward, iter(neighbors[onward])))
    return order, above


@attrs.frozen
class Separator:
    """A cell on every path from a start to an end."""

    cell: Position
    near_side: frozenset[Position]
    """Cells reachable from the start without passing the separator."""


def separators(region: Set[Position], start: Position, end: Position, neighbors: Neighbors) -> list[Separator]:
    """Return all cells on every path from a start to an end of a region, both excluded, ordered from the start.

    All of them lie on any shortest path. The region is flooded from the start, stopping at the cells of that path; if
    the flood stops at a single new one, that is the next separator.
    """
    path = shortest_path(region, start, end, neighbors)
    place = {cell: number for number, cell in enumerate(path)}
    seen, waiting, passed, farthest = {start}, [start], 0, 0
    found: list[Separator] = []
    while True:
        while waiting:
            for there in neighbors[waiting.pop()]:
                if there not in region or there in seen:
                    continue
                farthest = max(farthest, place.get(there, 0))
                if there not in place:
                    seen.add(there)
                    waiting.append(there)
        if farthest >= len(path) - 1:
            return found
        if farthest == passed + 1:
            found.append(Separator(path[farthest], frozenset(seen)))
            passed = farthest
            newly = [path[farthest]]
        else:  # the path cells before the farthest one can be bypassed
            newly = path[passed + 1 : farthest]
            passed = farthest - 1
        seen.update(newly)
        waiting = newly


def narrowest_cut(
    region: Set[Position],
    sources: Collection[Position],
    targets: Collection[Position],
    neighbors: Neighbors,
    *,
    keep: Set[Position] = frozenset(),
    most: int = 4,
) -> list[Position]:
    """Return a minimum vertex cut between sources and targets, the one nearest to the targets, by augmenting paths.

    Args:
        region: the cells that can be walked on.
        sources: cells of the region.
        targets: other cells of the region.
        neighbors: neighbours of each cell.
        keep: cells that must not be in the cut, in addition to sources and targets.
        most: the largest useful size.

    Returns:
        The cells of the cut, sorted; empty if it has more than `most` cells.
    """
    fixed = frozenset({*sources, *targets, *keep})
    flow = _Flow(region, fixed, neighbors)
    for _ in range(most + 1):
        seen = flow.add_way(sorted(targets), frozenset(sources))
        if seen is not None:
            return sorted(cell for cell, side in seen if side == IN and cell not in fixed and (cell, OUT) not in seen)
    return []


IN, OUT = 0, 1
Node = tuple[Position, int]
"""The entry or the exit of a cell."""


class _Flow:
    """Paths through a region that share no cells except fixed ones."""

    def __init__(self, region: Set[Position], fixed: Set[Position], neighbors: Neighbors) -> None:
        self._fixed = fixed
        self._exits = {cell: [(there, IN) for there in neighbors[cell] if there in region] for cell in region}
        self._steps: dict[tuple[Position, Position], int] = {}
        """Number of paths from one cell to the next."""
        self._passing: dict[Position, int] = {}
        """Number of paths through each cell."""

    def add_way(self, starts: Sequence[Position], ends: Set[Position]) -> set[Node] | None:
        """Add a path from a start to an end, rerouting others; if there is none, return the reachable nodes."""
        before: dict[Node, Node | None] = {(start, OUT): None for start in starts}
        waiting = deque(before)
        while waiting:
            node = waiting.popleft()
            if node[1] == IN and node[0] in ends:
                self._add(node, before)
                return None
            for onward in self._onward(node):
                if onward not in before:
                    before[onward] = node
                    waiting.append(onward)
        return set(before)

    def _onward(self, node: Node) -> list[Node]:
        """Return the next nodes: along free cells, or back along a path to be rerouted."""
        cell, side = node
        if side == OUT:
            onward = self._exits[cell]
            return [*onward, (cell, IN)] if self._passing.get(cell) else onward
        passed = self._passing.get(cell)
        if not passed:
            return [(cell, OUT)]
        back = [(there, OUT) for there, _ in self._exits[cell] if self._steps.get((there, cell))]
        return [(cell, OUT), *back] if cell in self._fixed else back

    def _add(self, last: Node, before: Mapping[Node, Node | None]) -> None:
        node, previous = last, before[last]
        while previous is not None:
            (here, side), (there, _) = previous, node
            if here == there:
                self._passing[here] = self._passing.get(here, 0) + (1 if side == IN else -1)
            elif side == OUT:
                self._steps[here, there] = self._steps.get((here, there), 0) + 1
            else:
                self._steps[there, here] -= 1
            node, previous = previous, before[previous]
