"""What is shown of a moment, put into text: the formats that a model can be given beside a picture or in its place.

`shown_cells` is what all of them read: what pictures are drawn from, and no more.
"""
