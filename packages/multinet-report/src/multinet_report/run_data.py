"""A recorded run as the page takes it: what it is, its figures, and a row for each episode."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from statistics import median
from typing import Any

import attrs

from gridworld.errors import GridworldError
from gridworld.runner.record import EndReason, EpisodeEnd
from multinet_eval.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.metrics.known_task import KnownTask
from multinet_eval.runs.episode_lines import EpisodeLines
from multinet_eval.runs.plan import PlannedEpisode
from multinet_eval.runs.record_folders import RunError
from multinet_eval.runs.results import ResultsFold, RunResults
from multinet_eval.runs.run_directory import Attempt, RunDirectory
from multinet_eval.runs.summary import summarize_run
from multinet_eval.scores.suite_metrics import SuiteMetrics
from multinet_eval.scores.task_result import TaskResult
from multinet_report.blocks import Blocks
from multinet_report.boards import Boards
from multinet_report.chain import chain_of
from multinet_report.episode_data import read_episode_data
from multinet_report.scene_data import read_scene
from multinet_report.ways import ways_of

__all__ = ["RunReading", "read_run_data"]

Row = dict[str, Any]


@attrs.frozen
class RunReading:
    """What was read of a run."""

    data: dict[str, Any]
    """For the index of the page, JSON-ready."""
    problems: dict[str, list[int]]
    """What could not be read or computed, with the numbers of the episodes."""


def read_run_data(
    directory: RunDirectory, name: str, blocks: Blocks, boards: Boards, tell_read: Callable[[], object]
) -> RunReading:
    """Read a run; what belongs to single episodes goes into blocks of their own.

    An episode that cannot be read, or drawn, or of which no distances can be computed, is shown as far as it goes.

    Args:
        directory: the run.
        name: tells it from other runs of the page.
        blocks: those of the page.
        boards: what the solver knows of tasks, for all runs of the page.
        tell_read: is called after each episode.

    Raises:
        RunError: the run cannot be read at all.
    """
    return _Reader(directory, name, blocks, boards, tell_read).read()


class _Reader:
    def __init__(
        self, directory: RunDirectory, name: str, blocks: Blocks, boards: Boards, tell_read: Callable[[], object]
    ) -> None:
        self._directory = directory
        self._name = name
        self._blocks = blocks
        self._tell_read = tell_read
        self._fold = ResultsFold()
        self._boards = boards
        self._problems: dict[str, list[int]] = {}
        self._seconds: list[float] = []
        self._mechanisms: dict[str, list[str]] = {}

    def read(self) -> RunReading:
        directory, manifest = self._directory, self._directory.manifest
        files = directory.all_attempts()
        read = {}
        for each in sorted(manifest.plan, key=_board):
            read[each.number] = self._row(each, files.get(each.number, []))
            self._tell_read()
        rows = [read[each.number] for each in manifest.plan]
        problems = {problem: sorted(numbers) for problem, numbers in sorted(self._problems.items())}
        results = self._fold.results(manifest)
        summary = summarize_run(directory.path)
        data = {
            "name": directory.path.resolve().name,
            "model": manifest.model_name,
            "suite": manifest.suite,
            "suite_hash": manifest.suite_hash,
            "created": manifest.created,
            "status": str(summary.status),
            "conditions": manifest.fingerprint,
            "circumstances": manifest.circumstances,
            **_figures(results, rows),
            "latency": _latency(self._seconds),
            "episodes": rows,
            "problems": list(map(list, problems.items())),
        }
        return RunReading(data, problems)

    def _row(self, planned: PlannedEpisode, attempts: list[Attempt]) -> Row:
        row: Row = {
            "number": planned.number,
            "task": planned.task,
            "task_id": planned.task_id,
            "tiling": self._directory.manifest.ground(planned.tiling).tiling,
            "epoch": planned.epoch,
            "mechanisms": self._mechanisms_of(planned.task),
            "state": "not begun",
        }
        try:
            lines = self._directory.latest(attempts)
        except RunError as error:
            self._tell(str(error), planned)
            return row | {"state": "unreadable"}
        if lines is None:
            return row
        self._seconds += [each.usage.seconds for each in lines.requests if each.usage and each.usage.seconds]
        row |= _result_row(lines, self._fold.add(planned.number, lines))
        try:
            return row | self._keep(planned, attempts, lines)
        except RunError as error:  # it counts, but cannot be opened
            self._tell(str(error), planned)
            return row

    def _keep(self, planned: PlannedEpisode, attempts: list[Attempt], lines: EpisodeLines) -> Row:
        """Put an episode into a block, and what it is drawn from."""
        read = (read_episode_data(self._directory, each) for each in reversed(attempts))
        data, lost = next((data, lost) for data, lost in read if data["header"])
        for problem in lost:
            self._tell(problem, planned)
        scene = data["scene"]
        if scene is not None:
            scene = self._keep_scene(scene, planned)
            data |= self._analyzed(planned, lines)
        for digest in sorted(set(lines.frames.values())):
            self._blocks.add(f"frame-{digest}", self._directory.frame(digest))
        block = f"episode-{self._name}-{planned.number}"
        self._blocks.add_json(block, {**data, "scene": scene})
        return {"scene": scene, "block": block}

    def _keep_scene(self, digest: str, planned: PlannedEpisode) -> str | None:
        name = f"scene-{digest}"
        if name not in self._blocks:
            try:
                self._blocks.add_json(name, read_scene(self._directory, digest))
            except RunError as error:
                self._tell(str(error), planned)
                return None
        return name

    def _analyzed(self, planned: PlannedEpisode, lines: EpisodeLines) -> Row:
        """What is computed of an episode: ``ways`` and ``chain``, each None where it is not known."""
        end = lines.end or EpisodeEnd(EndReason.STOPPED)  # as if it were left where it is
        try:
            known = self._boards.known(self._directory, planned)
            task = planned.bound(self._directory.task(planned.task)) if known is None else known.world.task
            episode = EpisodeAnalysis(task, lines.header, lines.steps, end, known)
            ways = None if known is None else ways_of(episode)
        except GridworldError as error:
            self._tell(f"no distances: {error}", planned)
            return {"ways": None, "chain": None}
        if known is not None and ways is None:
            self._tell(f"no distances: {_why_not(known)}", planned)
        return {"ways": ways, "chain": chain_of(episode)}

    def _mechanisms_of(self, task: str) -> list[str]:
        """The mechanisms in a task's file, whatever plugins are installed."""
        if task not in self._mechanisms:
            path = self._directory.path / "tasks" / f"{task}.json"
            try:
                found = json.loads(path.read_bytes()).get("mechanisms", {})
                self._mechanisms[task] = sorted(name for name, things in found.items() if things)
            except (OSError, ValueError, AttributeError):
                self._mechanisms[task] = []
        return self._mechanisms[task]

    def _tell(self, problem: str, planned: PlannedEpisode) -> None:
        self._problems.setdefault(problem, []).append(planned.number)


