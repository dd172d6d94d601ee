"""The rules kernel, which alone decides what happens in a world.

``compile_world(task, topology)`` makes an immutable `World`; ``transition(world, state, action)`` is the pure function
that all backends and the solver call.
"""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from gridworld.world.compilation import compile_world
    from gridworld.world.episode import Episode
    from gridworld.world.looks import describe_mark, describe_thing
    from gridworld.world.mechanism_type import Trait
    from gridworld.world.rules import transition
    from gridworld.world.square import square_topology
    from gridworld.world.state import State, Status
    from gridworld.world.topology import Topology
    from gridworld.world.world import Entity, World

__all__ = [
    "Entity",
    "Episode",
    "State",
    "Status",
    "Topology",
    "Trait",
    "World",
    "compile_world",
    "describe_mark",
    "describe_thing",
    "square_topology",
    "transition",
]

MODULES = {
    "Entity": "world",
    "Episode": "episode",
    "State": "state",
    "Status": "state",
    "Topology": "topology",
    "Trait": "mechanism_type",
    "World": "world",
    "compile_world": "compilation",
    "square_topology": "square",
    "transition": "rules",
    "describe_mark": "looks",
    "describe_thing": "looks",
}

__getattr__ = names_from(__name__, MODULES)
