"""Settings of a run, and the objects of plugins that they name."""
