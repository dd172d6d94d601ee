"""Data of a recorded run for the page: its settings, its figures, and a row for each episode."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.errors import GridworldError
from gridworld.support.files import FileError, read_json, read_plain
from gridworld.support.png import encode_png
from multinet_eval.analysis.export import Row
from multinet_eval.analysis.metrics.kept_values import replay_digest
from multinet_eval.analysis.mistakes.episode_mistakes import EpisodeMistakes
from multinet_eval.play.recorder import pictures_of
from multinet_eval.record.derived import Derived, Records
from multinet_eval.record.episode_facts import EpisodeFacts, RequestTotals
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.record_folders import TASKS, RunError, checked_digest
from multinet_eval.record.results import ResultsFold, RunResults, readable_tasks
from multinet_eval.record.run_directory import TEXTS, RunDirectory
from multinet_eval.record.suite_metrics import SuiteMetrics, mechanism_groups, observations_of
from multinet_eval.record.summary import summarize_run
from multinet_eval.record.task_result import count_outcomes, describe_useless_answers
from multinet_eval.settings.spending import Prices
from multinet_eval.statistics.clusters import Observation
from multinet_eval.support.parallel import Work
from multinet_eval.verify.shown_requests import inputs_of
from multinet_report.analysis import Boards
from multinet_report.page_episode import EpisodeReader, PageEpisode, read_in_worker
from multinet_report.page_file import Blocks, packed_json
from multinet_report.page_mistakes import add_table
from multinet_report.scene_data import check_numbers, read_scene

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
    directory: RunDirectory,
    name: str,
    blocks: Blocks,
    boards: Boards,
    tell_read: Callable[[], object],
    workers: int = 1,
) -> RunReading:
    """Read a run; the data of each episode goes into its own block.

    Parts of an episode that cannot be read are omitted: the whole episode, its board, or single pictures.

    Args:
        directory: the run.
        name: unique key of the run on the page.
        blocks: blocks of the page.
        boards: solved tasks, shared by all runs of the page.
        tell_read: called after each episode.
        workers: number of processes that read episodes.

    Raises:
        RunError: the run cannot be read at all.
    """
    return _Reader(directory, name, blocks, boards, tell_read).read(workers)


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
        self._scenes: dict[str, dict[str, Any] | None] = {}
        """Scenes by digest; None for one that cannot be shown."""
        self._pictures = 0
        """Number of pictures that were drawn again for the page."""
        self._facts: list[EpisodeFacts] = []
        self._seconds: list[float] = []
        """Measured duration of each request."""
        self._mistakes: dict[int, EpisodeMistakes] = {}
        """Mistakes of the finished episodes by number."""
        self._mechanisms: dict[str, list[str]] = {}
        self._records = Records(directory)
        maker = _maker(directory, boards.max_states)
        self._kept: Derived[PageEpisode] = Derived(
            directory.root,
            self._records,
            "page",
            PageEpisode,
            maker,
        )

    def read(self, workers: int) -> RunReading:
        directory, manifest = self._directory, self._directory.manifest
        _check_manifest(directory)
        read = {}
        try:
            for planned, episode in self._episodes(sorted(manifest.plan, key=_board), workers):
                read[planned.number] = self._row(planned, episode)
                self._tell_read()
        finally:
            self._kept.save()
        rows = [read[each.number] for each in manifest.plan]
        problems, notes = _by_text(self._problems), _by_text(self._notes)
        results = self._fold.results(manifest, readable_tasks(directory))
        summary, mistakes = summarize_run(directory.path), add_table(results, self._mistakes, rows)
        _add_mechanism_groups(rows)
        data = {
            "name": directory.path.resolve().name,
            "model": manifest.model_name,
            "suite": manifest.suite,
            "suite_hash": manifest.suite_hash,
            "created": manifest.created,
            "status": str(summary.status),
            "conditions": manifest.fingerprint,
            "circumstances": manifest.circumstances,
            **_figures(results, rows, self._facts),
            "mistakes": mistakes,
            "latency": _latency(self._seconds),
            "episodes": rows,
            "problems": [list(each) for each in (*problems.items(), *notes.items())],
        }
        return RunReading(data, problems, notes, observations_of(results.in_order))

    def _episodes(self, plan: Sequence[PlannedEpisode], workers: int) -> Iterator[tuple[PlannedEpisode, PageEpisode]]:
        """Yield the episodes, those that are kept without reading them."""
        kept = {each.number: self._kept.get(each.number) for each in plan}
        known = {number: each for number, each in kept.items() if each is not None and self._can_show(each.scene)}
        unread = [(each, self._records.attempts.get(each.number, [])) for each in plan if each.number not in known]
        read = partial(read_in_worker, (self._directory.root, self._boards.max_states))
        here = EpisodeReader(self._directory, self._boards).read_all
        results = Work(workers).map_together(read, unread, "reading episodes", here)
        for planned in plan:
            if planned.number in known:
                yield planned, known[planned.number]
                continue
            episode = next(results)
            is_ended = episode.facts is not None and episode.facts.result is not None
            if episode.block is not None and is_ended and not episode.problems:
                self._kept.put(planned.number, episode)
            yield planned, episode

    def _row(self, planned: PlannedEpisode, episode: PageEpisode) -> Row:
        """Add an episode, its scene and its pictures to the blocks, and return its row."""
        for problem in episode.problems:
            self._tell(problem, planned)
        for note in episode.notes:
            _add(self._notes, note, planned)
        if episode.facts is not None:
            self._facts.append(episode.facts)
            self._seconds += episode.seconds
            self._fold.add_result(planned.number, episode.facts.result, episode.facts.adjustments)
        if episode.mistakes is not None:
            self._mistakes[planned.number] = episode.mistakes
        row: Row = {
            "number": planned.number,
            "task": planned.task,
            "task_id": planned.task_id,
            "tiling": self._directory.manifest.backend_on(planned.tiling).tiling,
            "epoch": planned.epoch,
            "mechanisms": self._mechanisms_of(planned),
            **episode.row,
        }
        if episode.block is None and episode.data is None:
            return row
        scene = self._keep_scene(episode.scene)
        name = f"episode-{self._name}-{planned.number}"
        self._blocks.add_packed(name, self._packed(planned, episode))
        return row | {"scene": scene, "block": name}

    def _can_show(self, scene: str | None) -> bool:
        """Whether the scene with a digest can be shown, if there is one."""
        if scene is not None and scene not in self._scenes:
            try:
                self._scenes[scene] = read_scene(self._directory, scene)
            except RunError:
                self._scenes[scene] = None
        return scene is None or self._scenes[scene] is not None

    def _keep_scene(self, scene: str | None) -> str | None:
        """Return the name of a scene's block, after adding it; None if it cannot be shown."""
        if scene is None or not self._can_show(scene):
            return None
        name = f"scene-{scene}"
        if name not in self._blocks:
            self._blocks.add_json(name, self._scenes[scene])
        return name

    def _packed(self, planned: PlannedEpisode, episode: PageEpisode) -> str:
        """Return the data of an episode for its block, with its pictures."""
        data = episode.data
        if data is None:
            return episode.block or ""
        requests = [*data["pending"], *(each for step in data["steps"] for each in step["requests"])]
        self._draw_seen(planned, requests)
        for request in requests:
            if "frame" in request and "redrawn" not in request:
                request["frame"] = self._keep_frame(request["frame"], planned)
        return packed_json(data)

    def _draw_seen(self, planned: PlannedEpisode, requests: list[Row]) -> None:
        """Draw again what the model saw and no file keeps, and name in each request the picture of recorded digest."""
        seen = [(request, request.pop("seen")) for request in requests]
        unkept = [(request, digests) for request, digests in seen if "frame" not in request]
        wanted = {digest for _, digests in unkept for digest in digests}
        lines = self._directory.latest(self._records.attempts[planned.number]) if wanted else None
        if lines is not None and self._pictures < MOST_PICTURES:
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


