"""`Manifest`: the contents of ``run.json``: suite, model, settings, fingerprint, circumstances and plan of a run."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import attrs
import cattrs
from cattrs.gen import make_dict_unstructure_fn, override

from gridworld.errors import ArgumentError
from gridworld.model_interface import ModelInterface
from gridworld.model_interface.chat_model import ChatModel
from gridworld.plugins import type_versions
from gridworld.plugins.registry import owner_of, version_of
from gridworld.support.checks import describe_structure_error
from gridworld.support.faults import calling
from gridworld.task_spec import TaskSpecification
from gridworld.world.digest import text_digest
from multinet_eval.record.fingerprint import (
    make_fingerprint,
    prompt_digest,
    schema_digest,
    split_arguments,
    versions_used,
    weights_digest,
    without_credentials,
)
from multinet_eval.record.plan import Budgets, PlannedEpisode, plan_episodes, suite_hash
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.sequential_design import SequentialDesign
from multinet_eval.settings.converting import converter, leave_out
from multinet_eval.settings.defaults import PATIENCE
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.settings.spending import BudgetLimits


@attrs.frozen
class Suite:
    """A suite to be played: a name, and tasks in order."""

    name: str
    tasks: tuple[TaskSpecification, ...]

    @property
    def digest(self) -> str:
        """Hash of the suite's tasks."""
        return suite_hash(self.tasks)


@attrs.frozen
class BackendSettings:
    """A backend as described in results."""

    backend: str
    tiling: str | None
    """Name of the tiling; None for a backend without tilings."""
    on_kernel: bool = True
    """Whether the backend is built on the kernel, so that optima and effects of steps are known."""


@attrs.frozen
class Manifest:
    """Identity of a run."""

    created: str
    """Creation time of the run, ISO 8601 in UTC; does not affect results."""
    suite: str
    suite_hash: str
    model_name: str
    """Name under which results are reported."""
    grounds: tuple[BackendSettings, ...]
    """The backend for each tiling in the settings."""
    settings: RunSettings
    """Settings without credentials."""
    fingerprint: dict[str, Any]
    """Everything that determines the results (`make_fingerprint`)."""
    circumstances: dict[str, Any]
    """Circumstances that do not affect the results, such as addresses, timeouts and patch versions."""
    plan: tuple[PlannedEpisode, ...]
    sequential: SequentialDesign | None = None
    """Comparison that ends the run early; None for a run that plays its whole plan."""
    files: dict[str, str] = attrs.Factory(dict)
    """Digest of the copy of each file on which prompts depend, such as a template, by the argument that names it."""

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready data."""
        plain: dict[str, Any] = converter.unstructure(self)
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Parse the result of `to_dict`; raises `cattrs.BaseValidationError` if the data has another form."""
        return converter.structure(data, cls)

    @property
    def played_suite(self) -> PlayedSuite:
        """The suite as shown in tables."""
        return PlayedSuite(self.suite, self.suite_hash)

    @property
    def suite_tasks(self) -> tuple[str, ...]:
        """Hashes of the suite's tasks, in order."""
        first = self.settings.tilings[:1]
        return tuple(each.task for each in self.plan if each.epoch == 0 and each.tiling in first)

    @property
    def tilings(self) -> tuple[str, ...]:
        """Tilings of the run; empty on a backend without tilings."""
        return tuple(each.tiling for each in self.grounds if each.tiling is not None)

    @property
    def played_with(self) -> dict[str, str]:
        """Versions of the distributions that determine the results."""
        versions = self.circumstances.get("versions")
        return versions if isinstance(versions, dict) else {}

    @property
    def drawn_with(self) -> dict[str, str]:
        """Versions of the libraries on which the pixels of its pictures depend."""
        versions = self.circumstances.get("drawn_with")
        return versions if isinstance(versions, dict) else {}

    @property
    def weights(self) -> str | None:
        """Digest of the model's files; None for a model without files, or if the digest is not recorded."""
        model = self.fingerprint.get("model")
        found = model.get("weights") if isinstance(model, dict) else None
        return found if isinstance(found, str) else None

    def episode(self, number: int) -> PlannedEpisode:
        """Return a planned episode by its number; raises ArgumentError for an unknown number."""
        for planned in self.plan:
            if planned.number == number:
                return planned
        raise ArgumentError(f"no episode {number}: expected a number from 0 to {len(self.plan) - 1}")

    def backend_on(self, tiling: str | None) -> BackendSettings:
        """Return the backend for one of the settings' tilings."""
        return self.grounds[self.settings.tilings.index(tiling)]

    def extended(self, tasks: Sequence[TaskSpecification], epochs: int) -> Manifest:
        """Return a copy with more repetitions of each task; planned episodes keep their numbers.

        Args:
            tasks: the tasks of the plan, in order.
            epochs: the total number of repetitions.
        """
        settings = attrs.evolve(self.settings, epochs=max(epochs, self.settings.epochs))
        new = range(self.settings.epochs, settings.epochs)
        budgets = {(each.task, each.tiling): each.max_steps for each in self.plan if each.max_steps is not None}
        more = plan_episodes(tasks, settings.tilings, new, settings.seed, len(self.plan), budgets)
        return attrs.evolve(self, settings=settings, plan=(*self.plan, *more))


