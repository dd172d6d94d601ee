"""Proves anew what the certificates of tasks say."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version

import attrs

from gridworld.errors import GridworldError, InvalidTaskError, Problem
from gridworld.generation.certificate import Certificate, NotCertified, prove, read_certificate
from gridworld.generation.generator import NothingDrawn
from gridworld.generation.recipe import generator_class
from gridworld.plugins import get_registry
from gridworld.plugins.tilings import compile_on
from gridworld.solver import replay
from gridworld.task_spec import TaskSpecification
from gridworld.world import Status

__all__ = ["Verified", "verify"]

PLACE = "metadata.certificate"
PROVED = ("optimal_length", "necessary", "safe", "difficulty")


@attrs.frozen
class Verified:
    """What became of a certificate."""

    task_id: str
    problems: tuple[Problem, ...]
    """What is not so, by its place in the file."""
    notes: tuple[str, ...]
    """What could not be looked at."""

    @property
    def ok(self) -> bool:
        """Whether all that was looked at is so."""
        return not self.problems


def verify(task: TaskSpecification) -> Verified:
    """Prove a task's certificate anew: play its plans, search for shorter ones, and draw it from its seed again.

    Raises:
        UnknownNameError: it is certified on a tiling that is not installed.
    """
    try:
        certificate = read_certificate(task)
    except GridworldError as error:
        return Verified(task.task_id, (Problem("", str(error)),), ())
    try:
        problems = [problem for tiling in certificate.optimal_length for problem in _proofs(task, certificate, tiling)]
    except InvalidTaskError as error:
        return Verified(task.task_id, error.problems, ())
    drawn, notes = _drawn_again(task, certificate)
    return Verified(task.task_id, (*problems, *drawn), tuple(notes))


def _proofs(task: TaskSpecification, certificate: Certificate, tiling: str) -> Iterator[Problem]:
    world = compile_on(tiling, task)
    length = certificate.optimal_length[tiling]
    plan = certificate.plan.get(tiling, ())
    if len(plan) != length or replay(world, plan)[-1].status != Status.SUCCEEDED:
        yield Problem(f"{PLACE}.plan.{tiling}", f"is no plan of {length} actions that solves the task")
    if length > task.max_steps:
        yield Problem(f"{PLACE}.optimal_length.{tiling}", f"{length} is beyond the task's max_steps, {task.max_steps}")
    try:
        proof = prove(world, certificate.bounds)
    except NotCertified as error:
        yield Problem(PLACE, str(error))
        return
    stated = attrs.asdict(certificate, recurse=False)
    found = attrs.asdict(Certificate.of({tiling: proof}, budget={}, bounds=certificate.bounds), recurse=False)
    for name in PROVED:
        if stated[name].get(tiling) != found[name][tiling]:
            yield Problem(f"{PLACE}.{name}.{tiling}", f"says {stated[name].get(tiling)}, and is {found[name][tiling]}")


def _drawn_again(task: TaskSpecification, certificate: Certificate) -> tuple[list[Problem], list[str]]:
    """Problems and notes about where a task comes from."""
    origin = certificate.generator
    if origin is None:
        return [], [] if "importer" in task.metadata else ["it does not say where it comes from"]
    if origin.name not in get_registry().generators:
        return [], [f"generator '{origin.name}' is not installed, so it was not drawn again"]
    installed = version(get_registry().generators.provider(origin.name).distribution)
    if installed != origin.version:
        return [], [f"it was drawn by {origin.distribution} {origin.version}; {installed} is installed"]
    try:
        drawing = generator_class(origin.name)(**origin.parameters).draw(origin.seed)
    except (NothingDrawn, TypeError, ValueError) as error:
        return [Problem(f"{PLACE}.generator", f"cannot be drawn: {error}")], []
    if any(_essence(each) == _essence(task) for each in drawing.tasks):
        return [], []
    return [Problem(f"{PLACE}.generator", f"'{origin.name}' draws another task from seed {origin.seed}")], []


def _essence(task: TaskSpecification) -> TaskSpecification:
    """What the generator decides of a task."""
    variant = {"variant": task.metadata.get("variant")}
    return attrs.evolve(task, task_id="", seed=0, max_steps=0, description="", metadata=variant)
