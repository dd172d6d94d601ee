"""``multinet tasks ...``: look at tasks, check them, solve them, draw them, and make data of them."""
