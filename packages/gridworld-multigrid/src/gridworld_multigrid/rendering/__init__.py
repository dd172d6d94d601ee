"""Pictures of worlds on any tiling.

A picture is the sum of what its cells add to it. `layout` fits a tiling into a picture, `zones` says which part of
which pixel belongs to a cell, `layers` draws glyphs, `sprites` puts both together for one cell, and `cell_sprites` for
each cell of how it and those around it are shown. `pane_grid` cuts pictures into panes, `pane_pictures` adds up the
cells of each and keeps it for the next time that all around it is shown alike; `renderer` follows an episode.
"""
