"""What the tasks of a set have in common, and in what they differ, by what is proved about each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import attrs

from gridworld.generation.certificate import Certificate, Measured, Proof
from gridworld.generation.generator import Drawing
from gridworld.generation.measures import MEASURES
from gridworld.task_spec import TaskSpecification

__all__ = ["compared", "unmet_claims", "with_comparison"]

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
