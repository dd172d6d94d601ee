"""Batches of environments that step through shared transition tables.

Only `task_vector_env`, the base of the backends' vector environments, needs Gymnasium.
"""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from gridworld.vector.stepping import Batch, Start, Stepped, StepTable, advance
    from gridworld.vector.stepping_table import DEFAULT_TABULATED, SteppingTable
    from gridworld.vector.task_batch import TaskBatch
    from gridworld.vector.vector_play import VectorPlay

__all__ = [
    "DEFAULT_TABULATED",
    "Batch",
    "Start",
    "StepTable",
    "Stepped",
    "SteppingTable",
    "TaskBatch",
    "VectorPlay",
    "advance",
]

MODULES = dict.fromkeys(__all__, "stepping") | {
    "DEFAULT_TABULATED": "stepping_table",
    "SteppingTable": "stepping_table",
    "TaskBatch": "task_batch",
    "VectorPlay": "vector_play",
}

__getattr__ = names_from(__name__, MODULES)
