"""Action masks: which acts could have an effect, as far as the agent knows the world.

Each act is tried with the real rules on a world and a state that contain only what is shown around the agent, so a mask
cannot reveal anything that the rules hide. A cell out of view may hold anything. In a task with hidden mechanisms, any
wall or floor may be one of them.
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


def could_have_effect(world: World, snapshot: Snapshot, acts: Iterable[Act]) -> tuple[bool, ...]:
    """Decide for each act whether it could have an effect in a snapshot, as far as the agent knows.

    A masked act has the same effect as waiting, so masks never prevent success. Turning and waiting are never masked,
    nor is an act on a cell out of view, unless a wall was seen there. In a task with hidden mechanisms, acts on
    anything that looks like wall or bare floor are not masked, except for wall on the border, since a discovery is an
    effect. A controllable entity is assumed to be capable of anything, unless it acts by its traits alone. Masks depend
    on nothing else: two worlds that look the same, and of which both or neither hide anything, have the same masks.
    """
    near = _Surroundings(world, snapshot)
    known, state = near.world(), near.state()
    return tuple(_could(known, state, act, near) for act in acts)


def _could(world: World, state: State, act: Act, near: _Surroundings) -> bool:
    touched = touched_by(act, world, state)
    # Unknown cells are bare floor in `world`, where anything can be dropped; other acts may find something there.
    if touched in near.hiding or (act is not drop and touched in near.unknown):
        return True
    after, events = act(world, state)
    return (bool(events) and events[0].effective) or after != state


class _Surroundings:
    """The cells that an act can involve: the agent's, its neighbours, and theirs."""

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
        """Return the look of a cell that cannot have changed since it was seen: in view, or a known wall; else None."""
        look = self._shown(cell)
        return look if look and (look.wall or cell in self._snapshot.knowledge.visible) else None

    def _may_hide(self, cell: int, look: CellLook | None) -> bool:
        """Whether a hidden entity may be on a cell with this look; borders never have mechanisms."""
        if not self._world.hidden:
            return False
        return look is None or not (look.things or self._world.task.maze.on_border(self._world.topology.lattice[cell]))

    def _may_be_otherwise(self, look: CellLook | None) -> bool:
        """Whether a cell is out of view, or an entity on it may be controlled from out of view."""
        if look is None:
            return True
        kinds = [self._world.entities[each.entity].type for each in look.things]
        return any(kind.controllable and (kind.admits or kind.on_toggle or kind.on_pickup) for kind in kinds)

    def world(self) -> World:
        """Return a world reduced to what is shown around the agent."""
        world, looks = self._world, self._looks
        walls = {cell for cell, look in looks.items() if look and look.wall}
        fixed_at, movable_count = list(world.fixed_at), len(self._snapshot.state.places)
        for cell, look in looks.items():
            shown = [each.entity for each in look.things] if look else []
            fixed_at[cell] = next((index for index in shown if index >= movable_count), NOTHING)
        return attrs.evolve(
            world,
            exits=self._exits(),
            walls=(world.walls - looks.keys()) | walls,
            marks={cell: mark for cell, mark in world.marks.items() if cell not in self.unknown},
            fixed_at=tuple(fixed_at),
        )

    def _exits(self) -> tuple[int, ...]:
        """Return the exits; seams around the agent are sealed only if they visibly are."""
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
        """Return the look of a cell; None if its apparent wall may be a hidden entity that seals nothing."""
        look = self._shown(cell)
        return None if self._may_hide(cell, look) else look

    def state(self) -> State:
        """Return the known state, without unknown entities and movable ones that have left where they were seen."""
        state, known = known_state(self._world, self._snapshot)
        values = tuple(value if index in known else 0 for index, value in enumerate(state.values))
        places = tuple(place if self._lies_at(index, place) else GONE for index, place in enumerate(state.places))
        return state._replace(values=values, places=places)

    def _lies_at(self, index: int, place: int) -> bool:
        look = self._looks.get(place)
        return look is not None and any(shown.entity == index for shown in look.things)
