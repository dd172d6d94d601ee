"""Evaluates models on task suites: the harness, its metrics, and the command line.

`EvaluationHarness` is imported when first asked for, so that ``multinet --help`` stays quick.
"""

from typing import TYPE_CHECKING, Any

from multinet_eval._version import __version__

if TYPE_CHECKING:
    from multinet_eval.evaluation_harness import EvaluationHarness

__all__ = ["EvaluationHarness", "__version__"]


def __getattr__(name: str) -> Any:
    if name != "EvaluationHarness":
        raise AttributeError(f"module 'multinet_eval' has no attribute '{name}'")
    from multinet_eval.evaluation_harness import EvaluationHarness

    return EvaluationHarness
