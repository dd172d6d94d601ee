"""Many environments at once, on one core: tables of what actions lead to, and copies that step through them.

Nothing here knows Gymnasium: `gridworld_minigrid` and `gridworld_multigrid` have its vector environments.
"""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from gridworld.vector.stepping import Copies, Start, Stepped, StepTable, advance
    from gridworld.vector.stepping_table import DEFAULT_TABULATED, SteppingTable
    from gridworld.vector.task_batch import TaskCopies
    from gridworld.vector.vector_play import VectorPlay

__all__ = [
    "DEFAULT_TABULATED",
    "Copies",
    "Start",
    "StepTable",
    "Stepped",
    "SteppingTable",
    "TaskCopies",
    "VectorPlay",
    "advance",
]

MODULES = {
    "DEFAULT_TABULATED": "stepping_table",
    "Copies": "stepping",
    "Start": "stepping",
    "StepTable": "stepping",
    "Stepped": "stepping",
    "SteppingTable": "stepping_table",
    "TaskCopies": "task_batch",
    "VectorPlay": "vector_play",
    "advance": "stepping",
}

__getattr__ = names_from(__name__, MODULES)
