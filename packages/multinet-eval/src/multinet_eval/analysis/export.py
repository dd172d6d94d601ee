"""Export of recorded runs as tables with one row per planned episode or step; files are written atomically.

* ``csv``: RFC 4180 in UTF-8, with a heading; a cell that is None is empty, and a text that looks like a formula
  is marked as text;
* ``jsonl``: one JSON object per line, in ASCII;
* ``parquet``: typed columns; needs the optional dependency ``multinet-eval[export]``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from itertools import chain, count, islice
from pathlib import Path
from typing import Any, TypeVar

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.errors import ArgumentError, GridworldError
from gridworld.model_interface import AnswerOutcome
from gridworld.runner.record import Step
from gridworld.support.files import replacing
from gridworld.support.wording import how_to_install
from gridworld.task_spec import TaskSpecification
from multinet_eval.analysis.metrics.analysed_episodes import Analyst, grouped
from multinet_eval.analysis.mistakes.episode_mistakes import EpisodeMistakes, find_mistakes
from multinet_eval.analysis.mistakes.run_mistakes import mistakes_if_known
from multinet_eval.record.derived import Records
from multinet_eval.record.episode_facts import EpisodeFacts, facts_of_run
from multinet_eval.record.manifest import suite_columns
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.results import readable_tasks
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.record.task_result import ANSWERS, add_usages, mechanisms_of
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS
from multinet_eval.settings.spending import Prices
from multinet_eval.statistics.clusters import VARIANT, base_maze
from multinet_eval.support.output import write_csv
from multinet_eval.support.parallel import ALONE, Work

T = TypeVar("T")


BATCH = 10_000
"""Number of rows of a Parquet file held in memory at a time."""


class ExportError(GridworldError):
    """A run cannot be exported."""


Columns = Mapping[str, type]
"""Type of each column (``str``, ``int``, ``float`` or ``bool``); cells may also be None."""
Row = dict[str, Any]
"""Cell of each column, in column order."""
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
"""Columns from the plan; `episode` is the number of the episode, `task` the hash of the task."""
USAGE: Columns = {
    "prompt_tokens": int,
    "completion_tokens": int,
    "seconds": float,
    "server_seconds": float,
    "cache_read_tokens": int,
    "cache_write_tokens": int,
}
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
    "answered": int,
    "fault": str,
    "error": str,
    "permanent": bool,
}
"""Fields of `TaskResult` that become columns of the same name."""
MISTAKES: Columns = {
    "ended": str,
    "wasted_steps": int,
    "decisive_needed": str,
    "decisive_did": str,
    "decisive_step": int,
}
"""Columns about mistakes: how the episode ended (`Ending`), and the decisive mistake of a failed one."""
EPISODE_COLUMNS: Columns = {
    **PLANNED,
    "base": str,
    "variant": str,
    "mechanisms": str,
    "attempts": int,
    "requests": int,
    "failed_requests": int,
    "cached_requests": int,
    **USAGE,
    "cost": float,
    "finished": bool,
    "end": str,
    **RESULT,
    **{f"answers_{outcome}": int for outcome in ANSWERS},
    **MISTAKES,
}
"""Columns of `episode_rows`; those after `end`, except for the tier, are None for an unfinished episode.

`base` is the base maze of the task, `variant` its variant, if any, and `mechanisms` lists the types of its mechanisms,
separated by spaces. `requests` is the number of requests that were sent, `cached_requests` of those answered from a
cache; they, the usage and the cost, which is None without prices, cover all attempts. Columns about mistakes are None
if unknown.
"""
MISTAKE_COLUMNS: Columns = {
    **PLANNED,
    "base": str,
    "step": int,
    "needed": str,
    "towards": str,
    "towards_id": str,
    "did": str,
    "wasted_steps": int,
    "losing": bool,
    "exploring": bool,
    "decisive": bool,
}
"""Columns of `mistake_rows`; `towards` is the noun of the next thing that the plan uses, or ``goal``."""
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
    "answered": int,
    "outcome": str,
    "message": str,
    "reasoning": str,
    "confidence": float,
    "raw_output": str,
    **USAGE,
}
"""Columns of `step_rows`.

