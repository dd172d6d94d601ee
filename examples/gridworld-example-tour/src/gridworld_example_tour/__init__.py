"""Tours: visit cells in order."""
