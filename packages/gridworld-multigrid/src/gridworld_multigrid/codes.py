"""Numeric codes of looks, for the symbolic observation of `MultiGridEnv`."""

from __future__ import annotations

from collections.abc import Iterable

from gridworld.task.colors import COLOR_NAMES, nearest_of_six
from gridworld.world import Entity, World
from gridworld.world.looks import CellLook, Shown

Code = tuple[int, int, int, int]
"""Code of a look: object, colour, state, number of dots."""

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
"""Codes of everything that a cell can contain; mechanisms of other plugins follow, sorted by name."""

COLOR_CODES: dict[str | None, int] = {None: 0} | {name: code for code, name in enumerate(COLOR_NAMES, start=1)}
"""Codes of colours, 0 for none; other colours have the code of the nearest of the six."""

STATE_CODES: dict[str, int] = {
    word: code
    for code, word in enumerate(
        (
            "",
            "open",
            "closed",
            "locked",
            "switched-off toggle",
            "switched-on toggle",
            "switched-off hold",
            "switched-on hold",
            "switched-off one-shot",
            "switched-on one-shot",
            "fixed",
            "lava",
            "pit",
            "spike",
            "entrance",
            "exit",
        )
    )
}
"""Code of each word for an entity's visible state, kind or part; words of other plugins follow, sorted."""

CODE_LENGTH = 4
"""Length of a code."""
UNSEEN: Code = (OBJECT_CODES["unseen"], 0, 0, 0)


class Codes:
    """Codes of the looks of one world: (object, colour, state, number of dots), each 0 to 255.

    Args:
        world: the world.
        among: all worlds that share the codes, including this one; by default only this one.
    """

    def __init__(self, world: World, among: Iterable[World] = ()) -> None:
        self._world = world
        entities = [entity for each in tuple(among) or (world,) for entity in each.entities]
        self._objects = _extended(OBJECT_CODES, (entity.type.name for entity in entities))
        self._states = _extended(STATE_CODES, (word for entity in entities for word in _words(entity)))
        self._known: dict[CellLook | None, Code] = {None: UNSEEN}

    def of(self, look: CellLook | None) -> Code:
        """Return the code of a look's topmost entity; None stands for an unseen cell."""
        if look not in self._known:
            self._known[look] = self._code(look)
        return self._known[look]

    def _code(self, look: CellLook | None) -> Code:
        if look is None:
            return UNSEEN
        if look.things:
            return self._entity_code(look.things[-1])
        if look.mark is not None:
            visited = int(look.mark.visited)
            return (OBJECT_CODES[look.mark.kind], _color_code(look.mark.color), visited, look.mark.number)
        return (OBJECT_CODES["wall" if look.wall else "floor"], 0, 0, 0)

    def _entity_code(self, shown: Shown) -> Code:
        entity = self._world.entities[shown.entity]
        state = self._states[_word(entity, shown.value, shown.part)]
        return (self._objects[entity.type.name], _color_code(entity.color), state, shown.number)


def _color_code(color: str | None) -> int:
    """Return the code of a colour, or of the nearest of the six."""
    return COLOR_CODES[color and nearest_of_six(color)]


def _word(entity: Entity, value: int, part: int) -> str:
    """Return the words for an entity's visible state, kind and part."""
    kind, spec = entity.type, entity.spec
    words = (kind.adjective(spec, kind.values[value]), kind.kind(spec), kind.part(spec, kind.field_of(spec, part)))
    return " ".join(filter(None, words))


def _words(entity: Entity) -> Iterable[str]:
    parts = range(len(entity.type.positions(entity.spec)))
    return {_word(entity, value, part) for value in range(len(entity.type.values)) for part in parts}


def _extended(codes: dict[str, int], names: Iterable[str]) -> dict[str, int]:
    further = sorted(set(names) - set(codes))
    return codes | {name: code for code, name in enumerate(further, start=len(codes))}
