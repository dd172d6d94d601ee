"""Metrics of a recorded run, computed from its episodes without querying a model."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import attrs

from gridworld.errors import ArgumentError, PluginFault, UnknownNameError, describe_value
from gridworld.plugins import get_registry
from gridworld.plugins.registry import owner_of
from gridworld.support.faults import calling
from gridworld.support.wording import nearest_hint
from multinet_eval.analysis.metrics.aggregation import Measurement, Summary, Value
from multinet_eval.analysis.metrics.builtin.outcomes import loss, regret_total
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.known_tasks import KnownTasks
from multinet_eval.analysis.metrics.metric_type import Metric, WeightedMetric, WeightsFile, read_weights_file
from multinet_eval.play.episode import DivergedError
from multinet_eval.record.export import Row
from multinet_eval.record.manifest import PlayedSuite, suite_columns
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.record.sequential_design import scores_of
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS
from multinet_eval.statistics.clusters import base_maze


@attrs.frozen
class MeasuredEpisode:
    """A planned episode with its metrics."""

    planned: PlannedEpisode
    base: str
    """Base maze of the episode's task."""
    budget: int
    """Step budget of the episode."""
    success: bool
    values: Mapping[str, Value]
    """Values by metric, None if undefined; omits metrics of missing episodes and metrics that failed."""
    faults: Mapping[str, str] = attrs.field(factory=dict)
    """Errors of the metrics that failed, by metric."""

    def tells(self, metric: str) -> bool:
        """Whether the episode counts for a metric: the metric has a value, or the episode is missing."""
        return metric not in self.faults and self.values.get(metric, "missing") is not None

    def measurement(self, metric: str) -> Measurement:
        """Return the episode's value of a metric as a measurement."""
        cell = (self.planned.task, self.planned.tiling)
        return Measurement(self.base, cell, self.values.get(metric), self.success, self.budget)


