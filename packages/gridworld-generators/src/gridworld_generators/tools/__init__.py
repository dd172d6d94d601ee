"""Tools for writing families: random choices, layouts, and the mechanisms placed in them."""
