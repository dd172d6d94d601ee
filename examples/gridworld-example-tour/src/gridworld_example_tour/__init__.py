"""Tours: visit cells, in order or not, and come back."""
