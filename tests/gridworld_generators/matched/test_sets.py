"""Sets of matched tasks, on every tiling."""

import itertools
from collections.abc import Iterator, Sequence

import pytest

from gridworld.errors import ArgumentError, UnknownNameError
from gridworld.generation.budgets import with_ample_budget
from gridworld.generation.certificate import read_certificate
from gridworld.generation.making import Made, make_all
from gridworld.generation.recipe import Recipe, generator_class
from gridworld.plugins.tilings import compile_on
from gridworld.task.routes import read_routes, with_only
from gridworld.task_spec import Position, TaskSpecification
from gridworld_generators.matched.variants import Recoloring
from support.generated_tasks import KINDS, MAX_STATES, sets
from support.plain_search import explore_to_success
from support.tilings import TILINGS

Variants = dict[str, TaskSpecification]


def made(kind: str, count: int = 1, tilings: Sequence[str] = ("square",), **parameters: object) -> list[Variants]:
    """Sets by their variants."""
    given = KINDS[kind] | {name: str(value) for name, value in parameters.items()}
    recipe = Recipe(family=kind, count=count, seed=3, tilings=tuple(tilings), parameters=given)
    found = list(make_all([recipe]))
    assert all(isinstance(each, Made) for each in found), found
    return [{task.metadata["variant"]: task for task in each.tasks} for each in found if isinstance(each, Made)]


def lengths(task: TaskSpecification) -> dict[str, int]:
    return dict(read_certificate(task).optimal_length)


def places(task: TaskSpecification) -> dict[str, Position]:
    return {spec.id: spec.position for _, specs in task.mechanisms.groups() for spec in specs}


def plain_length(task: TaskSpecification, tiling: str) -> int | None:
    """The fewest actions that solve a task, found by trying all; None if there are too many states."""
    explored = explore_to_success(compile_on(tiling, with_ample_budget(task)), MAX_STATES)
    return None if explored is None else explored.length


def refuted(made: Made, tiling: str) -> tuple[list[str], int]:
    """False statements of a set about plan lengths, and the number of tasks small enough to check."""
    wrong: list[str] = []
    lengths = set()
    proved = 0
    for task in made.tasks:
        certificate = read_certificate(task)
        length = plain_length(task, tiling)
        if length is None:
            continue
        proved += 1
        lengths.add(length)
        stated = {**certificate.held[tiling], **certificate.varied[tiling]}["length"]
        if {length} != {stated, certificate.optimal_length[tiling]}:
            wrong.append(f"{task.task_id}: {length}, and says {stated}")
        if len(lengths) > 1 and "length" in certificate.held[tiling]:
            wrong.append(f"{task.task_id}: lengths {lengths} are said to be held")
        wrong += _wrong_routes(task, tiling)
    return wrong, proved


def _wrong_routes(task: TaskSpecification, tiling: str) -> Iterator[str]:
    routes, stated = read_routes(task), read_certificate(task).routes
    for name in routes if len(routes) > 1 else ():
        alone = plain_length(with_only(task, name), tiling)
        if alone not in (None, stated[tiling][name]):
            yield f"{task.task_id}: {alone} by {name}, and says {stated[tiling][name]}"


@pytest.mark.parametrize("kind", ["order", "path_choice", "sight", "recolored", "mirrored"])
def test_an_independent_search_finds_the_same_lengths(kind: str) -> None:
    wrong, proved = refuted(next(sets(kind, "square")), "square")
    assert (wrong, proved >= 2) == ([], True)


@pytest.mark.thorough
@pytest.mark.parametrize("tiling", TILINGS)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_it_finds_the_same_lengths_on_every_tiling(kind: str, tiling: str) -> None:
    found = sets(kind, tiling)
    for _ in range(3):
        assert refuted(next(found), tiling)[0] == []


@pytest.mark.parametrize("switch", ["toggle", "one_shot"])
def test_order_exchanges_a_key_and_a_switch_at_equal_length(switch: str) -> None:
    (pair,) = made("order", tilings=TILINGS, switch=switch, size=7)
    key, switched = pair["key_first"], pair["switch_first"]
    assert lengths(key) == lengths(switched)
    assert key.maze == switched.maze
    assert sorted(places(key).values()) == sorted(places(switched).values())
    key_id, switch_id = key.mechanisms.keys[0].id, key.mechanisms.switches[0].id
    assert places(key)[key_id] == places(switched)[switch_id]
    assert places(key)[switch_id] == places(switched)[key_id]
    assert read_certificate(key).varied["hex"]["chain"] == f"key, {switch} switch"
    assert read_certificate(switched).varied["hex"]["chain"] == f"{switch} switch, key"


