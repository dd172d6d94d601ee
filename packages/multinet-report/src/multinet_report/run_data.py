"""Data of a recorded run for the page: its settings, its figures, and a row for each episode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from statistics import median
from typing import Any

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.errors import GridworldError
from gridworld.model_interface import Usage
from gridworld.runner.record import DecisionKind, EndReason, EpisodeEnd
from gridworld.support.files import FileError, read_json
from gridworld.support.png import encode_png
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.known_tasks import KnownTask
from multinet_eval.play.recorder import pictures_of
from multinet_eval.record.events import EpisodeRecord, Spent, read_episode
from multinet_eval.record.export import Row
from multinet_eval.record.lines import RecordedLine
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.record_folders import RunError, checked_digest
from multinet_eval.record.results import ResultsFold, RunResults, base_mazes
from multinet_eval.record.run_directory import Attempt, RunDirectory
from multinet_eval.record.suite_metrics import SuiteMetrics, observations_of
from multinet_eval.record.summary import summarize_run
from multinet_eval.record.task_result import TaskResult, add_usages, count_outcomes, describe_useless_answers
from multinet_eval.settings.spending import Prices
from multinet_eval.statistics.clusters import Observation
from multinet_eval.verify.shown_requests import inputs_of
from multinet_report.analysis import Boards, chain_of, ways_of
from multinet_report.episode_data import episode_data
from multinet_report.page_file import Blocks
from multinet_report.scene_data import check_numbers, check_step, read_scene

MOST_PICTURES = 2000
"""Number of pictures after which those of further episodes are left out of the page, a few kilobytes each."""


@attrs.frozen
class RunReading:
    """Data read from a run."""

    data: dict[str, Any]
    """Entry in the index of the page, JSON-ready."""
    problems: dict[str, list[int]]
    """Messages about parts that could not be read or failed, with the numbers of the episodes."""
    notes: dict[str, list[int]]
    """Harmless reasons why distances are missing, with the numbers of the episodes."""
    successes: list[Observation]
    """Success of each finished episode."""


def read_run_data(
    directory: RunDirectory, name: str, blocks: Blocks, boards: Boards, tell_read: Callable[[], object]
) -> RunReading:
    """Read a run; the data of each episode goes into its own block.

    Parts of an episode that cannot be read are omitted: the whole episode, its board, or single pictures.

    Args:
        directory: the run.
        name: unique key of the run on the page.
        blocks: blocks of the page.
        boards: solved tasks, shared by all runs of the page.
        tell_read: called after each episode.

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
        self._notes: dict[str, list[int]] = {}
        self._scenes: dict[str, dict[str, Any]] = {}
        """Readable scenes by digest."""
        self._pictures = 0
        """Number of pictures that were drawn again for the page."""
        self._spending = _Spending()
        self._mechanisms: dict[str, list[str]] = {}

    def read(self) -> RunReading:
        directory, manifest = self._directory, self._directory.manifest
        _check_manifest(directory)
        files = directory.all_attempts()
        read = {}
        for each in sorted(manifest.plan, key=_board):
            read[each.number] = self._row(each, files.get(each.number, []))
            self._tell_read()
        rows = [read[each.number] for each in manifest.plan]
        problems, notes = _by_text(self._problems), _by_text(self._notes)
        results = self._fold.results(manifest, base_mazes(directory))
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
            **_figures(results, rows, self._spending),
            "latency": _latency(self._spending.seconds),
            "episodes": rows,
            "problems": [list(each) for each in (*problems.items(), *notes.items())],
        }
        return RunReading(data, problems, notes, observations_of(results.in_order))

    def _row(self, planned: PlannedEpisode, attempts: list[Attempt]) -> Row:
        row: Row = {
            "number": planned.number,
            "task": planned.task,
            "task_id": planned.task_id,
            "tiling": self._directory.manifest.backend_on(planned.tiling).tiling,
            "epoch": planned.epoch,
            "mechanisms": self._mechanisms_of(planned),
            "state": "not begun",
        }
        try:
            latest = self._latest(planned, attempts)
        except RunError as error:
            self._tell(str(error), planned)
            return row | {"state": "unreadable"}
        if latest is None:
            return row
        lines, written = latest
        row |= _result_row(lines, self._fold.add(planned.number, lines))
        try:
            return row | self._keep(planned, lines, written)
        except RunError as error:  # it counts, but cannot be opened
            self._tell(str(error), planned)
            return row

    def _latest(
        self, planned: PlannedEpisode, attempts: list[Attempt]
    ) -> tuple[EpisodeRecord, list[RecordedLine]] | None:
        """Return the latest attempt that has a header, as its record and its lines; None if there is none.

        What was spent is counted over all attempts that can be read.
        """
        latest = None
        for each in reversed(attempts):
            try:
                written = list(each.lines())
                lines = read_episode(written) if written else None
            except FileError as error:
                if latest is None:
                    raise RunError(str(error)) from error
                self._tell(str(error), planned)
                continue
            if lines is None:
                continue
            if latest is None:
                latest = lines, written
            self._spending.add(lines)
        return latest

    def _keep(self, planned: PlannedEpisode, lines: EpisodeRecord, written: list[RecordedLine]) -> Row:
        """Add an episode, its scene and its pictures to the blocks."""
        data, lost = episode_data(self._directory, written)
        for problem in lost:
            self._tell(problem, planned)
        if data["scene"] is not None:
            data |= self._analyzed(planned, lines) | self._drawn(planned, data)
        requests = [*data["pending"], *(each for step in data["steps"] for each in step["requests"])]
        self._draw_seen(planned, lines, requests)
        for request in requests:
            if "frame" in request and "redrawn" not in request:
                request["frame"] = self._keep_frame(request["frame"], planned)
        block = f"episode-{self._name}-{planned.number}"
        self._blocks.add_json(block, data)
        return {"scene": data["scene"], "block": block}

    def _drawn(self, planned: PlannedEpisode, data: Row) -> Row:
        """Return the block with an episode's scene; None and the reason if the scene or a step is malformed."""
        digest = str(data["scene"])
        try:
            if digest not in self._scenes:
                self._scenes[digest] = read_scene(self._directory, data["scene"])
            for number, step in enumerate(data["steps"], start=1):
                check_step(step, self._scenes[digest], f"step {number}")
        except RunError as error:
            self._tell(f"no board: {error}", planned)
            return {"scene": None, "no_board": str(error)}
        name = f"scene-{digest}"
        if name not in self._blocks:
            self._blocks.add_json(name, self._scenes[digest])
        return {"scene": name}

    def _draw_seen(self, planned: PlannedEpisode, lines: EpisodeRecord, requests: list[Row]) -> None:
        """Draw again what the model saw and no file keeps, and name in each request the picture of recorded digest."""
        seen = [(request, request.pop("seen")) for request in requests]
        unkept = [(request, digests) for request, digests in seen if "frame" not in request]
        wanted = {digest for _, digests in unkept for digest in digests}
        if wanted and self._pictures < MOST_PICTURES:
            try:
                for given in inputs_of(self._directory, planned, lines):
                    for picture in pictures_of(given):
                        name = f"frame-{picture.digest}"
                        if picture.digest in wanted and name not in self._blocks:
                            self._blocks.add(name, encode_png(picture.pixels))
                            self._pictures += 1
            except GridworldError as error:
                self._tell(f"pictures were not drawn again: {error}", planned)
        for request, digests in unkept:
            drawn = [digest for digest in digests if f"frame-{digest}" in self._blocks]
            request |= {"frame": drawn[0], "redrawn": True} if drawn else {}

    def _keep_frame(self, digest: object, planned: PlannedEpisode) -> object:
        """Return the digest of a picture, after adding its block; None if it cannot be read."""
        name = f"frame-{digest}"
        try:
            if name not in self._blocks:
                self._blocks.add(name, self._directory.frame(digest))
        except RunError as error:
            self._tell(f"no picture: {error}", planned)
            return None
        return digest

    def _analyzed(self, planned: PlannedEpisode, lines: EpisodeRecord) -> Row:
        """Return ``ways`` and ``chain`` of an episode, each None if unknown."""
        end = lines.end or EpisodeEnd(EndReason.STOPPED)
        try:
            known = self._boards.known(self._directory, planned)
            task = planned.bound(self._directory.task(planned.task)) if known is None else known.world.task
            episode = EpisodeAnalysis(task, lines.header, tuple(lines.steps), end, known)
            ways = None if known is None else ways_of(episode)
        except GridworldError as error:
            self._tell(f"no distances: {error}", planned)
            return {"ways": None, "chain": None}
        if known is not None and ways is None:
            _add(self._notes, f"no distances: {_why_not(known)}", planned)
        return {"ways": ways, "chain": chain_of(episode)}

    def _mechanisms_of(self, planned: PlannedEpisode) -> list[str]:
        """Return the mechanism types in a task's file, even if their plugins are not installed."""
        task = planned.task
        if task not in self._mechanisms:
            folder = self._directory.root / "tasks"
            try:
                found = read_json(folder / f"{checked_digest(task)}.json").get("mechanisms", {})
                self._mechanisms[task] = sorted(name for name, specs in found.items() if specs)
            except (FileError, ValueError, AttributeError) as error:
                self._tell(f"no mechanisms: cannot read a task in {folder}: {error}", planned)
                return []
        return self._mechanisms[task]

    def _tell(self, problem: str, planned: PlannedEpisode) -> None:
        _add(self._problems, problem, planned)


