"""Text formats of observations, used with or instead of pictures.

All of them read `shown_cells`, which holds the same information that pictures show.
"""
