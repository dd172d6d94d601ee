"""Playing: episodes, the scheduler, limits and pools."""
