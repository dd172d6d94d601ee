"""Values of metrics that are kept beside a run, so that they are computed once (`multinet_eval.record.derived`)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from gridworld.plugins import get_registry
from gridworld.support.caches import code_digest
from gridworld.support.files import FileError, read_plain
from gridworld.support.import_strings import loaded_object
from multinet_eval.analysis.metrics.aggregation import Value
from multinet_eval.analysis.metrics.metric_type import Metric
from multinet_eval.record.derived import Derived, Records
from multinet_eval.record.record_folders import RUN, RunError
from multinet_eval.record.run_directory import RunDirectory

NAME = "metrics"
KeptValues = dict[str, bool | int | float | str | None]
"""Values of an episode by metric (`value_names`)."""


def kept_values(
    directory: RunDirectory, records: Records, max_table_states: int, backend_arguments: Sequence[str] = ()
) -> Derived[KeptValues]:
    """Read the values that are kept for a run.

    Args:
        directory: the run.
        records: its episodes.
        max_table_states: maximum number of states; larger tasks have no distances.
        backend_arguments: ``key=value`` that the record does not hold.

    Raises:
        RunError: the run cannot be read.
    """
    maker = analysis_maker(directory, max_table_states, backend_arguments)
    return Derived(directory.root, records, NAME, KeptValues, maker)


def analysis_maker(directory: RunDirectory, max_table_states: int, backend_arguments: Sequence[str] = ()) -> str | None:
    """Return what kept results of analyses depend on besides the records; arguments as for `kept_values`.

    None where `replay_digest` is; raises RunError if the run cannot be read.
    """
    replayed = replay_digest(directory)
    given = hashlib.blake2b(repr(sorted(backend_arguments)).encode(), digest_size=16).hexdigest()
    return None if replayed is None else f"{replayed} {max_table_states} {given}"


def replay_digest(directory: RunDirectory) -> str | None:
    """Return the digest of what a replay depends on: the run, which names its tasks by their hashes, and all plugins.

    None if code has changed since it was loaded, or plugins are files, which may import others.

    Raises:
        RunError: the run cannot be read.
    """
    try:
        content = read_plain(directory.root / RUN.file)
    except FileError as error:
        raise RunError(str(error)) from error
    registry = get_registry()
    if any(record.file for record in registry.plugins):
        return None
    modules = {record.module for record in registry.plugins} | {"gridworld", "multinet_eval"}
    for catalog in (registry.backends, registry.tilings, registry.metrics):
        modules |= {each.item.target for each in catalog}
    code = code_digest(module.partition(":")[0].partition(".")[0] for module in modules)
    if code is None:
        return None
    digest = hashlib.blake2b(content, digest_size=16)
    for record in registry.plugins:
        digest.update(f"{record.distribution} {record.version} {record.status}\n".encode())
    digest.update(f"{code} {directory.is_own}".encode())
    return digest.hexdigest()


def value_names(metrics: Mapping[str, Metric[Value]]) -> dict[str, str]:
    """Return the names under which the values of installed metrics are kept; other weights have other names."""
    installed = {
        id(loaded_object(each.item.target)): f"{each.item.owner.distribution}/{each.item.name}"
        for each in get_registry().metrics
    }
    return {
        name: installed[id(metric.source)] + ("" if metric.weights is None else f" {metric.weights.sha256}")
        for name, metric in metrics.items()
        if id(metric.source) in installed
    }
