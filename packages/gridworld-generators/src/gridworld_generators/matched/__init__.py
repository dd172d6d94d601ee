"""Sets of tasks that are alike but for one thing, a module for each thing."""
