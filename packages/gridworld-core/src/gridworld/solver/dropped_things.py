"""Things that can be dropped, and that make no difference where they lie as long as nobody is there.

Which these are follows from what mechanisms and goals promise (`ignores_dropped`). What the kernel says of one state is
so known of all those that differ in nothing but where such things lie, far from the agent.
"""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.solver.configurations import Configurations
from gridworld.solver.poses import Poses
from gridworld.solver.spaces import Configuration, StateSpace
from gridworld.world.traits import Trait
from gridworld.world.world import World

__all__ = ["Likeness", "Likenesses", "forgettable_things"]

ELSEWHERE = -3
"""Stands for the place of a dropped thing that lies on bare floor, whatever it is."""
OF_A_LIKENESS, OF_A_PAIR = 560, 50
"""Bytes that are kept of a likeness, and of a configuration and a template that are put together; as measured."""


def forgettable_things(world: World) -> tuple[int, ...]:
    """The entities that can be dropped, and do nothing where they lie; none where anything minds where that is.

    Where something carries, a thing that lies in the way may keep the agent from being carried off: it cannot be
    forgotten.
    """
    goal = world.goal_type
    minding = not all(entity.type.ignores_dropped for entity in world.entities)
    if goal.timed or not goal.ignores_dropped or minding or world.carrying:
        return ()
    return tuple(thing for thing in range(len(world.start.places)) if _is_only_carried(world, thing))


def _is_only_carried(world: World, thing: int) -> bool:
    ever = 0
    for traits in world.traits[thing]:
        ever |= traits
    kind = world.entities[thing].type
    acts = any((kind.admits, kind.on_enter, kind.on_toggle, kind.sense, kind.derive, kind.carries, kind.tick))
    solid = all(traits & Trait.SOLID for traits in world.traits[thing])
    return bool(ever & Trait.PORTABLE) and not ever & (Trait.PUSHABLE | Trait.TAKES_BLOCKS) and solid and not acts


@attrs.frozen
class Likeness:
    """What a configuration has in common with all that differ from it in where dropped things lie."""

    template: Configuration
    """With `ELSEWHERE` for these places."""
    template_number: int
    places: tuple[int, ...]
    """The cells of all movable things, as they are."""
    minded: frozenset[int]
    """The places, as numbered by `Poses`, where it matters to who faces them what lies elsewhere, or that something
    lies there: those of the dropped things, and of things that may be pushed onto them."""

    def template_of(self, following: Configuration) -> Configuration | None:
        """The same of what an action leads to; None if what lies elsewhere has been moved by it."""
        places = []
        for like, before, now in zip(self.template.places, self.places, following.places, strict=True):
            if like == ELSEWHERE and now != before:
                return None
            places.append(like if like == ELSEWHERE else now)
        return following._replace(places=tuple(places))

    def filled_in(self, template: Configuration) -> Configuration:
        """What a template made of another configuration that is like this one stands for here."""
        pairs = zip(template.places, self.places, strict=True)
        return template._replace(places=tuple(own if place == ELSEWHERE else place for place, own in pairs))


class Likenesses:
    """Those of configurations of a space.

    Args:
        space: the space.
        poses: those of its world.
        configurations: those that have been met.
        bare: the places that are bare floor at any time, shape (places,).
    """

    def __init__(
        self, space: StateSpace, poses: Poses, configurations: Configurations, bare: NDArray[np.bool_]
    ) -> None:
        world = space.arena
        self._configurations = configurations
        self._things = () if space.regards_agent or space.regards_things else forgettable_things(world)
        self._start = world.start.places
        self._place_of = poses.place_of
        self._bare_cells = {poses.cells[place] for place in np.flatnonzero(bare).tolist()}
        self._found: dict[int, Likeness | None] = {}
        self._templates: list[Configuration] = []
        self._template_numbers: dict[Configuration, int] = {}
        self._filled_in: dict[tuple[int, int], int] = {}

    @property
    def memory(self) -> int:
        """Bytes that are kept, about."""
        found = sum(each is not None for each in self._found.values())
        return found * OF_A_LIKENESS + len(self._filled_in) * OF_A_PAIR

    def of(self, number: int) -> Likeness | None:
        """That of a configuration, by its number; None where no dropped thing lies on bare floor."""
        if not self._things:
            return None
        if number not in self._found:
            self._found[number] = self._find(self._configurations[number])
        return self._found[number]

    def template_number(self, template: Configuration) -> int:
        """The number of a template, a new one if it has not been met."""
        number = self._template_numbers.setdefault(template, len(self._templates))
        if number == len(self._templates):
            self._templates.append(template)
        return number

    def filled_in(self, number: int, template_number: int) -> int:
        """What a template made of another configuration stands for where this one is like that: all by their numbers.

        Args:
            number: that of a configuration in which a dropped thing lies on bare floor.
            template_number: that of the template.
        """
        known = self._filled_in.get((number, template_number))
        if known is None:
            likeness = self.of(number)
            assert likeness is not None
            known = self._configurations.number(likeness.filled_in(self._templates[template_number]))
            self._filled_in[number, template_number] = known
        return known

    def _find(self, configuration: Configuration) -> Likeness | None:
        places = configuration.places
        elsewhere = {
            thing for thing in self._things if places[thing] != self._start[thing] and places[thing] in self._bare_cells
        }
        if not elsewhere:
            return None
        lying = tuple(ELSEWHERE if thing in elsewhere else cell for thing, cell in enumerate(places))
        template = configuration._replace(places=lying)
        pushed = {thing for thing in range(len(places)) if thing not in self._things and places[thing] >= 0}
        minded = frozenset(self._place_of[places[thing]] for thing in elsewhere | pushed)
        return Likeness(template, self.template_number(template), places, minded)