converter.register_unstructure_hook(
    Manifest,
    make_dict_unstructure_fn(
        Manifest, converter, sequential=override(omit_if_default=True), files=override(omit_if_default=True)
    ),
)


def make_manifest(
    settings: RunSettings,
    suite: Suite,
    model: ModelInterface,
    grounds: Iterable[BackendSettings],
    created: str,
    budgets: Budgets | None = None,
) -> Manifest:
    """Make the manifest of a new run, with the installed versions.

    Args:
        settings: the settings of the run.
        suite: its suite.
        model: its model, made from the settings.
        grounds: the backend for each tiling in the settings.
        created: the time, ISO 8601 in UTC.
        budgets: step budgets that differ from the tasks' own.
    """
    versions = versions_used(settings, suite.tasks)
    _, others = split_arguments(settings)
    with calling(owner_of("model", model, model.model_name), "seeding"):
        seeding = model.seeding
    fingerprint = make_fingerprint(
        settings,
        suite.digest,
        prompt_digest(model, settings),
        versions,
        schema_digest(model, settings),
        seeding,
        weights_digest(settings),
        type_versions(suite.tasks),
    )
    return Manifest(
        created=created,
        suite=suite.name,
        suite_hash=suite.digest,
        model_name=model.model_name,
        grounds=tuple(grounds),
        settings=without_credentials(settings),
        fingerprint=fingerprint,
        circumstances={
            "model_arguments": others,
            "versions": versions,
            "python": platform.python_version(),
            "platform": platform.platform(),
            "drawn_with": drawing_versions(),
        },
        plan=plan_episodes(suite.tasks, settings.tilings, range(settings.epochs), settings.seed, budgets=budgets),
        files={name: text_digest(text) for name, text in kept_texts(model).items()},
    )


def drawing_versions() -> dict[str, str]:
    """Return the installed versions of the libraries on which the pixels of pictures depend."""
    return {name: version_of(name) for name in DRAWING}


def kept_texts(model: ModelInterface) -> Mapping[str, str]:
    """Return the text of each file on which a model's prompts depend, by its argument; raises PluginFault."""
    if not isinstance(model, ChatModel):
        return {}
    with calling(owner_of("model", model, model.model_name), "kept_files"):
        return dict(model.kept_files())


DRAWING = ("numpy", "pillow")
"""Distributions beside those of the toolkit on which the pixels of pictures depend."""
DIGEST_SHOWN = 8
"""Number of characters of a suite's hash shown in messages."""


@attrs.frozen
class PlayedSuite:
    """A suite identified by name and hash, so that tables distinguish suites with the same name."""

    name: str
    digest: str
    """Hash of the suite's tasks (`suite_hash`)."""


def suites_told(suites: Iterable[PlayedSuite]) -> str:
    """List distinct suites in order, with the beginnings of their hashes."""
    return ", ".join(f"{each.name} ({each.digest[:DIGEST_SHOWN]})" for each in dict.fromkeys(suites))


def suite_columns(suites: Iterable[PlayedSuite]) -> dict[str, Any]:
    """Return the table columns that describe suites: names and hashes, separated by commas."""
    told = list(dict.fromkeys(suites))
    return {"suite": ", ".join(each.name for each in told), "suite_hash": ", ".join(each.digest for each in told)}


PLAYING = "playing"
"""Name of the circumstance that stores the options."""


@attrs.frozen
class RunOptions:
    """Options that do not affect results."""

    workers: int = attrs.field(default=1, validator=attrs.validators.ge(1))
    """Number of workers, each with one request at a time."""
    batch_size: int = attrs.field(default=1, validator=attrs.validators.ge(1))
    """Number of episodes that each worker plays in lockstep; a batch model receives their requests together."""
    executor: str = "local"
    """Name of an installed executor."""
    limits: BudgetLimits = attrs.Factory(BudgetLimits)
    patience: float = PATIENCE
    """Seconds without any answer from a server before the run stops; 0 to count such faults like others."""
    retry_faults: bool = False
    """Whether to replay episodes that ended with an error."""
    take_over: bool = False
    """Whether to take over the run from a process that is playing it."""


def with_options(circumstances: Mapping[str, Any], options: RunOptions) -> dict[str, Any]:
    """Add options to circumstances, unless the options are the defaults."""
    plain = converter.unstructure(options)
    usual = plain == converter.unstructure(RunOptions())
    return {**without_options(circumstances), **({} if usual else {PLAYING: plain})}


def without_options(circumstances: Mapping[str, Any]) -> dict[str, Any]:
    """Remove options from circumstances."""
    return {name: value for name, value in circumstances.items() if name != PLAYING}


def remembered_options(circumstances: Mapping[str, Any], place: str) -> RunOptions:
    """Read the options from the circumstances of a run, or the defaults; raises RunError if they are damaged.

    Args:
        circumstances: the circumstances.
        place: their file, for messages.
    """
    playing = circumstances.get(PLAYING, {})
    if not isinstance(playing, dict):
        raise RunError(f"{place} is damaged: circumstances.{PLAYING}: expected an object")
    try:
        return converter.structure(playing, RunOptions)
    except cattrs.BaseValidationError as error:
        what = describe_structure_error(error, "options")
        raise RunError(f"{place} is damaged: circumstances.{PLAYING}: {what}") from error


leave_out(RunOptions, "retry_faults", "take_over")  # they hold for one session only
