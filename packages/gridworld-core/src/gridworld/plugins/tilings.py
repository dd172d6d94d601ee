"""The installed tilings, our own and everybody else's, and how a task is laid out on one."""

from gridworld.errors import InvalidTaskError, Problem, describe_value
from gridworld.hookspecs import TilingInfo
from gridworld.plugins import get_registry
from gridworld.support.import_strings import load_object
from gridworld.support.wording import shorten
from gridworld.task.validation import refuse_impossible_sides
from gridworld.task_spec import TaskSpecification
from gridworld.world.rules import compile_world
from gridworld.world.topology import Topology
from gridworld.world.world import World

__all__ = ["compile_on", "find_tiling", "lay_out"]


def find_tiling(name: str) -> TilingInfo:
    """The tiling of a name.

    Raises:
        UnknownNameError: no installed plugin provides it.
        AmbiguousNameError: more than one does, and the name is not qualified.
    """
    # What is no text, such as a task in its place, is no tiling either; the error names it, shortened.
    return get_registry().tilings.get(name if isinstance(name, str) else shorten(describe_value(name)))


def lay_out(tiling: TilingInfo, task: TaskSpecification) -> Topology:
    """A tiling of a task's lattice.

    Raises:
        PluginFault: the tiling cannot be imported.
        InvalidTaskError: the lattice is too large, too small for the tiling, or it cannot be tiled for another reason.
    """
    refuse_impossible_sides(task)
    make_topology = load_object(tiling.target)
    try:
        topology: Topology = make_topology(*task.maze.dimensions)
    except ValueError as error:
        problem = Problem("maze.dimensions", f"the tiling '{tiling.name}' cannot be laid out: {error}")
        raise InvalidTaskError([problem], task.task_id) from error
    return topology


def compile_on(tiling: str, task: TaskSpecification) -> World:
    """A task compiled on an installed tiling.

    Raises:
        UnknownNameError: no such tiling is installed.
        InvalidTaskError: the task is invalid on it.
    """
    return compile_world(task, lay_out(find_tiling(tiling), task))