@attrs.frozen
class MeasuredRun:
    """Values of metrics for the episodes of a run."""

    name: str
    """Name of the run's folder, shown in rows."""
    model: str
    suite: PlayedSuite
    metrics: Mapping[str, Metric[Value]]
    episodes: tuple[MeasuredEpisode, ...]
    """Episodes in the order of the plan."""
    estimated: bool = True
    """Whether intervals are estimated; False for a run that stopped when decided, whose results determined its mazes.
    """

    def table(self, by: str) -> list[Row]:
        """Return one of the tables.

        Args:
            by: what a row stands for: ``run``, ``task`` or ``episode``.

        Raises:
            UnknownNameError: there is no such table.
        """
        if by not in BY:
            raise UnknownNameError("table", by, BY, listed_as="there are")
        return list(BY[by](self))

    def run_rows(self) -> Iterator[Row]:
        """Yield one row per metric, or per word of a metric with words.

        ``category`` is None, a word whose share is the value, or, for amounts and steps, ``median`` or ``share of
        budget``. ``mazes`` and ``episodes`` count mazes and episodes with a value, ``undefined`` the episodes for which
        the metric is undefined, ``missing`` the missing ones, and ``failed`` those for which the metric raised an
        error. ``value`` is None without any episode; the 95 % interval and the bounds are None if unknown (`Summary`,
        `estimated`). ``weights_sha256`` is the hash of the file with the metric's weights, None for a metric without
        weights.
        """
        for metric in self.metrics:
            for summary in self._summaries(metric, self.episodes):
                yield {
                    "run": self.name,
                    "model": self.model,
                    **suite_columns([self.suite]),
                    **_said(metric, summary),
                    **_range("interval", summary.interval if self.estimated else None),
                    "interval_may_be_short": self.estimated and summary.may_be_short,
                    **_range("bounds", summary.bounds if self.estimated else None),
                    "mazes": len({each.base for each in self.episodes if each.values.get(metric) is not None}),
                    **_counts(metric, self.episodes),
                    **self._weights(metric),
                }

    def task_rows(self) -> Iterator[Row]:
        """Yield the rows of each task on each of its tilings, without the columns that need several mazes."""
        groups: dict[tuple[str, str | None], list[MeasuredEpisode]] = defaultdict(list)
        for each in self.episodes:
            groups[each.planned.task, each.planned.tiling].append(each)
        for group in groups.values():
            planned = group[0].planned
            place = {
                "run": self.name,
                "model": self.model,
                **suite_columns([self.suite]),
                "task_id": planned.task_id,
                "tiling": planned.tiling,
            }
            for metric in self.metrics:
                for summary in (each for each in self._summaries(metric, group) if not each.of_mazes):
                    yield {**place, **_said(metric, summary), **_counts(metric, group), **self._weights(metric)}

    def episode_rows(self) -> Iterator[Row]:
        """Yield one row per planned episode, with a column per metric, None without a value.

        A metric with weights has an additional column with the hash of their file, such as
        ``composite_weights_sha256``.
        """
        weights = {f"{name}_weights_sha256": one.weights.sha256 for name, one in self.metrics.items() if one.weights}
        for each in self.episodes:
            planned = each.planned
            yield {
                "run": self.name,
                "model": self.model,
                **suite_columns([self.suite]),
                "episode": planned.number,
                "task_id": planned.task_id,
                "tiling": planned.tiling,
                "epoch": planned.epoch,
                "base": each.base,
                **{name: one.aggregation.of_episode(each.measurement(name)) for name, one in self.metrics.items()},
                **weights,
            }

    def faults(self) -> dict[str, tuple[str, int]]:
        """Return, for each metric that failed, its first error and the number of episodes concerned."""
        failed = [(name, told) for each in self.episodes for name, told in each.faults.items()]
        counts = Counter(name for name, _ in failed)
        return {name: (told, counts[name]) for name, told in reversed(failed)}

    def _weights(self, metric: str) -> Row:
        weights = self.metrics[metric].weights
        return {"weights_sha256": None if weights is None else weights.sha256}

    def _summaries(self, metric: str, episodes: Sequence[MeasuredEpisode]) -> list[Summary]:
        measurements = [each.measurement(metric) for each in episodes if each.tells(metric)]
        return self.metrics[metric].aggregation.summarize(measurements)


BY: Mapping[str, Callable[[MeasuredRun], Iterator[Row]]] = {
    "run": MeasuredRun.run_rows,
    "task": MeasuredRun.task_rows,
    "episode": MeasuredRun.episode_rows,
}
"""Row generators by the unit of a row, such as an episode or a task."""


def _said(metric: str, summary: Summary) -> Row:
    return {"metric": metric, "category": summary.category, "value": summary.value}


def _range(name: str, ends: tuple[float, float] | None) -> Row:
    low, high = ends or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


def _counts(metric: str, episodes: Sequence[MeasuredEpisode]) -> Row:
    """Count the episodes with a value, without one, missing, and failed."""
    known = [each.values[metric] for each in episodes if metric in each.values]
    defined, failed = sum(value is not None for value in known), sum(metric in each.faults for each in episodes)
    return {
        "episodes": defined,
        "undefined": len(known) - defined,
        "missing": len(episodes) - len(known) - failed,
        "failed": failed,
    }


Choice = str | Metric[Value] | WeightedMetric[Any]
"""Name of an installed metric, or a metric object."""


@attrs.frozen
class _Loaded:
    name: str
    """Name of the metric's values."""
    table: str
    """Name of the metric's table of weights."""
    metric: Metric[Value] | WeightedMetric[Any]


