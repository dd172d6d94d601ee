"""The built-in families of tasks."""
