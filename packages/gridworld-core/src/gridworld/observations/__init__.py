"""Text formats of observations, given to models with or instead of pictures.

All of them read `shown_cells`, the same information from which pictures are drawn.
"""
