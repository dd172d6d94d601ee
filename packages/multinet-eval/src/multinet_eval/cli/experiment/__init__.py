"""``multinet experiment``."""
