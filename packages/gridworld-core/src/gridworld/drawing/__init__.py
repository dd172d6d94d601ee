"""How things look, as shapes on a unit cell that every renderer can draw."""
