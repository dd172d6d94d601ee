"""The seven mechanisms of the core, one file each; `gridworld.builtin` registers them."""
