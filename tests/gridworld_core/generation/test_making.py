"""Making the tasks of recipes: certificates, required properties, duplicates, rejections, and missing types."""

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
from gridworld.mechanisms.keys import KeySpec
from gridworld.plugins.tilings import compile_on
from gridworld.solver import replay
from gridworld.task_spec import MechanismSet, TaskSpecification
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


def test_certificates_are_true_on_each_tiling() -> None:
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


def test_equal_recipes_give_equal_bytes() -> None:
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


def test_lengths_are_in_the_band_on_every_tiling() -> None:
    asked = recipe(length=Band(11, 13), tilings=("square", "hex"), size="7-60")
    for task in tasks_of([asked]):
        assert all(11 <= length <= 13 for length in read_certificate(task).optimal_length.values())


def test_tasks_have_the_required_parameters() -> None:
    tasks = tasks_of([recipe(count=6, depth="0-1", size="12,20")])
    assert {max(task.maze.dimensions) for task in tasks} == {12, 20}
    assert {bool(task.dependency_chain) for task in tasks} == {False, True}


def test_no_two_tasks_are_equivalent_across_recipes() -> None:
    recipes = [recipe(count=4, size="12"), recipe(count=3, size="12", seed=3)]
    tasks = tasks_of(recipes)
    assert len({canonical_form(task) for task in tasks}) == 7 == len({task.task_id for task in tasks})


def test_jobs_are_missed_if_all_tasks_are_duplicates() -> None:
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
def test_uncertifiable_tasks_are_counted(flaw: str, reason: str) -> None:
    found = made([recipe(count=8, flaw=flaw)])
    assert set().union(*(each.refused for each in found)) == {reason}
    for each in found:
        assert all(read_certificate(task).refused == each.refused for task in each.tasks)


def test_undecided_tasks_are_rejected() -> None:
    (job,) = jobs_of([recipe(count=1, size="30", max_attempts=3)])
    assert make(job, Bounds(max_states=3)) == Missed(job, {"undecided": 3}, None)


def test_the_nearest_length_is_reported() -> None:
    (missed,) = make_all([recipe(count=1, size="12", length=Band(50, 60), max_attempts=40)])
    assert isinstance(missed, Missed)
    assert missed.refused == {"outside the length": 40}
    assert missed.nearest == 9


def test_a_failing_generator_is_named() -> None:
    with pytest.raises(PluginFault, match=r"generator 'corridors' .*the dice fell off the table"):
        made([recipe(count=8, flaw="crash")])


@pytest.mark.parametrize("drawn", [None, Drawing(()), Drawing(("a task",))])
def test_wrong_drawings_are_plugin_faults(drawn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Corridors, "draw", lambda self, seed: drawn)
    with pytest.raises(
        PluginFault,
        match=r"generator 'corridors' .* failed in draw .*: returned .*, expected a Drawing of TaskSpecifications",
    ):
        made([recipe(count=1)])


def test_tasks_of_a_set_share_an_id() -> None:
    pairs = made([recipe(family="twins", parameters={}, claim="held")])
    for pair in pairs:
        clear, fog = pair.tasks
        assert {clear.metadata["base_id"], fog.metadata["pair_id"]} == {clear.task_id.removesuffix("-clear")}
        assert (clear.metadata["variant"], fog.metadata["variant"]) == ("clear", "fog")
        assert read_certificate(clear).optimal_length == read_certificate(fog).optimal_length


def test_sets_with_false_claims_are_rejected() -> None:
    (missed, *_) = make_all([Recipe(family="twins", count=1, parameters={"claim": "varied"}, max_attempts=2)])
    assert missed.refused == {"length not varied": 2}


def test_a_drawn_task_with_a_missing_type_is_a_plugin_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    (task,) = Corridors().draw(0).tasks
    frogs = attrs.evolve(task, mechanisms=MechanismSet(frogs=[KeySpec("f", (2, 1), "red")]))
    monkeypatch.setattr(Corridors, "draw", lambda self, seed: Drawing((frogs,)))
    with pytest.raises(
        PluginFault, match="generator 'corridors' draws tasks that cannot be played here: unknown mechanism 'frogs'"
    ):
        made([recipe(count=1)])
