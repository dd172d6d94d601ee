"""What a run is asked to do: its settings, and the plugins that they name."""