def _board(planned: PlannedEpisode) -> tuple[object, ...]:
    """What is played, before the number of the episode: those on one board have a table in common."""
    return planned.task, planned.tiling or "", planned.max_steps or 0, planned.number


def _why_not(known: KnownTask) -> str:
    """Why there are no distances."""
    if known.refusal is None:
        return "it cannot be won"
    advice = "" if known.refusal.limit is None else "; 'multinet report' has --max-states to allow more"
    return f"{known.refusal.reason}{advice}"


def _result_row(lines: EpisodeLines, result: TaskResult | None) -> Row:
    header = lines.header
    row: Row = {
        "state": "unfinished",
        "tier": header.difficulty_tier,
        "mission": header.mission,
        "steps": len(lines.steps),
        "moves": "".join("-" if step.action is None else str(step.action) for step in lines.steps),
        "max_steps": header.max_steps,
    }
    if result is None or lines.end is None:
        return row
    return row | {
        "state": "finished",
        "success": result.success,
        "scored": result.scored,
        "end": lines.end.reason.value,
        "steps": result.steps_taken,
        "optimal": result.optimal_steps,
        "unsolvable": result.unsolvable,
        "ratio": result.optimality_ratio,
        "reward": result.total_reward,
        "requests": result.requests_answered,
        "tokens": result.usage.completion_tokens,
    }


def _figures(results: RunResults, rows: list[Row]) -> dict[str, Any]:
    """The metrics of the whole and of its groups, and counts of ends and outcomes."""
    whole = attrs.evolve(results.metrics[0], task_results=results.in_order, tiling=None)
    finished = [row for row in rows if row["state"] == "finished"]
    return {
        "whole": _summary(whole),
        "planned": len(rows),
        "finished": len(finished),
        "groups": [{"name": name, "rows": list(_groups(whole, finished, keys))} for name, keys in GROUPS.items()],
        "ends": dict(Counter(row["end"] for row in finished).most_common()),
        "outcomes": {name: count for name, count in whole.outcomes.items() if count},
    }


GROUPS: dict[str, Callable[[Row], Iterable[Any]]] = {
    "Tier": lambda row: [row["tier"]],
    "Tiling": lambda row: [row["tiling"] or "none"],
    "Mechanism": lambda row: row["mechanisms"] or ["none"],
    "Epoch": lambda row: [row["epoch"]],
}
"""What episodes are grouped by; one may belong to several groups."""


def _groups(whole: SuiteMetrics, rows: list[Row], keys: Callable[[Row], Iterable[Any]]) -> Iterator[Row]:
    """The metrics of each group; `rows` are those of the results of the whole, in their order."""
    for key in sorted({key for row in rows for key in keys(row)}):
        chosen = zip(rows, whole.task_results, strict=True)
        results = tuple(result for row, result in chosen if key in keys(row))
        yield {"group": key, **_summary(attrs.evolve(whole, task_results=results))}


def _summary(metrics: SuiteMetrics) -> Row:
    return {
        "episodes": metrics.num_tasks,
        "scored": metrics.num_scored,
        "solved": metrics.num_success,
        "rate": metrics.success_rate if metrics.num_scored else None,
        "interval": list(metrics.success_interval),
        "spl": metrics.spl,
        "rated": metrics.num_rated,
        "unsolvable": metrics.num_unsolvable,
        "over_budget": metrics.num_over_budget,
        "steps": metrics.mean_steps if metrics.num_scored else None,
        "reward": metrics.mean_reward if metrics.num_scored else None,
        "lost_steps": metrics.lost_steps,
        "requests": metrics.mean_requests if metrics.num_scored else None,
        "prompt_tokens": metrics.usage.prompt_tokens,
        "completion_tokens": metrics.usage.completion_tokens,
        "seconds": metrics.usage.seconds,
        "cost": metrics.cost,
        "cached": metrics.cached_requests,
    }


def _latency(seconds: list[float]) -> dict[str, float] | None:
    """How long a request took, in seconds; None where it was not measured."""
    if not seconds:
        return None
    return {"requests": len(seconds), "median": median(seconds), "longest": max(seconds)}
