"""The commands about recorded runs."""
