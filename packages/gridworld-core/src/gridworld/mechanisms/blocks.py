"""Blocks: solid objects that can be pushed unless fixed."""

import attrs

from gridworld.drawing.glyphs import Glyph, Line, Rectangle, Tint
from gridworld.task.colors import parse_any_color
from gridworld.task.meanings import Placed
from gridworld.task_spec import Rules
from gridworld.world.mechanism_type import Explained, GridStateField, MechanismType, Trait
from gridworld.world.state import State
from gridworld.world.world import Entity, World

BLACK = (0, 0, 0)


@attrs.frozen
class BlockSpec(Placed):
    """Task file entry of a block."""

    pushable: bool = True
    color: str = attrs.field(default="grey", converter=parse_any_color)


def _traits(block: BlockSpec, value: str) -> Trait:
    return Trait.SOLID | (Trait.PUSHABLE if block.pushable else Trait.NONE)


def _glyph(block: BlockSpec, value: str) -> Glyph:
    """Draw a box: pushable ones have a window, where dots go; fixed ones have struts across."""
    color = Tint(block.color)
    box = Rectangle(0.18, 0.18, 0.82, 0.82, color)
    if block.pushable:
        return Glyph((box, Rectangle(0.35, 0.35, 0.65, 0.65, BLACK), Rectangle(0.42, 0.42, 0.58, 0.58, color)))
    return Glyph((box, Line(0.27, 0.27, 0.73, 0.73, 0.05, BLACK), Line(0.27, 0.73, 0.73, 0.27, 0.05, BLACK)))


def _position(world: World, state: State, block: Entity) -> tuple[int, int]:
    x, y = world.topology.lattice[world.cells_of(state, block)[0]]
    return (x, y)


def _explains(block: BlockSpec, rules: Rules) -> Explained:
    if not block.pushable:
        return Explained(
            looks="a box in its colour with two struts across",
            does=("It cannot be moved.", "It stops the agent, but does not block sight."),
        )
    return Explained(
        looks="a box in its colour with a square window in the middle",
        does=(
            "The agent cannot pull it or pick it up, and it does not block sight.",
            "Moving forward into it pushes it one cell further, and the agent follows.",
        ),
    )


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
    explains=_explains,
    grid_state=GridStateField("block_positions", _position),
    local=True,
    ignores_dropped=True,
)
"""The mechanism ``blocks``."""