`events` lists the kinds of events, separated by spaces; `answered` is the number of answers for the step; `outcome` to
`raw_output` belong to the request that decided it; usage covers all its requests.
"""


def export_run(directory: RunDirectory, path: Path, form: str, rows: str = "episodes", work: Work = ALONE) -> int:
    """Write the record of a run as a table.

    Args:
        directory: the run.
        path: the file; an existing one is replaced.
        form: ``csv``, ``jsonl`` or ``parquet``.
        rows: ``episodes``, ``steps`` or ``mistakes`` (`EPISODE_COLUMNS`, `STEP_COLUMNS`, `MISTAKE_COLUMNS`).
        work: how episodes are read; steps and mistakes in this process, since sending them takes as long as reading
            them.

    Returns:
        The number of rows.

    Raises:
        ArgumentError: the format or the kind of rows is unknown.
        ExportError: the file cannot be written, or the library for Parquet is not installed.
        RunError: an episode cannot be read; no file is written.
    """
    columns, read = _chosen(TABLES, rows, "rows")
    write = _chosen(WRITERS, form, "format")
    written = count()
    try:
        with replacing(path) as place:
            write(columns, (row for row, _ in zip(read(directory, work), written, strict=False)), place)
    except OSError as error:
        raise ExportError(f"cannot write {path}: {error.strerror or error}") from error
    return next(written)


def _chosen(choices: Mapping[str, T], name: str, what: str) -> T:
    if name not in choices:
        raise ArgumentError(f"{what}: expected one of {', '.join(choices)}, got {name!r}")
    return choices[name]


def write_csv_file(columns: Iterable[str], rows: Iterable[Row], path: Path) -> None:
    """Write rows as `write_csv` does in UTF-8, with lone surrogates escaped; raises OSError."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        write_csv(file, columns, rows)


def _write_jsonl(columns: Columns, rows: Iterable[Row], path: Path) -> None:
    with path.open("w", encoding="ascii", newline="") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def _write_parquet(columns: Columns, rows: Iterable[Row], path: Path) -> None:
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise ExportError(
            f"Parquet files need an optional dependency ({error}): {how_to_install('multinet-eval', 'export')}"
        ) from error
    types = {str: arrow.string(), int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}
    schema = arrow.schema([(name, types[kind]) for name, kind in columns.items()])
    remaining = ({name: _encodable(cell) for name, cell in row.items()} for row in rows)
    with parquet.ParquetWriter(path, schema) as writer:
        while batch := list(islice(remaining, BATCH)):
            try:
                writer.write_table(arrow.Table.from_pylist(batch, schema))
            except (arrow.ArrowException, OverflowError) as error:
                raise ExportError(f"Parquet cannot hold a value of the run: {error}") from error


def _encodable(cell: Any) -> Any:
    """Escape lone surrogates."""
    return cell.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(cell, str) else cell


def episode_rows(directory: RunDirectory, work: Work = ALONE) -> Iterator[Row]:
    """Yield one row per planned episode, from its latest attempt; raises RunError for a damaged episode."""
    facts, (mistakes, _) = facts_of_run(directory, work), mistakes_if_known(directory, work)
    tasks = {digest: _of_task(task) for digest, task in readable_tasks(directory).items()}
    prices = directory.manifest.settings.prices
    for planned in directory.manifest.plan:
        known = {"attempts": 0, "finished": False, **_of_facts(facts.get(planned.number), prices)}
        found = mistakes.get(planned.number)
        erred = {} if found is None else _of_mistakes(found)
        given = {**_planned(directory, planned), **tasks.get(planned.task, {})}
        yield {**dict.fromkeys(EPISODE_COLUMNS), **given, **known, **erred}


