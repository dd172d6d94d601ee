"""Certification of tasks that an importer reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from gridworld.errors import GridworldError, InvalidTaskError, PluginFault, describe_value
from gridworld.generation.certificate import Bounds, Certificate, NotCertified, prove
from gridworld.generation.importer import Importer, Inexpressible, Level, Unreadable
from gridworld.plugins import get_registry, type_versions
from gridworld.plugins.registry import owner_of, version_of
from gridworld.plugins.tilings import compile_on
from gridworld.support.faults import RAISED, blame, definition_of
from gridworld.support.wording import shorten
from gridworld.task_spec import TaskSpecification

INVALID = "invalid"


@attrs.frozen
class Uncertified:
    """An imported task that could not be certified."""

    level: str
    """The task's id."""
    reason: str
    """One of a few short reasons, such as ``unsolvable``, ``undecided`` or ``budget too small``."""
    detail: str


def read_levels(name: str, importer: Importer, source: str) -> Iterator[Level]:
    """Yield the levels of a source; unexpected errors of the importer become a PluginFault.

    Args:
        name: the importer's name, for messages.
        importer: the importer.
        source: the source to read.

    Raises:
        GridworldError: as `Importer.levels` does.
        PluginFault: the importer failed.
    """
    try:
        levels: object = importer.levels(source)
        if isinstance(levels, str) or not isinstance(levels, Iterable):
            raise _unexpected(importer, f"returned {shorten(describe_value(levels))}", "an iterable of levels")
        for level in levels:
            if not isinstance(level, TaskSpecification | Inexpressible | Unreadable):
                expected = "a TaskSpecification, Inexpressible or Unreadable"
                raise _unexpected(importer, f"yielded {shorten(describe_value(level))}", expected)
            yield level
    except RAISED as error:
        blame(error, owner_of("importer", importer, name), "levels", f"when it read '{source}'", GridworldError)


def _unexpected(importer: Importer, did: str, expected: str) -> PluginFault:
    return PluginFault(f"{did}, expected {expected}", place=definition_of(type(importer).levels))


def origin_of(name: str, source: str) -> dict[str, Any]:
    """Return a task's ``metadata.importer``, which names the importer and the source."""
    provider = get_registry().importers.provider(name)
    return {
        "name": provider.item.name,
        "distribution": provider.distribution,
        "version": version_of(provider.distribution),
        "source": source,
    }


def certify(
    task: TaskSpecification, origin: Mapping[str, Any], tilings: Iterable[str], bounds: Bounds
) -> TaskSpecification | Uncertified:
    """Certify an imported task; returns it with its certificate and unchanged step budget, or why this failed.

    Args:
        task: the task.
        origin: the task's ``metadata.importer``.
        tilings: names of the tilings to certify it for.
        bounds: limits of the solver.

    Raises:
        UnknownNameError: a tiling is not installed.
    """
    try:
        proofs = {tiling: prove(compile_on(tiling, task), bounds) for tiling in tilings}
    except InvalidTaskError as error:
        return Uncertified(task.task_id, INVALID, "; ".join(map(str, error.problems)))
    except NotCertified as error:
        return Uncertified(task.task_id, error.reason, str(error))
    certificate = Certificate.of(proofs, budget={}, bounds=bounds, types=type_versions([task]))
    metadata = {**task.metadata, "importer": dict(origin), "certificate": certificate.to_dict()}
    return attrs.evolve(task, metadata=metadata)
