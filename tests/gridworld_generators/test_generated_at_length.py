"""Certificates of generated tasks, checked by an independent search."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import attrs
import pytest

from gridworld.generation.certificate import Certificate, read_certificate
from gridworld.generation.making import Found, Missed
from gridworld.generation.recipe import Recipe, variations
from gridworld.task_spec import TaskSpecification
from support.generated_tasks import MAX_STATES, found_for, jobs
from support.plain_search import refuted

TILINGS = ("square", "hex", "triangle", "488", "3464")


FACTS: Mapping[str, Callable[[TaskSpecification], object]] = {
    "size": lambda task: max(task.maze.dimensions),
    "depth": lambda task: len(task.dependency_chain.sequence) if task.dependency_chain else 0,
    "decoys": lambda task: sum(each.type not in ("distractor_door", "distractor_gate") for each in task.distractors),
    "observability": lambda task: task.rules.observability,
    "view_size": lambda task: task.rules.view_size,
    "hidden": lambda task: len(task.rules.hidden_mechanisms),
    "goal": lambda task: task.goal.type,
    "tier": lambda task: task.difficulty_tier,
    "blocks": lambda task: len(task.mechanisms.blocks),
    "duration": lambda task: task.max_steps,
}
"""Parameters to what has to be equal to them in a task; where a parameter is None, nothing was asked."""


@attrs.frozen
class Outcome:
    """The result of a seed."""

    family: str
    form: str | None
    """The canonical form of its task; None if there is none."""
    refused: Mapping[str, int]
    """Rejected drawings by reason."""
    tilings: Mapping[str, str]
    """Tiling to the verdict of `refuted`."""
    wrong: Sequence[str]
    """False statements of the certificate."""


def examine(found: Found, max_states: int = MAX_STATES) -> Outcome:
    """Hold what was found against what was asked for, and against what a plain search finds."""
    recipe = found.job.recipe
    if isinstance(found, Missed):
        return Outcome(recipe.family, None, found.refused, {}, [])
    (task,) = found.tasks
    certificate = read_certificate(task)
    wrong, verdicts = [*_not_as_asked(recipe, task, certificate)], {}
    for tiling in recipe.tilings:
        verdicts[tiling], problems = refuted(tiling, task, certificate, max_states)
        wrong += [f"{tiling}: {each}" for each in problems]
    return Outcome(recipe.family, found.form, found.refused, verdicts, [f"{task.task_id}: {each}" for each in wrong])


def _not_as_asked(recipe: Recipe, task: TaskSpecification, certificate: Certificate) -> Iterator[str]:
    """Deviations of a task from its recipe."""
    origin = certificate.generator
    assert origin is not None
    if {*certificate.optimal_length} != {*recipe.tilings}:
        yield f"certified on {sorted(certificate.optimal_length)}"
    for tiling, length in certificate.optimal_length.items():
        if recipe.length is not None and length not in recipe.length:
            yield f"{length} actions on {tiling}, outside of {recipe.length}"
        if length > task.max_steps:
            yield f"{length} actions on {tiling}, beyond the budget of {task.max_steps}"
    if origin.parameters not in [each.parameters for each in variations(recipe)]:
        yield f"drawn with {origin.parameters}, which were not asked for"
    for name, fact in FACTS.items():
        stated = origin.parameters.get(name)
        if stated is not None and fact(task) != stated:
            yield f"{name} is {fact(task)}, and says {stated}"


def outcomes(
    count: int,
    first: int,
    tilings: tuple[str, ...] = ("square",),
    max_attempts: int = 200,
    max_states: int = 20_000,
) -> list[Outcome]:
    """Results of seeds."""
    asked = jobs(count, tilings, first=first, max_attempts=max_attempts)
    return [examine(found, max_states) for found in found_for(asked, max_states=max_states)]


@pytest.mark.parametrize("first", [0, 5, 10])
def test_an_independent_search_confirms_certificates(first: int) -> None:
    (outcome,) = outcomes(1, first)
    assert (list(outcome.wrong), outcome.tilings) == ([], {"square": "proved"})


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(0, 720, 60))
def test_it_confirms_certificates_of_many_seeds(first: int) -> None:
    found = outcomes(60, first, max_states=60_000)
    assert [each.wrong for each in found if each.wrong] == []
    assert sum(each.tilings.get("square") == "proved" for each in found) >= 55


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(0, 36, 6))
def test_it_confirms_certificates_on_all_tilings(first: int) -> None:
    found = outcomes(6, first, TILINGS, max_attempts=10)
    assert [each.wrong for each in found if each.wrong] == []
    assert sum(verdict == "proved" for each in found for verdict in each.tilings.values()) >= 15
