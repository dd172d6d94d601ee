"""``multinet prompts ...``: look at what models are asked."""
