"""Action masks: which acts could have an effect, as far as the agent has been shown the world.

An act is tried with the rules themselves, on a world and in a state that hold what is shown around the agent and
nothing else, so that a mask cannot reveal anything that the rules hide. A cell out of view may hold anything. Of a task
that hides things it is known that it does, and not where: wall and floor may be something hidden, at all times.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from gridworld.world.acts import Act, drop, touched_by
from gridworld.world.knowledge import Snapshot, known_state, shown_look
from gridworld.world.looks import CellLook, looks_barred
from gridworld.world.state import GONE, NOTHING, State
from gridworld.world.topology import NO_CELL, beside_contact
from gridworld.world.world import World

__all__ = ["could_have_effect"]


def could_have_effect(world: World, snapshot: Snapshot, acts: Iterable[Act]) -> tuple[bool, ...]:
    """For each act, whether it could have an effect at a moment, as far as has been shown.

    An act that is masked does what waiting does, so that masks never stand between the agent and success. Turning and
    waiting always could have an effect, and so could an act on a cell out of view, unless wall was seen there. In a
    task with hidden mechanisms, so could every act on what looks like wall or bare floor, but for wall on the border:
    to discover something is an effect. A thing that others may control is taken to do anything, unless all that it does
    is in its traits. No mask depends on anything else, so two worlds that look the same, and of which
    both or neither hide anything, have the same masks.
    """
    near = _Surroundings(world, snapshot)
    known, state = near.world(), near.state()
    return tuple(_could(known, state, act, near) for act in acts)


def _could(world: World, state: State, act: Act, near: _Surroundings) -> bool:
    touched = touched_by(act, world, state)
    # Unknown cells are bare floor in `world`, where things can be dropped; every other act may find something there.
    if touched in near.hiding or (act is not drop and touched in near.unknown):
        return True
    after, events = act(world, state)
    return (bool(events) and events[0].effective) or after != state


class _Surroundings:
    """The cells that an act of the agent can involve: its own, those beside it, and those beyond these."""

    def __init__(self, world: World, snapshot: Snapshot) -> None:
        self._world, self._snapshot = world, snapshot
        own = snapshot.state.cell
        beside = {own, *self._neighbours(own)}
        self._inner = sorted(beside)
        cells = sorted(beside.union(*map(self._neighbours, beside)))
        self._looks = {cell: self._look(cell) for cell in cells}
        self.unknown = frozenset(cell for cell, look in self._looks.items() if self._may_be_otherwise(look))
        self.hiding = frozenset(cell for cell in self._inner if self._may_hide(cell, self._looks[cell]))

    def _neighbours(self, cell: int) -> set[int]:
        first = cell * self._world.headings
        return set(self._world.topology.exits[first : first + self._world.headings]) - {NO_CELL}

    def _shown(self, cell: int) -> CellLook | None:
        return shown_look(self._world, self._snapshot, cell)

    def _look(self, cell: int) -> CellLook | None:
        """The look of a cell as far as it can be relied on: in view, or wall once seen; all else may have changed."""
        look = self._shown(cell)
        return look if look and (look.wall or cell in self._snapshot.knowledge.visible) else None

    def _may_hide(self, cell: int, look: CellLook | None) -> bool:
        """Whether something hidden may be on a cell that looks so; no task has a mechanism on its border."""
        if not self._world.hidden:
            return False
        return look is None or not (look.things or self._world.task.maze.on_border(self._world.topology.lattice[cell]))

    def _may_be_otherwise(self, look: CellLook | None) -> bool:
        """Whether a cell is out of view, or something on it may answer to what controls it, wherever that is."""
        if look is None:
            return True
        kinds = [self._world.entities[each.entity].type for each in look.things]
        return any(kind.controllable and (kind.admits or kind.on_toggle or kind.on_pickup) for kind in kinds)

    def world(self) -> World:
        """The world as it is shown around the agent."""
        world, looks = self._world, self._looks
        walls = {cell for cell, look in looks.items() if look and look.wall}
        fixed_at = list(world.fixed_at)
        for cell, look in looks.items():
            fixed_at[cell] = self._fixed_thing(look) if look and look.things else NOTHING
        return attrs.evolve(
            world,
            exits=self._exits(),
            walls=(world.walls - looks.keys()) | walls,
            marks={cell: mark for cell, mark in world.marks.items() if cell not in self.unknown},
            fixed_at=tuple(fixed_at),
        )

    def _fixed_thing(self, look: CellLook) -> int:
        movable = len(self._snapshot.state.places)
        return next((each.entity for each in look.things if each.entity >= movable), NOTHING)

    def _exits(self) -> tuple[int, ...]:
        """The exits, of which those around the agent are sealed where that is shown."""
        topology, headings = self._world.topology, self._world.headings
        exits = list(self._world.exits)
        for cell in self._inner:
            for place in range(cell * headings, (cell + 1) * headings):
                target = topology.exits[place]
                exits[place] = NO_CELL if target != NO_CELL and self._is_sealed(cell, target) else target
        return tuple(exits)

    def _is_sealed(self, cell: int, neighbour: int) -> bool:
        lattice = self._world.topology.lattice
        beside = beside_contact(lattice[cell], lattice[neighbour])
        return beside is not None and all(looks_barred(self._world, self._barrier, position) for position in beside)

    def _barrier(self, cell: int) -> CellLook | None:
        """The look of a cell; None where what looks like wall may be a hidden thing that seals nothing."""
        look = self._shown(cell)
        return None if self._may_hide(cell, look) else look

    def state(self) -> State:
        """The known state, without the entities of which nothing is known and things that are not where they were."""
        state, known = known_state(self._world, self._snapshot)
        values = tuple(value if thing in known else 0 for thing, value in enumerate(state.values))
        places = tuple(place if self._lies_at(thing, place) else GONE for thing, place in enumerate(state.places))
        return state._replace(values=values, places=places)

    def _lies_at(self, thing: int, place: int) -> bool:
        look = self._looks.get(place)
        return look is not None and any(other.entity == thing for other in look.things)
