"""Values of metrics that are kept beside a run, so that they are computed once (`multinet_eval.record.derived`)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from gridworld.plugins import get_registry
from gridworld.plugins.registry import owner_of
from gridworld.support.files import FileError, read_plain
from multinet_eval.analysis.metrics.aggregation import Value
from multinet_eval.analysis.metrics.metric_type import Metric
from multinet_eval.record.derived import Derived
from multinet_eval.record.record_folders import RUN, RunError
from multinet_eval.record.run_directory import RunDirectory

NAME = "metrics"
KeptValues = dict[str, bool | int | float | str | None]
"""Values of an episode by metric (`value_names`)."""


def kept_values(
    directory: RunDirectory, max_table_states: int, backend_arguments: Sequence[str] = ()
) -> Derived[KeptValues]:
    """Read the values that are kept for a run.

    Args:
        directory: the run.
        max_table_states: maximum number of states; larger tasks have no distances.
        backend_arguments: ``key=value`` that the record does not hold.

    Raises:
        RunError: the run cannot be read.
    """
    given = hashlib.blake2b(repr(sorted(backend_arguments)).encode(), digest_size=16).hexdigest()
    maker = f"{replay_digest(directory)} {directory.is_own} {max_table_states} {given}"
    return Derived(directory.root, directory.all_attempts(), NAME, KeptValues, maker)


def replay_digest(directory: RunDirectory) -> str:
    """Return the digest of what a replay depends on: the run, which names its tasks by their hashes, and all plugins.

    Raises:
        RunError: the run cannot be read.
    """
    try:
        content = read_plain(directory.root / RUN.file)
    except FileError as error:
        raise RunError(str(error)) from error
    digest = hashlib.blake2b(content, digest_size=16)
    for record in get_registry().plugins:
        digest.update(f"{record.distribution} {record.version} {record.status}\n".encode())
    for path in _sources():
        digest.update(path.read_bytes())
    return digest.hexdigest()


def value_names(metrics: Mapping[str, Metric[Value]]) -> dict[str, str]:
    """Return the names under which the values of installed metrics are kept; other weights have other names."""
    names = {}
    for name, metric in metrics.items():
        owner = owner_of("metric", metric.source, name)
        if owner.distribution:
            weights = "" if metric.weights is None else f" {metric.weights.sha256}"
            names[name] = f"{owner.distribution}/{metric.__name__}{weights}"
    return names


def _sources() -> Iterator[Path]:
    """Yield the Python files of packages whose code an episode or a metric may use."""
    registry = get_registry()
    modules = {record.module for record in registry.plugins if not record.file}
    for catalog in (registry.backends, registry.tilings, registry.metrics):
        modules |= {each.item.target for each in catalog}
    for package in sorted({module.partition(":")[0].partition(".")[0] for module in modules} | {"gridworld"}):
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            file = Path(spec.origin)
            yield from sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file]
