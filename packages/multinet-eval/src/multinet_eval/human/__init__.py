"""A person at the terminal as the model."""
