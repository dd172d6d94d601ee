"""Dependency chains: barriers in a forced order, hidden steps, and items to collect at the end.

A chain is built backwards from its end. A barrier is placed on a cell that every path to the target passes, and its
opener (a key or a switch) on the start's side; the opener becomes the target of the previous barrier. If no single cell
separates the target from the start, a narrow passage is walled up except for one cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import islice

import attrs

from gridworld.generation.generator import NothingDrawn
from gridworld.task_spec import GoalSpec, Position
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.regions import cut_cells, distances, narrowest_cut, reachable, separators
from gridworld_generators.tools.sketch import BARRIERS, SOLID, Sketch, choose_color, colors_of_steps

SWITCH_STEPS = ("toggle", "one_shot", "hold")
"""Kinds of steps with a gate, named after the type of the switch."""
STEP_KINDS = ("key", *SWITCH_STEPS)
"""All kinds of steps; ``key`` is a key with its locked door."""

TRIES = 24
"""Number of barrier positions tried per chain."""
WIDEST_CUT = 4
"""Maximum width of a passage, in cells, that may be walled up except for one cell."""
BARRIERS_TRIED, OPENERS_TRIED = 4, 2
"""Number of positions tried for a step's barrier and for its opener before backtracking."""
AWKWARD = 6
"""Number of cells of distance from the wanted position that weighs as much as not being a doorway."""
SMALLEST_FAR_SIDE = 3
"""Preferred minimum number of cells behind a barrier; niches of one cell give away their purpose."""
ROOM_PER_STEP = 3
"""Minimum number of cells on the start's side of a barrier per step still to be placed there."""


@attrs.frozen
class _Link:
    kind: str
    opener: Position
    barrier: Position


@attrs.frozen
class _Plan:
    """The part of a chain placed so far, from its end."""

    links: tuple[_Link, ...]
    """The placed steps, in order."""
    floor: frozenset[Position]
    """All floor except the cells walled up for the chain."""
    side: frozenset[Position]
    """Cells reachable from the start without opening a barrier."""
    target: Position
    """The cell that the next barrier must separate from the start."""


def place_chain(sketch: Sketch, target: Position, kinds: Sequence[str], dice: Dice) -> None:
    """Block the path to a cell with a chain, and add its steps to the sketch.

    Args:
        sketch: a layout with a start; walls may be added.
        target: end of the chain, a floor cell other than the start.
        kinds: kind of each step (`STEP_KINDS`), in order.
        dice: the source of randomness.

    Raises:
        NothingDrawn: a step does not fit, or too few colours are left; the sketch is unchanged.
    """
    plan = _Planner(sketch, target, kinds, dice).plan()
    colors = colors_of_steps(sketch, kinds, dice)
    sketch.wall_up(sketch.floor - plan.floor)
    for link, color in zip(plan.links, colors, strict=True):
        if link.kind == "key":
            key, door = sketch.place_key(link.opener, color), sketch.place_door(link.barrier, color)
            sketch.add_step("key-door", key, door)
        else:
            gate = sketch.place_gate(link.barrier, color)
            sketch.add_step("switch-gate", sketch.place_switch(link.opener, color, link.kind, gate), gate)


def plate_cells(gate: Position) -> tuple[Position, ...]:
    """Return cells for a hold switch from which the agent steps directly into the gate on every installed tiling.

    A switch is placed on the first cell of its lattice cell's patch. On 3.4.6.4 these cells touch the patches to the
    left and above; on triangles they touch the one to the left and, in odd rows, the one above.
    """
    right, below = Position(gate.x + 1, gate.y), Position(gate.x, gate.y + 1)
    return (right, below) if below.y % 2 else (right,)