def load_metrics(chosen: Iterable[Choice] = (), weights: Path | None = None) -> dict[str, Metric[Value]]:
    """Load the given metrics, or all installed ones.

    A metric object gets the name of its function. If several plugins provide a name, all of these metrics have the
    qualified name ``distribution/name``.

    Args:
        chosen: the metrics.
        weights: a TOML file with a table of weights for one or more of them; the others have their bundled weights.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides a name.
        ArgumentError: `chosen` is not a list of names and metrics, or two metrics have the same name; the weights
            cannot be read, or belong to none of these metrics.
        PluginFault: a metric cannot be imported or is invalid.
    """
    file = None if weights is None else read_weights_file(weights)
    loaded = _load_all(chosen)
    weighted = {each.table for each in loaded if isinstance(each.metric, WeightedMetric)}
    if file is not None and not file.tables:
        raise ArgumentError(f"{weights}: there are no weights, expected a table for each metric, such as [composite]")
    for table in () if file is None else file.tables:
        if table not in weighted:
            told = f"{weights}: {table}: no computed metric with this name has weights"
            raise ArgumentError(f"{told}{nearest_hint(table, weighted)}")
    return {each.name: _with_weights(each, file) for each in loaded}


def _load_all(chosen: Iterable[Choice]) -> list[_Loaded]:
    """Return the chosen metrics without duplicates."""
    if isinstance(chosen, str | Metric | WeightedMetric):
        given = repr(chosen) if isinstance(chosen, str) else f"the metric '{chosen.__name__}'"
        raise ArgumentError(f"metrics: got {given} alone, expected a list of metrics and their names, such as ['spl']")
    loaded: dict[str, _Loaded] = {}
    for each in tuple(chosen) or metric_names():
        found = _load_choice(each)
        if loaded.setdefault(found.name, found).metric is not found.metric:
            raise ArgumentError(f"metrics: two are called '{found.name}'; rename one of the functions")
    return list(loaded.values())


def _load_choice(choice: object) -> _Loaded:
    if isinstance(choice, Metric | WeightedMetric):
        return _Loaded(choice.__name__, choice.__name__, choice)
    if not isinstance(choice, str):
        said = f"metrics: got {describe_value(choice)}"
        raise ArgumentError(f"{said}, expected the name of a metric, or the result of the decorator 'metric'")
    return _Loaded(choice, get_registry().metrics.get(choice).name, _load(choice))


def _with_weights(loaded: _Loaded, file: WeightsFile | None) -> Metric[Value]:
    if isinstance(loaded.metric, Metric):
        return loaded.metric
    own = file if file is not None and loaded.table in file.tables else None
    return loaded.metric.with_weights(loaded.table, own)


def metric_names() -> list[str]:
    """Return an unambiguous name for each installed metric, sorted."""
    return sorted(names[0] for names, _ in get_registry().metrics.entries())


def find_broken_metrics() -> dict[str, PluginFault]:
    """Return the errors of the installed metrics that cannot be imported or are invalid."""
    broken = {}
    for name in metric_names():
        try:
            _load(name)
        except PluginFault as error:
            broken[name] = error
    return broken


def _load(name: str) -> Metric[Value] | WeightedMetric[Any]:
    info = get_registry().metrics.get(name)
    found: object = info.load()
    if not isinstance(found, Metric | WeightedMetric):
        problem = f"it is {describe_value(found)}, expected the result of the decorator 'metric'"
        raise PluginFault(problem, info.owner, "target")
    return found


