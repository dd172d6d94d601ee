"""Measures of certified tasks, which recipes can require and which are compared within a set of tasks."""

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
"""Computes a measure from a task and its proof on one tiling."""
LEAST_GAP = 4
"""Minimum number of actions that ``short_way`` must save compared with every other route."""
OPEN, NONE = "none is short", "none"
OPENED = ("distractor_door", "distractor_gate")
"""Distractor types that count together with the distractor that opens them."""


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
    """Return the kind and noun of a mechanism in the words of task files, such as ``one_shot switch``."""
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


MEASURES: Mapping[str, Measure] = {
    "length": lambda task, proof: len(proof.plan),
    "depth": lambda task, proof: len(task.dependency_chain.sequence) if task.dependency_chain else 0,
    "decoys": lambda task, proof: sum(distractor.type not in OPENED for distractor in task.distractors),
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
"""Measures by name.

- ``length``: length of a shortest plan
- ``depth``: number of steps of the dependency chain
- ``decoys``: number of distractors; doors and gates count together with their openers
- ``size``: columns or rows, whichever is more, border included
- ``layout``: digest of dimensions, walls, start and goal
- ``contents``: number of mechanisms of each type
- ``chain``: kinds of the steps of the dependency chain, in order
- ``colors``: colours of the coloured mechanisms, column by column
- ``ways``: routes that the agent may choose
- ``short_way``: the route whose shortest plan is at least `LEAST_GAP` actions shorter than that of every other route
"""


Proofs = Mapping[str, Proof]
"""Proofs of a task by tiling."""
ByTiling = dict[str, dict[str, Measured]]


@attrs.frozen
class Compared:
    """Measures of a task compared with its set, by tiling and measure."""

    held: ByTiling
    """Measures equal in all tasks."""
    varied: ByTiling
    """The other measures, with this task's values."""


def compared(tasks: Sequence[TaskSpecification], proofs: Sequence[Proofs]) -> list[Compared]:
    """Compare the tasks of a set by all measures; the result of a single task is empty."""
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
    """Return a copy of a certificate with the comparison filled in."""
    return attrs.evolve(certificate, held=result.held, varied=result.varied)


def unmet_claims(drawing: Drawing, proofs: Sequence[Proofs]) -> Iterator[str]:
    """Yield each false claim of a drawing about its tasks, such as ``length not held``."""
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
