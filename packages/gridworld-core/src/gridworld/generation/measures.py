"""What can be asked of a generated task, and is compared between tasks that belong together."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from gridworld.generation.certificate import Measured, Proof
from gridworld.plugins import get_registry
from gridworld.task.validation import typed_entries
from gridworld.task_spec import TaskSpecification
from gridworld.world.mechanism_type import MechanismType

__all__ = ["LEAST_GAP", "MEASURES", "Measure"]

Measure = Callable[[TaskSpecification, Proof], Measured]
"""A function of a task and what is proved about it on one tiling."""
LEAST_GAP = 4
"""By how many actions a route is shorter than any other one if it is the short way."""
OPEN, NONE = "none is short", "none"
OPENED = ("distractor_door", "distractor_gate")
"""Types of distractors that belong to the distractor which opens them."""


def _depth(task: TaskSpecification, proof: Proof) -> int:
    return len(task.dependency_chain.sequence) if task.dependency_chain else 0


def _layout(task: TaskSpecification, proof: Proof) -> str:
    maze = task.maze
    said = (maze.dimensions, sorted(maze.wall_cells()), maze.start, maze.goal)
    return hashlib.blake2b(repr(said).encode(), digest_size=6).hexdigest()


def _contents(task: TaskSpecification, proof: Proof) -> str:
    return ", ".join(_counted(name, len(specs)) for name, specs in task.mechanisms.groups()) or NONE


def _counted(name: str, number: int) -> str:
    kind = get_registry().mechanisms.get(name)
    return f"1 {kind.noun}" if number == 1 else f"{number} {kind.name.replace('_', ' ')}"


def _chain(task: TaskSpecification, proof: Proof) -> str:
    kinds = {spec.id: _kind(kind, spec) for kind, spec in typed_entries(task, get_registry()).values()}
    steps = task.dependency_chain.sequence if task.dependency_chain else ()
    return ", ".join(kinds.get(step.element, step.type) for step in steps) or NONE


def _kind(kind: MechanismType, spec: Any) -> str:
    """The kind and the noun of a mechanism; certificates have the words of task files, such as ``one_shot switch``."""
    return " ".join(filter(None, (kind.kind(spec).replace("-", "_"), kind.noun)))


def _colors(task: TaskSpecification, proof: Proof) -> str:
    colored = [
        (next(iter(kind.positions(spec).values())), color)
        for kind, spec in typed_entries(task, get_registry()).values()
        for color in [kind.color(spec)]
        if color is not None
    ]
    return ", ".join(color for _, color in sorted(colored)) or NONE


def _short_way(task: TaskSpecification, proof: Proof) -> str:
    if not proof.routes:
        return NONE
    shortest = min(proof.routes, key=lambda name: proof.routes[name])
    others = [length for name, length in proof.routes.items() if name != shortest]
    return shortest if all(length - proof.routes[shortest] >= LEAST_GAP for length in others) else OPEN


def _decoys(task: TaskSpecification, proof: Proof) -> int:
    return sum(distractor.type not in OPENED for distractor in task.distractors)


MEASURES: Mapping[str, Measure] = {
    "length": lambda task, proof: len(proof.plan),
    "depth": _depth,
    "decoys": _decoys,
    "size": lambda task, proof: max(task.maze.dimensions),
    "observability": lambda task, proof: task.rules.observability,
    "tier": lambda task, proof: task.difficulty_tier,
    "layout": _layout,
    "contents": _contents,
    "chain": _chain,
    "colors": _colors,
    "ways": lambda task, proof: ", ".join(sorted(proof.routes)) or NONE,
    "short_way": _short_way,
}
"""Name to a function of a task and what is proved about it on one tiling.

``length`` is that of a shortest plan, ``depth`` the number of steps of the dependency chain, ``decoys`` that of
distractors, where doors and gates count with what opens them, ``size`` that of columns or rows, whichever is more,
border included. ``layout`` is a digest of the dimensions, the walls, the start and the goal; ``contents`` tells how
many mechanisms of each type there are; ``chain`` what the steps of the dependency chain are, in order; ``colors`` the
colours of the mechanisms that have one, column by column. ``ways`` are the routes between which the agent may
choose, and ``short_way`` the one by which the shortest plan is at least `LEAST_GAP` actions shorter than by any other.
"""
