"""The four goal types of the core, one file each; `gridworld.builtin` registers them."""
