"""Wrong results of hooks are faults that name the mechanism and the hook."""

import pickle
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from gridworld.errors import PluginFault
from gridworld.plugins import get_registry
from gridworld.task.catalogs import GivenTypes
from gridworld.world import Entity, State, World, compile_world, square_topology, transition
from gridworld.world.events import Waited
from gridworld.world.hook_results import check_change
from support.worlds import LETTERS, draw, key, switch

ACTS = {"on_enter": "F", "on_toggle": "T", "on_pickup": "P"}
NEXT_VALUES = ("sense", "derive", "tick")


def play_with(hook: str, result: Callable[[State], Any]) -> None:
    """Act on the thing in front of the agent, whose type has a hook that makes its result of the state."""

    def called(world: World, state: State, entity: Entity) -> Any:
        return result(state)

    registry = get_registry()
    task = draw("#####\n#@tG#\n#####", t=key() if hook == "on_pickup" else switch())
    ((name, _),) = task.mechanisms.groups()
    changed = attrs.evolve(registry.mechanisms.get(name), **{hook: called})
    types = GivenTypes({name: changed}, {"reach_position": registry.goals.get("reach_position")})
    world = compile_world(task, square_topology(*task.maze.dimensions), types)
    transition(world, world.start, LETTERS[ACTS.get(hook, "W")])


@pytest.mark.parametrize("hook", ACTS)
@pytest.mark.parametrize(
    "result",
    [
        lambda state: 7,
        lambda state: state,
        lambda state: (state, [Waited()]),
        lambda state: (state, (7,)),
        lambda state: (state, (), ()),
        lambda state: (7, ()),
        lambda state: (state.at((2, 1)), ()),
        lambda state: (state.at(99), ()),
        lambda state: (state.facing(4), ()),
        lambda state: (state.with_value(0, "on"), ()),
        lambda state: (state.with_value(0, 99), ()),
        lambda state: (state.with_values(()), ()),
        lambda state: (state.at(0), ()),
        lambda state: (state.holding(5), ()),
        lambda state: (state.remembering("x"), ()),
        lambda state: (state.after(0), ()),
        lambda state: (state.ended(1), ()),
        lambda state: (state.having_discovered(1), ()),
    ],
)
def test_impossible_changes_are_faults(hook: str, result: Callable[[State], Any]) -> None:
    with pytest.raises(PluginFault, match=rf"^mechanism .* failed in {hook}: returned .*, expected \(a state of th"):
        play_with(hook, result)


@pytest.mark.parametrize("hook", NEXT_VALUES)
@pytest.mark.parametrize(
    "result", [1, "on", (1.0, ()), (True, ()), (2, ()), (-1, ()), ("on", ()), (1, None), (1, ("on",)), (1,)]
)
def test_wrong_next_values_are_faults(hook: str, result: Any) -> None:
    with pytest.raises(PluginFault, match=rf"^mechanism 'switches' .* failed in {hook}.*: returned .*, expected \(the"):
        play_with(hook, lambda state: result)


@pytest.mark.parametrize("result", [4, -1, True, "right", (1, 0)])
def test_wrong_directions_are_faults(result: Any) -> None:
    with pytest.raises(PluginFault, match=r"^mechanism 'switches' .* failed in carries: returned .*, expected 0 right"):
        play_with("carries", lambda state: result)


def test_faults_name_the_type_after_unpickling() -> None:
    registry = get_registry()
    task = draw("#####\n#@kG#\n#####", k=key())
    world = compile_world(task, square_topology(*task.maze.dimensions), registry)
    for each in (world, pickle.loads(pickle.dumps(world))):
        with pytest.raises(PluginFault) as caught:
            check_change(each, each.entities[0], "on_pickup", each.start, 7)
        named = "mechanism 'keys' (gridworld-core/builtin) failed in on_pickup: returned 7, expected"
        assert str(caught.value).startswith(named)


def test_a_wrong_initial_value_is_a_fault() -> None:
    registry = get_registry()
    lost = attrs.evolve(registry.mechanisms.get("keys"), initial=lambda spec, rules: "lost")
    types = GivenTypes({"keys": lost}, {"reach_position": registry.goals.get("reach_position")})
    task = draw("#####\n#@kG#\n#####", k=key())
    with pytest.raises(
        PluginFault, match=r"^mechanism 'keys' .* failed in initial.*: returned 'lost', expected one of"
    ):
        compile_world(task, square_topology(*task.maze.dimensions), types)


@pytest.mark.parametrize("hook", [*ACTS, *NEXT_VALUES, "carries"])
def test_any_hook_may_return_nothing(hook: str) -> None:
    play_with(hook, lambda state: None)


def test_right_results_are_accepted() -> None:
    for hook in ACTS:
        play_with(hook, lambda state: (state, (Waited(),)))
    for hook in NEXT_VALUES:
        play_with(hook, lambda state: (1, (Waited(),)))
    play_with("carries", lambda state: 3)
