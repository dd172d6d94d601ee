"""Tasks of all families of mazes are valid and follow the parameters."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gridworld.generation.generator import NothingDrawn
from gridworld.plugins import get_registry
from gridworld.plugins.arguments import bind_arguments
from gridworld.solver import check_task
from gridworld.support.import_strings import load_object
from gridworld.task_spec import TaskSpecification
from gridworld.world import compile_world
from gridworld_generators.families.family import Family
from gridworld_generators.plugin import MAZES
from gridworld_generators.tools.chains import STEP_KINDS
from support.tilings import TILINGS, make_topology

FAMILIES: dict[str, type[Family]] = {
    info.name: load_object(info.target) for info in (get_registry().generators.get(name) for name, _, _ in MAZES)
}
families = st.sampled_from(sorted(FAMILIES))
each_family = pytest.mark.parametrize("name", sorted(FAMILIES))
seeds = st.integers(0, 2**63 - 1)

PARAMETERS = st.fixed_dictionaries(
    {
        "size": st.integers(9, 15),
        "depth": st.integers(0, 3),
        "steps": st.lists(st.sampled_from(STEP_KINDS), min_size=1, unique=True).map("+".join) | st.just("any"),
        "decoys": st.integers(0, 3),
        "observability": st.sampled_from(["full", "view_cone", "fog_of_war"]),
        "view_size": st.sampled_from([3, 7]),
        "goal": st.sampled_from(["reach_position", "collect_all"]),
    }
)


def draw(name: str, seed: int, **parameters: Any) -> TaskSpecification:
    """The task of a seed, if there is one."""
    try:
        (task,) = FAMILIES[name](**parameters).draw(seed).tasks
    except NothingDrawn:
        assume(False)
    return task


@given(families, seeds, PARAMETERS, st.data())
def test_tasks_are_valid_and_follow_the_parameters(
    name: str, seed: int, parameters: dict[str, Any], data: st.DataObject
) -> None:
    parameters["hidden"] = data.draw(st.integers(0, parameters["depth"]))
    task = draw(name, seed, **parameters)
    assert task.validate() == (True, [])
    assert task.maze.dimensions == (parameters["size"], parameters["size"])
    assert task.goal.type == parameters["goal"]
    assert (task.rules.observability, task.rules.view_size) == (parameters["observability"], parameters["view_size"])
    assert len(task.rules.hidden_mechanisms) == parameters["hidden"]
    assert (task.dependency_chain.depth if task.dependency_chain else 0) == parameters["depth"]
    assert decoys_of(task) == parameters["decoys"]
    if parameters["steps"] != "any":
        assert kinds_of_steps(task) <= set(parameters["steps"].split("+"))


def decoys_of(task: TaskSpecification) -> int:
    """Number of decoys; the barrier of a closet counts with its opener."""
    return sum(each.type not in ("distractor_door", "distractor_gate") for each in task.distractors)


def kinds_of_steps(task: TaskSpecification) -> set[str]:
    """Kinds of the steps of a chain: ``key``, or the type of a switch."""
    types = {switch.id: switch.switch_type for switch in task.mechanisms.switches}
    sequence = task.dependency_chain.sequence if task.dependency_chain else ()
    return {types.get(step.element, "key") for step in sequence}


@given(families, seeds, PARAMETERS)
def test_a_seed_gives_the_same_task_again(name: str, seed: int, parameters: dict[str, Any]) -> None:
    assert draw(name, seed, **parameters).to_dict() == draw(name, seed, **parameters).to_dict()


@given(families, seeds, st.integers(0, 3))
def test_decoys_are_added_to_the_same_task(name: str, seed: int, decoys: int) -> None:
    more, fewer = (draw(name, seed, depth=1, decoys=count, decoy_kinds="idle_switch") for count in (decoys + 1, decoys))
    assert fewer.maze == more.maze
    assert fewer.dependency_chain == more.dependency_chain
    assert set(fewer.distractors) < set(more.distractors)


@given(families, seeds, st.integers(1, 3), st.integers(0, 2))
def test_tasks_have_the_required_tier(name: str, seed: int, tier: int, decoys: int) -> None:
    task = draw(name, seed, tier=tier, depth=0 if tier == 1 else 2, decoys=decoys)
    assert task.difficulty_tier == tier
    assert not task.mechanisms.switches or tier == 3
    assert not len(task.mechanisms) or tier > 1


def passed(name: str, tiling: str, seeds: range, **parameters: Any) -> list[bool]:
    """For each seed, whether there is a task that passes the solver."""
    return [_passes(FAMILIES[name](**parameters), tiling, seed) for seed in seeds]


def _passes(family: Family, tiling: str, seed: int) -> bool:
    try:
        (task,) = family.draw(seed).tasks
    except NothingDrawn:
        return False
    return check_task(compile_world(task, make_topology(tiling, task.maze.dimensions))).ok


@each_family
def test_most_tasks_pass_the_solver(name: str) -> None:
    assert sum(passed(name, "square", range(3), size=10, depth=2)) >= 2


@pytest.mark.thorough
@each_family
@pytest.mark.parametrize("tiling", TILINGS)
def test_most_tasks_pass_the_solver_on_every_tiling(name: str, tiling: str) -> None:
    for depth in range(4):
        assert sum(passed(name, tiling, range(10), depth=depth, decoys=1)) >= 7


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"tier": 1, "depth": 2}, "tier=1 with depth=2"),
        ({"tier": 1, "goal": "collect_all"}, "goal=collect_all"),
        ({"tier": 2}, "tier=2 needs keys and doors"),
        ({"tier": 2, "depth": 1, "steps": "toggle"}, "steps=toggle with tier=2|tier=2 needs"),
        ({"tier": 3, "depth": 2, "steps": "key"}, "tier=3 needs switches and gates"),
        ({"tier": 3, "depth": 2, "hidden": 1}, "tier=3 with hidden=1"),
        ({"tier": 4, "depth": 2}, "neither blocks nor hazards"),
        ({"tier": 5, "depth": 2}, "tier=5 needs hidden elements or limited sight"),
        ({"tier": 6}, "tier must be 1 to 5"),
        ({"tier": 1, "decoys": 1, "decoy_kinds": "wrong_key"}, "decoy_kinds=wrong_key with tier=1"),
        ({"hidden": 2, "depth": 1}, "hidden=2 is more than depth=1"),
        ({"steps": "key+togle"}, "steps: 'togle' is unknown.*toggle"),
        ({"decoy_kinds": "keys"}, "decoy_kinds: 'keys' is unknown"),
        ({"view_size": 4}, "view_size must be odd"),
        ({"size": 3}, "size must be"),
        ({"depth": 7}, "depth"),
        ({"decoys": -1}, "decoys"),
    ],
)
@each_family
def test_contradictory_parameters_are_refused_by_name(name: str, parameters: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        FAMILIES[name](**parameters)


@each_family
def test_parameters_can_be_given_as_texts(name: str) -> None:
    texts = ["size=13", "depth=2", "steps=key+hold", "decoys=1", "tier=3", "goal=reach_position", "view_size=5"]
    family = FAMILIES[name](**bind_arguments(FAMILIES[name], texts, name))
    assert (family.size, family.depth, family.step_kinds, family.tier) == (13, 2, ("key", "hold"), 3)
