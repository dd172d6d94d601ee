"""The four goal types of the core, one file each; `gridworld.plugins.builtin` registers them."""
