"""A family of generated mazes, and an importer of mazes as rows of zeros and ones."""
