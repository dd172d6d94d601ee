"""Ice: whoever enters slides on."""