def test_path_choice_states_the_lengths_of_both_ways() -> None:
    (variants,) = made("path_choice", tilings=("square", "hex", "triangle"))
    for name, short, long in (("short_barred", "barred", "open"), ("long_barred", "open", "barred")):
        certificate = read_certificate(variants[name])
        for tiling, ways in certificate.routes.items():
            assert ways[long] - ways[short] >= 4
            assert certificate.optimal_length[tiling] == ways[short]
            for way in ("barred", "open"):
                alone = variants[f"{name}_{way}_only"]
                assert lengths(alone)[tiling] == ways[way]
                assert set(alone.metadata["routes"]) == {way}


def test_rungs_of_decoys_contain_the_previous_rungs() -> None:
    (rungs,) = made("decoy_ladder")
    ladder = [rungs[f"decoys_{count}"] for count in (0, 1, 2, 4, 8)]
    assert [len(task.distractors) for task in ladder] == [0, 1, 2, 4, 8]
    assert len({tuple(lengths(task).items()) for task in ladder}) == 1
    for fewer, more in itertools.pairwise(ladder):
        assert set(fewer.distractors) < set(more.distractors)
        assert places(fewer).items() <= places(more).items()


def test_rungs_of_depth_have_one_layout() -> None:
    (rungs,) = made("depth_ladder", size=11, most=3)
    ladder = [rungs[f"depth_{depth}"] for depth in range(4)]
    assert len({task.maze for task in ladder}) == 1
    assert [len(task.dependency_chain.sequence) if task.dependency_chain else 0 for task in ladder] == [0, 1, 2, 3]
    found = [lengths(task)["square"] for task in ladder]
    assert found == sorted(found)


def test_sight_changes_only_observability() -> None:
    (variants,) = made("sight")
    assert [variants[name].rules.observability for name in ("full", "cone", "fog")] == [
        "full",
        "view_cone",
        "fog_of_war",
    ]
    assert len({(task.maze, task.mechanisms) for task in variants.values()}) == 1


def test_recoloring_changes_colours_and_ids() -> None:
    (pair,) = made("recolored", base="perfect_maze:depth=2:steps=key+toggle", size=9)
    before, after = pair["as_drawn"], pair["recolored"]
    assert {key.color for key in before.mechanisms.keys} != {key.color for key in after.mechanisms.keys}
    assert sorted(places(before).values()) == sorted(places(after).values())
    for key in after.mechanisms.keys:
        assert key.id.startswith(f"key_{key.color}")
    assert lengths(before) == lengths(after)


COLORED = {"keys": "color", "doors": "requires_key", "switches": "color", "blocks": "color"}


def colors_by_place(task: TaskSpecification) -> dict[Position, str]:
    return {
        spec.position: getattr(spec, COLORED[kind])
        for kind, specs in task.mechanisms.groups()
        for spec in specs
        if kind in COLORED
    }


def test_recoloring_merges_no_colours_and_parts_none() -> None:
    for seed in range(30):
        before, after = map(colors_by_place, Recoloring(size=9, base="perfect_maze:depth=3").draw(seed).tasks)
        pairs = {(before[place], after[place]) for place in before}
        assert before.keys() == after.keys()
        assert len(pairs) == len(set(before.values())) == len(set(after.values()))
        assert all(old != new for old, new in pairs)


def test_mirroring_is_undone_by_mirroring() -> None:
    (pair,) = made("mirrored", tilings=("square", "hex"))
    one, other = pair["as_drawn"], pair["upside_down"]
    last = one.maze.height - 1
    assert {Position(x, last - y) for x, y in one.maze.wall_cells()} == other.maze.wall_cells()
    assert lengths(one)["square"] == lengths(other)["square"]
    assert "length" in read_certificate(one).held["square"]


def test_sets_carry_names_and_a_budget_of_their_own() -> None:
    (pair,) = made("order", tilings=("square", "hex"))
    for variant, task in pair.items():
        assert task.metadata["pair_id"] == task.metadata["base_id"]
        assert task.task_id == f"{task.metadata['base_id']}-{variant}"
        assert task.metadata["budget_factor"] == 3.0
        assert dict(read_certificate(task).budget) == {name: 3 * n for name, n in lengths(task).items()}


@pytest.mark.parametrize(
    ("base", "message"),
    [
        ("perfect_mazes", "did you mean 'perfect_maze'"),
        ("perfect_maze:dept=2", "has no argument 'dept'"),
        ("perfect_maze:size=9", "size is decided by the set"),
        ("path_choice", "no parameter depth"),
    ],
)
def test_a_base_that_cannot_be_is_refused(base: str, message: str) -> None:
    kind = generator_class("order")
    with pytest.raises((ArgumentError, UnknownNameError), match=message):
        kind(base=base)
