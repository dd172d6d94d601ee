"""Tasks of recipes: certified, inside the bands, no two alike, the same ones however they are made."""

import json
from collections.abc import Sequence
from typing import Any

import attrs
import pytest

from gridworld.errors import PluginFault
from gridworld.generation import Drawing
from gridworld.generation.canonical import canonical_form
from gridworld.generation.certificate import Bounds, read_certificate
from gridworld.generation.making import Made, Missed, jobs_of, make, make_all
from gridworld.generation.recipe import Band, Recipe
from gridworld.plugins.tilings import compile_on
from gridworld.solver import replay
from gridworld.task_spec import TaskSpecification
from gridworld.world import Status
from support.plain_search import explore_plainly
from support.sample_plugins import Corridors

pytestmark = pytest.mark.usefixtures("generators")


def recipe(count: int = 4, **fields: Any) -> Recipe:
    parameters = {name: fields.pop(name) for name in ("size", "depth", "flaw", "claim") if name in fields}
    return Recipe(**{"family": "corridors", "count": count, "parameters": {"size": "9-30", **parameters}} | fields)


def made(recipes: Sequence[Recipe]) -> list[Made]:
    found = list(make_all(recipes))
    assert all(isinstance(each, Made) for each in found), found
    return [each for each in found if isinstance(each, Made)]


def tasks_of(recipes: Sequence[Recipe]) -> list[TaskSpecification]:
    return [task for each in made(recipes) for task in each.tasks]


def test_certificates_say_what_is_so_on_each_tiling() -> None:
    for task in tasks_of([recipe(tilings=("square", "triangle"), depth="1")]):
        certificate = read_certificate(task)
        assert set(certificate.optimal_length) == {"square", "triangle"}
        for tiling, length in certificate.optimal_length.items():
            world = compile_on(tiling, task)
            explored = explore_plainly(world, 20_000)
            assert explored is not None
            assert explored.length == length == len(certificate.plan[tiling])
            assert replay(world, certificate.plan[tiling])[-1].status == Status.SUCCEEDED
            assert certificate.necessary[tiling] == ("k", "D")
            assert certificate.budget[tiling] == 3 * length
        assert task.max_steps == 3 * max(certificate.optimal_length.values())


def test_the_same_recipe_gives_the_same_bytes_and_each_number_its_own() -> None:
    asked = recipe()
    again = [make(job) for job in reversed(jobs_of([asked]))]
    texts = {json.dumps(task.to_dict()) for each in again if isinstance(each, Made) for task in each.tasks}
    assert {json.dumps({**task.to_dict(), "metadata": without_refused(task)}) for task in tasks_of([asked])} == texts
    assert len(texts) == 4


def without_refused(task: TaskSpecification) -> dict[str, Any]:
    """The metadata of a task, as they are before duplicates are looked for."""
    return {**task.metadata, "certificate": {**task.metadata["certificate"], "refused": {}}}


@pytest.mark.parametrize("change", [{"seed": 1}, {"salt": "0123456789abcdef0123456789abcdef"}])
def test_another_seed_or_salt_gives_other_tasks(change: dict[str, Any]) -> None:
    forms = [{each.form for each in made([attrs.evolve(recipe(size="9-60"), **fields)])} for fields in ({}, change)]
    assert forms[0] != forms[1]


def test_lengths_are_inside_the_band_on_every_tiling() -> None:
    asked = recipe(length=Band(11, 13), tilings=("square", "hex"), size="7-60")
    for task in tasks_of([asked]):
        assert all(11 <= length <= 13 for length in read_certificate(task).optimal_length.values())


def test_what_is_asked_of_parameters_is_so() -> None:
    tasks = tasks_of([recipe(count=6, depth="0-1", size="12,20")])
    assert {max(task.maze.dimensions) for task in tasks} == {12, 20}
    assert {bool(task.dependency_chain) for task in tasks} == {False, True}


def test_no_two_are_alike_not_even_of_different_recipes() -> None:
    recipes = [recipe(count=4, size="12"), recipe(count=3, size="12", seed=3)]
    tasks = tasks_of(recipes)
    assert len({canonical_form(task) for task in tasks}) == 7 == len({task.task_id for task in tasks})


def test_where_there_are_no_more_that_differ_the_rest_is_missed() -> None:
    found = list(make_all([recipe(count=6, size="8", max_attempts=30)]))  # a goal in one of three cells
    assert [type(each) for each in found] == [Made, Made, Made, Missed, Missed, Missed]
    assert found[-1].refused == {"like an earlier task": 30}


@pytest.mark.parametrize(
    ("flaw", "reason"),
    [
        ("nothing", "not drawn: the seed is odd"),
        ("invalid", "invalid"),
        ("unsolvable", "unsolvable"),
        ("needless", "chain not necessary"),
    ],
)
def test_what_cannot_be_certified_is_thrown_away_and_counted(flaw: str, reason: str) -> None:
    found = made([recipe(count=8, flaw=flaw)])
    assert set().union(*(each.refused for each in found)) == {reason}
    for each in found:
        assert all(read_certificate(task).refused == each.refused for task in each.tasks)


def test_what_is_not_decided_within_the_bounds_is_thrown_away() -> None:
    (job,) = jobs_of([recipe(count=1, size="30", max_attempts=3)])
    assert make(job, Bounds(max_states=3)) == Missed(job, {"undecided": 3}, None)


def test_what_came_nearest_is_told_of_a_length_that_is_never_met() -> None:
    (missed,) = make_all([recipe(count=1, size="12", length=Band(50, 60), max_attempts=40)])
    assert isinstance(missed, Missed)
    assert missed.refused == {"outside the length": 40}
    assert missed.nearest == 9


def test_a_generator_that_raises_is_named() -> None:
    with pytest.raises(PluginFault, match=r"generator 'corridors' .*the dice fell off the table"):
        made([recipe(count=8, flaw="crash")])


@pytest.mark.parametrize("drawn", [None, Drawing(()), Drawing(("a task",))])
def test_what_is_no_drawing_of_tasks_is_blamed_on_its_generator(drawn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Corridors, "draw", lambda self, seed: drawn)
    with pytest.raises(PluginFault, match=r"generator 'corridors' .*expected a Drawing of TaskSpecifications, got"):
        made([recipe(count=1)])


def test_tasks_that_belong_together_are_numbered_as_one() -> None:
    pairs = made([recipe(family="twins", parameters={}, claim="held")])
    for pair in pairs:
        clear, fog = pair.tasks
        assert {clear.metadata["base_id"], fog.metadata["pair_id"]} == {clear.task_id.removesuffix("-clear")}
        assert (clear.metadata["variant"], fog.metadata["variant"]) == ("clear", "fog")
        assert read_certificate(clear).optimal_length == read_certificate(fog).optimal_length


def test_claims_that_are_not_so_are_thrown_away() -> None:
    (missed, *_) = make_all([Recipe(family="twins", count=1, parameters={"claim": "varied"}, max_attempts=2)])
    assert missed.refused == {"length not varied": 2}
