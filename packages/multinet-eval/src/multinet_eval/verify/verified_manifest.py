"""What ``run.json`` says of a run, found anew from the rest of what it says and from the run's tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from gridworld.errors import GridworldError, Problem, join_path
from gridworld.model_interface import PromptedModel
from gridworld.plugins import get_registry
from gridworld.suites import load_benchmark
from gridworld.suites.recipes import benchmark_recipes
from gridworld.support.import_strings import load_object
from gridworld.task_spec import TaskSpecification
from multinet_eval.record.manifest import Manifest, differing_parts, in_words, installed_versions, make_fingerprint
from multinet_eval.record.plan import plan_episodes
from multinet_eval.settings.budget_factor import Budgets
from multinet_eval.settings.task_hashes import suite_hash
from multinet_eval.verify.json_differences import json_differences

__all__ = ["fingerprint_problems", "plan_problems", "unchecked_parts"]


def plan_problems(
    manifest: Manifest, tasks: Sequence[TaskSpecification], budgets: Budgets | None, place: str
) -> Iterator[Problem]:
    """Where plan and hash of the suite are not those of the tasks.

    Args:
        manifest: what is said.
        tasks: the tasks of the suite, in order.
        budgets: the steps that tasks have, where these are not their own; None if they could not be found, so that
            those of the plan are taken on trust.
        place: its file, for messages.
    """
    settings, known = manifest.settings, budgets
    if known is None:
        known = {(each.task, each.tiling): each.max_steps for each in manifest.plan if each.max_steps is not None}
    plan = plan_episodes(tasks, settings.tilings, range(settings.epochs), settings.seed, budgets=known)
    found = {"suite_hash": manifest.suite_hash, "plan": [attrs.asdict(each) for each in manifest.plan]}
    expected = {"suite_hash": suite_hash(tasks), "plan": [attrs.asdict(each) for each in plan]}
    for each in json_differences(found, expected):
        yield Problem(f"{place}: {each.path}", f"found {each}")


def fingerprint_problems(manifest: Manifest, tasks: Sequence[TaskSpecification], place: str) -> Iterator[Problem]:
    """Where the fingerprint is not that of settings and tasks.

    The digest of the prompt is taken on trust where there has to be one: it takes the model to render it. So are the
    digest of the files that the model was made from, and how seeds of sampling are derived.

    Args:
        manifest: what is said.
        tasks: the tasks of the suite, in order.
        place: its file, for messages.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides the model.
        PluginFault: the model's class cannot be imported.
        GridworldError: the worked examples cannot be found again.
    """
    recorded, settings = manifest.fingerprint, manifest.settings.about(tasks)
    prompt = _expected_prompt(settings.model, recorded.get("prompt"))
    seeding = recorded.get("model", {}).get("seeding")
    expected = make_fingerprint(settings, suite_hash(tasks), prompt, manifest.played_with, seeding, manifest.weights)
    for path, found, right in differing_parts(recorded, expected):
        yield Problem(
            f"{place}: {join_path('fingerprint', path)}", f"found {in_words(found)}, expected {in_words(right)}"
        )


def _expected_prompt(model: str, recorded: str | None) -> str | None:
    """The digest of a model's prompt, as far as it follows from the model's class."""
    target = load_object(get_registry().models.get(model).target)
    prompted = issubclass(target, PromptedModel) if isinstance(target, type) else recorded is not None
    if not prompted:
        return None
    return "a digest" if recorded is None else recorded


def unchecked_parts(manifest: Manifest, place: str) -> Iterator[Problem]:
    """What of it cannot be checked here, and why.

    Args:
        manifest: what is said.
        place: its file, for messages.
    """
    recorded: Mapping[str, Any] = manifest.fingerprint.get("versions", {})
    for name, one, other in differing_parts(recorded, installed_versions(recorded)):
        yield Problem(
            f"{place}: fingerprint.versions.{name}",
            f"it was played with {one}, and here is {other}: what is found to differ may be due to that",
        )
    if manifest.fingerprint.get("prompt") is not None:
        yield Problem(f"{place}: fingerprint.prompt", "it takes the model to render its prompt")
    if manifest.suite in get_registry().benchmarks:
        yield from _unchecked_suite(manifest.suite, manifest.suite_hash, f"{place}: suite")
    for ground in manifest.grounds:
        if not ground.on_kernel:
            yield Problem(
                f"{place}: grounds",
                f"backend '{ground.backend}' is not built on the kernel: its own digests of its states are compared, "
                "and what it would do otherwise is not known",
            )


def _unchecked_suite(name: str, digest: str, place: str) -> Iterator[Problem]:
    """What speaks against a run's tasks being those of the installed suite of that name.

    A part of a suite, such as one of its tiers, and a folder may be called so, too.
    """
    try:
        benchmark = get_registry().benchmarks.get(name)
        if benchmark_recipes(benchmark):
            yield Problem(place, f"the tasks of the installed '{name}' are not generated to compare them")
            return
        installed = suite_hash(load_benchmark(benchmark))
    except GridworldError as error:
        yield Problem(place, f"the tasks of the installed '{name}' cannot be read: {error}")
        return
    if installed != digest:
        yield Problem(
            place,
            f"its tasks are not those of the installed '{name}', which have the hash {installed}: "
            "a part of them, or others of the same name",
        )
