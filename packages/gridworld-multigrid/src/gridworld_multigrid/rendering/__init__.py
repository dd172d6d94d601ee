"""Pictures of worlds on any tiling.

A picture is the sum of the contributions of its cells. `layout` fits a tiling into a picture, `zones` computes which
part of each pixel belongs to a cell, `layers` draws glyphs, `sprites` combines both for one cell, and `cell_sprites`
draws each cell depending on its own look and those around it. `renderer` follows an episode. For batches, `pane_grid`
divides pictures into panes, and `pane_pictures` caches what these show.
"""
