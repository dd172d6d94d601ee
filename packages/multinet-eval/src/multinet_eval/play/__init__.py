"""Playing runs: episodes, the scheduler, limits and pools."""
