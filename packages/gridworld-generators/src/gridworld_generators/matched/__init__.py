"""Sets of tasks that differ in one respect."""
