"""A backend that shows tasks as text."""
