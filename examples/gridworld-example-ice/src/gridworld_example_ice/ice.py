"""Ice: whoever enters slides on in the direction of travel until something stops it."""

from gridworld.hookspecs import Explained, Glyph, Line, MechanismType, Placed, Rectangle, Trait

__all__ = ["ICE"]

PALE, WHITE = (170, 215, 240), (240, 250, 255)
STREAKS = (Line(0.2, 0.5, 0.5, 0.2, 0.03, WHITE), Line(0.45, 0.8, 0.8, 0.45, 0.03, WHITE))

ICE = MechanismType(
    name="ice",
    noun="sheet of ice",
    summary="Whoever enters slides on in the direction of travel.",
    spec=Placed,
    traits=Trait.NONE,
    glyph=Glyph((Rectangle(0, 0, 1, 1, PALE), *STREAKS)),
    # one cell further; the rules then let the cell that the agent has come to act on it in turn
    on_enter=lambda world, state, ice: world.advanced(state),
    explains=Explained(
        looks="pale blue, with two white streaks",
        does="Whoever steps onto it slides on in the direction of travel, within the same step, until something stops "
        "it or it comes to a cell without ice.",
    ),
    local=True,
)
