"""The seven mechanisms of the core, one file each; `gridworld.plugins.builtin` registers them."""
