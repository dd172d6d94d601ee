"""Making the tasks of a recipe: draw, certify, check the required properties, and drop duplicates.

Each task is found independently, from seeds derived from the recipe and the task's number. The result therefore does
not depend on how many processes share the work, or on whether a part was done before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

import attrs

from gridworld.errors import AmbiguousNameError, InvalidTaskError, PluginFault, UnknownNameError, describe_value
from gridworld.generation.budgets import BUDGET_FACTOR, is_timed, steps_allowed, with_ample_budget
from gridworld.generation.canonical import canonical_form
from gridworld.generation.certificate import (
    DEFAULT_BOUNDS,
    Bounds,
    Certificate,
    NotCertified,
    Origin,
    Proof,
    prove_searched,
    search,
)
from gridworld.generation.generator import Drawing, Generator, NothingDrawn
from gridworld.generation.measures import MEASURES, compared, unmet_claims, with_comparison
from gridworld.generation.recipe import Band, Recipe, derive_seed, variations
from gridworld.plugins import get_registry, type_versions
from gridworld.plugins.registry import version_of
from gridworld.plugins.tilings import compile_on
from gridworld.solver.search import TaskSearches
from gridworld.support.faults import calling
from gridworld.support.wording import shorten
from gridworld.task_spec import TaskSpecification

ANY_SIZE = (-1.0, float("inf"))


class SizeSearch:
    """Chooses the generator of each attempt, searching for the size that gives the required plan length.

    Args:
        generators: the generators of the recipe, at least one.
        length: the required plan length, if any.
    """

    def __init__(self, generators: Sequence[Generator], length: Band | None) -> None:
        self._generators = [(_size(each), each) for each in generators]
        self._length = length
        self._nearest: int | None = None
        self._too_small, self._too_large = ANY_SIZE

    @property
    def nearest(self) -> int | None:
        """Plan length found so far that is nearest to the required band; None if no length is known."""
        return self._nearest

    def choose(self, seed: int) -> Generator:
        """Return the generator of the next attempt."""
        fitting = [each for size, each in self._generators if self._too_small < size < self._too_large]
        if not fitting:  # no size is right for all mazes
            self._too_small, self._too_large = ANY_SIZE
            fitting = [each for _, each in self._generators]
        return fitting[derive_seed(seed, "parameters") % len(fitting)]

    def learn(self, generator: Generator, lengths: Sequence[int]) -> None:
        """Narrow the range of sizes after a rejected attempt, unless its plan lengths lie on both sides of the band."""
        if self._length is None or not lengths:
            return
        for length in lengths:
            if self._nearest is None or self._length.distance(length) < self._length.distance(self._nearest):
                self._nearest = length
        if max(lengths) < self._length.least:
            self._too_small = max(self._too_small, _size(generator))
        elif min(lengths) > self._length.most:
            self._too_large = min(self._too_large, _size(generator))


def _size(generator: Generator) -> int:
    """Return the ``size`` parameter, which plan lengths grow with; 0 for a generator without one."""
    size = generator.parameters.get("size")
    return size if isinstance(size, int) else 0


DUPLICATE = "like an earlier task"


@attrs.frozen
class Job:
    """One task, or set of tasks, to find; `number` runs from 0 to ``recipe.count - 1``."""

    recipe: Recipe
    number: int


@attrs.frozen
class Made:
    """The tasks found for a job."""

    job: Job
    tasks: tuple[TaskSpecification, ...]
    """One task, or a set of tasks, with certificates."""
    form: str
    """Canonical form of the task whose id sorts first."""
    refused: Mapping[str, int]
    """Number of rejected attempts by reason."""

    @classmethod
    def of(cls, job: Job, tasks: Iterable[TaskSpecification], refused: Mapping[str, int]) -> Made:
        """Build the result of a job from its tasks."""
        in_order = tuple(sorted(tasks, key=lambda task: task.task_id))
        return cls(job, in_order, canonical_form(in_order[0]), refused)


@attrs.frozen
class Missed:
    """A job for which no task was found."""

    job: Job
    refused: Mapping[str, int]
    nearest: int | None
    """Plan length nearest to the required band; None if no length is known."""


Found = Made | Missed
"""The result of a job."""


class Refused(Exception):
    """A drawing is rejected; `reason` is a phrase suitable for counting, and `lengths` are the known plan lengths."""

    def __init__(self, reason: str, lengths: tuple[int, ...] = ()) -> None:
        self.reason, self.lengths = reason, lengths
        super().__init__(reason)


def jobs_of(recipes: Iterable[Recipe]) -> list[Job]:
    """Return the jobs of recipes, in order."""
    return [Job(recipe, number) for recipe in recipes for number in range(recipe.count)]


def make(job: Job, bounds: Bounds = DEFAULT_BOUNDS, first: int = 0) -> Found:
    """Find the task, or set of tasks, of a job.

    Args:
        job: the job.
        bounds: limits of the solver.
        first: the first attempt.

    Raises:
        UnknownNameError, AmbiguousNameError, PluginFault, ArgumentError: as `variations` does.
        PluginFault: the generator failed, or a task needs a mechanism or goal type that is not installed.
    """
    recipe = job.recipe
    sizes = SizeSearch(variations(recipe), recipe.length)
    refused: Counter[str] = Counter()
    for attempt in range(first, recipe.max_attempts):
        seed = recipe.seed_of(job.number, attempt)
        generator = sizes.choose(seed)
        try:
            tasks = _attempt(generator, seed, job, bounds)
        except Refused as refusal:
            refused[refusal.reason] += 1
            sizes.learn(generator, refusal.lengths)
            continue
        return Made.of(job, [_named(task, seed, job) for task in tasks], refused)
    return Missed(job, refused, sizes.nearest)


def one_by_one(jobs: Sequence[Job]) -> Iterator[Found]:
    """Return the results of jobs, computed in this process."""
    return map(make, jobs)


def find_missing(
    jobs: Sequence[Job], there: Mapping[Job, Made], find_all: Callable[[Sequence[Job]], Iterator[Found]]
) -> Iterator[Found]:
    """Return the results of jobs in order, without duplicates, reusing earlier results.

    Args:
        jobs: all jobs.
        there: results found before.
        find_all: maps jobs to the results of `make`, in order; `one_by_one`, for example.
    """
    made = find_all([job for job in jobs if job not in there])
    return without_duplicates(there[job] if job in there else next(made) for job in jobs)


def without_duplicates(found: Iterable[Found], bounds: Bounds = DEFAULT_BOUNDS) -> Iterator[Found]:
    """Yield results in order, replacing duplicates of earlier results by searching on; raises as `make` does."""
    forms: set[str] = set()
    for each in found:
        single = _unlike(forms, each, bounds)
        if isinstance(single, Made):
            forms.add(single.form)
        yield single


def _unlike(forms: Container[str], found: Found, bounds: Bounds) -> Found:
    refused = Counter(found.refused)
    while isinstance(found, Made) and found.form in forms:
        refused[DUPLICATE] += 1
        found = make(found.job, bounds, refused.total())
        refused.update(found.refused)
    counted = dict(sorted(refused.items()))
    told = attrs.evolve(found, refused=counted)
    return attrs.evolve(told, tasks=_with_refused(told.tasks, counted)) if isinstance(told, Made) else told


def _with_refused(tasks: Iterable[TaskSpecification], refused: Mapping[str, int]) -> tuple[TaskSpecification, ...]:
    """Return the tasks with the rejected attempts noted in their certificates."""
    return tuple(
        attrs.evolve(
            task, metadata={**task.metadata, "certificate": {**task.metadata["certificate"], "refused": refused}}
        )
        for task in tasks
    )


def make_all(recipes: Iterable[Recipe]) -> Iterator[Found]:
    """Return the results of all jobs of recipes, in order, without duplicates; raises as `make` does."""
    jobs = (Job(recipe, number) for recipe in recipes for number in range(recipe.count))
    return without_duplicates(map(make, jobs))


def _attempt(generator: Generator, seed: int, job: Job, bounds: Bounds) -> tuple[TaskSpecification, ...]:
    """Return the certified tasks of a seed; raises `Refused`."""
    recipe = job.recipe
    drawing = _draw(generator, seed, recipe)
    _expect_types(drawing, recipe)
    try:
        searches = [_searches(task, recipe.tilings, bounds) for task in drawing.tasks]
        for each in searches:
            _refuse_lengths(each, recipe)
        proofs = [{tiling: prove_searched(one, bounds) for tiling, one in each.items()} for each in searches]
    except InvalidTaskError as error:
        raise Refused("invalid") from error
    except NotCertified as error:
        raise Refused(error.reason) from error
    for task, proved in zip(drawing.tasks, proofs, strict=True):
        for name in MEASURES:
            if name in recipe.parameters and any(
                MEASURES[name](task, proof) != generator.parameters[name] for proof in proved.values()
            ):
                raise Refused(f"outside the {name}")
    for unmet in unmet_claims(drawing, proofs):
        raise Refused(unmet)
    origin = _origin(generator, seed, job, len(drawing.tasks))
    whole = zip(drawing.tasks, proofs, compared(drawing.tasks, proofs), strict=True)
    return tuple(
        _certified(task, with_comparison(_certificate(task, proved, origin, recipe, bounds), result), recipe)
        for task, proved, result in whole
    )


def _draw(generator: Generator, seed: int, recipe: Recipe) -> Drawing:
    with calling(get_registry().generators.get(recipe.family).owner, "draw", f"from the seed {seed}"):
        try:
            drawn: object = generator.draw(seed)
            if not isinstance(drawn, Drawing) or {type(task) for task in drawn.tasks} != {TaskSpecification}:
                expected = "a Drawing of TaskSpecifications"
                raise PluginFault(f"returned {shorten(describe_value(drawn))}, expected {expected}")
            return drawn
        except NothingDrawn as nothing:
            reason = str(nothing)
    raise Refused(f"not drawn: {reason}")


def _expect_types(drawing: Drawing, recipe: Recipe) -> None:
    """Raise PluginFault if a task needs a type that no plugin provides, since no other seed would help."""
    registry = get_registry()
    try:
        for task in drawing.tasks:
            registry.goals.get(task.goal.type)
            for name, _ in task.mechanisms.groups():
                registry.mechanisms.get(name)
    except (UnknownNameError, AmbiguousNameError) as error:
        raise PluginFault(f"generator '{recipe.family}' draws tasks that cannot be played here: {error}") from error


def _searches(task: TaskSpecification, tilings: Iterable[str], bounds: Bounds) -> dict[str, TaskSearches]:
    ample = with_ample_budget(task)
    return {tiling: TaskSearches(compile_on(tiling, ample), bounds.max_states) for tiling in tilings}


def _refuse_lengths(searches: Mapping[str, TaskSearches], recipe: Recipe) -> None:
    """Raise `Refused` for a wrong plan length; this is cheaper than proving everything first."""
    if recipe.length is None:
        return
    lengths = []
    for each in searches.values():
        lengths.append(len(search(each)))
        if lengths[-1] not in recipe.length:
            raise Refused("outside the length", tuple(lengths))


def _origin(generator: Generator, seed: int, job: Job, count: int) -> Origin:
    family = job.recipe.family
    distribution = get_registry().generators.provider(family).distribution
    return Origin(
        name=family,
        distribution=distribution,
        version=version_of(distribution),
        parameters=generator.parameters,
        seed=seed,
        recipe=job.recipe.digest,
        number=job.number,
        tasks=count,
    )


def _certificate(
    task: TaskSpecification, proofs: Mapping[str, Proof], origin: Origin, recipe: Recipe, bounds: Bounds
) -> Certificate:
    lengths = {} if is_timed(task) else {tiling: len(proof.plan) for tiling, proof in proofs.items()}
    budget = {tiling: steps_allowed(length, recipe.budget_factor) for tiling, length in lengths.items()}
    return Certificate.of(proofs, budget=budget, bounds=bounds, generator=origin, types=type_versions([task]))


def _certified(task: TaskSpecification, certificate: Certificate, recipe: Recipe) -> TaskSpecification:
    """Return the task with its certificate; tasks of a set also get a budget factor for equal slack on all tilings."""
    slack = {BUDGET_FACTOR: recipe.budget_factor} if certificate.held and certificate.budget else {}
    return attrs.evolve(
        task,
        max_steps=max(certificate.budget.values(), default=task.max_steps),
        metadata={**task.metadata, **slack, "certificate": certificate.to_dict()},
    )


def _named(task: TaskSpecification, seed: int, job: Job) -> TaskSpecification:
    """Return the task with a unique id and its seed."""
    base = f"{job.recipe.family}-{job.number:04d}-{derive_seed(job.recipe.digest, seed) % 16**6:06x}"
    variant = task.metadata.get("variant")
    if variant is None:
        return attrs.evolve(task, task_id=base, seed=seed)
    together = {"base_id": base, "pair_id": base, **task.metadata}
    return attrs.evolve(task, task_id=f"{base}-{variant}", seed=seed, metadata=together)
