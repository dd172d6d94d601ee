from gridworld.hookspecs import Glyph, MechanismType, Placed, Rectangle, Trait

ICE = MechanismType(
    name="ice",
    noun="sheet of ice",
    summary="Whoever enters slides on in the direction of travel.",
    spec=Placed,
    traits=Trait.NONE,
    glyph=Glyph((Rectangle(0, 0, 1, 1, "lightblue"),)),
    on_enter=lambda world, state, ice: world.advanced(state),
)
