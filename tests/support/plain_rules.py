"""A plain implementation of the rules of one step, independent of the kernel, which is compared with it.

It uses the tables of a compiled world, its states and events, and the hooks of its mechanisms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import dist
from typing import NamedTuple

from gridworld.task_spec import Position
from gridworld.world.events import (
    Bumped,
    Carried,
    Died,
    Discovered,
    Dropped,
    Event,
    Moved,
    NoEffect,
    PickedUp,
    Pushed,
    Succeeded,
    Turned,
    Waited,
)
from gridworld.world.mechanism_type import NextValue, Trait
from gridworld.world.state import GONE, NOTHING, State, Status
from gridworld.world.topology import NO_CELL
from gridworld.world.world import Entity, World

AGENT = -1
"""Number of the agent among the riders; entities are numbered by their indices."""
LATTICE_STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
SOLID, DEADLY, PORTABLE, PUSHABLE, MOVABLE, TAKES_BLOCKS, TOGGLED_UNDERFOOT = map(
    int,
    (
        Trait.SOLID,
        Trait.DEADLY,
        Trait.PORTABLE,
        Trait.PUSHABLE,
        Trait.MOVABLE,
        Trait.TAKES_BLOCKS,
        Trait.TOGGLED_UNDERFOOT,
    ),
)


def plain_step(world: World, state: State, act: str) -> tuple[State, list[Event]]:
    """Return the state after an act, and the events, in no particular order.

    Args:
        world: the world of the state.
        state: a running state.
        act: the name of one of the acts of `gridworld.world.acts`.
    """
    step = _Step(world, state)
    step.act(act)
    step.settle()
    step.carry()
    step.settle()
    step.ask(world.ticking)
    step.settle()
    step.discover(act)
    step.end()
    return step.now, step.events


class _Wish(NamedTuple):
    rider: int
    carrier: str
    cell: int
    target: Position


class _Step:
    """One step in progress."""

    def __init__(self, world: World, state: State) -> None:
        self.world, self.before = world, state
        self.now = state.after(state.steps + 1)
        self.events: list[Event] = []
        self.stood_on = set(self.things(state, state.cell))
        self.settled = state

    # --- What is where -----------------------------------------------------------------------------------------------

    def things(self, state: State, cell: int) -> list[int]:
        """Return the entities on a cell, movable ones first."""
        movable = [thing for thing, place in enumerate(state.places) if place == cell]
        fixed = self.world.fixed_at[cell]
        return movable if fixed == NOTHING else [*movable, fixed]

    def has(self, thing: int, traits: int) -> bool:
        """Whether an entity currently has one of the traits."""
        return bool(self.world.traits[thing][self.now.values[thing]] & traits)

    def exit(self, cell: int, heading: int) -> int | None:
        """Return the cell beyond an edge; None without an exit, or with a wall beyond."""
        beyond = self.world.exits[cell * self.world.headings + heading]
        return None if beyond == NO_CELL or beyond in self.world.walls else beyond

    def refuser(self, traveller: State, cell: int) -> int | None:
        """Return the entity on a cell that refuses an agent coming from the traveller's cell in its heading."""
        return next((thing for thing in self.things(traveller, cell) if self.refuses(thing, traveller)), None)

    def refuses(self, thing: int, traveller: State) -> bool:
        """Whether an entity is solid or does not admit the traveller."""
        entity = self.world.entities[thing]
        admits = entity.type.admits
        return self.has(thing, SOLID) or (admits is not None and not admits(self.world, traveller, entity))

    # --- Acting ------------------------------------------------------------------------------------------------------

    def act(self, act: str) -> None:
        """Perform the agent's act."""
        if act in ("turn_left", "turn_right"):
            self.turn(right=act == "turn_right")
        elif act == "wait":
            self.events.append(Waited())
        elif act == "move_backward":
            self.walk((self.now.heading + self.world.headings // 2) % self.world.headings, backward=True)
        elif act in ("push", "move_forward"):
            self.go_ahead(walks=act == "move_forward")
        elif not {"pickup": self.pick_up, "drop": self.drop, "toggle": self.toggle}[act]():
            self.events.append(NoEffect(""))

    def ahead(self) -> tuple[int | None, int | None]:
        """Return the cell in front of the agent, and the topmost entity on it."""
        cell = self.exit(self.now.cell, self.now.heading)
        things = [] if cell is None else self.things(self.now, cell)
        return cell, things[0] if things else None

    def turn(self, right: bool) -> None:
        """Turn to the next edge."""
        now = self.now
        turns = self.world.right if right else self.world.left
        self.now = now.facing(turns[now.cell * self.world.headings + now.heading])
        self.events.append(Turned(now.cell, right))

    def go_ahead(self, walks: bool) -> None:
        """Push the entity in front, or walk if there is nothing to push."""
        target, thing = self.ahead()
        if target is not None and thing is not None and self.has(thing, PUSHABLE):
            self.push(thing, target)
        elif walks:
            self.walk(self.now.heading)
        else:
            self.events.append(NoEffect(""))

    def walk(self, heading: int, backward: bool = False) -> None:
        """Step over an edge unless something is in the way."""
        target = self.exit(self.now.cell, heading)
        if target is None:
            self.events.append(Bumped(None))
            return
        refuser = self.refuser(self.now.facing(heading), target)
        if refuser is not None:
            self.events.append(Bumped(self.world.entities[refuser].id))
            return
        self.events.append(Moved(self.now.cell, target, backward))
        self.come_to(target, heading)

    def push(self, block: int, target: int) -> None:
        """Push the topmost entity of the target one cell further and follow it, or do nothing."""
        now, name = self.now, self.world.entities[block].id
        beyond = self.exit(target, now.heading)
        if beyond is None or not self.takes(beyond, now.at(target)):
            self.events.append(Bumped(name))
            return
        pushed = now.with_place(block, beyond)
        refuser = self.refuser(pushed, target)
        if refuser is not None:
            self.events.append(Bumped(self.world.entities[refuser].id))
            return
        self.now = pushed
        self.events += [Pushed(name, target, beyond), Moved(now.cell, target)]
        self.come_to(target, now.heading)

    def takes(self, cell: int, traveller: State) -> bool:
        """Whether a block can be pushed onto a cell from the traveller's cell."""
        return all(
            self.has(thing, TAKES_BLOCKS) and thing >= len(self.now.places) and not self.refuses(thing, traveller)
            for thing in self.things(self.now, cell)
        )

    def pick_up(self) -> bool:
        """Pick up the entity in front if the hand is empty."""
        cell, thing = self.ahead()
        if cell is None or thing is None or not self.has(thing, PORTABLE) or self.now.carried != NOTHING:
            return False
        entity = self.world.entities[thing]
        self.events.append(PickedUp(entity.id, cell))
        taken = self.now = self.now.with_place(thing, GONE).holding(thing)
        self.arrive(entity.type.on_pickup(self.world, taken, entity) if entity.type.on_pickup else None)
        return True

    def drop(self) -> bool:
        """Drop the carried entity onto the floor in front."""
        cell, thing = self.ahead()
        held = self.now.carried
        if cell is None or thing is not None or held == NOTHING or cell in self.world.marks:
            return False
        self.now = self.now.with_place(held, cell).holding(NOTHING)
        self.events.append(Dropped(self.world.entities[held].id, cell))
        return True

    def toggle(self) -> bool:
        """Toggle the entity in front, or else the one underfoot; return whether one of them responds."""
        _, thing = self.ahead()
        fixed = self.world.fixed_at[self.now.cell]
        below = fixed if fixed != NOTHING and self.has(fixed, TOGGLED_UNDERFOOT) else None
        for entity in (self.world.entities[each] for each in (thing, below) if each is not None):
            outcome = entity.type.on_toggle(self.world, self.now, entity) if entity.type.on_toggle else None
            if outcome:
                self.arrive(outcome)
                return True
        return False

    # --- Entering ----------------------------------------------------------------------------------------------------

    def arrive(self, outcome: tuple[State, tuple[Event, ...]] | None) -> None:
        """Apply a hook's outcome, and enter the cell to which it has moved the agent, if any."""
        cell = self.now.cell
        if outcome:
            self.now, self.events = outcome[0], [*self.events, *outcome[1]]
        if self.now.cell != cell:
            self.enter()

    def come_to(self, cell: int, travelling: int) -> None:
        """Enter a cell in a direction of travel; the heading stays unless a hook sets it."""
        heading = self.now.heading
        self.now = self.now.at(cell).facing(travelling)
        if not self.enter():
            self.now = self.now.facing(heading)

    def enter(self) -> bool:
        """Run the hooks on the agent's cell, and again wherever they move it; return whether the heading was set."""
        turned = False
        for _ in self.world.exits:
            cell = self.now.cell
            self.stood_on.update(self.things(self.now, cell))
            for entity in (self.world.entities[thing] for thing in self.things(self.now, cell)):
                outcome = entity.type.on_enter(self.world, self.now, entity) if entity.type.on_enter else None
                if outcome:
                    self.now, events, *says_turned = outcome
                    self.events += events
                    turned = turned or any(says_turned)
                if self.now.cell != cell:
                    break
            if self.now.cell == cell:
                break
        return turned

    # --- What happens by itself --------------------------------------------------------------------------------------

    def settle(self) -> None:
        """If a position or value has changed: sense, then derive until nothing changes."""
        now, before = self.now, self.settled
        if (now.cell, now.values, now.places) != (before.cell, before.values, before.places):
            self.ask(self.world.sensing)
            for _ in range(len(self.world.deriving) + 1):
                before, told = self.now, len(self.events)
                self.ask(self.world.deriving)
                if self.now == before:
                    del self.events[told:]
                    break
        self.settled = self.now

    def ask(self, phase: Sequence[tuple[Entity, NextValue]]) -> None:
        """Give each entity the next value that its hook returns; all hooks see the same state."""
        shown = self.now.after(0)
        outcomes = [(entity.index, hook(self.world, shown, entity)) for entity, hook in phase]
        for thing, outcome in outcomes:
            if outcome:
                self.now = self.now.with_value(thing, outcome[0])
                self.events += outcome[1]

    def carry(self) -> None:
        """Carry out all moves simultaneously, then let the agent enter its new cell."""
        start, wishes = self.now, [wish for wish in self.wishes() if self.is_admitted(wish)]
        if not wishes:
            return
        targets = Counter(wish.target for wish in wishes)
        wishes = [wish for wish in wishes if targets[wish.target] == 1]
        ways = {(self.world.topology.lattice[wish.cell], wish.target) for wish in wishes}
        wishes = [wish for wish in wishes if (wish.target, self.world.topology.lattice[wish.cell]) not in ways]
        while any(self.is_taken(wish, wishes) for wish in wishes):
            wishes = [wish for wish in wishes if not self.is_taken(wish, wishes)]
        for rider, carrier, cell, target in wishes:
            anchor = self.world.topology.patches[target][0]
            name = None if rider == AGENT else self.world.entities[rider].id
            self.events.append(Carried(carrier, name, cell, anchor))
            self.now = self.now if rider == AGENT else self.now.with_place(rider, anchor)
        for wish in wishes:
            if wish.rider == AGENT:
                anchor = self.world.topology.patches[wish.target][0]
                self.come_to(anchor, self.direction(start.cell, anchor, start.heading))

    def wishes(self) -> Iterator[_Wish]:
        """Yield the requested moves of the agent and of entities, from cell to cell."""
        things = [(thing, place) for thing, place in enumerate(self.now.places) if place != GONE]
        riders = [(AGENT, self.now.cell), *((thing, place) for thing, place in things if self.has(thing, MOVABLE))]
        for carrier, hook in self.world.carrying:
            direction = hook(self.world, self.now.after(0), carrier)
            for rider, cell in riders:
                if direction is not None and cell in carrier.cells:
                    (x, y), (dx, dy) = self.world.topology.lattice[cell], LATTICE_STEPS[direction]
                    yield _Wish(rider, carrier.id, cell, Position(x + dx, y + dy))

    def is_admitted(self, wish: _Wish) -> bool:
        """Whether no border, wall, seam or fixed entity blocks the target."""
        if wish.target not in self.world.topology.patches:
            return False
        anchor = self.world.topology.patches[wish.target][0]
        if anchor in self.world.walls or (wish.cell, anchor) in self.world.seams:
            return False
        fixed = self.world.fixed_at[anchor]
        if fixed == NOTHING:
            return True
        traveller = self.now.at(wish.cell).facing(self.direction(wish.cell, anchor, self.now.heading))
        return not self.refuses(fixed, traveller) and (wish.rider == AGENT or not self.has(fixed, DEADLY))

    def is_taken(self, wish: _Wish, wishes: Sequence[_Wish]) -> bool:
        """Whether the target holds an entity or agent that is not carried away."""
        leaving = {each.rider for each in wishes}
        riders = {AGENT: self.now.cell, **{thing: cell for thing, cell in enumerate(self.now.places) if cell != GONE}}
        staying = [cell for rider, cell in riders.items() if rider not in leaving]
        return any(self.world.topology.lattice[cell] == wish.target for cell in staying)

    def direction(self, origin: int, target: int, otherwise: int) -> int:
        """Return the heading of a step onto the target from the neighbouring cell nearest to the origin."""
        centres, headings = self.world.topology.centres, self.world.headings
        beside = [
            (self.world.exits[target * headings + out], (out + headings // 2) % headings) for out in range(headings)
        ]
        ways = [(round(dist(centres[origin], centres[cell]), 6), way) for cell, way in beside if cell != NO_CELL]
        return min(ways)[1] if ways else otherwise

    # --- How it ends -------------------------------------------------------------------------------------------------

    def discover(self, act: str) -> None:
        """Reveal the entities that the agent has touched, and those where it stands or stood."""
        start, headings = self.before, self.world.headings
        found = {*self.stood_on, *self.things(self.now, self.now.cell)}
        found.update(
            self.world.by_id[each.entity].index for each in self.events if isinstance(each, Bumped) and each.entity
        )
        if act not in ("turn_left", "turn_right", "wait"):
            heading = (start.heading + headings // 2 * (act == "move_backward")) % headings
            touched = self.exit(start.cell, heading)
            found.update([] if touched is None else self.things(start, touched)[:1])
        for thing in found:
            if (self.world.hidden & ~self.now.discovered) >> thing & 1:
                entity = self.world.entities[thing]
                place = self.now.places[thing] if thing < len(self.now.places) else None
                cells = entity.cells if place is None else () if place == GONE else (place,)
                self.events.append(Discovered(entity.id, cells))
                self.now = self.now.having_discovered(1 << thing)

    def end(self) -> None:
        """Apply deadly entities, the goal's memory, and success."""
        deadly = [thing for thing in self.things(self.now, self.now.cell) if self.has(thing, DEADLY)]
        if deadly:
            self.now = self.now.ended(Status.DIED)
            self.events.append(Died(self.world.entities[deadly[0]].id))
        if self.world.remember is not None:
            self.now = self.now.remembering(self.world.remember(self.now, tuple(self.events)))
        if self.now.status == Status.RUNNING and self.world.reached(self.now):
            self.now = self.now.ended(Status.SUCCEEDED)
            self.events.append(Succeeded())
