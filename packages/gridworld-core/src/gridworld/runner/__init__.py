"""Plays episodes on backends, and records them."""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from gridworld.runner.grid_runner import EpisodeResult, GridRunner
    from gridworld.runner.presentation import Presentation
    from gridworld.runner.record import (
        Decision,
        DecisionKind,
        EndReason,
        EpisodeEnd,
        EpisodeHeader,
        Recording,
        Request,
        Step,
    )
    from gridworld.runner.rollout import Rollout

__all__ = [
    "Decision",
    "DecisionKind",
    "EndReason",
    "EpisodeEnd",
    "EpisodeHeader",
    "EpisodeResult",
    "GridRunner",
    "Presentation",
    "Recording",
    "Request",
    "Rollout",
    "Step",
]

MODULES = {
    "EpisodeResult": "grid_runner",
    "GridRunner": "grid_runner",
    "Presentation": "presentation",
    "Decision": "record",
    "DecisionKind": "record",
    "EndReason": "record",
    "EpisodeEnd": "record",
    "EpisodeHeader": "record",
    "Recording": "record",
    "Request": "record",
    "Step": "record",
    "Rollout": "rollout",
}

if not TYPE_CHECKING:  # so that type checkers know of no other names
    __getattr__ = names_from(__name__, MODULES)
