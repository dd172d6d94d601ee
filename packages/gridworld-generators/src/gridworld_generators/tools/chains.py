"""Dependency chains: barriers whose order is forced by where they stand.

A chain is laid from its end. A barrier goes where every way to the goal passes, and what opens it on the start's side.
That becomes what the next barrier keeps the agent from, and so on. Where no single cell has to be passed, a narrow
place is walled up but for one cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import islice

import attrs

from gridworld.generation.generator import NothingDrawn
from gridworld.task_spec import Position
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.regions import cut_cells, distances, narrowest_cut, reachable, separators
from gridworld_generators.tools.sketch import BARRIERS, SOLID, Sketch

__all__ = ["STEP_KINDS", "SWITCH_STEPS", "place_chain", "plate_cells"]

SWITCH_STEPS = ("toggle", "one_shot", "hold")
"""Kinds of steps that are a switch of that type and its gate."""
STEP_KINDS = ("key", *SWITCH_STEPS)
"""Kinds of steps: ``key`` is a key and its locked door."""

TRIES = 24
"""How many places for barriers are tried before a chain is given up."""
WIDEST_CUT = 4
"""How many cells a narrow place has at most of which all but one are walled up."""
BARRIERS_TRIED, OPENERS_TRIED = 4, 2
"""How many places are tried for the barrier of a step, and for what opens it, before the step after it is moved."""
ROOM_PER_STEP = 3
"""How many cells the start's side of a barrier has at least for each step that is still to be placed there."""


@attrs.frozen
class _Link:
    kind: str
    opener: Position
    barrier: Position


@attrs.frozen
class _Plan:
    """The end of a chain, as far as it has been placed."""

    links: tuple[_Link, ...]
    """From the first step that has been placed to the last."""
    floor: frozenset[Position]
    """All floor, without what was walled up for the chain."""
    side: frozenset[Position]
    """What can be reached from the start without opening any barrier."""
    target: Position
    """What the next barrier has to keep the agent from."""


def place_chain(sketch: Sketch, target: Position, kinds: Sequence[str], dice: Dice) -> None:
    """Bar the way to a cell with a chain, and note its steps in the sketch.

    Args:
        sketch: a layout with a start; walls may be added.
        target: where the chain ends; a cell of the floor that is not the start.
        kinds: the kind of each step (`STEP_KINDS`), from the first to the last.
        dice: decides.

    Raises:
        NothingDrawn: no place was found for some step, or there are not enough colours; the sketch is as it was.
    """
    plan = _Planner(sketch, target, kinds, dice).plan()
    colors = _colors(sketch, kinds, dice)
    sketch.wall_up(sketch.floor - plan.floor)
    for link, color in zip(plan.links, colors, strict=True):
        if link.kind == "key":
            key, door = sketch.place_key(link.opener, color), sketch.place_door(link.barrier, color)
            sketch.add_step("key-door", key, door)
        else:
            gate = sketch.place_gate(link.barrier, color)
            sketch.add_step("switch-gate", sketch.place_switch(link.opener, color, link.kind, gate), gate)


def plate_cells(gate: Position) -> tuple[Position, ...]:
    """Where a hold switch can lie so that one steps from it straight into its gate, on all tilings of ours.

    A switch sits on the anchor of its cell's patch. From anchors of 3.4.6.4 one gets to the patches on the left and
    above, from those of triangles to the left, and to those above from odd rows only.
    """
    right, below = Position(gate.x + 1, gate.y), Position(gate.x, gate.y + 1)
    return (right, below) if below.y % 2 else (right,)


def _colors(sketch: Sketch, kinds: Sequence[str], dice: Dice) -> list[str]:
    """A colour for each step."""
    for_keys, for_switches = dice.shuffled(sketch.key_colors_left()), dice.shuffled(sketch.switch_colors_left())
    if kinds.count("key") > len(for_keys) or len(kinds) - kinds.count("key") > len(for_switches):
        raise NothingDrawn("not enough colours for a chain")
    return [(for_keys if kind == "key" else for_switches).pop() for kind in kinds]


