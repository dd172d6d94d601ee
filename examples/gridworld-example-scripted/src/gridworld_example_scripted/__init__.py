"""A model that plays a list of actions."""
