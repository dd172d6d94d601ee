"""Looks as numbers: the symbolic observation of `MultiGridEnv`."""

from __future__ import annotations

from collections.abc import Iterable

from gridworld.task.colors import COLOR_NAMES, nearest_of_six
from gridworld.world import World
from gridworld.world.looks import CellLook
from gridworld.world.mechanism_type import MechanismType

__all__ = ["COLOR_CODES", "OBJECT_CODES", "STATE_CODES", "Codes"]

Code = tuple[int, int, int]

OBJECT_CODES: dict[str, int] = {
    name: code
    for code, name in enumerate(
        (
            "unseen",
            "floor",
            "wall",
            "goal",
            "target",
            "keys",
            "doors",
            "switches",
            "gates",
            "blocks",
            "teleporters",
            "hazards",
        )
    )
}
"""What is on a cell to its code; the mechanisms of others follow, sorted by name."""

COLOR_CODES: dict[str | None, int] = {None: 0} | {name: code for code, name in enumerate(COLOR_NAMES, start=1)}
"""Colour to its code; 0 for what has none. Any other colour has the code of the one of the six that is most like it."""

STATE_CODES: dict[str, int] = {
    word: code
    for code, word in enumerate(
        ("", "open", "closed", "locked", "switched-off", "switched-on", "fixed", "lava", "pit", "spike")
    )
}
"""The word for a thing's visible state or kind to its code; the words of others' mechanisms follow, sorted."""

UNSEEN: Code = (OBJECT_CODES["unseen"], 0, 0)


class Codes:
    """The codes of the looks of one world: (object, colour, state), each 0 to 255.

    Args:
        world: the world.
        among: the worlds that are to have the same codes, this one among them; by default it alone.
    """

    def __init__(self, world: World, among: Iterable[World] = ()) -> None:
        self._world = world
        worlds = tuple(among) or (world,)
        kinds = {entity.type.name: entity.type for each in worlds for entity in each.entities}
        words = (word for each in worlds for kind in kinds.values() for word in _words(each, kind))
        self._objects = _extended(OBJECT_CODES, kinds)
        self._states = _extended(STATE_CODES, words)
        self._known: dict[CellLook | None, Code] = {None: UNSEEN}

    def of(self, look: CellLook | None) -> Code:
        """The code of a look, that of the topmost thing; None is what may not be shown."""
        if look not in self._known:
            self._known[look] = self._code(look)
        return self._known[look]

    def _code(self, look: CellLook | None) -> Code:
        if look is None:
            return UNSEEN
        if look.things:
            return self._thing_code(*look.things[-1])
        name = "wall" if look.wall else "goal" if look.goal else "target" if look.marker else "floor"
        return (OBJECT_CODES[name], 0, 0)

    def _thing_code(self, index: int, value: int) -> Code:
        entity = self._world.entities[index]
        word = entity.type.adjective(entity.spec, entity.type.values[value])
        return (
            self._objects[entity.type.name],
            COLOR_CODES[entity.color and nearest_of_six(entity.color)],
            self._states[word],
        )


def _words(world: World, kind: MechanismType) -> Iterable[str]:
    specs = [entity.spec for entity in world.entities if entity.type is kind]
    return {kind.adjective(spec, value) for spec in specs for value in kind.values}


def _extended(codes: dict[str, int], names: Iterable[str]) -> dict[str, int]:
    further = sorted(set(names) - set(codes))
    return codes | {name: code for code, name in enumerate(further, start=len(codes))}
