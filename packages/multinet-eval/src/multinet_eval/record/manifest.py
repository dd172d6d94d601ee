"""`Manifest`: what a run is, as its ``run.json`` says it: what decides its results, its circumstances, and its plan."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit, urlunsplit

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.errors import ArgumentError
from gridworld.explaining.explainer import Explainer
from gridworld.explaining.explanation import Explanation
from gridworld.model_interface import ModelInput, ModelInterface, PromptedModel, PromptText
from gridworld.plugins import get_registry
from gridworld.plugins.arguments import bind_arguments
from gridworld.plugins.catalog import Provided
from gridworld.plugins.faults import blaming
from gridworld.suites import Skipped
from gridworld.support.credentials import credentials_in_path
from gridworld.support.import_strings import load_callable
from gridworld.task_spec import TaskSpecification
from gridworld.world.digest import text_digest
from multinet_eval.record.content_digest import content_digest
from multinet_eval.record.distribution_versions import version_of
from multinet_eval.record.plan import PlannedEpisode, plan_episodes, suite_hash, task_hash
from multinet_eval.record.played_suite import PlayedSuite
from multinet_eval.settings.budget_factor import BY_TASK, Budgets
from multinet_eval.settings.converting import converter
from multinet_eval.settings.defaults import DEFAULT_BACKEND, TILING_BACKEND
from multinet_eval.settings.plugin_objects import make_protocol
from multinet_eval.settings.run_settings import RunSettings

__all__ = [
    "MANIFEST_VERSION",
    "Ground",
    "Manifest",
    "Suite",
    "answering_fingerprint",
    "backend_of",
    "deciding",
    "differences",
    "differing_parts",
    "given_anew",
    "in_words",
    "installed_versions",
    "make_fingerprint",
    "make_manifest",
    "model_fingerprint",
    "without_credentials",
    "without_secret",
]

MANIFEST_VERSION = 3
"""The version of ``run.json``; it grows with every change that an older reader would misunderstand."""

SECRET = re.compile(r"key$|token$|secret|password|credential", re.IGNORECASE)
"""Names of arguments that are likely to hold a credential."""
HIDDEN = "(not recorded)"
DECIDE_NOTHING = ("model_arguments", "compares_tilings", "epochs", "prices", "cache")
"""The settings that decide nothing of an episode, or do as parts of others."""


@attrs.frozen
class Suite:
    """What is played: the name of the suite, and its tasks in order."""

    name: str
    tasks: tuple[TaskSpecification, ...]
    skipped: tuple[Skipped, ...] = ()
    """The files of its folder that hold no valid task."""

    @property
    def digest(self) -> str:
        """The hash of its tasks."""
        return suite_hash(self.tasks)


@attrs.frozen
class Ground:
    """A backend as results name it."""

    backend: str
    tiling: str | None
    """None for a backend that has no tilings."""
    on_kernel: bool = True
    """Whether it is built on the kernel, so that there is an optimum and an account of what steps did."""


@attrs.frozen
class Manifest:
    """What a run is."""

    created: str
    """When it was made, ISO 8601 in UTC; it decides nothing."""
    suite: str
    suite_hash: str
    model_name: str
    """The name under which results are reported."""
    grounds: tuple[Ground, ...]
    """Where each of the settings' tilings is played."""
    settings: RunSettings
    """What was asked for, without credentials."""
    fingerprint: dict[str, Any]
    """All that decides the results, in parts that can be compared one by one."""
    circumstances: dict[str, Any]
    """What does not: addresses, time-outs, patch versions."""
    plan: tuple[PlannedEpisode, ...]
    skipped: tuple[Skipped, ...] = ()
    version: int = MANIFEST_VERSION

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        plain: dict[str, Any] = converter.unstructure(self)
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`.

        Raises:
            cattrs.BaseValidationError: it is not of this form.
        """
        return converter.structure(data, cls)

    @property
    def played_suite(self) -> PlayedSuite:
        """The suite, as tables tell it."""
        return PlayedSuite(self.suite, self.suite_hash)

    @property
    def suite_tasks(self) -> tuple[str, ...]:
        """The hashes of the suite's tasks, in order."""
        first = self.settings.tilings[:1]
        return tuple(each.task for each in self.plan if each.epoch == 0 and each.tiling in first)

    @property
    def tilings(self) -> tuple[str, ...]:
        """What it is played on; none on a backend that has no tilings."""
        return tuple(each.tiling for each in self.grounds if each.tiling is not None)

    @property
    def played_with(self) -> dict[str, str]:
        """Distribution to its whole version, of those that decide the results."""
        versions = self.circumstances.get("versions")
        return versions if isinstance(versions, dict) else {}

    @property
    def weights(self) -> str | None:
        """The digest of the files that the model was made from; None where it has none, or it is not recorded."""
        model = self.fingerprint.get("model")
        found = model.get("weights") if isinstance(model, dict) else None
        return found if isinstance(found, str) else None

    def episode(self, number: int) -> PlannedEpisode:
        """The planned episode of a number; raises ArgumentError if there is none."""
        for planned in self.plan:
            if planned.number == number:
                return planned
        raise ArgumentError(f"no episode {number}: expected a number from 0 to {len(self.plan) - 1}")

    def ground(self, tiling: str | None) -> Ground:
        """Where one of the settings' tilings is played."""
        return self.grounds[self.settings.tilings.index(tiling)]

    def extended(self, tasks: Sequence[TaskSpecification], epochs: int) -> Manifest:
        """The same with more repetitions of each task; those that are planned keep their numbers.

        Args:
            tasks: the tasks of the plan, in order.
            epochs: how many repetitions there are to be.
        """
        settings = attrs.evolve(self.settings, epochs=max(epochs, self.settings.epochs))
        new = range(self.settings.epochs, settings.epochs)
        budgets = {(each.task, each.tiling): each.max_steps for each in self.plan if each.max_steps is not None}
        more = plan_episodes(tasks, settings.tilings, new, settings.seed, len(self.plan), budgets)
        return attrs.evolve(self, settings=settings, plan=(*self.plan, *more))


def make_manifest(
    settings: RunSettings,
    suite: Suite,
    model: ModelInterface,
    grounds: Iterable[Ground],
    created: str,
    budgets: Budgets | None = None,
) -> Manifest:
    """The manifest of a new run, with what is installed here.

    Args:
        settings: what is asked for.
        suite: what is played.
        model: the model, made as the settings say.
        grounds: where each of the settings' tilings is played.
        created: the time, ISO 8601 in UTC.
        budgets: the steps that tasks have, where these are not their own.
    """
    versions = dict(_versions(settings, suite))
    _, beside = _split_arguments(settings)
    prompt, weights = _prompt_digest(model, settings), _weights_digest(settings)
    return Manifest(
        created=created,
        suite=suite.name,
        suite_hash=suite.digest,
        model_name=model.model_name,
        grounds=tuple(grounds),
        settings=without_credentials(settings),
        fingerprint=make_fingerprint(settings, suite.digest, prompt, versions, _seeding(model), weights),
        circumstances={
            "model_arguments": beside,
            "versions": versions,
            "python": platform.python_version(),
            "platform": platform.platform(),
        },
        plan=plan_episodes(suite.tasks, settings.tilings, range(settings.epochs), settings.seed, budgets=budgets),
        skipped=suite.skipped,
    )


def make_fingerprint(
    settings: RunSettings,
    suite: str,
    prompt: str | None,
    versions: Mapping[str, str],
    seeding: str | None,
    weights: str | None,
) -> dict[str, Any]:
    """All that decides the results of a run, in parts that can be compared one by one.

    Args:
        settings: what is asked for.
        suite: the hash of the suite's tasks.
        prompt: the digest of the model's prompt; None for a model without one.
        versions: distribution to its whole version.
        seeding: how the model derives seeds of its sampling (`ModelInterface.seeding`); None where none decide.
        weights: the digest of the files that the model is made from; None for a model without any.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides the model.
    """
    parts = deciding(settings)
    told = {"seeding": seeding, "weights": weights}
    parts["model"] |= {name: each for name, each in told.items() if each is not None}
    return {
        "suite": suite,
        **parts,
        "prompt": prompt,
        "examples": _example_hashes(settings),
        "explained": _explained_digest(settings),
        "versions": {name: _minor(text) for name, text in versions.items()},
    }


def differing_parts(
    first: Mapping[str, Any], second: Mapping[str, Any], place: str = ""
) -> Iterator[tuple[str, Any, Any]]:
    """What is not the same in two fingerprints or circumstances: its path and both values, None for what is missing."""
    for name in sorted({*first, *second}):
        path, one, other = f"{place}{name}", first.get(name), second.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            yield from differing_parts(one, other, f"{path}.")
        elif one != other:
            yield path, one, other


def differences(recorded: Mapping[str, Any], present: Mapping[str, Any]) -> Iterator[str]:
    """The same in words, of what is recorded and what is found now: ``path: recorded, now present``."""
    for path, one, other in differing_parts(recorded, present):
        yield f"{path}: {in_words(one)} in the run, {in_words(other)} now"


def given_anew(recorded: Iterable[str], given: Iterable[str], option: str) -> tuple[str, ...]:
    """Recorded arguments, ``key=value``, with those that are given in their place.

    Args:
        recorded: as the manifest has them.
        given: what is given anew, or in addition.
        option: the option that gives one, for messages.

    Raises:
        ArgumentError: a credential is missing.
    """
    arguments = {text.partition("=")[0]: text for text in (*recorded, *given)}
    hidden = [name for name, text in arguments.items() if HIDDEN in text]
    if hidden:
        raise ArgumentError(f"credentials are not recorded: give {option} {hidden[0]}=... again")
    return tuple(arguments.values())


def deciding(settings: RunSettings) -> dict[str, Any]:
    """What of settings decides the results of an episode: JSON-ready, without credentials, in parts to be compared."""
    plain = without_credentials(settings).to_dict()
    arguments, factor = plain.pop("backend_arguments"), settings.budget_factor
    named = {
        "model": model_fingerprint(settings),
        "backend": {"name": backend_of(settings), "arguments": list(arguments)},
        "budget_factor": None if factor == BY_TASK else factor,
    }
    return {name: value for name, value in {**plain, **named}.items() if name not in DECIDE_NOTHING}


def without_credentials(settings: RunSettings) -> RunSettings:
    """Settings as they are recorded."""
    return attrs.evolve(
        settings,
        model_arguments=tuple(map(without_secret, settings.model_arguments)),
        backend_arguments=tuple(map(without_secret, settings.backend_arguments)),
    )


def backend_of(settings: RunSettings) -> str:
    """The name of the backend that the settings lead to."""
    return settings.backend or (DEFAULT_BACKEND if settings.tilings == (None,) else TILING_BACKEND)


def model_fingerprint(settings: RunSettings) -> dict[str, Any]:
    """What the model is: its name, and its arguments that decide what it answers."""
    deciding, _ = _split_arguments(settings)
    return {"name": settings.model, "arguments": deciding}


def answering_fingerprint(settings: RunSettings) -> dict[str, Any]:
    """`model_fingerprint` plus weights and the version of the distribution that reads replies."""
    provided: Provided[Any] = get_registry().models.provider(settings.model)
    weights = _weights_digest(settings)
    known = {**model_fingerprint(settings), "version": _minor(version_of(provided.distribution))}
    return known if weights is None else {**known, "weights": weights}


def installed_versions(distributions: Iterable[str]) -> dict[str, str]:
    """Distribution to the version that is installed here, as fingerprints have it; ``unknown`` where none is."""
    return {name: _minor(version_of(name)) for name in distributions}


def in_words(value: Any) -> str:
    """A part of a fingerprint in a message."""
    if isinstance(value, list):
        return ", ".join(map(in_words, value)) or "nothing"
    return "nothing" if value is None else str(value)


def _split_arguments(settings: RunSettings) -> tuple[list[str], list[str]]:
    """The model's arguments that decide what it answers, and the others, sorted and without credentials."""
    beside = set(get_registry().models.get(settings.model).circumstances)
    deciding: list[str] = []
    others: list[str] = []
    for text in sorted(settings.model_arguments):
        (others if text.partition("=")[0] in beside else deciding).append(without_secret(text))
    return deciding, others


def _weights_digest(settings: RunSettings) -> str | None:
    """The digest of the files that the model's arguments name; None where they name none."""
    info = get_registry().models.get(settings.model)
    try:
        given = bind_arguments(load_callable(info.target), settings.model_arguments, f"model '{settings.model}'")
    except ArgumentError:  # it was made in Python, with arguments of its own
        return None
    named = {
        name: value
        for name, value in given.items()
        if isinstance(value, str | Path) and name not in info.circumstances and not SECRET.search(name)
    }
    return content_digest({name: value for name, value in named.items() if info.files is None or name in info.files})


def without_secret(argument: str) -> str:
    """``key=value`` without what looks like a credential, also in an address."""
    name, equals, value = argument.partition("=")
    if SECRET.search(name):
        return f"{name}={HIDDEN}"
    return f"{name}{equals}{_without_login(value)}"


def _without_login(value: str) -> str:
    """An address without the user's name, password and query, and what looks like a credential in its path.

    Anything else is returned as it is.
    """
    if "://" not in value:
        return value
    parts, secret = urlsplit(value), credentials_in_path(value)
    path = "/".join(HIDDEN if segment in secret else segment for segment in parts.path.split("/"))
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], path=path, query="", fragment=""))


SAMPLE = ModelInput(
    image=None,
    text_prompt="the mission",
    action_space=dict(ACTION_SPACE),
    step_number=1,
    max_steps=2,
    additional_context="the history",
    text_observation="the text view",
    explanation=Explanation("the legend", "the rules", examples="the examples"),
    correction="the correction",
    feedback="the feedback",
    note="the note",
)
"""A question with every text that there can be."""


def _prompt_digest(model: ModelInterface, settings: RunSettings) -> str | None:
    """The digest of all texts of a prompt; None for a model without prompts."""
    if not isinstance(model, PromptedModel):
        return None
    form = settings.presentation.form_of(make_protocol(settings.protocol).reply)
    with blaming(f"model '{model.model_name}'", "when its prompt was rendered"):
        parts = model.rendered_prompt(attrs.evolve(SAMPLE, reply=form))
    return text_digest("\n".join(part.text for part in parts if isinstance(part, PromptText)))


def _seeding(model: ModelInterface) -> str | None:
    with blaming(f"model '{model.model_name}'", "when it was asked how it derives seeds"):
        return model.seeding


def _example_hashes(settings: RunSettings) -> list[str] | None:
    """The tasks that are shown solved, in order; None where none are."""
    if settings.briefing is None or not settings.briefing.examples:
        return None
    return [task_hash(task) for task in settings.briefing.examples]


def _explained_digest(settings: RunSettings) -> str | None:
    """The digest of what plugins say of all that can occur; None where nothing is explained."""
    if settings.presentation.explain == "none" or settings.briefing is None:
        return None
    return Explainer(settings.briefing.vocabulary).digest()


def _versions(settings: RunSettings, suite: Suite) -> Iterator[tuple[str, str]]:
    """The distributions that decide the results, with their versions."""
    registry = get_registry()
    used: list[Provided[Any]] = [
        registry.models.provider(settings.model),
        registry.backends.provider(backend_of(settings)),
        registry.protocols.provider(settings.protocol.partition(":")[0]),
    ]
    used += [registry.tilings.provider(tiling) for tiling in settings.tilings if tiling is not None]
    used += [registry.observations.provider(name) for name in settings.presentation.format.texts]
    used += [registry.goals.provider(name) for name in {task.goal.type for task in suite.tasks}]
    types = {name for task in suite.tasks for name, _ in task.mechanisms.groups()}
    used += [registry.mechanisms.provider(name) for name in types]
    for name in sorted({"gridworld-core", "multinet-eval", *(each.distribution for each in used)}):
        yield name, version_of(name)


def _minor(text: str) -> str:
    """A version without its patch number, which changes no result."""
    return ".".join(text.split(".")[:2])
