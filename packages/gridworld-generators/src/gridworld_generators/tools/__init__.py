"""Tools for writing families: random choices, layouts, and placing mechanisms in them."""
