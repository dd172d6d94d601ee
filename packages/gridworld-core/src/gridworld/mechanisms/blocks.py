"""Blocks: solid things that are pushed, or that nothing moves."""

import attrs

from gridworld.drawing.glyphs import Glyph, Line, Rectangle, Shape, Tint
from gridworld.task.colors import parse_any_color
from gridworld.task_spec import Position, to_position
from gridworld.world.mechanism_type import GridStateField, MechanismType
from gridworld.world.state import State
from gridworld.world.traits import Trait
from gridworld.world.world import Entity, World

__all__ = ["BLOCKS", "BlockSpec"]

BLACK = (0, 0, 0)


@attrs.frozen
class BlockSpec:
    """A block in a task file."""

    id: str
    position: Position = attrs.field(converter=to_position)
    pushable: bool = True
    color: str = attrs.field(default="grey", converter=parse_any_color)


def _traits(block: BlockSpec, value: str) -> Trait:
    return Trait.SOLID | (Trait.PUSHABLE if block.pushable else Trait.NONE)


def _glyph(block: BlockSpec, value: str) -> Glyph:
    color = Tint(block.color)
    body: tuple[Shape, ...] = (
        Rectangle(0.12, 0.12, 0.9, 0.9, (220, 220, 220)),
        Rectangle(0.18, 0.18, 0.84, 0.84, color),
    )
    if block.pushable:
        return Glyph((*body, Rectangle(0.34, 0.34, 0.66, 0.66, BLACK), Rectangle(0.4, 0.4, 0.6, 0.6, color)))
    bolts = (Line(0.26, 0.26, 0.74, 0.74, 0.05, BLACK), Line(0.26, 0.74, 0.74, 0.26, 0.05, BLACK))
    return Glyph((*body, *bolts))


def _position(world: World, state: State, block: Entity) -> tuple[int, int]:
    x, y = world.topology.lattice[world.cells_of(state, block)[0]]
    return (x, y)


BLOCKS = MechanismType(
    name="blocks",
    noun="block",
    summary="Pushed by walking into it, unless it is fixed.",
    spec=BlockSpec,
    traits=_traits,
    glyph=_glyph,
    adjective=lambda spec, value: "" if spec.pushable else "fixed",
    fills_patch=False,
    color=lambda spec: str(spec.color),
    grid_state=GridStateField("block_positions", _position),
    ignores_dropped=True,
)
"""The mechanism ``blocks``."""
