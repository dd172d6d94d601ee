"""Checks of ``run.json``, and of stored files named after their digests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import attrs

from gridworld.errors import GridworldError, Problem, join_path
from gridworld.explaining.explanation import PROMPTS_VERSION
from gridworld.model_interface.chat_model import ChatModel
from gridworld.plugins import get_registry, type_versions
from gridworld.suites import load_benchmark
from gridworld.suites.named import benchmark_recipes
from gridworld.support.files import FileError, read_plain
from gridworld.task_spec import TaskSpecification
from multinet_eval.record.confirmation import settings_to_replay
from multinet_eval.record.fingerprint import (
    backend_of,
    differing_parts,
    in_words,
    installed_versions,
    make_fingerprint,
    prompt_digest,
    schema_digest,
)
from multinet_eval.record.lines import ASKED, RecordedLine
from multinet_eval.record.manifest import Manifest
from multinet_eval.record.plan import Budgets, plan_episodes, suite_hash, task_hash
from multinet_eval.record.record_folders import TASKS
from multinet_eval.record.run_directory import FRAMES, SCENES, SUFFIXES, TEXTS, RunDirectory
from multinet_eval.record.sent_requests import digests_of_files
from multinet_eval.record.sequential_design import maze_order
from multinet_eval.statistics.clusters import base_maze
from multinet_eval.verify.json_differences import json_differences


class KeptFile(NamedTuple):
    """A file named after the digest of its content."""

    folder: str
    digest: str

    @property
    def place(self) -> str:
        """Path in the run's folder."""
        return f"{self.folder}/{self.digest}{SUFFIXES[self.folder]}"


def kept_files(run: Path) -> Iterator[KeptFile]:
    """Yield the stored files of a run, sorted by name."""
    for folder, suffix in SUFFIXES.items():
        for file in sorted((run / folder).glob(f"*{suffix}")):
            yield KeptFile(folder, file.stem)


def changed_files(run: Path) -> Iterator[Problem]:
    """Report stored files of a run whose content does not match their name."""
    for kept in kept_files(run):
        file = run / kept.place
        try:
            found = blake2b(read_plain(file), digest_size=8).hexdigest()
        except FileError as error:
            yield Problem(str(file), error.problem)
            continue
        if found != kept.digest:
            yield Problem(str(file), f"its content has been changed: it has the digest {found}")


def stray_tasks(run: Path, planned: Iterable[str]) -> Iterator[Problem]:
    """Report task files in a run's folder that are not in its plan.

    Args:
        run: the folder.
        planned: the hashes of the tasks of the plan.
    """
    known = set(planned)
    for file in sorted((run / TASKS).glob("*.json")):
        if file.stem not in known:
            yield Problem(str(file), "there is no such task in the plan")


def files_named(line: RecordedLine) -> Iterator[tuple[str, KeptFile]]:
    """Yield each stored file that an episode line names, with the path in the line."""
    if line.kind == "header":
        scene = line.to_header()[2]
        if scene is not None:
            yield "header.scene", KeptFile(SCENES, scene)
    elif line.kind in ASKED:
        for number, request in enumerate(line.sent):
            for digest in digests_of_files(request):
                yield f"{line.kind}.sent[{number}]", KeptFile(TEXTS, digest)
        if line.frame is not None:
            yield f"{line.kind}.frame", KeptFile(FRAMES, line.frame)


def plan_problems(
    manifest: Manifest, tasks: Sequence[TaskSpecification], budgets: Budgets | None, place: str
) -> Iterator[Problem]:
    """Report where the plan and the suite hash do not match the tasks.

    Args:
        manifest: the manifest.
        tasks: the tasks of the suite, in order.
        budgets: step budgets that differ from the tasks' own; None if unknown, so that the plan is trusted.
        place: file of the manifest, for messages.
    """
    settings, known = manifest.settings, budgets
    if known is None:
        known = {(each.task, each.tiling): each.max_steps for each in manifest.plan if each.max_steps is not None}
    plan = plan_episodes(tasks, settings.tilings, range(settings.epochs), settings.seed, budgets=known)
    found = {"suite_hash": manifest.suite_hash, "plan": [attrs.asdict(each) for each in manifest.plan]}
    expected = {"suite_hash": suite_hash(tasks), "plan": [attrs.asdict(each) for each in plan]}
    for each in json_differences(found, expected):
        yield Problem(f"{place}: {each.path}", f"found {each}")


