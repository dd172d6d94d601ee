"""Metrics of a recorded run, computed from its episodes without querying a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

import attrs

from gridworld.errors import ArgumentError, PluginFault, describe_value
from gridworld.plugins import get_registry
from gridworld.plugins.registry import owner_of
from gridworld.support.faults import calling
from gridworld.support.wording import nearest_hint
from gridworld.task_spec import TaskSpecification
from multinet_eval.analysis.metrics.aggregation import Value
from multinet_eval.analysis.metrics.analysed_episodes import Analyst, Group, grouped
from multinet_eval.analysis.metrics.builtin.outcomes import loss, regret_total
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.kept_values import KeptValues, kept_values, value_names
from multinet_eval.analysis.metrics.measured_run import MeasuredEpisode, MeasuredRun
from multinet_eval.analysis.metrics.metric_type import Metric, WeightedMetric, WeightsFile, read_weights_file
from multinet_eval.play.episode import DivergedError
from multinet_eval.record.derived import Derived, Records
from multinet_eval.record.episode_facts import facts_of_run
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.record.sequential_design import scores_of
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS
from multinet_eval.statistics.clusters import base_maze
from multinet_eval.support.parallel import ALONE, Work

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
    work: Work = ALONE,
) -> MeasuredRun:
    """Return the metrics of a run, finished or not, from the latest attempt at each episode.

    Values that are not kept (`kept_values`) are computed: the states of a task on a tiling are tabulated once for all
    its episodes, and one episode is in memory at a time. If a metric raises an error, it has no value for that episode,
    and `MeasuredRun.faults` reports it.

    `loss` is always added to `regret_total`, since a model that dies early has little regret.

    Args:
        directory: the run.
        chosen: the metrics; all installed ones by default.
        max_table_states: maximum number of states; larger tasks have no distances.
        weights: a TOML file with weights of metrics (`load_metrics`).
        backend_arguments: ``key=value`` for credentials, which are not recorded.
        work: how episodes are read and measured; metrics given as objects are computed in this process.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides a metric.
        RunError: an episode cannot be read.
        ArgumentError: the backend needs credentials that are not given; also as `load_metrics` does.
        DivergedError: replaying gives another episode than recorded.
        PluginFault: a metric cannot be imported, or a plugin of the run failed.
    """
    given = chosen if isinstance(chosen, str | Metric | WeightedMetric) else tuple(chosen)
    metrics = _with_loss(load_metrics(given, weights))
    arguments = tuple(backend_arguments)
    measurer = _Measurer(directory, metrics, max_table_states, arguments)
    order = None
    if all(isinstance(each, str) for each in given):
        order = _Order(directory.root, tuple(map(str, given)), max_table_states, weights, arguments)
    return _measured(measurer, work, order)


def measure_with(
    directory: RunDirectory,
    metrics: Mapping[str, Metric[Value]],
    max_table_states: int = MAX_STATES_OF_METRICS,
    backend_arguments: Iterable[str] = (),
    work: Work = ALONE,
) -> MeasuredRun:
    """Return loaded metrics of a run, by name, in this process; raises as `measure_run` does, except for loading."""
    arguments = tuple(backend_arguments)
    return _measured(_Measurer(directory, metrics, max_table_states, arguments), work, None)


def _with_loss(loaded: Mapping[str, Metric[Value]]) -> dict[str, Metric[Value]]:
    metrics: dict[str, Metric[Value]] = {}
    for name, each in loaded.items():
        metrics[name] = each
        if each is regret_total:
            metrics.setdefault("loss", loss)
    return metrics


def _measured(measurer: _Measurer, work: Work, order: _Order | None) -> MeasuredRun:
    """Measure the episodes whose values are not kept.

    Args:
        measurer: measures them in this process.
        work: how they are read and measured.
        order: what worker processes need to measure them; None if they cannot.
    """
    directory, manifest = measurer.directory, measurer.directory.manifest
    design = manifest.sequential
    state = None if design is None else design.state(manifest.plan, scores_of(directory.ends()))
    known = _KnownValues(measurer, work)
    if order is None:
        work = attrs.evolve(work, workers=1)
    parts = work.map(partial(_measure_in_worker, order), known.missing(), "computing metrics", measurer.measure_all)
    try:
        for each in chain.from_iterable(parts):
            known.add(each)
    finally:
        known.save()
    return MeasuredRun(
        name=directory.path.resolve().name,
        model=manifest.model_name,
        suite=manifest.played_suite,
        metrics=measurer.metrics,
        episodes=tuple(known.measured[planned.number] for planned in manifest.plan),
        estimated=state is None or not state.stopped,
    )


class _KnownValues:
    """Measured episodes of a run: those whose values are kept, those without a result, and those that are added.

    Args:
        measurer: measures the others.
        work: how episodes are read.
    """

    def __init__(self, measurer: _Measurer, work: Work) -> None:
        directory = measurer.directory
        self.measured: dict[int, MeasuredEpisode] = {}
        self._plan = directory.manifest.plan
        self._metrics = measurer.metrics
        self._names = value_names(measurer.metrics)
        self._records = Records(directory)
        self._facts = facts_of_run(directory, work, self._records)
        self._kept = measurer.kept_values(self._records)
        tasks = {digest: directory.task(digest) for digest in sorted({each.task for each in self._plan})}
        for planned in self._plan:
            self._find(planned, planned.bound(tasks[planned.task]))

    def _find(self, planned: PlannedEpisode, task: TaskSpecification) -> None:
        facts = self._facts.get(planned.number)
        success, values = False, dict[str, Value]()
        if facts is not None and facts.result is not None:
            success = facts.result.success
            kept = self._kept.get(planned.number) or {}
            told = [name for name, each in self._metrics.items() if facts.result.scored or not each.scored_only]
            if not all(self._names.get(name) in kept for name in told):
                return
            values = {name: kept[self._names[name]] for name in told}
        self.measured[planned.number] = MeasuredEpisode(planned, base_maze(task), task.max_steps, success, values)

    def missing(self) -> list[list[Group]]:
        """List the episodes to measure, in parts."""
        return grouped((each for each in self._plan if each.number not in self.measured), self._records)

    def add(self, measured: MeasuredEpisode) -> None:
        """Add an episode, and keep its values."""
        number = measured.planned.number
        self.measured[number] = measured
        own = {self._names[name]: value for name, value in measured.values.items() if name in self._names}
        self._kept.put(number, {**(self._kept.get(number) or {}), **own})

    def save(self) -> None:
        """Write the values that are kept."""
        self._kept.save()


@attrs.frozen
class _Order:
    """Metrics of a run that a worker process computes; fields as the arguments of `measure_run`."""

    path: Path
    names: tuple[str, ...]
    max_table_states: int
    weights: Path | None
    backend_arguments: tuple[str, ...]


def _measure_in_worker(order: _Order | None, groups: Sequence[Group]) -> list[MeasuredEpisode]:
    assert order is not None
    return _measurer(order).measure_all(groups)


@lru_cache(maxsize=1)
def _measurer(order: _Order) -> _Measurer:
    metrics = _with_loss(load_metrics(order.names, order.weights))
    return _Measurer(RunDirectory(order.path), metrics, order.max_table_states, order.backend_arguments)


class _Measurer:
    """Measures episodes of a run; arguments as for `measure_with`."""

    def __init__(
        self,
        directory: RunDirectory,
        metrics: Mapping[str, Metric[Value]],
        max_table_states: int,
        backend_arguments: Iterable[str],
    ) -> None:
        self.directory = directory
        self.metrics = metrics
        self._max_table_states = max_table_states
        self._backend_arguments = tuple(backend_arguments)
        self._analyst = Analyst(directory, max_table_states, self._backend_arguments)

    def kept_values(self, records: Records) -> Derived[KeptValues]:
        """Read the values that are kept for episodes."""
        return kept_values(self.directory, records, self._max_table_states, self._backend_arguments)

    def measure_all(self, groups: Sequence[Group]) -> list[MeasuredEpisode]:
        """Measure finished episodes."""
        return [_measure(planned, episode, self.metrics) for planned, episode in self._analyst.analyses(groups)]


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
        value: Value = _plain(metric(episode))
        if value is not None and not metric.aggregation.accepts(value):
            expected = metric.aggregation.expected
            raise PluginFault(f"returned {describe_value(value)}, expected {expected}, or None")
    return value


def _plain(value: Any) -> Any:
    """Convert a number or word of a subclass, such as those of NumPy, which JSON may not know."""
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return value
