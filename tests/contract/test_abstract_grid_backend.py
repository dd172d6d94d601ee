"""`AbstractGridBackend`: its calls as the contract shows them, and what each of the seven actions does."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from minigrid.core.actions import Actions

from gridworld.actions import ACTION_SPACE
from gridworld.backends.base import AbstractGridBackend, GridState
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend, TaskParser
from support.worlds import block, corridor, door, draw, gate, hazard, key, switch

Played = Callable[[TaskSpecification, str], GridState]

TURN_LEFT, TURN_RIGHT, MOVE_FORWARD, PICKUP, DROP, TOGGLE, DONE = range(7)


def started(task: TaskSpecification) -> MiniGridBackend:
    backend = MiniGridBackend(render_mode=None)
    backend.configure(task)
    backend.reset()
    return backend


# --- the calls -------------------------------------------------------------------------------------------------


def test_it_is_abstract_and_the_minigrid_backend_is_one() -> None:
    assert issubclass(MiniGridBackend, AbstractGridBackend)
    with pytest.raises(TypeError, match="abstract"):
        AbstractGridBackend()  # type: ignore[abstract]


def test_the_calls_of_the_contract_in_their_order() -> None:
    task_spec = corridor("@.G", max_steps=10)
    backend: AbstractGridBackend = MiniGridBackend()

    backend.configure(task_spec)
    obs, state, info = backend.reset(seed=None)
    assert isinstance(obs, np.ndarray)
    assert isinstance(state, GridState)
    assert isinstance(info, dict)

    obs, reward, terminated, truncated, state, info = backend.step(2)
    assert isinstance(obs, np.ndarray)
    assert (reward, terminated, truncated) == (0, False, False)
    assert isinstance(state, GridState)
    assert isinstance(info, dict)

    image = backend.render()
    assert (image.ndim, image.shape[2], image.dtype) == (3, 3, np.uint8)
    assert backend.get_mission_text() == "reach the goal"
    assert backend.get_state() == state
    backend.close()


def test_configure_takes_the_task_by_its_keyword_too() -> None:
    backend = MiniGridBackend(render_mode=None)
    backend.configure(task_spec=corridor("@..G"))
    assert backend.reset()[1].agent_position == (1, 1)


@pytest.mark.parametrize("arguments", [{}, {"seed": None}, {"seed": 3}])
def test_reset_goes_back_to_the_start_with_any_seed(arguments: dict[str, Any]) -> None:
    backend = started(corridor("@kG", k=key()))
    start = backend.get_state()
    backend.step(PICKUP)
    backend.step(MOVE_FORWARD)
    assert backend.get_state() != start
    assert backend.reset(**arguments)[1] == start
    assert backend.get_state() == start


def test_step_tells_a_success() -> None:
    _, reward, terminated, truncated, state, _ = started(corridor("@G", max_steps=10)).step(action=MOVE_FORWARD)
    assert (terminated, truncated) == (True, False)
    assert reward == state.reward == pytest.approx(1 - 0.9 * 1 / 10)


def test_step_tells_a_death() -> None:
    _, reward, terminated, truncated, _, _ = started(corridor("@hG", h=hazard())).step(MOVE_FORWARD)
    assert (reward, terminated, truncated) == (0, True, False)


def test_step_tells_that_the_budget_is_used_up() -> None:
    _, reward, terminated, truncated, _, _ = started(corridor("@.G", max_steps=1)).step(MOVE_FORWARD)
    assert (reward, terminated, truncated) == (0, False, True)


def test_render_shows_the_present_state() -> None:
    backend = started(corridor("@..G"))
    before = backend.render()
    np.testing.assert_array_equal(backend.render(), before)
    backend.step(MOVE_FORWARD)
    assert (backend.render() != before).any()


def test_the_observation_of_the_minigrid_backend_is_its_picture() -> None:
    backend = MiniGridBackend()
    backend.configure(corridor("@..G"))
    np.testing.assert_array_equal(backend.reset()[0], backend.render())
    np.testing.assert_array_equal(backend.step(MOVE_FORWARD)[0], backend.render())


def test_get_state_after_a_step_is_the_state_of_the_step() -> None:
    backend = started(corridor("@.kG", k=key()))
    for action in (MOVE_FORWARD, PICKUP, TURN_LEFT):
        assert backend.step(action)[4] == backend.get_state()


@pytest.mark.parametrize(
    ("goal", "word"),
    [
        ({"type": "reach_position"}, "goal"),
        ({"type": "collect_all", "target_ids": ["k"]}, "purple key"),
        ({"type": "push_block_to", "target_ids": ["b"], "target_positions": [[4, 1]]}, "green block"),
        ({"type": "survive_steps"}, "alive"),
    ],
)
def test_the_mission_says_what_the_task_is_about(goal: dict[str, Any], word: str) -> None:
    task = draw("######\n#@b.G#\n#k...#\n######", b=block(color="green"), k=key("purple"), goal=goal)
    assert word in started(task).get_mission_text()


def test_another_task_can_be_configured_at_any_time() -> None:
    backend = started(corridor("@..G"))
    backend.step(MOVE_FORWARD)
    backend.configure(corridor("@k....G", k=key()))
    assert backend.reset()[1].step_count == 0
    assert backend.step(PICKUP)[4].agent_carrying == "k"


def test_a_closed_backend_can_be_closed_again_and_configured_again() -> None:
    backend = started(corridor("@..G"))
    backend.close()
    backend.close()
    backend.configure(corridor("@.G"))
    assert backend.reset()[1].agent_position == (1, 1)


# --- the seven actions -----------------------------------------------------------------------------------------


def test_there_are_seven_actions_numbered_and_named_as_in_the_contract() -> None:
    assert ACTION_SPACE == {
        0: "turn_left",
        1: "turn_right",
        2: "move_forward",
        3: "pickup",
        4: "drop",
        5: "toggle",
        6: "done",
    }


@pytest.mark.parametrize("action", [-1, 7, 100])
def test_there_is_no_further_action(action: int) -> None:
    backend = started(corridor("@.G"))
    before = backend.get_state()
    with pytest.raises(ValueError, match=str(action)):
        backend.step(action)
    assert backend.get_state() == before


def test_they_are_those_of_minigrid() -> None:
    in_minigrid = {"left": 0, "right": 1, "forward": 2, "pickup": 3, "drop": 4, "toggle": 5, "done": 6}
    assert {action.name: action.value for action in Actions} == in_minigrid
    assert [name.split("_")[-1] for name in ACTION_SPACE.values()] == list(in_minigrid)


CROSSROADS = """
    #####
    #...#
    #.@.#
    #..G#
    #####
