"""What families share, and other families can use: random choices, layouts, and what is put into them."""
