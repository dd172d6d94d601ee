"""What every other room uses: files, names, pictures as PNG, suggestions; it knows nothing of mazes."""
