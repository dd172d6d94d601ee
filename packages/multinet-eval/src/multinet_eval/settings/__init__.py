"""Settings of a run, and construction of the plugin objects that they name."""
