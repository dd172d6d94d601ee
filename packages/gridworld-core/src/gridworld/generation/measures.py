"""What can be asked of a generated task, and is compared between tasks that belong together."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gridworld.generation.certificate import Proof
from gridworld.task_spec import TaskSpecification

__all__ = ["MEASURES", "Measured"]

Measured = int | str
"""What a measure gives."""


def _depth(task: TaskSpecification, proof: Proof) -> int:
    return len(task.dependency_chain.sequence) if task.dependency_chain else 0


MEASURES: Mapping[str, Callable[[TaskSpecification, Proof], Measured]] = {
    "length": lambda task, proof: len(proof.plan),
    "depth": _depth,
    "decoys": lambda task, proof: len(task.distractors),
    "size": lambda task, proof: max(task.maze.dimensions),
    "observability": lambda task, proof: task.rules.observability,
    "tier": lambda task, proof: task.difficulty_tier,
}
"""Name to a function of a task and what is proved about it on one tiling.

``length`` is that of a shortest plan, ``depth`` the number of steps of the dependency chain, ``decoys`` that of
distractors, ``size`` that of columns or rows, whichever is more, border included.
"""
