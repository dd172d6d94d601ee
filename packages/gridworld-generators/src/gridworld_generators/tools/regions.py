"""What is connected with what: reach, distance, and the cells that have to be passed.

A region is a set of lattice cells, connected through the four neighbours of each cell. Where a region is connected or
not in this sense, so are its patches on every tiling: patches of neighbours touch, and diagonal seams between walls are
sealed. Barriers count as walls for that: leave their cells out of the region to ask what they keep apart.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence, Set

import attrs

from gridworld.task_spec import Position

__all__ = [
    "Neighbors",
    "Separator",
    "components",
    "cut_cells",
    "distances",
    "narrowest_cut",
    "reachable",
    "separators",
    "shortest_path",
]

Neighbors = Mapping[Position, Sequence[Position]]
"""Each cell with its neighbours, such as `Sketch.neighbors`."""


def reachable(region: Set[Position], start: Position, neighbors: Neighbors) -> set[Position]:
    """The cells of a region that can be reached from one of it, itself included."""
    found, waiting = {start}, [start]
    while waiting:
        for there in neighbors[waiting.pop()]:
            if there in region and there not in found:
                found.add(there)
                waiting.append(there)
    return found


def components(region: Set[Position], neighbors: Neighbors) -> list[set[Position]]:
    """The connected parts of a region, the largest first, those of one size by their first cell."""
    left, found = set(region), []
    for cell in sorted(region):
        if cell in left:
            part = reachable(left, cell, neighbors)
            left -= part
            found.append(part)
    return sorted(found, key=len, reverse=True)


def distances(region: Set[Position], sources: Iterable[Position], neighbors: Neighbors) -> dict[Position, int]:
    """Each cell that can be reached with its least number of moves from any of the sources, nearest first."""
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
    """A shortest way from one cell to another, both included; empty if there is none."""
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
    """The cells without which a connected region is not connected any more: its articulation points.

    Hopcroft and Tarjan, "Algorithm 447", Communications of the ACM 16 (1973): cells are numbered depth first, and each
    has the least number that can be reached from itself, or from a cell below it, by one edge.
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
    """The cells in the order in which they are found, and each but the first with the one from which it was."""
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
    """A cell that every way from a start to an end passes."""

    cell: Position
    near_side: frozenset[Position]
    """What can be reached from the start without the cell."""


def separators(region: Set[Position], start: Position, end: Position, neighbors: Neighbors) -> list[Separator]:
    """All cells that every way from a start to an end of a region passes, both excluded, from the start on.

    They lie on each way, so on one shortest way: the region is flooded from the start up to the cells of that way that
    have not been passed yet. Where the flood stops at a single one, that is the next separator.
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
        else:  # the cells of the way before the farthest one can be reached from both sides of it
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
    """As few cells as possible that every way from some sources to some targets passes, near the targets.

    A minimal vertex cut by augmenting paths: as many ways as can be found that share no cell; by Menger's theorem there
    is a cut of one cell of each.

    Args:
        region: the cells that can be walked on.
        sources: cells of the region.
        targets: cells of the region that are no sources.
        neighbors: of each cell.
        keep: cells that cannot be in the cut, beside sources and targets.
        most: the greatest number of cells that is of use.

    Returns:
        The cells of the cut, sorted; empty if there is none of at most `most` cells.
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
"""A cell where one enters it, or where one leaves it."""


class _Flow:
    """Ways through a region of which no two share a cell, except fixed ones."""

    def __init__(self, region: Set[Position], fixed: Set[Position], neighbors: Neighbors) -> None:
        self._fixed = fixed
        self._exits = {cell: [(there, IN) for there in neighbors[cell] if there in region] for cell in region}
        self._steps: dict[tuple[Position, Position], int] = {}
        """How many ways lead from one cell to the next."""
        self._passing: dict[Position, int] = {}
        """How many ways pass a cell."""

    def add_way(self, starts: Sequence[Position], ends: Set[Position]) -> set[Node] | None:
        """Add a way from a start to an end, moving others aside; the nodes that can be reached if there is none."""
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
        """Along free cells, or back along a way that can be led elsewhere."""
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
