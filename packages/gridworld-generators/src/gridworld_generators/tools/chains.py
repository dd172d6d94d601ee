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
from gridworld.task_spec import DependencyStep, GoalSpec, Position
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.regions import cut_cells, distances, narrowest_cut, reachable, separators
from gridworld_generators.tools.sketch import BARRIERS, SOLID, Sketch, choose_color, colors_of_steps

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
AWKWARD = 6
"""How many cells a place may be off the wanted one rather than be no doorway."""
SMALLEST_FAR_SIDE = 3
"""How many cells lie behind a barrier, if that is possible: niches of one cell give away what they are for."""
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
    """Where a hold switch can lie so that one steps from it straight into its gate, on all tilings of ours.

    A switch sits on the anchor of its cell's patch. From anchors of 3.4.6.4 one gets to the patches on the left and
    above, from those of triangles to the left, and to those above from odd rows only.
    """
    right, below = Position(gate.x + 1, gate.y), Position(gate.x, gate.y + 1)
    return (right, below) if below.y % 2 else (right,)


@attrs.frozen
class _Place:
    """A place for the next barrier."""

    floor: frozenset[Position]
    """All floor, without what is walled up if this place is taken."""
    barrier: Position
    side: frozenset[Position]
    """What can be reached from the start without opening it, or any that has been placed."""


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
        """Where the next barrier may go, the best places first."""
        share = 1 - self._dice.below(900) / 1000 / left  # of the side that is left to the start's side
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
        """The same, after a narrow place around so many cells at the target has been walled up but for one cell."""
        kept = self._fixed(plan)
        inner = self._ball(plan, size)
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

    def _ball(self, plan: _Plan, size: int) -> list[Position]:
        """Cells nearest to the target, but not the start and what is next to it."""
        near = {self._start, *self._neighbors[self._start]} - {plan.target}
        order = distances(plan.side - near, [plan.target], self._neighbors)
        return list(order)[: size + 1]

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
        # One does not get back through its gate: all that is needed later has to lie beyond, and on one side of it.
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
        """0 for a doorway, with floor on two opposite sides and walls on the others; more for other places."""
        x, y = place.barrier
        right, left = Position(x + 1, y) in place.floor, Position(x - 1, y) in place.floor
        below, above = Position(x, y + 1) in place.floor, Position(x, y - 1) in place.floor
        if right == left and below == above and right != below:
            return 0
        return 1 + (right + left + below + above > 2)

    def _openers(self, plan: _Plan, kind: str, place: _Place, left: int) -> list[Position]:
        """Where what opens a barrier may go, the best first: off the way, and far away if it is to be barred itself."""
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
        # What comes after a gate without a way back has to fit behind it: all of it close together.
        near = -1.0 if "hold" in self._kinds[: left - 1] else 0.0

        def merit(cell: Position) -> float:
            exits = sum(there in place.floor for there in self._neighbors[cell])
            crowding = 4 if from_barrier[cell] < 4 and not near else 0
            luck = self._dice.below(100) / 100 * (3 + len(place.side) / 8)
            return far * from_start[cell] + near * from_barrier[cell] - exits - crowding + luck

        return [cell for _, cell in sorted(((merit(cell), cell) for cell in cells), reverse=True)]

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


def hide_steps(sketch: Sketch, count: int, dice: Dice) -> None:
    """Hide the doors and switches of some steps of the chain until they are discovered.

    Raises:
        NothingDrawn: the chain has fewer steps.
    """
    if count > len(sketch.chain):
        raise NothingDrawn("fewer steps than are to be hidden")
    sketch.hide(sorted(_hidden(step) for step in dice.sample(sketch.chain, count)))


def _hidden(step: DependencyStep) -> str:
    """What of a step can be hidden so that it can still be found: a key would only be in the way."""
    return step.unlocks if step.type == "key-door" else step.element


TARGET_KINDS = ("key", "toggle", "one_shot")
"""What can be collected: keys, and switches of these types."""


def place_targets(sketch: Sketch, last: Position, count: int, kinds: Sequence[str], dice: Dice) -> None:
    """Put things to collect where the chain ends, and more of them before its first barrier or beyond its last one.

    What lies between could be out of reach once a gate has shut behind the agent. The goal becomes to collect them all,
    and ``maze.goal``, which then means nothing, some free cell.

    Args:
        sketch: with its start and chain.
        last: where the first of them goes: the end of the chain.
        count: how many there are, at least 1.
        kinds: what they may be (`TARGET_KINDS`).
        dice: decides.

    Raises:
        NothingDrawn: there is no room, or no colour is left.
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
        raise NothingDrawn("no room for what is to be collected")
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
    raise NothingDrawn("no room for what is to be collected")
