"""Records of runs: manifest, events and results."""