def _maker(directory: RunDirectory, max_states: int) -> str | None:
    """Return the digest of all that the page depends on besides the episodes, with the files that a run keeps."""
    replayed = replay_digest(directory)
    if replayed is None:
        return None
    digest = hashlib.blake2b(f"{replayed} {max_states}".encode(), digest_size=16)
    for file in sorted(each for folder in (TASKS, TEXTS) for each in (directory.root / folder).glob("*")):
        try:
            digest.update(f"{file.name} {_content_digest(file)}\n".encode())
        except FileError:
            digest.update(f"{file.name} cannot be read\n".encode())
    return digest.hexdigest()


def _content_digest(file: Path) -> str:
    """Return the digest of a file's content; raises FileError."""
    return hashlib.blake2b(read_plain(file), digest_size=16).hexdigest()


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


def _add_mechanism_groups(rows: Sequence[Row]) -> None:
    """Name in each row its mechanisms, with those that always occur together as one."""
    groups = mechanism_groups({row["task"]: row["mechanisms"] for row in rows}.values())
    for row in rows:
        row["mechanism_groups"] = [" + ".join(names) for names in groups if names[0] in row["mechanisms"]]


def _epochs(rows: Sequence[Row]) -> Row:
    """Return the number of epochs, and whether there are several in which everything went alike."""
    played: dict[tuple[str, str | None], set[tuple[str, str | None]]] = {}
    for row in rows:
        played.setdefault((row["task"], row["tiling"]), set()).add((row.get("moves", ""), row.get("end")))
    number = len({row["epoch"] for row in rows})
    return {"number": number, "equal": number > 1 and all(len(ways) == 1 for ways in played.values())}


