"""Verification of certificates by proving them again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import attrs

from gridworld.errors import AmbiguousNameError, GridworldError, InvalidTaskError, Problem, UnknownNameError
from gridworld.generation.certificate import SOLVER, Certificate, NotCertified, Proof, prove, read_certificate
from gridworld.generation.generator import Drawing
from gridworld.generation.measures import compared, unmet_claims, with_comparison
from gridworld.generation.recipe import generator_class
from gridworld.plugins import get_registry, type_versions
from gridworld.plugins.registry import version_of
from gridworld.plugins.tilings import compile_on
from gridworld.solver import replay
from gridworld.support.faults import calling
from gridworld.task.routes import ROUTES
from gridworld.task_spec import TaskSpecification
from gridworld.world import Status

PLACE = "metadata.certificate"
PROVED = ("optimal_length", "necessary", "safe", "difficulty", "routes")
COMPARED = ("held", "varied")


@attrs.frozen
class Verified:
    """The result of verifying a certificate."""

    task_id: str
    problems: tuple[Problem, ...]
    """False statements, with their field paths."""
    notes: tuple[str, ...]
    """Parts that could not be checked."""

    @property
    def ok(self) -> bool:
        """Whether no problem was found."""
        return not self.problems


def set_of(task: TaskSpecification) -> tuple[str, int] | None:
    """Return a key shared by all tasks drawn together; None for a task that was not generated."""
    try:
        origin = read_certificate(task).generator
    except GridworldError:
        return None
    return None if origin is None else (origin.recipe, origin.number)


def verify(task: TaskSpecification) -> Verified:
    """Verify the certificate of a single task, as `verify_together` does."""
    return verify_together([task])[0]


def verify_together(tasks: Sequence[TaskSpecification]) -> list[Verified]:
    """Verify the certificates of tasks that were drawn together.

    Replays their plans, searches for shorter ones, compares the tasks with each other, and draws them again from their
    seed. Other statements, such as descriptions and rejected attempts, are not checked.
    """
    checks = [_check(task) for task in tasks]
    whole = [check for check in checks if check.certificate is not None]
    together = list(_as_a_set(whole))
    notes: tuple[str, ...] = ()
    if whole:
        drawing, problems, notes = _drawn_again(whole[0].task, whole[0].stated)
        if whole[0].stated.solver != SOLVER:
            notes += (f"its plans were found by {whole[0].stated.solver} and verified by {SOLVER}",)
        notes += tuple(_other_types(whole))
        together += problems
        if drawing is not None:
            together += _claims(drawing, whole)
            for check in whole:
                check.problems += _unlike(check, drawing)
    return [Verified(each.task.task_id, (*each.problems, *together), notes if each in whole else ()) for each in checks]


@attrs.define
class _Check:
    """A task and its findings."""

    task: TaskSpecification
    certificate: Certificate | None = None
    proofs: dict[str, Proof] = attrs.field(factory=dict)
    problems: list[Problem] = attrs.field(factory=list)

    @property
    def stated(self) -> Certificate:
        """The task's certificate, which must exist."""
        assert self.certificate is not None
        return self.certificate


def _check(task: TaskSpecification) -> _Check:
    """Check a task without the rest of its set."""
    check = _Check(task)
    try:
        check.certificate = read_certificate(task)
    except GridworldError as error:
        check.problems.append(Problem("", str(error)))
        return check
    try:
        for tiling in check.certificate.optimal_length:
            check.problems += _proofs(check, tiling)
    except InvalidTaskError as error:
        check.problems = list(error.problems)
    except (UnknownNameError, AmbiguousNameError) as error:
        check.problems.append(Problem(PLACE, str(error)))
    budget = check.certificate.budget
    if budget and max(budget.values()) != task.max_steps:
        check.problems.append(
            Problem("max_steps", f"{task.max_steps} is not the largest budget, {max(budget.values())}")
        )
    return check


def _proofs(check: _Check, tiling: str) -> Iterator[Problem]:
    task, certificate = check.task, check.stated
    world = compile_on(tiling, task)
    length = certificate.optimal_length[tiling]
    plan = certificate.plan.get(tiling, ())
    if len(plan) != length or replay(world, plan)[-1].status != Status.SUCCEEDED:
        yield Problem(f"{PLACE}.plan.{tiling}", f"not a plan of {length} actions that solves the task")
    if length > task.max_steps:
        yield Problem(f"{PLACE}.optimal_length.{tiling}", f"{length} is beyond the task's max_steps, {task.max_steps}")
    try:
        proof = check.proofs[tiling] = prove(world, certificate.bounds)
    except NotCertified as error:
        yield Problem(PLACE, str(error))
        return
    found = Certificate.of({tiling: proof}, budget={}, bounds=certificate.bounds)
    yield from _differences(certificate, found, PROVED, tiling)


