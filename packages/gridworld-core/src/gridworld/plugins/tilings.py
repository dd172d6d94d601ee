"""Installed tilings, and the layout of tasks on them."""

from gridworld.errors import ArgumentError, InvalidTaskError, PluginFault, Problem, describe_value
from gridworld.hookspecs import TilingInfo
from gridworld.plugins import get_registry
from gridworld.support.faults import calling, telling
from gridworld.support.wording import shorten
from gridworld.task.validation import refuse_impossible_sides
from gridworld.task_spec import TaskSpecification
from gridworld.world.compilation import compile_world
from gridworld.world.topology import Topology
from gridworld.world.world import World


def find_tiling(name: str) -> TilingInfo:
    """Find the tiling with this name; raises as `Catalog.get`, and ArgumentError if the name is not a string."""
    if not isinstance(name, str):
        raise ArgumentError(f"expected the name of a tiling, such as 'square', got a {type(name).__name__}")
    return get_registry().tilings.get(name)


def lay_out(tiling: TilingInfo, task: TaskSpecification) -> Topology:
    """Lay out a tiling on a task's lattice.

    Raises:
        PluginFault: the tiling cannot be imported, raises anything except a ValueError, or does not return a
            `Topology`.
        InvalidTaskError: the lattice has an impossible size, or the tiling refuses it with a ValueError.
    """
    refuse_impossible_sides(task)
    make_topology = tiling.load()
    with calling(tiling.owner, tiling.target, f"when the task '{task.task_id}' was laid out"):
        try:
            topology: object = make_topology(*task.maze.dimensions)
        except ValueError as error:
            problem = Problem("maze.dimensions", f"the tiling '{tiling.name}' cannot be laid out: {error}")
            raise InvalidTaskError([problem], task.task_id) from error
        if not isinstance(topology, Topology):
            raise PluginFault(f"returned {shorten(describe_value(topology))}, expected a Topology")
    return topology


def compile_on(tiling: str, task: TaskSpecification) -> World:
    """Compile a task on an installed tiling.

    Raises:
        UnknownNameError: the tiling is not installed.
        InvalidTaskError: the task is invalid on the tiling.
        PluginFault: the tiling, or a mechanism or goal type of the task, fails or returns something wrong.
        ArgumentError: an argument has a wrong type.
    """
    found = find_tiling(tiling)
    if not isinstance(task, TaskSpecification):
        raise ArgumentError(f"expected a TaskSpecification to compile on '{tiling}', got a {type(task).__name__}")
    topology = lay_out(found, task)
    with telling(f"when the task '{task.task_id}' was laid out"):
        return compile_world(task, topology)
