"""What every backend shares; the backends themselves are plugins."""