def _differences(stated: Certificate, found: Certificate, names: Iterable[str], tiling: str) -> Iterator[Problem]:
    said, so = attrs.asdict(stated, recurse=False), attrs.asdict(found, recurse=False)
    for name in names:
        if said[name].get(tiling) != so[name].get(tiling):
            yield Problem(f"{PLACE}.{name}.{tiling}", f"says {said[name].get(tiling)}, but is {so[name].get(tiling)}")


def _as_a_set(checks: Sequence[_Check]) -> Iterator[Problem]:
    """Yield the problems of the whole set; add false comparisons to the task whose certificate states them."""
    if not checks:
        return
    origin = checks[0].stated.generator
    expected = 1 if origin is None else origin.tasks
    if len(checks) != expected:
        there = ", ".join(str(check.task.metadata.get("variant", check.task.task_id)) for check in checks)
        yield Problem("", f"{expected} tasks belong together, of which {len(checks)} are here: {there}")
    elif _all_proved(checks):
        results = compared([check.task for check in checks], [check.proofs for check in checks])
        for check, result in zip(checks, results, strict=True):
            found = with_comparison(check.stated, result)
            for tiling in check.proofs:
                check.problems += _differences(check.stated, found, COMPARED, tiling)


def _all_proved(checks: Sequence[_Check]) -> bool:
    """Whether all tasks are proved on the same tilings; if not, a problem has been reported already."""
    return all(check.proofs.keys() == checks[0].stated.optimal_length.keys() for check in checks)


def _claims(drawing: Drawing, checks: Sequence[_Check]) -> Iterator[Problem]:
    """Yield the false claims of the generator about the tasks of a set."""
    by_variant = {check.task.metadata.get("variant"): check.proofs for check in checks}
    variants = [task.metadata.get("variant") for task in drawing.tasks]
    if set(variants) == by_variant.keys() and len(checks) == len(variants) and _all_proved(checks):
        for unmet in unmet_claims(drawing, [by_variant[variant] for variant in variants]):
            yield Problem(f"{PLACE}.generator", unmet)


def _drawn_again(
    task: TaskSpecification, certificate: Certificate
) -> tuple[Drawing | None, list[Problem], tuple[str, ...]]:
    """Draw again from the same seed, if possible; return the drawing, problems and notes."""
    origin = certificate.generator
    if origin is None:
        return None, [], () if "importer" in task.metadata else ("it does not say where it comes from",)
    if origin.name not in get_registry().generators:
        return None, [], (f"generator '{origin.name}' is not installed, so it was not drawn again",)
    distribution = get_registry().generators.provider(origin.name).distribution
    installed = (distribution, version_of(distribution))
    if installed != (origin.distribution, origin.version):
        stated = f"{origin.distribution} {origin.version}"
        return None, [], (f"it was drawn by {stated}; {' '.join(installed)} is installed, so it was not drawn again",)
    try:
        with calling(get_registry().generators.get(origin.name).owner, "draw", f"from the seed {origin.seed}"):
            return generator_class(origin.name)(**origin.parameters).draw(origin.seed), [], ()
    except GridworldError as error:
        return None, [Problem(f"{PLACE}.generator", f"cannot be drawn: {error}")], ()


def _other_types(checks: Sequence[_Check]) -> Iterator[str]:
    """Yield a note for each type whose certified version differs from the installed one."""
    for check in checks:
        stated, installed = check.stated.types, type_versions([check.task])
        for name in sorted({*stated, *installed}):
            if stated.get(name) != installed.get(name):
                yield (
                    f"{check.task.task_id}: {name} was certified in version {stated.get(name) or 'unknown'} "
                    f"and verified in version {installed.get(name) or 'unknown'}"
                )


def _unlike(check: _Check, drawing: Drawing) -> Iterator[Problem]:
    origin = check.stated.generator
    if origin is not None and all(_essence(each) != _essence(check.task) for each in drawing.tasks):
        yield Problem(f"{PLACE}.generator", f"'{origin.name}' draws another task from seed {origin.seed}")


def _essence(task: TaskSpecification) -> TaskSpecification:
    """Return a copy of a task reduced to the fields that its generator decides."""
    said = {name: task.metadata.get(name) for name in ("variant", ROUTES)}
    return attrs.evolve(task, task_id="", seed=0, max_steps=0, description="", metadata=said)