def sequential_problems(manifest: Manifest, tasks: Sequence[TaskSpecification], place: str) -> Iterator[Problem]:
    """Report where a comparison's mazes and their order do not follow from tasks and seed.

    Rates of the reference are trusted. Arguments are as for `plan_problems`.
    """
    if manifest.sequential is None:
        return
    bases = {task_hash(task): base_maze(task) for task in tasks}
    found = [maze.name for maze in manifest.sequential.mazes]
    for each in json_differences(found, maze_order(set(bases.values()), manifest), "sequential.mazes"):
        yield Problem(f"{place}: {each.path}", f"found {each}")
    for number, maze in enumerate(manifest.sequential.mazes):
        if any(bases[cell.task] != maze.name for cell in maze.cells):
            yield Problem(f"{place}: sequential.mazes[{number}]", f"a task is not a variant of '{maze.name}'")


def fingerprint_problems(
    directory: RunDirectory, tasks: Sequence[TaskSpecification], place: str, model: ChatModel | None
) -> Iterator[Problem]:
    """Report where the fingerprint of a run does not match settings and tasks; arguments are as for `plan_problems`.

    Without the model, the digests of its prompt and of the schema of its answers are trusted, as are that of its files
    and its seed derivation rule in any case.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides the model.
        PluginFault: the model's class cannot be imported.
        GridworldError: the worked examples cannot be found.
    """
    manifest = directory.manifest
    recorded, own = manifest.fingerprint, settings_to_replay(manifest.settings, directory.is_own, directory.path)
    settings = own.about(tasks)
    identity = recorded.get("model", {})
    prompt, schema = _expected_prompt(settings.model, recorded.get("prompt")), identity.get("answer_schema")
    if model is not None:
        prompt, schema = prompt_digest(model, settings), schema_digest(model, settings)
    types = type_versions(tasks)
    expected = make_fingerprint(
        settings,
        suite_hash(tasks),
        prompt,
        manifest.played_with,
        schema,
        identity.get("seeding"),
        manifest.weights,
        types,
    )
    if recorded["prompt_version"] != expected["prompt_version"]:
        expected |= {name: recorded.get(name) for name in ("prompt_version", "explained")}
    for path, found, right in differing_parts(recorded, expected):
        yield Problem(
            f"{place}: {join_path('fingerprint', path)}", f"found {in_words(found)}, expected {in_words(right)}"
        )


def backend_problems(manifest: Manifest, place: str) -> Iterator[Problem]:
    """Report another backend in the settings than in what follows from them; it need not be installed."""
    named = backend_of(manifest.settings)
    name = named.rpartition("/")[2]
    identity = manifest.fingerprint.get("backend")
    found = identity.get("name") if isinstance(identity, dict) else identity
    if str(found).rpartition("/")[2] != name:
        yield Problem(f"{place}: fingerprint.backend.name", f"found {in_words(found)}, expected '{named}'")
    for number, ground in enumerate(manifest.grounds):
        if ground.backend.rpartition("/")[2] != name:
            yield Problem(f"{place}: grounds[{number}].backend", f"found '{ground.backend}', expected '{named}'")


def _expected_prompt(model: str, recorded: str | None) -> str | None:
    """Return the expected digest of a model's prompt, as far as the model's class determines it."""
    target = get_registry().models.get(model).load()
    prompted = issubclass(target, ChatModel) if isinstance(target, type) else recorded is not None
    if not prompted:
        return None
    return "a digest" if recorded is None else recorded


def unchecked_parts(manifest: Manifest, place: str) -> Iterator[Problem]:
    """Report parts of a manifest that cannot be checked here, and why; arguments are as for `plan_problems`."""
    version, recorded = manifest.fingerprint["prompt_version"], manifest.fingerprint.get("versions", {})
    if version != PROMPTS_VERSION:
        yield Problem(
            f"{place}: fingerprint.prompt_version",
            f"the run has version {version} of the prompts, this release has {PROMPTS_VERSION}: texts are not compared",
        )
    for name, one, other in differing_parts(recorded, installed_versions(recorded)):
        yield Problem(
            f"{place}: fingerprint.versions.{name}",
            f"the run was played with {one}, and {other} is installed: differences may be due to that",
        )
    if manifest.suite in get_registry().benchmarks:
        yield from _unchecked_suite(manifest.suite, manifest.suite_hash, f"{place}: suite")
    for ground in manifest.grounds:
        if not ground.on_kernel:
            yield Problem(
                f"{place}: grounds",
                f"backend '{ground.backend}' is not built on the kernel: only its own digests of its states are "
                "compared",
            )


def _unchecked_suite(name: str, digest: str, place: str) -> Iterator[Problem]:
    """Report why a run's tasks may differ from the installed suite of that name, such as one tier of it."""
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
            f"its tasks are not those of the installed '{name}', which have the hash {installed}: they are a part of "
            "it, or another suite of that name",
        )
