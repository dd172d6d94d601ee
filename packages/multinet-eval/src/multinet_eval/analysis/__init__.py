"""Analyses of recorded runs; `read` reads one."""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from multinet_eval.analysis.recorded_run import read

__all__ = ["read"]

__getattr__ = names_from(__name__, {"read": "recorded_run"})
