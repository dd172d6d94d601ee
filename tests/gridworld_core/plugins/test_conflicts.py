"""Names with several providers are ambiguous; a qualified name chooses."""

import pytest

from gridworld.errors import AmbiguousNameError, TaskFormatError
from gridworld.plugins import load_registry, set_registry
from gridworld.task_spec import TaskSpecification
from gridworld.world import compile_world, square_topology
from support.plugins import Install, models_module

MODEL = """
from gridworld.hookspecs import ModelInfo, hookimpl

@hookimpl
def gridworld_models():
    return [ModelInfo("still", "A model.", "{target}")]
"""

PEBBLES = """
from gridworld.drawing.glyphs import Glyph
from gridworld.hookspecs import GoalType, MechanismType, hookimpl
from gridworld.mechanisms.keys import KeySpec
from gridworld.world.mechanism_type import Trait

@hookimpl
def gridworld_mechanisms():
    return [MechanismType(
        name="pebbles", noun="pebble", summary="By {author}.", spec=KeySpec,
        traits=lambda spec, value: Trait.NONE, glyph=lambda spec, value: Glyph(()),
    )]

@hookimpl
def gridworld_goals():
    return [GoalType(
        name="linger", summary="By {author}.", reached=lambda world: lambda state: state.steps >= 3,
        mission=lambda world: "linger", validate=lambda task, entries: (),
    )]
"""

TASK = {
    "task_id": "conflict",
    "seed": 1,
    "difficulty_tier": 1,
    "maze": {"dimensions": [5, 4], "start": [1, 1], "goal": [3, 1]},
    "goal": {"type": "reach_position"},
    "max_steps": 20,
}


def test_an_ambiguous_name_is_refused_with_both_providers_unless_it_is_qualified(install: Install) -> None:
    for name in ("one", "two"):
        install(name, {"m": f"{name}_still"}, {f"{name}_still.py": MODEL.format(target=f"{name}:Still")})
    registry = load_registry()

    assert registry.conflicts() == [("model", "still", ["one/still", "two/still"])]
    with pytest.raises(AmbiguousNameError) as caught:
        registry.models.get("still")
    assert caught.value.qualified == ("one/still", "two/still")
    assert "one/still, two/still" in str(caught.value)
    assert "--disable-plugin" in str(caught.value)
    assert [registry.models.get(f"{name}/still").target for name in ("one", "two")] == ["one:Still", "two:Still"]
    assert registry.models.names().count("still") == 1
    assert registry.failures == ()

    alone = load_registry(disabled=["one"])
    assert (alone.models.get("still").target, alone.conflicts()) == ("two:Still", [])


def test_a_third_party_cannot_take_a_built_in_name(install: Install) -> None:
    install("usurper", {"m": "usurping"}, {"usurping.py": models_module("random")})

    models = load_registry().models

    assert models.conflicts() == {}
    assert models.provider("random").distribution == "gridworld-core"
    assert models.provider("usurper/random").distribution == "usurper"
    assert {"random", "usurper/random"} <= set(models.names())
    assert models.get("usurper/random").name == "usurper/random"


def test_the_normal_name_does_not_depend_on_what_else_is_installed(install: Install) -> None:
    install("usurper", {"m": "usurping"}, {"usurping.py": models_module("random")})
    install("one", {"m": "one_still"}, {"one_still.py": models_module("still")})
    install("two", {"m": "two_still"}, {"two_still.py": models_module("still")})

    models = load_registry().models

    normal = {
        "gridworld-core/random": "random",
        "Gridworld_Core/random": "random",
        "Usurper/random": "usurper/random",
        "one/still": "one/still",
        "still": "still",
        "nobody/random": "nobody/random",
    }
    assert {name: models.normal_name(name) for name in normal} == normal

    alone = load_registry(["two"]).models
    assert {name: alone.normal_name(name) for name in normal} == normal


def test_a_plugin_that_provides_a_name_of_its_distribution_again_fails(install: Install) -> None:
    modules = {"first_still.py": MODEL.format(target="first:Still"), "second_still.py": models_module("still")}
    install("double", {"first": "first_still", "second": "second_still"}, modules)

    registry = load_registry()

    assert registry.models.get("still").target == "first:Still"
    (failed,) = registry.failures
    assert failed.failure is not None
    assert (failed.entry_point, failed.failure.phase) == ("second", "register")
    assert "the distribution provides the model 'still' twice" in failed.failure.error


def task_with(**parts: object) -> TaskSpecification:
    return TaskSpecification.from_dict({**TASK, **parts})


def pebbles_called(name: str) -> dict[str, object]:
    return {name: [{"id": "p1", "position": [2, 2], "color": "red"}]}


@pytest.fixture
def _two_kinds_of_pebbles(install: Install) -> None:
    for author in ("one", "two"):
        install(author, {"m": f"{author}_pebbles"}, {f"{author}_pebbles.py": PEBBLES.format(author=author)})
    set_registry(load_registry())


@pytest.mark.usefixtures("_two_kinds_of_pebbles")
def test_an_ambiguous_mechanism_type_is_refused_with_both_providers() -> None:
    with pytest.raises(TaskFormatError) as caught:
        task_with(mechanisms=pebbles_called("pebbles"))

    (problem,) = caught.value.problems
    assert problem.path == "mechanisms.pebbles"
    assert "one/pebbles, two/pebbles" in problem.message


@pytest.mark.usefixtures("_two_kinds_of_pebbles")
def test_a_qualified_name_chooses_a_mechanism_in_a_task() -> None:
    task = task_with(mechanisms=pebbles_called("two/pebbles"))

    assert task.validate() == (True, [])
    assert TaskSpecification.from_dict(task.to_dict()) == task
    (pebble,) = compile_world(task, square_topology(5, 4)).entities
    assert pebble.type.summary == "By two."


@pytest.mark.usefixtures("_two_kinds_of_pebbles")
def test_an_ambiguous_goal_type_is_a_problem_with_both_providers() -> None:
    valid, problems = task_with(goal={"type": "linger"}).validate()

    assert not valid
    (problem,) = problems
    assert problem.startswith("goal.type: ")
    assert "one/linger, two/linger" in problem


@pytest.mark.usefixtures("_two_kinds_of_pebbles")
def test_a_qualified_name_chooses_a_goal_in_a_task() -> None:
    task = task_with(goal={"type": "two/linger"})

    assert task.validate() == (True, [])
    assert TaskSpecification.from_dict(task.to_dict()) == task
    assert compile_world(task, square_topology(5, 4)).goal_type.summary == "By two."
