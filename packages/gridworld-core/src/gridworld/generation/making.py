"""Makes the tasks of a recipe: drawn, certified, inside the bands that are asked for, and no two alike.

Each task is found by itself, from seeds that follow from the recipe and its number, so that it does not matter how many
processes share the work, or whether some of it was done before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version

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
from gridworld.generation.measures import MEASURES, Measure, compared, unmet_claims, with_comparison
from gridworld.generation.recipe import Band, Recipe, derive_seed, variations
from gridworld.plugins import get_registry, type_versions
from gridworld.plugins.faults import blaming
from gridworld.plugins.tilings import compile_on
from gridworld.solver.search import TaskSearches
from gridworld.support.wording import shorten
from gridworld.task_spec import TaskSpecification

ANY_SIZE = (-1.0, float("inf"))


class Aim:
    """Chooses a generator for each attempt, the next one among larger ones after a task that was too short.

    Args:
        generators: those that the recipe allows; at least one.
        length: the lengths that are asked for; None if any will do.
    """

    def __init__(self, generators: Sequence[Generator], length: Band | None) -> None:
        self._generators = [(_size(each), each) for each in generators]
        self._length = length
        self._nearest: int | None = None
        self._too_small, self._too_large = ANY_SIZE

    @property
    def nearest(self) -> int | None:
        """The length that came nearest to those that are asked for; None if none is known."""
        return self._nearest

    def choose(self, seed: int) -> Generator:
        """The generator of the next attempt."""
        fitting = [each for size, each in self._generators if self._too_small < size < self._too_large]
        if not fitting:  # no size is right for all mazes
            self._too_small, self._too_large = ANY_SIZE
            fitting = [each for _, each in self._generators]
        return fitting[derive_seed(seed, "parameters") % len(fitting)]

    def learn(self, generator: Generator, lengths: Sequence[int]) -> None:
        """Take note of how long the tasks of an attempt were; nothing is learnt of lengths on both sides."""
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
    """The parameter that lengths grow with; 0 for a generator without it."""
    size = generator.parameters.get("size")
    return size if isinstance(size, int) else 0


DUPLICATE = "like an earlier task"


@attrs.frozen
class Job:
    """A number of a recipe, from 0 to ``recipe.count - 1``."""

    recipe: Recipe
    number: int


@attrs.frozen
class Made:
    """What was found for a job."""

    job: Job
    tasks: tuple[TaskSpecification, ...]
    """One, or several that belong together; with their certificates."""
    form: str
    """The canonical form of the one whose id comes first."""
    refused: Mapping[str, int]
    """Why attempts before it were thrown away, and how many."""

    @classmethod
    def of(cls, job: Job, tasks: Iterable[TaskSpecification], refused: Mapping[str, int]) -> Made:
        """From the tasks."""
        in_order = tuple(sorted(tasks, key=lambda task: task.task_id))
        return cls(job, in_order, canonical_form(in_order[0]), refused)


@attrs.frozen
class Missed:
    """A job for which nothing was found."""

    job: Job
    refused: Mapping[str, int]
    nearest: int | None
    """The length that came nearest to those that were asked for; None if none is known."""


Found = Made | Missed
"""What becomes of a job."""


class Refused(Exception):
    """A drawing is thrown away, for a reason by which such drawings are counted; `lengths` are those that are known."""

    def __init__(self, reason: str, lengths: tuple[int, ...] = ()) -> None:
        self.reason, self.lengths = reason, lengths
        super().__init__(reason)


def jobs_of(recipes: Iterable[Recipe]) -> list[Job]:
    """All that is to be found, in order."""
    return [Job(recipe, number) for recipe in recipes for number in range(recipe.count)]


def make(job: Job, bounds: Bounds = DEFAULT_BOUNDS, first: int = 0) -> Found:
    """Look for the task of a job, or for tasks that belong together.

    Args:
        job: what is asked for.
        bounds: how far the solver goes.
        first: the attempt to begin with.

    Raises:
        UnknownNameError, AmbiguousNameError, PluginFault, ArgumentError: as `variations` does.
        PluginFault: the generator fails, or draws a task that needs a mechanism or goal type which is not installed.
    """
    recipe = job.recipe
    aim = Aim(variations(recipe), recipe.length)
    refused: Counter[str] = Counter()
    for attempt in range(first, recipe.max_attempts):
        seed = recipe.seed_of(job.number, attempt)
        generator = aim.choose(seed)
        try:
            tasks = _attempt(generator, seed, job, bounds)
        except Refused as refusal:
            refused[refusal.reason] += 1
            aim.learn(generator, refusal.lengths)
            continue
        return Made.of(job, [_named(task, seed, job) for task in tasks], refused)
    return Missed(job, refused, aim.nearest)


def one_by_one(jobs: Sequence[Job]) -> Iterator[Found]:
    """What is found for each job, in this process."""
    return map(make, jobs)


def find_missing(
    jobs: Sequence[Job], there: Mapping[Job, Made], find_all: Callable[[Sequence[Job]], Iterator[Found]]
) -> Iterator[Found]:
    """What is found for jobs, in order and no two alike, where some of it is there already.

    Args:
        jobs: all of them.
        there: what was found before.
        find_all: gives what `make` finds for each of some jobs, in their order, as `one_by_one` does.
    """
    made = find_all([job for job in jobs if job not in there])
    return without_duplicates(there[job] if job in there else next(made) for job in jobs)


def without_duplicates(found: Iterable[Found], bounds: Bounds = DEFAULT_BOUNDS) -> Iterator[Found]:
    """The same, in order; where one is like an earlier one, the search for it goes on. Raises as `make` does."""
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
    """The tasks with certificates that tell how many were thrown away before them."""
    return tuple(
        attrs.evolve(
            task, metadata={**task.metadata, "certificate": {**task.metadata["certificate"], "refused": refused}}
        )
        for task in tasks
    )


def make_all(recipes: Iterable[Recipe], bounds: Bounds = DEFAULT_BOUNDS) -> Iterator[Found]:
    """What recipes give, in their order, one after the other, no two tasks alike; raises as `make` does."""
    jobs = (Job(recipe, number) for recipe in recipes for number in range(recipe.count))
    return without_duplicates((make(job, bounds) for job in jobs), bounds)


def _attempt(generator: Generator, seed: int, job: Job, bounds: Bounds) -> tuple[TaskSpecification, ...]:
    """The tasks of a seed with their certificates; raises `Refused`."""
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
        _refuse_measures(task, proved, generator, recipe)
    _refuse_claims(drawing, proofs)
    origin = _origin(generator, seed, job, len(drawing.tasks))
    whole = zip(drawing.tasks, proofs, compared(drawing.tasks, proofs), strict=True)
    return tuple(
        _certified(task, with_comparison(_certificate(task, proved, origin, recipe, bounds), result), recipe)
        for task, proved, result in whole
    )


def _draw(generator: Generator, seed: int, recipe: Recipe) -> Drawing:
    with blaming(f"generator '{recipe.family}'", f"when it drew from the seed {seed}"):
        try:
            return _drawing(generator.draw(seed))
        except NothingDrawn as nothing:
            reason = str(nothing)
    raise Refused(f"not drawn: {reason}")


def _drawing(drawn: object) -> Drawing:
    """What a generator has drawn; raises TypeError if it is no drawing of tasks."""
    if not isinstance(drawn, Drawing) or {type(task) for task in drawn.tasks} != {TaskSpecification}:
        raise TypeError(f"expected a Drawing of TaskSpecifications, got {shorten(describe_value(drawn))}")
    return drawn


def _expect_types(drawing: Drawing, recipe: Recipe) -> None:
    """Raise PluginFault where a task needs a type that no plugin in use provides: no other seed would help."""
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
    """Look for the lengths alone, which takes less time than all the proofs."""
    if recipe.length is None:
        return
    lengths = []
    for each in searches.values():
        lengths.append(len(search(each)))
        if lengths[-1] not in recipe.length:
            raise Refused("outside the length", tuple(lengths))


def _refuse_measures(
    task: TaskSpecification, proofs: Mapping[str, Proof], generator: Generator, recipe: Recipe
) -> None:
    for name in MEASURES:
        if name in recipe.parameters and _differs(MEASURES[name], task, proofs, generator.parameters[name]):
            raise Refused(f"outside the {name}")


def _differs(measure: Measure, task: TaskSpecification, proofs: Mapping[str, Proof], expected: object) -> bool:
    return any(measure(task, proof) != expected for proof in proofs.values())


def _refuse_claims(drawing: Drawing, proofs: Sequence[Mapping[str, Proof]]) -> None:
    for unmet in unmet_claims(drawing, proofs):
        raise Refused(unmet)


def _origin(generator: Generator, seed: int, job: Job, count: int) -> Origin:
    family = job.recipe.family
    distribution = get_registry().generators.provider(family).distribution
    return Origin(
        name=family,
        distribution=distribution,
        version=version(distribution),
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
    """The task with its certificate; one that is compared with others is played with as much slack on every tiling."""
    slack = {BUDGET_FACTOR: recipe.budget_factor} if certificate.held and certificate.budget else {}
    return attrs.evolve(
        task,
        max_steps=max(certificate.budget.values(), default=task.max_steps),
        metadata={**task.metadata, **slack, "certificate": certificate.to_dict()},
    )


def _named(task: TaskSpecification, seed: int, job: Job) -> TaskSpecification:
    """The task with an id that no other has, and the seed that it was drawn from."""
    base = f"{job.recipe.family}-{job.number:04d}-{derive_seed(job.recipe.digest, seed) % 16**6:06x}"
    variant = task.metadata.get("variant")
    if variant is None:
        return attrs.evolve(task, task_id=base, seed=seed)
    together = {"base_id": base, "pair_id": base, **task.metadata}
    return attrs.evolve(task, task_id=f"{base}-{variant}", seed=seed, metadata=together)
