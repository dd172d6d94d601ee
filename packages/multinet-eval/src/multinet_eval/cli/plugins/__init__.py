"""``multinet plugins``: list, show, check and create plugins."""
