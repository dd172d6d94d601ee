"""What episodes leave behind: demonstrations, datasets and pictures."""
