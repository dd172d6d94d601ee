"""What can be asked of a generated task, and is compared between tasks that belong together."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from gridworld.generation.certificate import Certificate, Measured, Proof
from gridworld.generation.generator import Drawing
from gridworld.plugins import get_registry
from gridworld.task.validation import typed_entries
from gridworld.task_spec import TaskSpecification
from gridworld.world.mechanism_type import MechanismType

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


Proofs = Mapping[str, Proof]
"""What is proved about a task, by the name of the tiling."""
ByTiling = dict[str, dict[str, Measured]]


@attrs.frozen
class Compared:
    """Where a task stands among those of its set: tiling to measure to its value."""

    held: ByTiling
    """What is equal in all tasks."""
    varied: ByTiling
    """What is not; the value is that of this task."""


def compared(tasks: Sequence[TaskSpecification], proofs: Sequence[Proofs]) -> list[Compared]:
    """Compare the tasks of a set by all measures; there is nothing to compare about a single one."""
    results = [Compared({}, {}) for _ in tasks]
    for tiling in proofs[0] if len(tasks) > 1 else ():
        for result in results:
            result.held[tiling], result.varied[tiling] = {}, {}
        for name in MEASURES:
            values = _values(name, tasks, proofs, tiling)
            held = len(set(values)) == 1
            for result, value in zip(results, values, strict=True):
                (result.held if held else result.varied)[tiling][name] = value
    return results


def with_comparison(certificate: Certificate, result: Compared) -> Certificate:
    """The certificate of one of the tasks that were compared."""
    return attrs.evolve(certificate, held=result.held, varied=result.varied)


def unmet_claims(drawing: Drawing, proofs: Sequence[Proofs]) -> Iterator[str]:
    """What a drawing claims of its tasks and is not so, in a few words each, such as ``length not held``."""
    for tiling in proofs[0]:
        for name in (*drawing.held, *drawing.held_on.get(tiling, ())):
            if len(set(_values(name, drawing.tasks, proofs, tiling))) > 1:
                yield f"{name} not held"
        for name in drawing.varied:
            if len(set(_values(name, drawing.tasks, proofs, tiling))) < len(drawing.tasks):
                yield f"{name} not varied"
        for name, stated in drawing.stated.items():
            if tuple(_values(name, drawing.tasks, proofs, tiling)) != tuple(stated):
                yield f"{name} not as stated"


def _values(name: str, tasks: Sequence[TaskSpecification], proofs: Sequence[Proofs], tiling: str) -> list[Measured]:
    return [MEASURES[name](task, proved[tiling]) for task, proved in zip(tasks, proofs, strict=True)]