"""
RIGHT, DOWN, LEFT, UP = (3, 2), (2, 3), (1, 2), (2, 1)


@pytest.mark.parametrize(
    ("turn", "cells"),
    [(TURN_LEFT, [UP, LEFT, DOWN, RIGHT]), (TURN_RIGHT, [DOWN, LEFT, UP, RIGHT])],
    ids=["turn_left is counter-clockwise", "turn_right is clockwise"],
)
def test_turning(turn: int, cells: list[tuple[int, int]]) -> None:
    for turns, cell in enumerate(cells, start=1):
        backend = started(draw(CROSSROADS))
        for _ in range(turns):
            assert backend.step(turn)[4].agent_position == (2, 2)
        assert backend.step(MOVE_FORWARD)[4].agent_position == cell


def test_turn_left_and_turn_right_undo_each_other() -> None:
    backend = started(draw(CROSSROADS))
    before = backend.get_state().agent_direction
    backend.step(TURN_LEFT)
    assert backend.get_state().agent_direction != before
    assert backend.step(TURN_RIGHT)[4].agent_direction == before


def test_move_forward_moves_one_cell_in_the_facing_direction() -> None:
    backend = started(corridor("@..G"))
    state = backend.step(MOVE_FORWARD)[4]
    assert (state.agent_position, state.agent_direction, state.step_count) == ((2, 1), 0, 1)


def test_pickup_picks_up_an_object_in_front() -> None:
    backend = started(corridor("@kG", k=key()))
    state = backend.step(PICKUP)[4]
    assert (state.agent_carrying, state.collected_keys, state.agent_position) == ("k", {"k"}, (1, 1))
    assert backend.step(MOVE_FORWARD)[4].agent_position == (2, 1)


@pytest.mark.parametrize("row", ["@..kG", "@.bkG"], ids=["nothing is in front", "it is not in reach"])
def test_pickup_takes_nothing_else(row: str) -> None:
    things = {"k": key(), **({"b": block()} if "b" in row else {})}
    assert started(corridor(row, **things)).step(PICKUP)[4].agent_carrying is None


def test_drop_drops_the_held_object_in_front() -> None:
    backend = started(corridor("@k..G", k=key()))
    backend.step(PICKUP)
    backend.step(MOVE_FORWARD)
    state = backend.step(DROP)[4]
    assert (state.agent_carrying, state.agent_position) == (None, (2, 1))
    assert backend.step(MOVE_FORWARD)[4].agent_position == (2, 1), "the key lies in the way"
    assert backend.step(PICKUP)[4].agent_carrying == "k"


def test_drop_with_an_empty_hand_changes_nothing_but_the_step_count() -> None:
    assert_only_a_step_passes(corridor("@..G"), DROP)


def test_toggle_opens_and_shuts_a_door_in_front() -> None:
    backend = started(corridor("@dG", d=door(initial_state="closed")))
    assert backend.step(TOGGLE)[4].open_doors == {"d"}
    assert backend.step(TOGGLE)[4].open_doors == set()


def test_toggle_unlocks_a_door_in_front_with_its_key() -> None:
    backend = started(corridor("@k.dG", k=key("red"), d=door("red")))
    for action in (PICKUP, MOVE_FORWARD, MOVE_FORWARD):
        backend.step(action)
    assert backend.step(TOGGLE)[4].open_doors == {"d"}


def test_toggle_switches_a_switch_in_front() -> None:
    backend = started(corridor("@sgG", s=switch("g"), g=gate()))
    state = backend.step(TOGGLE)[4]
    assert (state.active_switches, state.open_gates) == ({"s"}, {"g"})


@pytest.mark.parametrize(
    ("row", "things"),
    [("@.G", {}), ("@kG", {"k": key()}), ("@b.G", {"b": block()}), ("@gG", {"g": gate()})],
    ids=["nothing", "a key", "a block", "a gate"],
)
def test_toggle_does_nothing_to_what_cannot_be_toggled(row: str, things: dict[str, Any]) -> None:
    assert_only_a_step_passes(corridor(row, **things), TOGGLE)


def test_done_waits() -> None:
    assert_only_a_step_passes(corridor("@kG", k=key()), DONE)


def assert_only_a_step_passes(task: TaskSpecification, action: int) -> None:
    backend = started(task)
    before = backend.get_state()
    after = backend.step(action)[4]
    assert after.to_dict() == {**before.to_dict(), "step_count": 1}


@pytest.mark.parametrize("action", ACTION_SPACE)
def test_the_minigrid_backend_executes_the_actions_of_minigrid_directly(action: int) -> None:
    """Each action has the same effect in the environment behind the backend."""
    task = draw("######\n#.k.G#\n#.@d.#\n#....#\n######", k=key("red"), d=door("red", "closed"))
    backend = started(task)
    env = TaskParser().parse(task)
    env.step(action)
    state = backend.step(action)[4]
    assert (state.agent_position, state.agent_direction) == (tuple(env.agent_pos), env.agent_dir)
    np.testing.assert_array_equal(backend.env.grid.encode(), env.grid.encode())