def _add(told: dict[str, list[int]], text: str, planned: PlannedEpisode) -> None:
    numbers = told.setdefault(text, [])
    if numbers[-1:] != [planned.number]:
        numbers.append(planned.number)


def _by_text(told: dict[str, list[int]]) -> dict[str, list[int]]:
    return {text: sorted(numbers) for text, numbers in sorted(told.items())}


def _check_manifest(directory: RunDirectory) -> None:
    """Raise RunError if a manifest contains numbers that cannot be shown."""
    try:
        check_numbers(directory.manifest.to_dict())
    except ValueError as error:
        raise RunError(f"{directory.path}/run.json: {error}") from error


def _board(planned: PlannedEpisode) -> tuple[object, ...]:
    """Return a sort key that groups episodes sharing a state table."""
    return planned.task, planned.tiling or "", planned.max_steps or 0, planned.number


def _why_not(known: KnownTask) -> str:
    """Return the reason why distances are missing."""
    if known.refusal is None:
        return "it cannot be won"
    advice = "" if known.refusal.limit is None else "; 'multinet report' has --max-states to allow more"
    return f"{known.refusal.reason}{advice}"


def _result_row(lines: EpisodeRecord, result: TaskResult | None) -> Row:
    header = lines.header
    row: Row = {
        "state": "unfinished",
        "tier": header.difficulty_tier,
        "mission": header.mission,
        "steps": len(lines.steps),
        "moves": _moves(lines),
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


@attrs.define
class _Spending:
    """Requests and steps of all recorded attempts, of unfinished episodes too."""

    spent: Spent = attrs.Factory(Spent)
    usage: Usage = attrs.Factory(Usage)
    """Usage of the requests that were not answered from a cache; a part that was never reported is None."""
    outcomes: Counter[str] = attrs.Factory(Counter)
    actions: Counter[str] = attrs.Factory(Counter)
    """Number of steps by action, as in ``moves`` of a row."""
    lost_steps: int = 0
    seconds: list[float] = attrs.Factory(list)
    """Measured duration of each request."""

    def add(self, lines: EpisodeRecord) -> None:
        """Add an attempt."""
        requests = list(lines.requests)
        self.spent = self.spent.plus_all(requests)
        self.usage = add_usages([self.usage, *(each.usage for each in requests if not each.cached)])
        self.outcomes.update(each.outcome.value for each in requests)
        self.actions.update(_moves(lines))
        self.lost_steps += sum(step.kind is DecisionKind.LOST for step in lines.steps)
        self.seconds += [each.usage.seconds for each in requests if each.usage and each.usage.seconds]

    def figures(self, prices: Prices | None) -> Row:
        """Return the figures of a run about its spending; a number that is not known is None."""
        is_known = bool(self.outcomes)
        return {
            "lost_steps": self.lost_steps if is_known else None,
            "all_requests": self.spent.requests if is_known else None,
            "prompt_tokens": self.usage.prompt_tokens,
            "completion_tokens": self.usage.completion_tokens,
            "seconds": self.usage.seconds,
            "cost": None if prices is None or not is_known else prices.cost_of(self.usage),
            "cached": self.spent.cached if is_known else None,
        }


def _figures(results: RunResults, rows: list[Row], spending: _Spending) -> dict[str, Any]:
    """Compute the metrics of finished episodes and of groups, and count end reasons, and what all episodes spent."""
    whole = attrs.evolve(results.metrics[0], task_results=results.in_order, tiling=None)
    finished = [row for row in rows if row["state"] == "finished"]
    state, outcomes = results.sequential, count_outcomes([spending.outcomes])
    is_decided = state is not None and state.stopped
    groups = (
        [] if is_decided else [{"name": name, "rows": list(_groups(whole, finished, GROUPS[name]))} for name in GROUPS]
    )
    summary = {**_summary(whole), **spending.figures(whole.prices)}
    if is_decided:
        summary |= {**dict.fromkeys(ESTIMATES), "interval": [None, None]}
    return {
        "whole": summary,
        "sequential": None if state is None else {"stopped": is_decided, "told": state.told},
        "planned": len(rows),
        "finished": len(finished),
        "unfinished": sum(row["state"] == "unfinished" for row in rows),
        "groups": groups,
        "ends": dict(Counter(row["end"] for row in finished).most_common()),
        "outcomes": {name: count for name, count in outcomes.items() if count},
        "useless": describe_useless_answers(outcomes),
        "actions": _named_actions(spending.actions),
    }


ESTIMATES = ("rate", "design_effect", "spl", "spl_interval", "budget", "budget_interval", "steps", "reward", "requests")
"""Figures that are estimates, which a run that stopped when decided cannot give."""


def _moves(lines: EpisodeRecord) -> str:
    """Return the number of the action of each step, and ``-`` for a step without one."""
    return "".join("-" if step.action is None else str(step.action) for step in lines.steps)


def _named_actions(counts: Counter[str]) -> dict[str, int]:
    """Name the counted actions, the most frequent first, and the steps without one; empty before any step."""
    named = {name: counts[str(number)] for number, name in ACTION_SPACE.items()}
    lost = {"none (lost step)": counts["-"]} if counts["-"] else {}
    return dict(sorted({**named, **lost}.items(), key=lambda each: -each[1])) if counts else {}


GROUPS: dict[str, Callable[[Row], Iterable[Any]]] = {
    "Tier": lambda row: [row["tier"]],
    "Tiling": lambda row: [row["tiling"] or "none"],
    "Mechanism": lambda row: row["mechanisms"] or ["none"],
    "Epoch": lambda row: [row["epoch"]],
}
"""Groupings of episodes; an episode may belong to several groups."""


def _groups(whole: SuiteMetrics, rows: list[Row], keys: Callable[[Row], Iterable[Any]]) -> Iterator[Row]:
    """Yield the metrics of each group; `rows` are in the order of the results of `whole`."""
    for key in sorted({key for row in rows for key in keys(row)}):
        chosen = zip(rows, whole.task_results, strict=True)
        results = tuple(result for row, result in chosen if key in keys(row))
        yield {"group": key, **_summary(attrs.evolve(whole, task_results=results))}


def _summary(metrics: SuiteMetrics) -> Row:
    success, spl, budget = metrics.success, metrics.spl_estimate, metrics.budget_share
    return {
        "episodes": metrics.num_tasks,
        "scored": metrics.num_scored,
        "solved": metrics.num_success,
        "mazes": metrics.num_mazes,
        "tasks": len({result.task_id for result in metrics.task_results if result.scored}),
        "rate": success.score,
        "interval": list(success.interval),
        "design_effect": success.design_effect if success.may_be_short else None,
        "spl": spl.score,
        "spl_interval": None if spl.score is None else list(spl.interval),
        "budget": budget.score,
        "budget_interval": None if budget.score is None else list(budget.interval),
        "rated": metrics.num_rated,
        "unsolvable": metrics.num_unsolvable,
        "over_budget": metrics.num_over_budget,
        "steps": metrics.mean_steps if metrics.num_scored else None,
        "reward": metrics.mean_reward if metrics.num_scored else None,
        "requests": metrics.mean_requests if metrics.num_scored else None,
    }


def _latency(seconds: list[float]) -> dict[str, float] | None:
    """Return the median and maximum duration of a request, in seconds; None if not measured."""
    if not seconds:
        return None
    return {"requests": len(seconds), "median": median(seconds), "longest": max(seconds)}