def _figures(results: RunResults, rows: list[Row], facts: Sequence[EpisodeFacts]) -> dict[str, Any]:
    """Compute the metrics of finished episodes and of groups, and count end reasons, and what all episodes spent."""
    whole = attrs.evolve(results.metrics[0], task_results=results.in_order, tiling=None)
    finished = [row for row in rows if row["state"] == "finished"]
    state, made = results.sequential, RequestTotals.of(facts)
    is_decided = state is not None and state.stopped
    epochs = _epochs(rows)
    names = [] if is_decided else [name for name in GROUPS if name != "Epoch" or not epochs["equal"]]
    groups = [{"name": name, "rows": list(_groups(whole, finished, GROUPS[name]))} for name in names]
    spent = _spent(made, whole.prices) if facts else dict.fromkeys(_spent(made, None))
    summary = {
        **_summary(whole),
        **_of_repeated_plays(whole),
        **spent,
        "lost_steps": sum(each.lost_steps for each in facts) if facts else None,
    }
    if is_decided:
        summary |= {**dict.fromkeys(ESTIMATES), "interval": [None, None], "pass_rates": []}
    return {
        "whole": summary,
        "sequential": None if state is None else {"stopped": is_decided, "told": state.told},
        "planned": len(rows),
        "finished": len(finished),
        "unfinished": sum(row["state"] == "unfinished" for row in rows),
        "epochs": epochs,
        "groups": groups,
        "ends": dict(Counter(row["end"] for row in finished).most_common()),
        "answers": made.answers,
        "faults": made.faults,
        "fault": _commonest_fault(made),
        "useless": describe_useless_answers(count_outcomes([made.answers])),
        "actions": _named_actions(Counter("".join(row.get("moves", "") for row in rows))),
    }


def _commonest_fault(made: RequestTotals) -> Row | None:
    """Return the commonest kind of fault or unusable answer, and the number of all; None without any."""
    counts = {**made.faults, **made.unusable}
    if not counts:
        return None
    kind = min(counts, key=lambda each: (-counts[each], each))
    return {
        "kind": kind,
        "count": counts[kind],
        "message": made.reasons.get(kind),
        "all": sum(counts.values()),
        "of": sum(made.faults.values()) + sum(made.answers.values()),
    }


def _spent(made: RequestTotals, prices: Prices | None) -> Row:
    """Return what the requests of a run took, all attempts included; a number that is not known is None."""
    return {
        "requests": made.spent.requests,
        "failed_requests": made.spent.failed,
        "cached_requests": made.spent.cached,
        "prompt_tokens": made.usage.prompt_tokens,
        "completion_tokens": made.usage.completion_tokens,
        "cost": made.cost(prices),
    }


ESTIMATES = (
    *("rate", "spl", "spl_interval", "budget", "budget_interval", "steps", "reward", "answered"),
    *("variance_between_mazes", "variance_between_plays", "cost_per_success"),
)
"""Figures that are estimates, which a run that stopped when decided cannot give."""


def _named_actions(counts: Counter[str]) -> dict[str, int]:
    """Name the counted actions, the most frequent first, and the steps without one; empty before any step."""
    named = {name: counts[str(number)] for number, name in ACTION_SPACE.items()}
    lost = {"none (lost step)": counts["-"]} if counts["-"] else {}
    return dict(sorted({**named, **lost}.items(), key=lambda each: -each[1])) if counts else {}


GROUPS: dict[str, Callable[[Row], Iterable[Any]]] = {
    "Tier": lambda row: [row["tier"]],
    "Tiling": lambda row: [row["tiling"] or "none"],
    "Mechanism": lambda row: row["mechanism_groups"] or ["none"],
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
        "episodes": metrics.num_episodes,
        "scored": metrics.num_scored,
        "solved": metrics.num_success,
        "mazes": metrics.num_mazes,
        "tasks": len({result.task_id for result in metrics.task_results if result.scored}),
        "rate": success.score,
        "interval": list(success.interval),
        "spl": spl.score,
        "spl_interval": None if spl.score is None else list(spl.interval),
        "budget": budget.score,
        "budget_interval": None if budget.score is None else list(budget.interval),
        "rated": metrics.num_rated,
        "unsolvable": metrics.num_unsolvable,
        "over_budget": metrics.num_over_budget,
        "steps": metrics.mean_steps if metrics.num_scored else None,
        "reward": metrics.mean_reward if metrics.num_scored else None,
        "answered": metrics.mean_answered if metrics.num_scored else None,
    }


def _of_repeated_plays(metrics: SuiteMetrics) -> Row:
    variance = metrics.success_variance
    return {
        "pass_rates": [each.to_dict() for each in metrics.pass_rates],
        "variance_between_mazes": variance.between_mazes,
        "variance_between_plays": variance.between_plays,
        "cost_per_success": metrics.cost_per_success,
    }


def _latency(seconds: list[float]) -> dict[str, float] | None:
    """Return the median and maximum duration of a request, in seconds; None if not measured."""
    if not seconds:
        return None
    return {"requests": len(seconds), "median": median(seconds), "longest": max(seconds)}