@attrs.frozen
class _Place:
    """A position for the next barrier."""

    floor: frozenset[Position]
    """All floor except the cells walled up for this position."""
    barrier: Position
    side: frozenset[Position]
    """Cells reachable from the start without opening this or any placed barrier."""


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
        """Return the plan of the whole chain."""
        floor = frozenset(self._sketch.floor)
        side = frozenset(reachable(floor - self._sketch.cells_of(*BARRIERS), self._start, self._neighbors))
        found = self._extend(_Plan((), floor, side, self._end))
        if found is None:
            raise NothingDrawn("no room for a chain")
        return found

    def _extend(self, plan: _Plan) -> _Plan | None:
        """Place the missing steps before the placed ones; None if this fails."""
        left = len(self._kinds) - len(plan.links)
        if left == 0:
            return plan if self._can_be_walked(plan) else None
        kind = self._kinds[left - 1]
        for place in islice(self._places(plan, kind, left), BARRIERS_TRIED):
            self._tries -= 1
            if self._tries < 0:
                return None
            for opener in self._openers(plan, kind, place, left)[:OPENERS_TRIED]:
                link = _Link(kind, opener, place.barrier)
                found = self._extend(_Plan((link, *plan.links), place.floor, place.side, opener))
                if found is not None:
                    return found
        return None

    def _places(self, plan: _Plan, kind: str, left: int) -> Iterator[_Place]:
        """Yield positions for the next barrier, best first."""
        share = 1 - self._dice.below(900) / 1000 / left  # of `plan.side` to stay on the start's side
        wanted = share * len(plan.side)
        places = [
            _Place(plan.floor, found.cell, found.near_side)
            for found in separators(plan.side, self._start, plan.target, self._neighbors)
            if self._may_bar(plan, kind, found.cell, found.near_side, left)
        ]
        places.sort(key=lambda place: self._awkwardness(place) * AWKWARD + abs(len(place.side) - wanted))
        niches = [place for place in places if len(plan.side) - len(place.side) <= SMALLEST_FAR_SIDE]
        yield from (place for place in places if place not in niches)
        for part in (1 - share, (1 - share) / 2):
            yield from self._narrowed(plan, kind, left, max(SMALLEST_FAR_SIDE, round(part * len(plan.side))))
        yield from niches

    def _narrowed(self, plan: _Plan, kind: str, left: int, size: int) -> list[_Place]:
        """Return positions at a narrowest cut around `size` cells at the target, walled up except for one cell."""
        kept = self._fixed(plan)
        near = {self._start, *self._neighbors[self._start]} - {plan.target}
        inner = list(distances(plan.side - near, [plan.target], self._neighbors))[: size + 1]
        cut = narrowest_cut(plan.side, [self._start], inner, self._neighbors, keep=kept, most=WIDEST_CUT)
        if len(cut) < 2:
            return []
        places = []
        for barrier in cut:
            floor = frozenset(reachable(plan.floor - (set(cut) - {barrier}), self._start, self._neighbors))
            side = frozenset(reachable((plan.side & floor) - {barrier}, self._start, self._neighbors))
            if kept <= floor and plan.target not in side and self._may_bar(plan, kind, barrier, side, left):
                places.append(_Place(floor, barrier, side))
        return sorted(self._dice.shuffled(places), key=self._awkwardness)

    def _fixed(self, plan: _Plan) -> set[Position]:
        """Return the cells that must stay floor: those of mechanisms, and those next to barriers."""
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
        # There is no way back through its gate: everything needed later has to lie beyond it, on one side.
        onward = [there for there in self._neighbors[cell] if there in plan.floor and there not in side]
        later = {link.opener for link in plan.links}
        later |= {there for link in plan.links for there in self._neighbors[link.barrier]}
        return len(onward) == 1 and later.isdisjoint(side) and self._plate(plan, cell, side) is not None

    def _plate(self, plan: _Plan, gate: Position, side: Set[Position]) -> Position | None:
        return next((cell for cell in plate_cells(gate) if cell in side and self._is_free(plan, cell)), None)

    def _is_free(self, plan: _Plan, cell: Position) -> bool:
        placed = any(cell in (link.opener, link.barrier) for link in plan.links)
        return not placed and cell != plan.target and self._sketch.is_free(cell)

    def _awkwardness(self, place: _Place) -> int:
        """Return 0 for a doorway (floor on two opposite sides, walls on the others), more for other positions."""
        x, y = place.barrier
        right, left = Position(x + 1, y) in place.floor, Position(x - 1, y) in place.floor
        below, above = Position(x, y + 1) in place.floor, Position(x, y - 1) in place.floor
        if right == left and below == above and right != below:
            return 0
        return 1 + (right + left + below + above > 2)

    def _openers(self, plan: _Plan, kind: str, place: _Place, left: int) -> list[Position]:
        """Return cells for a barrier's opener, best first: off the path, and far away if it will be barred too."""
        if kind == "hold":
            plate = self._plate(plan, place.barrier, place.side)
            return [] if plate is None else [plate]
        keys = {link.opener for link in plan.links if link.kind == "key"} | self._sketch.cells_of(*SOLID)
        barriers = {place.barrier, *(link.barrier for link in plan.links), *self._sketch.cells_of(*BARRIERS)}
        beside = {there for cell in keys | barriers for there in self._neighbors[cell]}
        free = [cell for cell in sorted(place.side - beside) if self._is_free(plan, cell)]
        passed = cut_cells(place.floor - keys, self._neighbors)
        aside = [cell for cell in free if cell not in passed]
        return self._ranked(place, aside if aside or kind == "key" else free, left)

    def _ranked(self, place: _Place, cells: Sequence[Position], left: int) -> list[Position]:
        from_start = distances(place.side, [self._start], self._neighbors)
        from_barrier = distances(place.side, [place.barrier], self._neighbors)
        far = 1.0 if left > 1 else 0.3
        # Later steps have to fit behind a gate without a way back, so they are kept close together.
        near = -1.0 if "hold" in self._kinds[: left - 1] else 0.0

        def merit(cell: Position) -> float:
            exits = sum(there in place.floor for there in self._neighbors[cell])
            crowding = 4 if from_barrier[cell] < 4 and not near else 0
            luck = self._dice.below(100) / 100 * (3 + len(place.side) / 8)
            return far * from_start[cell] + near * from_barrier[cell] - exits - crowding + luck

        return [cell for _, cell in sorted(((merit(cell), cell) for cell in cells), reverse=True)]

    def _can_be_walked(self, plan: _Plan) -> bool:
        """Whether the steps can be done in order; unused keys obstruct, and hold gates cannot be passed again."""
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


