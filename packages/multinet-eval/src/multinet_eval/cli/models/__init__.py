"""``multinet models ...``: which models are installed, and whether one can play."""
