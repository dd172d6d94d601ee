"""Recorded runs as rows: one for each episode of the plan, or one for each step, for tables and data frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface import AnswerOutcome
from gridworld.runner.record import Step
from multinet_eval.record.events import EpisodeRecord
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.played_suite import suite_columns
from multinet_eval.record.run_directory import Attempt, RunDirectory
from multinet_eval.record.task_result import TaskResult
from multinet_eval.record.totals import add_usages

__all__ = ["EPISODE_COLUMNS", "STEP_COLUMNS", "Columns", "Row", "episode_rows", "step_rows"]

Columns = Mapping[str, type]
"""Column to the type of its cells, ``str``, ``int``, ``float`` or ``bool``; any of them may be None."""
Row = dict[str, Any]
"""Column to cell, in the order of the columns."""

PLANNED: Columns = {
    "run": str,
    "suite": str,
    "suite_hash": str,
    "model": str,
    "backend": str,
    "tiling": str,
    "episode": int,
    "task": str,
    "task_id": str,
    "epoch": int,
    "seed": int,
}
"""What a plan says; `episode` is the number in it, `task` the hash of the task."""
USAGE: Columns = {"prompt_tokens": int, "completion_tokens": int, "seconds": float, "server_seconds": float}
RESULT: Columns = {
    "difficulty_tier": int,
    "mission": str,
    "success": bool,
    "steps_taken": int,
    "max_steps": int,
    "optimal_steps": int,
    "unsolvable": bool,
    "optimality_ratio": float,
    "total_reward": float,
    "terminated": bool,
    "truncated": bool,
    "ineffective_steps": int,
    "lost_steps": int,
    "fault": str,
    "error": str,
    "permanent": bool,
}
"""Fields of `TaskResult` under their names."""
OUTCOMES = tuple(sorted(outcome.value for outcome in AnswerOutcome))

EPISODE_COLUMNS: Columns = {
    **PLANNED,
    "attempts": int,
    "finished": bool,
    "end": str,
    **RESULT,
    **{f"requests_{outcome}": int for outcome in OUTCOMES},
    **USAGE,
}
"""The columns of `episode_rows`. What comes after `end` is None for an episode that has not ended."""
STEP_COLUMNS: Columns = {
    **PLANNED,
    "step": int,
    "kind": str,
    "action": int,
    "action_name": str,
    "reward": float,
    "terminated": bool,
    "truncated": bool,
    "events": str,
    "digest": str,
    "requests": int,
    "outcome": str,
    "message": str,
    "reasoning": str,
    "confidence": float,
    "raw_output": str,
    **USAGE,
}
"""The columns of `step_rows`: `events` are the kinds of what happened, separated by blanks; `outcome` up to
`raw_output` are those of the request that decided the step; the usage is that of all its requests."""


def episode_rows(directory: RunDirectory) -> Iterator[Row]:
    """A row for each episode of the plan, in its order, with the result of its latest attempt.

    Raises:
        RunError: an episode cannot be read.
    """
    for planned, attempts in _episodes(directory):
        known = {"attempts": len(attempts), "finished": False, **_ended(directory.latest(attempts))}
        yield {**dict.fromkeys(EPISODE_COLUMNS), **_planned(directory, planned), **known}


def step_rows(directory: RunDirectory) -> Iterator[Row]:
    """A row for each step of the latest attempt at each episode, in the order of the plan.

    Raises:
        RunError: an episode cannot be read.
    """
    for planned, attempts in _episodes(directory):
        lines = directory.latest(attempts)
        known = _planned(directory, planned)
        for step in () if lines is None else lines.steps:
            yield {**known, **_step(step)}


def _episodes(directory: RunDirectory) -> Iterator[tuple[PlannedEpisode, list[Attempt]]]:
    """The episodes of the plan, each with the attempts at it."""
    files = directory.all_attempts()
    for planned in directory.manifest.plan:
        yield planned, files.get(planned.number, [])


def _planned(directory: RunDirectory, planned: PlannedEpisode) -> Row:
    manifest = directory.manifest
    ground = manifest.ground(planned.tiling)
    return {
        "run": directory.path.resolve().name,
        **suite_columns([manifest.played_suite]),
        "model": manifest.model_name,
        "backend": ground.backend,
        "tiling": ground.tiling,
        "episode": planned.number,
        "task": planned.task,
        "task_id": planned.task_id,
        "epoch": planned.epoch,
        "seed": planned.seed,
    }


def _ended(lines: EpisodeRecord | None) -> Row:
    if lines is None or lines.end is None:
        return {}
    result = TaskResult.of(lines.header, lines.steps, lines.end)
    fields = attrs.asdict(result, recurse=False)
    return {
        "finished": not result.permanent,
        "end": lines.end.reason.value,
        **{name: fields[name] for name in RESULT},
        **{f"requests_{outcome}": result.outcomes[outcome] for outcome in OUTCOMES},
        **attrs.asdict(result.usage),
    }


def _step(step: Step) -> Row:
    last = step.last
    return {
        "step": step.number,
        "kind": step.kind.value,
        "action": step.action,
        "action_name": None if step.action is None else ACTION_SPACE[step.action],
        "reward": step.reward,
        "terminated": step.terminated,
        "truncated": step.truncated,
        "events": " ".join(event.to_dict()["kind"] for event in step.events),
        "digest": step.digest,
        "requests": len(step.requests),
        "outcome": None if last is None else last.outcome.value,
        "message": None if last is None else last.message,
        "reasoning": None if last is None else last.reasoning,
        "confidence": None if last is None else last.confidence,
        "raw_output": None if last is None else last.raw_output,
        **attrs.asdict(add_usages(request.usage for request in step.requests)),
    }