class _Planner:
    def __init__(self, sketch: Sketch, end: Position, kinds: Sequence[str], dice: Dice) -> None:
        if sketch.start is None:
            raise ValueError("a chain needs a start")
        self._start = sketch.start
        self._end = end
        self._sketch = sketch
        self._neighbors = sketch.neighbors
        self._kinds = kinds
        self._dice = dice
        self._tries = TRIES

    def plan(self) -> _Plan:
        """The whole chain."""
        floor = frozenset(self._sketch.floor)
        side = frozenset(reachable(floor - self._sketch.cells_of(*BARRIERS), self._start, self._neighbors))
        found = self._extend(_Plan((), floor, side, self._end))
        if found is None:
            raise NothingDrawn("no room for a chain")
        return found

    def _extend(self, plan: _Plan) -> _Plan | None:
        """Place all steps that are still missing before those that have been placed."""
        left = len(self._kinds) - len(plan.links)
        if left == 0:
            return plan if self._can_be_walked(plan) else None
        kind = self._kinds[left - 1]
        for floor, barrier, side in islice(self._with_barrier(plan, kind, left), BARRIERS_TRIED):
            self._tries -= 1
            if self._tries < 0:
                return None
            for opener in self._openers(plan, kind, floor, barrier, side, left)[:OPENERS_TRIED]:
                link = _Link(kind, opener, barrier)
                found = self._extend(_Plan((link, *plan.links), floor, side, opener))
                if found is not None:
                    return found
        return None

    def _with_barrier(
        self, plan: _Plan, kind: str, left: int
    ) -> Iterator[tuple[frozenset[Position], Position, frozenset[Position]]]:
        """The floor, the barrier and the start's side for each place where a barrier may go, the best first."""
        share = 1 - (1 - self._dice.below(1000) / 1000) * 0.9 / left  # of the side that is left to the start's side
        places = [
            (found.cell, found.near_side)
            for found in separators(plan.side, self._start, plan.target, self._neighbors)
            if self._may_bar(plan, kind, found.cell, found.near_side, left)
        ]
        wanted = share * len(plan.side)
        places.sort(key=lambda place: self._awkwardness(plan.floor, place[0]) * 6 + abs(len(place[1]) - wanted))
        yield from ((plan.floor, cell, side) for cell, side in places)
        for part in (1 - share, (1 - share) / 2, 0):
            yield from self._with_narrowed(plan, kind, left, round(part * len(plan.side)))

    def _with_narrowed(
        self, plan: _Plan, kind: str, left: int, size: int
    ) -> Iterator[tuple[frozenset[Position], Position, frozenset[Position]]]:
        """The same, after a narrow place has been walled up around so many cells at the target."""
        kept = self._fixed(plan)
        inner = self._ball(plan, size)
        cut = narrowest_cut(plan.side, [self._start], inner, self._neighbors, keep=kept, most=WIDEST_CUT)
        if len(cut) < 2:
            return
        options = []
        for barrier in cut:
            floor = self._connected(plan, plan.floor - (set(cut) - {barrier}))
            side = frozenset(reachable((plan.side & floor) - {barrier}, self._start, self._neighbors))
            if kept <= floor and plan.target in floor - side and self._may_bar(plan, kind, barrier, side, left):
                options.append((floor, barrier, side))
        yield from sorted(self._dice.shuffled(options), key=lambda each: self._awkwardness(each[0], each[1]))

    def _ball(self, plan: _Plan, size: int) -> list[Position]:
        """Cells nearest to the target, but not the start and what is next to it."""
        near = {self._start, *self._neighbors[self._start]} - {plan.target}
        order = distances(plan.side - near, [plan.target], self._neighbors)
        return list(order)[: size + 1]

    def _connected(self, plan: _Plan, floor: Set[Position]) -> frozenset[Position]:
        """What can still be reached of the floor when everything is open."""
        return frozenset(reachable(floor, self._start, self._neighbors))

    def _fixed(self, plan: _Plan) -> set[Position]:
        """Cells that must stay floor: what has been placed, and the cells before it."""
        placed = {self._start, plan.target, *self._sketch.taken}
        placed |= {cell for link in plan.links for cell in (link.opener, link.barrier)}
        if self._sketch.goal is not None:
            placed.add(self._sketch.goal)
        before = {there for link in plan.links for there in self._neighbors[link.barrier]}
        return placed | (before & plan.floor)

    def _may_bar(self, plan: _Plan, kind: str, cell: Position, side: Set[Position], left: int) -> bool:
        if len(side) < ROOM_PER_STEP * left or not self._is_free(plan, cell):
            return False
        if kind != "hold":
            return True
        # One does not get back through its gate: all that is needed later has to lie beyond.
        later = {link.opener for link in plan.links}
        later |= {there for link in plan.links for there in self._neighbors[link.barrier]}
        return later.isdisjoint(side) and self._plate(plan, cell, side) is not None

    def _plate(self, plan: _Plan, gate: Position, side: Set[Position]) -> Position | None:
        return next((cell for cell in plate_cells(gate) if cell in side and self._is_free(plan, cell)), None)

    def _is_free(self, plan: _Plan, cell: Position) -> bool:
        placed = any(cell in (link.opener, link.barrier) for link in plan.links)
        return not placed and cell != plan.target and self._sketch.is_free(cell)

    def _awkwardness(self, floor: Set[Position], cell: Position) -> int:
        """0 for a doorway, with floor on two opposite sides and walls on the others; more for other places."""
        x, y = cell
        right, left = Position(x + 1, y) in floor, Position(x - 1, y) in floor
        below, above = Position(x, y + 1) in floor, Position(x, y - 1) in floor
        if right == left and below == above and right != below:
            return 0
        return 1 + (right + left + below + above > 2)

    def _openers(
        self,
        plan: _Plan,
        kind: str,
        floor: frozenset[Position],
        barrier: Position,
        side: frozenset[Position],
        left: int,
    ) -> list[Position]:
        """Where what opens a barrier may go, the best first: off the way, and far away if it is to be barred itself."""
        if kind == "hold":
            plate = self._plate(plan, barrier, side)
            return [] if plate is None else [plate]
        keys = {link.opener for link in plan.links if link.kind == "key"} | self._sketch.cells_of(*SOLID)
        barriers = {link.barrier for link in plan.links} | {barrier}
        beside = {there for cell in keys | barriers for there in self._neighbors[cell]}
        passed = cut_cells(floor - keys, self._neighbors)
        possible = [
            cell for cell in sorted(side) if cell not in beside and self._is_free(plan, cell) and cell not in passed
        ]
        if kind != "key" and not possible:
            possible = [cell for cell in sorted(side) if cell not in beside and self._is_free(plan, cell)]
        from_start = distances(side, [self._start], self._neighbors)
        from_barrier = distances(side | {barrier}, [barrier], self._neighbors)
        far = 1.0 if left > 1 else 0.3

        def merit(cell: Position) -> float:
            exits = sum(there in floor for there in self._neighbors[cell])
            closeness = 4 if from_barrier[cell] < 4 else 0
            return far * from_start[cell] - exits - closeness + self._dice.below(100) / 100 * (3 + len(side) / 8)

        return [cell for _, cell in sorted(((merit(cell), cell) for cell in possible), reverse=True)]

    def _can_be_walked(self, plan: _Plan) -> bool:
        """Whether each step can be taken after the one before it, with keys in the way and later barriers shut.

        Behind the gate of a hold switch there is no way back.
        """
        keys = {link.opener for link in plan.links if link.kind == "key"} | self._sketch.cells_of(*SOLID)
        shut = {link.barrier for link in plan.links} | self._sketch.cells_of(*BARRIERS)
        here, left_behind = self._start, set[Position]()
        for link in plan.links:
            keys.discard(link.opener)
            reach = reachable(plan.floor - keys - shut - left_behind, here, self._neighbors)
            if link.opener not in reach or not reach & {*self._neighbors[link.barrier]}:
                return False
            if link.kind == "hold":
                here, left_behind = link.barrier, left_behind | reach
            else:
                shut.discard(link.barrier)
        return self._end in reachable(plan.floor - keys - shut - left_behind, here, self._neighbors)