def _of_task(task: TaskSpecification) -> Row:
    variant = task.metadata.get(VARIANT)
    return {
        "base": base_maze(task),
        "variant": None if variant is None else str(variant),
        "mechanisms": " ".join(mechanisms_of(task)),
        "difficulty_tier": task.difficulty_tier,
    }


def _of_mistakes(mistakes: EpisodeMistakes) -> Row:
    decisive = mistakes.decisive
    return {
        "ended": mistakes.ending.value,
        "wasted_steps": mistakes.wasted_steps,
        "decisive_needed": None if decisive is None else decisive.needed_words,
        "decisive_did": None if decisive is None else str(decisive.did),
        "decisive_step": mistakes.decisive_step,
    }


def mistake_rows(directory: RunDirectory, work: Work = ALONE) -> Iterator[Row]:
    """Yield one row per mistake of each finished episode, those of the same task on the same tiling together.

    Raises:
        RunError: an episode cannot be read.
        GridworldError: as `multinet_eval.analysis.mistakes.run_mistakes.mistakes_of_run` does.
    """
    records = Records(directory)
    begun = [each for each in directory.manifest.plan if each.number in records.attempts]
    analyst = Analyst(directory, MAX_STATES_OF_METRICS)
    groups = list(chain.from_iterable(grouped(begun, records)))
    for planned, episode in work.track(analyst.analyses(groups), len(begun), "finding mistakes"):
        known = {**_planned(directory, planned), "base": base_maze(episode.task)}
        decisive = EpisodeMistakes.of(episode).decisive_step
        for each in find_mistakes(episode):
            yield {
                **known,
                "step": each.step,
                "needed": each.kind.needed_words,
                "towards": each.towards,
                "towards_id": each.towards_id,
                "did": str(each.kind.did),
                "wasted_steps": each.wasted,
                "losing": each.is_losing,
                "exploring": each.kind.is_exploring,
                "decisive": each.step == decisive,
            }


def step_rows(directory: RunDirectory, work: Work = ALONE) -> Iterator[Row]:
    """Yield one row per step of each episode's latest attempt; raises RunError for a damaged episode."""
    files, plan = directory.all_attempts(), directory.manifest.plan
    for planned in work.track(plan, len(plan), "reading episodes"):
        lines = directory.latest(files.get(planned.number, []))
        known = {**dict.fromkeys(STEP_COLUMNS), **_planned(directory, planned)}
        for step in () if lines is None else lines.steps:
            yield {**known, **_step(step)}


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


def _of_facts(facts: EpisodeFacts | None, prices: Prices | None) -> Row:
    if facts is None:
        return {}
    spent, result = facts.spent, facts.result
    made = {
        "attempts": facts.attempts,
        "requests": spent.requests,
        "failed_requests": spent.failed,
        "cached_requests": spent.cached,
        **attrs.asdict(facts.usage),
        "cost": None if prices is None else prices.cost_of(spent),
    }
    if result is None:
        return made
    fields = attrs.asdict(result, recurse=False)
    return {
        **made,
        "finished": not result.permanent,
        "end": facts.end,
        **{name: fields[name] for name in RESULT},
        **{f"answers_{outcome}": result.outcomes[outcome] for outcome in ANSWERS},
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
        "answered": sum(each.outcome is not AnswerOutcome.INFRASTRUCTURE for each in step.requests),
        **request,
        **attrs.asdict(add_usages(request.usage for request in step.requests)),
    }


TABLES: Mapping[str, tuple[Columns, Callable[[RunDirectory, Work], Iterator[Row]]]] = {
    "episodes": (EPISODE_COLUMNS, episode_rows),
    "steps": (STEP_COLUMNS, step_rows),
    "mistakes": (MISTAKE_COLUMNS, mistake_rows),
}


WRITERS: Mapping[str, Callable[[Columns, Iterable[Row], Path], None]] = {
    "csv": write_csv_file,
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
}
