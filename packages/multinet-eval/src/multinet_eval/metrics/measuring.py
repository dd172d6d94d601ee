"""`measure_run`: the metrics of a recorded run, computed from its episodes; no model is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path

from gridworld.backends.kernel import KernelBackend
from gridworld.errors import PluginFault, describe_value
from gridworld.plugins import get_registry
from gridworld.plugins.faults import fault_of
from gridworld.support.import_strings import load_object
from gridworld.task_spec import TaskSpecification
from gridworld.world.rules import compile_world
from multinet_eval.asking.moments import DivergedError
from multinet_eval.defaults import MAX_STATES_OF_METRICS
from multinet_eval.metrics.aggregation import Value
from multinet_eval.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.metrics.known_task import KnownTask
from multinet_eval.metrics.measured_run import MeasuredEpisode, MeasuredRun
from multinet_eval.metrics.metric_type import Metric
from multinet_eval.plugin_objects import make_kernel_backend
from multinet_eval.runs.manifest import given_anew
from multinet_eval.runs.plan import PlannedEpisode
from multinet_eval.runs.run_directory import RunDirectory
from multinet_eval.scores.clusters import base_maze

__all__ = ["find_broken_metrics", "load_metrics", "measure_run"]


def load_metrics(names: Iterable[str] = ()) -> dict[str, Metric[Value]]:
    """Name to metric, of installed ones; of all where none is named.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides a name.
        PluginFault: a metric cannot be imported, or is none.
    """
    return {name: _load(name) for name in tuple(names) or get_registry().metrics.names()}


def find_broken_metrics() -> dict[str, PluginFault]:
    """Name to what is wrong, of the installed metrics that cannot be imported, or are none.

    Raises:
        AmbiguousNameError: more than one plugin provides a name.
    """
    broken = {}
    for name in get_registry().metrics.names():
        try:
            _load(name)
        except PluginFault as error:
            broken[name] = error
    return broken


def _load(name: str) -> Metric[Value]:
    catalog = get_registry().metrics
    target, described = catalog.get(name).target, catalog.describe(name)
    try:
        found = load_object(target)
    except PluginFault as error:
        raise PluginFault(f"{described}: {error}") from error
    if not isinstance(found, Metric):
        raise PluginFault(f"{described} is {describe_value(found)}, expected what the decorator 'metric' makes")
    return found


def measure_run(
    directory: RunDirectory, names: Iterable[str] = (), max_table_states: int = MAX_STATES_OF_METRICS
) -> MeasuredRun:
    """The metrics of a run, finished or not, of the latest attempt at each of its episodes.

    The states of a task on a tiling are tabulated once, for all its episodes. One episode is in memory at a time.

    Args:
        directory: the run.
        names: the metrics; all installed ones by default.
        max_table_states: of tasks with more states no distances are known.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides a metric.
        RunError: an episode cannot be read.
        ArgumentError: the backend needs credentials, which are not recorded.
        DivergedError: an episode, played again, is another one than was recorded.
        PluginFault: a metric, or what the run was played on, failed.
    """
    metrics = load_metrics(names)
    measured = {each.planned.number: each for each in _measured(directory, metrics, max_table_states)}
    return MeasuredRun(
        name=directory.path.resolve().name,
        model=directory.manifest.model_name,
        metrics=metrics,
        episodes=tuple(measured[planned.number] for planned in directory.manifest.plan),
    )


def _measured(
    directory: RunDirectory, metrics: Mapping[str, Metric[Value]], max_table_states: int
) -> Iterator[MeasuredEpisode]:
    """All episodes, those of a task on a tiling one after another."""
    grounds, files = _Grounds(directory), directory.all_attempts()
    for _, group in groupby(sorted(directory.manifest.plan, key=_played), key=_played):
        planned = list(group)
        task = planned[0].bound(directory.task(planned[0].task))
        known = grounds.known_task(task, planned[0].tiling, max_table_states)
        for each in planned:
            yield _measure(directory, each, files.get(each.number, []), task, known, metrics)


def _played(planned: PlannedEpisode) -> tuple[str, str, int]:
    """What episodes of one world have in common."""
    return planned.task, planned.tiling or "", planned.max_steps or 0


def _measure(
    directory: RunDirectory,
    planned: PlannedEpisode,
    attempts: list[Path],
    task: TaskSpecification,
    known: KnownTask | None,
    metrics: Mapping[str, Metric[Value]],
) -> MeasuredEpisode:
    lines = directory.latest(attempts)
    base = base_maze(task)
    if lines is None or lines.end is None:
        return MeasuredEpisode(planned, base, False, {})
    episode = EpisodeAnalysis(task, lines.header, lines.steps, lines.end, known)
    asked = {name: each for name, each in metrics.items() if episode.result.scored or not each.scored_only}
    values = {name: _value(name, each, episode) for name, each in asked.items()}
    return MeasuredEpisode(planned, base, episode.result.success, values)


def _value(name: str, metric: Metric[Value], episode: EpisodeAnalysis) -> Value:
    try:
        value = metric(episode)
    except DivergedError:
        raise
    except (Exception, SystemExit) as error:  # a plugin's metric may raise anything
        raise fault_of(error, f"metric '{name}'", f"for an episode of '{episode.task.task_id}'") from error
    if value is not None and not metric.aggregation.accepts(value):
        expected = metric.aggregation.expected
        raise PluginFault(f"metric '{name}' says {describe_value(value)}, expected {expected}, or None")
    return value


class _Grounds:
    """Where the tasks of a run were played; backends are made when they are first needed.

    Args:
        directory: the run.
    """

    def __init__(self, directory: RunDirectory) -> None:
        self._manifest = directory.manifest
        self._backends: dict[str | None, KernelBackend] = {}

    def known_task(self, task: TaskSpecification, tiling: str | None, max_table_states: int) -> KnownTask | None:
        """A task on a tiling; None on a backend that is not built on the kernel."""
        if not self._manifest.ground(tiling).on_kernel:
            return None
        world = compile_world(task, self._backend(tiling).make_topology(task))
        return KnownTask(world, max_table_states)

    def _backend(self, tiling: str | None) -> KernelBackend:
        if tiling not in self._backends:
            settings = self._manifest.settings
            arguments = given_anew(settings.backend_arguments, (), "-B")
            self._backends[tiling] = make_kernel_backend(settings.backend, list(arguments), tiling)
        return self._backends[tiling]
