"""The tilings, one file each; `gridworld_multigrid.plugin` registers them.

Each gives every lattice cell its patch of polygons; `gridworld_multigrid.tilings.polygons` compiles polygons to the
integer tables of the kernel. A maze keeps its meaning on all of them: patches of 4-neighbours touch along an edge.
"""