def hide_steps(sketch: Sketch, count: int, dice: Dice) -> None:
    """Hide the door or switch of `count` steps of the chain; raises NothingDrawn if the chain is shorter.

    A hidden key would only be in the way.
    """
    if count > len(sketch.chain):
        raise NothingDrawn("fewer steps than are to be hidden")
    steps = dice.sample(sketch.chain, count)
    sketch.hide(sorted(step.unlocks if step.type == "key-door" else step.element for step in steps))


TARGET_KINDS = ("key", "toggle", "one_shot")
"""Kinds of items to collect: keys, and switches of these types."""


def place_targets(sketch: Sketch, last: Position, count: int, kinds: Sequence[str], dice: Dice) -> None:
    """Place an item to collect at the end of the chain, and more before its first or beyond its last barrier.

    Items between barriers could be out of reach once a gate has closed behind the agent. The goal becomes to collect
    all items, and ``maze.goal``, now meaningless, some free cell.

    Args:
        sketch: a sketch with start and chain.
        last: cell of the first item, the end of the chain.
        count: number of items, at least 1.
        kinds: possible kinds of items (`TARGET_KINDS`).
        dice: the source of randomness.

    Raises:
        NothingDrawn: no room or no colour is left.
    """
    sketch.goal = None
    barriers = sketch.cells_of(*BARRIERS)
    open_floor = sketch.floor - barriers
    ends = reachable(open_floor, last, sketch.neighbors)
    if sketch.start is not None:
        ends |= reachable(open_floor, sketch.start, sketch.neighbors)
    names = [_place(sketch, [last], kinds, dice)]
    beside = {there for cell in barriers for there in sketch.neighbors[cell]}
    while len(names) < count:
        names.append(_place(sketch, dice.shuffled(sorted(ends - beside)), kinds, dice))
    if not (free := sketch.free_cells()):
        raise NothingDrawn("no room for the items to collect")
    sketch.goal = dice.choice(free)
    sketch.goal_spec = GoalSpec("collect_all", target_ids=tuple(sorted(names)))


def _place(sketch: Sketch, cells: Sequence[Position], kinds: Sequence[str], dice: Dice) -> str:
    solid = sketch.cells_of(*SOLID)
    passed = cut_cells(sketch.floor - solid, sketch.neighbors)
    passed |= {there for cell in solid for there in sketch.neighbors[cell]}
    for kind in dice.shuffled(kinds):
        colors = sketch.key_colors_left() if kind == "key" else sketch.switch_colors_left()
        possible = [cell for cell in cells if sketch.is_free(cell) and (kind != "key" or cell not in passed)]
        if not colors or not possible:
            continue
        color, cell = choose_color(colors, dice), possible[0]
        return sketch.place_key(cell, color) if kind == "key" else sketch.place_switch(cell, color, kind)
    raise NothingDrawn("no room for the items to collect")
