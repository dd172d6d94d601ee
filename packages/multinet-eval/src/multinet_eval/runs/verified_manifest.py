"""What ``run.json`` says of a run, found anew from the rest of what it says and from the run's tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from gridworld.errors import Problem, join_path
from gridworld.task_spec import TaskSpecification
from multinet_eval.runs.json_differences import json_differences
from multinet_eval.runs.manifest import Manifest, differing_parts, in_words, installed_versions, make_fingerprint
from multinet_eval.runs.plan import plan_episodes
from multinet_eval.runs.step_budgets import Budgets
from multinet_eval.task_hashes import suite_hash

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

    The digest of the prompt is taken on trust: it takes the model to render one.

    Args:
        manifest: what is said.
        tasks: the tasks of the suite, in order.
        place: its file, for messages.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides the model.
        GridworldError: the worked examples cannot be found again.
    """
    recorded, settings = manifest.fingerprint, manifest.settings.about(tasks)
    versions = manifest.circumstances.get("versions", {})
    expected = make_fingerprint(settings, suite_hash(tasks), recorded.get("prompt"), versions)
    for path, found, right in differing_parts(recorded, expected):
        yield Problem(
            f"{place}: {join_path('fingerprint', path)}", f"found {in_words(found)}, expected {in_words(right)}"
        )


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
    for ground in manifest.grounds:
        if not ground.on_kernel:
            yield Problem(
                f"{place}: grounds",
                f"backend '{ground.backend}' is not built on the kernel: its own digests of its states are compared, "
                "and what it would do otherwise is not known",
            )
