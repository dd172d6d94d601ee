"""Export of recorded runs as tables with one row per planned episode or step; files are written atomically.

* ``csv``: RFC 4180 in UTF-8, with a heading; a cell that is None is empty;
* ``jsonl``: one JSON object per line, in ASCII.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.errors import ArgumentError, GridworldError
from gridworld.model_interface import AnswerOutcome
from gridworld.runner.record import Step
from gridworld.support.files import replacing
from multinet_eval.record.events import EpisodeRecord
from multinet_eval.record.manifest import suite_columns
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.run_directory import Attempt, RunDirectory
from multinet_eval.record.task_result import TaskResult, add_usages

T = TypeVar("T")


class ExportError(GridworldError):
    """A run cannot be exported."""


Row = dict[str, Any]
"""Cell of each column, in column order."""
PLANNED = ("run", "suite", "suite_hash", "model", "backend", "tiling", "episode", "task", "task_id", "epoch", "seed")
"""Columns from the plan; `episode` is the number of the episode, `task` the hash of the task."""
USAGE = ("prompt_tokens", "completion_tokens", "seconds", "server_seconds")
COUNTS = ("steps_taken", "max_steps", "optimal_steps", "unsolvable", "optimality_ratio", "total_reward")
ENDING = ("terminated", "truncated", "ineffective_steps", "lost_steps", "fault", "error", "permanent")
RESULT = ("difficulty_tier", "mission", "success", *COUNTS, *ENDING)
"""Fields of `TaskResult` that become columns of the same name."""
OUTCOMES = tuple(sorted(outcome.value for outcome in AnswerOutcome))
REQUESTS = tuple(f"requests_{outcome}" for outcome in OUTCOMES)
EPISODE_COLUMNS = (*PLANNED, "attempts", "finished", "end", *RESULT, *REQUESTS, *USAGE)
"""Columns of `episode_rows`; those after `end` are None for an unfinished episode."""
EFFECT = ("step", "kind", "action", "action_name", "reward", "terminated", "truncated", "events", "digest")
ANSWER = ("outcome", "message", "reasoning", "confidence", "raw_output")
STEP_COLUMNS = (*PLANNED, *EFFECT, "requests", *ANSWER, *USAGE)
"""Columns of `step_rows`.

`events` lists the kinds of events, separated by spaces; `outcome` to `raw_output` belong to the request that decided
the step; usage covers all its requests.
"""


def export_run(directory: RunDirectory, path: Path, form: str, rows: str = "episodes") -> int:
    """Write the record of a run as a table.

    Args:
        directory: the run.
        path: the file; an existing one is replaced.
        form: ``csv`` or ``jsonl``.
        rows: ``episodes`` or ``steps`` (`EPISODE_COLUMNS`, `STEP_COLUMNS`).

    Returns:
        The number of rows.

    Raises:
        ArgumentError: the format or the kind of rows is unknown.
        ExportError: the file cannot be written.
        RunError: an episode cannot be read; no file is written.
    """
    columns, read = _chosen(TABLES, rows, "rows")
    write = _chosen(WRITERS, form, "format")
    written = count()
    try:
        with replacing(path) as place:
            write(columns, (row for row, _ in zip(read(directory), written, strict=False)), place)
    except OSError as error:
        raise ExportError(f"cannot write {path}: {error.strerror or error}") from error
    return next(written)


def _chosen(choices: Mapping[str, T], name: str, what: str) -> T:
    if name not in choices:
        raise ArgumentError(f"{what}: expected one of {', '.join(choices)}, got {name!r}")
    return choices[name]


def write_csv(columns: Iterable[str], rows: Iterable[Row], path: Path) -> None:
    """Write rows as CSV (RFC 4180) in UTF-8, with lone surrogates escaped; raises OSError."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.DictWriter(file, list(columns))
        writer.writeheader()
        writer.writerows(rows)


def _write_jsonl(columns: Iterable[str], rows: Iterable[Row], path: Path) -> None:
    with path.open("w", encoding="ascii", newline="") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def episode_rows(directory: RunDirectory) -> Iterator[Row]:
    """Yield one row per planned episode, from its latest attempt; raises RunError for a damaged episode."""
    for planned, attempts in _episodes(directory):
        known = {"attempts": len(attempts), "finished": False, **_ended(directory.latest(attempts))}
        yield {**dict.fromkeys(EPISODE_COLUMNS), **_planned(directory, planned), **known}


def step_rows(directory: RunDirectory) -> Iterator[Row]:
    """Yield one row per step of each episode's latest attempt; raises RunError for a damaged episode."""
    for planned, attempts in _episodes(directory):
        lines = directory.latest(attempts)
        known = {**dict.fromkeys(STEP_COLUMNS), **_planned(directory, planned)}
        for step in () if lines is None else lines.steps:
            yield {**known, **_step(step)}


def _episodes(directory: RunDirectory) -> Iterator[tuple[PlannedEpisode, list[Attempt]]]:
    """Yield each planned episode with its attempts."""
    files = directory.all_attempts()
    for planned in directory.manifest.plan:
        yield planned, files.get(planned.number, [])


def _planned(directory: RunDirectory, planned: PlannedEpisode) -> Row:
    manifest = directory.manifest
    backend = manifest.backend_on(planned.tiling)
    return {
        "run": directory.path.resolve().name,
        **suite_columns([manifest.played_suite]),
        "model": manifest.model_name,
        "backend": backend.backend,
        "tiling": backend.tiling,
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
        **{name: result.outcomes[outcome] for name, outcome in zip(REQUESTS, OUTCOMES, strict=True)},
        **attrs.asdict(result.usage),
    }


def _step(step: Step) -> Row:
    last, request = step.last, Row()
    if last is not None:
        request = {
            "outcome": last.outcome.value,
            "message": last.message,
            "reasoning": last.reasoning,
            "confidence": last.confidence,
            "raw_output": last.raw_output,
        }
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
        **request,
        **attrs.asdict(add_usages(request.usage for request in step.requests)),
    }


TABLES: Mapping[str, tuple[Iterable[str], Callable[[RunDirectory], Iterator[Row]]]] = {
    "episodes": (EPISODE_COLUMNS, episode_rows),
    "steps": (STEP_COLUMNS, step_rows),
}


WRITERS: Mapping[str, Callable[[Iterable[str], Iterable[Row], Path], None]] = {
    "csv": write_csv,
    "jsonl": _write_jsonl,
}