def measure_run(
    directory: RunDirectory,
    chosen: Iterable[Choice] = (),
    max_table_states: int = MAX_STATES_OF_METRICS,
    weights: Path | None = None,
    backend_arguments: Iterable[str] = (),
) -> MeasuredRun:
    """Compute the metrics of a run, finished or not, from the latest attempt at each episode.

    The states of a task on a tiling are tabulated once for all its episodes. One episode is in memory at a time. If a
    metric raises an error, it has no value for that episode, and `MeasuredRun.faults` reports it.

    `loss` is always added to `regret_total`, since a model that dies early has little regret.

    Args:
        directory: the run.
        chosen: the metrics; all installed ones by default.
        max_table_states: maximum number of states; larger tasks have no distances.
        weights: a TOML file with weights of metrics (`load_metrics`).
        backend_arguments: ``key=value`` for credentials, which are not recorded.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides a metric.
        RunError: an episode cannot be read.
        ArgumentError: the backend needs credentials that are not given; also as `load_metrics` does.
        DivergedError: replaying gives another episode than recorded.
        PluginFault: a metric cannot be imported, or a plugin of the run failed.
    """
    metrics: dict[str, Metric[Value]] = {}
    for name, each in load_metrics(chosen, weights).items():
        metrics[name] = each
        if each is regret_total:
            metrics.setdefault("loss", loss)
    return measure_with(directory, metrics, max_table_states, backend_arguments)


def measure_with(
    directory: RunDirectory,
    metrics: Mapping[str, Metric[Value]],
    max_table_states: int = MAX_STATES_OF_METRICS,
    backend_arguments: Iterable[str] = (),
) -> MeasuredRun:
    """Compute loaded metrics of a run, by name; raises as `measure_run` does, except for loading."""
    manifest = directory.manifest
    grounds = KnownTasks(manifest, directory.tasks(), max_table_states, backend_arguments)
    design = manifest.sequential
    state = None if design is None else design.state(manifest.plan, scores_of(directory.ends()))
    measured = {each.planned.number: each for each in _measured(directory, metrics, grounds)}
    return MeasuredRun(
        name=directory.path.resolve().name,
        model=manifest.model_name,
        suite=manifest.played_suite,
        metrics=metrics,
        episodes=tuple(measured[planned.number] for planned in manifest.plan),
        estimated=state is None or not state.stopped,
    )


def _measured(
    directory: RunDirectory, metrics: Mapping[str, Metric[Value]], grounds: KnownTasks
) -> Iterator[MeasuredEpisode]:
    """Yield all episodes, with the episodes of a task on a tiling next to each other."""
    files = directory.all_attempts()
    for _, group in groupby(sorted(directory.manifest.plan, key=_played), key=_played):
        planned = list(group)
        tiling = planned[0].tiling
        task = planned[0].bound(directory.task(planned[0].task))
        known, suite = grounds.known_task(task, tiling), grounds.known_suite(tiling)
        for each in planned:
            lines = directory.latest(files.get(each.number, []))
            if lines is None or lines.end is None:
                yield MeasuredEpisode(each, base_maze(task), task.max_steps, False, {})
            else:
                episode = EpisodeAnalysis(task, lines.header, tuple(lines.steps), lines.end, known, suite)
                yield _measure(each, episode, metrics)


def _played(planned: PlannedEpisode) -> tuple[str, str, int]:
    """Return a key that identifies the world of an episode."""
    return planned.task, planned.tiling or "", planned.max_steps or 0


def _measure(
    planned: PlannedEpisode, episode: EpisodeAnalysis, metrics: Mapping[str, Metric[Value]]
) -> MeasuredEpisode:
    values: dict[str, Value] = {}
    faults: dict[str, str] = {}
    for name, each in metrics.items():
        if episode.result.scored or not each.scored_only:
            try:
                values[name] = _value(name, each, episode)
            except PluginFault as fault:
                faults[name] = str(fault)
    task = episode.task
    return MeasuredEpisode(planned, base_maze(task), task.max_steps, episode.result.success, values, faults)


def _value(name: str, metric: Metric[Value], episode: EpisodeAnalysis) -> Value:
    owner = owner_of("metric", metric.source, name)
    with calling(owner, metric.__name__, f"for an episode of '{episode.task.task_id}'", DivergedError):
        value = metric(episode)
        if value is not None and not metric.aggregation.accepts(value):
            expected = metric.aggregation.expected
            raise PluginFault(f"returned {describe_value(value)}, expected {expected}, or None")
    return value
