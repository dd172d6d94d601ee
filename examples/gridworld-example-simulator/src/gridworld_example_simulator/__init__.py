"""A backend around a simulator of its own."""
