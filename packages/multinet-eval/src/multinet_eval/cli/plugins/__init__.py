"""``multinet plugins ...``: what is installed, and whether it does what its kind of thing has to do."""
