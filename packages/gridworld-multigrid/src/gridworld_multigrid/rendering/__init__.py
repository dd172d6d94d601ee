"""Pictures of worlds on any tiling.

A picture is the sum of what its cells contribute. `layout` fits a tiling into a picture, `zones` says which part of
which pixel belongs to a cell, `glyph_layers` draws glyphs, `sprites` puts both together for one cell, `canvas` adds
the cells up and keeps the sum between steps, `arrow` draws the agent, and `renderer` follows an episode.
"""
