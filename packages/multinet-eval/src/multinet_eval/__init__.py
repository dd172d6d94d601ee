"""Evaluates models on task suites: the harness, its metrics, and the command line.

`EvaluationHarness` is imported when first asked for, so that ``multinet --help`` stays quick.
"""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from
from multinet_eval._version import __version__

if TYPE_CHECKING:
    from multinet_eval.evaluation_harness import EvaluationHarness

__all__ = ["EvaluationHarness", "__version__"]

__getattr__ = names_from(__name__, {"EvaluationHarness": "evaluation_harness"})
