"""`MiniGridBackend` keeps the contract of every backend and shows tasks as frames of MiniGrid's tiles."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from minigrid.minigrid_env import MiniGridEnv

from gridworld.actions import Action
from gridworld.backends.base import GridState
from gridworld.backends.kernel import KernelBackend
from gridworld.errors import EpisodeOver, InvalidAction, InvalidTaskError, NotResetError
from gridworld.hookspecs import BackendInfo
from gridworld.plugins import get_registry
from gridworld.support.import_strings import load_object
from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import TaskSpecification
from gridworld.world.events import Moved
from gridworld_minigrid import CustomMiniGridEnv, MiniGridBackend
from gridworld_minigrid.tiles import draw_unseen_tile
from support.worlds import begin, corridor, door, draw, gate, hazard, key, look, roaming_action, switch, tasks

TILE = 8
seeds = st.integers(0, 10_000)


def ready(task: TaskSpecification, **options: Any) -> MiniGridBackend:
    """A backend at the start of an episode."""
    backend = MiniGridBackend(**options)
    backend.configure(task)
    backend.reset()
    return backend


def roam(backend: MiniGridBackend, seed: int, steps: int = 1000) -> Any:
    """Random steps up to the end of the episode or a number of steps; returns the outcome of the last."""
    rng, outcome = random.Random(seed), None
    for _ in range(steps):
        if backend.world.is_over(backend.episode.state):
            break
        outcome = backend.step(roaming_action(backend.world, backend.episode.state, rng))
    return outcome


# --- What it is --------------------------------------------------------------------------------------------------


def test_it_is_installed_as_the_backend_minigrid() -> None:
    info = get_registry().backends.get("minigrid")
    assert isinstance(info, BackendInfo)
    assert load_object(info.target) is MiniGridBackend
    assert issubclass(MiniGridBackend, KernelBackend)


def test_it_has_a_name_and_a_tiling() -> None:
    backend = MiniGridBackend()
    assert (backend.name, backend.tiling) == ("minigrid", "square")


def test_its_environment_is_a_real_minigrid_environment_in_the_same_episode() -> None:
    backend = ready(corridor("@.G"))
    assert isinstance(backend.env, CustomMiniGridEnv)
    assert isinstance(backend.env, MiniGridEnv)
    backend.step(2)
    assert backend.env.agent_pos == (2, 1)


def test_its_environment_is_at_the_same_moment_even_where_nobody_looks() -> None:
    backend = MiniGridBackend()
    backend.configure(corridor("@..G"))
    backend.unseen = True
    backend.reset()
    for x in (1, 2, 3):
        assert tuple(backend.env.agent_pos) == (x, 1)
        backend.step(Action.MOVE_FORWARD)


@pytest.mark.parametrize(
    "arguments", [{"render_mode": "human"}, {"render_mode": "ansi"}, {"tile_size": 7}, {"max_side": 63}]
)
def test_arguments_out_of_range_are_refused(arguments: dict[str, Any]) -> None:
    (name,) = arguments
    with pytest.raises(ValueError, match=name):
        MiniGridBackend(**arguments)


def test_a_picture_of_a_large_maze_is_no_larger_than_its_largest_side() -> None:
    wide = corridor("@" + "." * 197 + "G")
    assert ready(wide).render().shape == (3 * 7, 201 * 7, 3)
    assert ready(wide, max_side=300).render().shape == (3, 201, 3)
    assert ready(corridor("@.G")).render().shape == (3 * 32, 5 * 32, 3)


def test_what_is_held_is_shown_upon_the_corner_and_an_empty_hand_is_not() -> None:
    shown = set()
    for color in COLOR_NAMES:
        backend = ready(corridor("@k.G", k=key(color)))
        before = backend.render()
        after = backend.step(3)[0]
        assert (before[:32, :32] == before[:32, 32:64]).all()
        assert tuple(after[0, 0]) == (255, 255, 255)
        shown.add(after[:32, :32].tobytes())
        assert (backend.step(4)[0][:32, :32] == before[:32, :32]).all()
    assert len(shown) == len(COLOR_NAMES)


# --- configure, reset, step --------------------------------------------------------------------------------------


def test_reset_returns_observation_state_and_info(task: TaskSpecification) -> None:
    backend = MiniGridBackend()
    assert backend.configure(task) is None
    frame, state, info = backend.reset(seed=5)
    assert isinstance(frame, np.ndarray)
    assert state == backend.get_state() == look(begin(task))
    assert info["events"] == ()


def test_step_returns_observation_reward_ends_state_and_info() -> None:
    frame, reward, terminated, truncated, state, info = ready(corridor("@.G")).step(2)
    assert isinstance(frame, np.ndarray)
    assert [type(each) for each in (reward, terminated, truncated, state)] == [float, bool, bool, GridState]
    assert [type(event) for event in info["events"]] == [Moved]


@given(task=tasks(), seed=seeds)
def test_a_step_tells_the_state_of_the_kernel(task: TaskSpecification, seed: int) -> None:
    backend, alone = ready(task, render_mode=None), begin(task)
    rng = random.Random(seed)
    while not backend.world.is_over(backend.episode.state):
        action = roaming_action(alone.world, alone.state, rng)
        _, reward, terminated, truncated, state, info = backend.step(action)
        assert info["events"] == alone.step(action)
        assert state == look(alone) == backend.get_state()
        assert (reward, terminated, truncated) == (state.reward, state.terminated, state.truncated)


def test_an_episode_is_played_to_its_success() -> None:
    backend = ready(corridor("@.G", max_steps=10))
    backend.step(2)
    _, reward, terminated, truncated, state, _ = backend.step(2)
    assert (reward, terminated, truncated, state.goal_reached) == (pytest.approx(0.82), True, False, True)


def test_info_has_minigrids_symbolic_observation(task: TaskSpecification) -> None:
    backend = ready(task)
    for action in (2, 1, 2, 5):
        symbolic = backend.step(action)[5]["symbolic"]
        theirs = MiniGridEnv.gen_obs(backend.env)
        np.testing.assert_array_equal(symbolic["image"], theirs["image"])
        assert (symbolic["direction"], symbolic["mission"]) == (theirs["direction"], theirs["mission"])


def test_the_symbolic_observation_has_the_view_size_of_the_task() -> None:
    info = ready(corridor("@.G", rules={"view_size": 9})).step(6)[5]
    assert info["symbolic"]["image"].shape == (9, 9, 3)


def test_the_mission_is_told_as_soon_as_a_task_is_configured() -> None:
    backend = MiniGridBackend()
    backend.configure(corridor("@k.G", k=key("grey"), goal={"type": "collect_all", "target_ids": ["k"]}))
    assert backend.get_mission_text() == "pick up the grey key"


@given(task=tasks(), seed=seeds)
def test_reset_goes_back_to_the_start(task: TaskSpecification, seed: int) -> None:
    backend = MiniGridBackend(tile_size=TILE)
    backend.configure(task)
    frame, state, info = backend.reset()
    roam(backend, seed)
    again, same, info_again = backend.reset(seed=seed)
    np.testing.assert_array_equal(again, frame)
    assert same == state
    np.testing.assert_array_equal(info_again["symbolic"]["image"], info["symbolic"]["image"])


def test_another_task_can_be_configured_at_any_time() -> None:
    backend = ready(corridor("@.G"))
    backend.step(2)
    backend.configure(corridor("@...kG", k=key()))
    frame, state, _ = backend.reset()
    assert frame.shape == (3 * 32, 8 * 32, 3)
    assert (state.agent_position, state.step_count) == ((1, 1), 0)


# --- Unready, over and wrong use ---------------------------------------------------------------------------------

USES: dict[str, Callable[[MiniGridBackend], object]] = {
    "step": lambda backend: backend.step(6),
    "render": lambda backend: backend.render(),
    "get_state": lambda backend: backend.get_state(),
}
USES_OF_A_TASK: dict[str, Callable[[MiniGridBackend], object]] = {
    **USES,
    "reset": lambda backend: backend.reset(),
    "get_mission_text": lambda backend: backend.get_mission_text(),
    "env": lambda backend: backend.env,
}


@pytest.mark.parametrize("use", USES_OF_A_TASK.values(), ids=USES_OF_A_TASK)
def test_without_a_task_nothing_can_be_done(use: Callable[[MiniGridBackend], object]) -> None:
    with pytest.raises(NotResetError, match="configure"):
        use(MiniGridBackend())


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_before_reset_nothing_can_be_played_or_seen(use: Callable[[MiniGridBackend], object]) -> None:
    backend = MiniGridBackend()
    backend.configure(corridor("@.G"))
    with pytest.raises(NotResetError, match="reset"):
        use(backend)


@pytest.mark.parametrize("use", USES_OF_A_TASK.values(), ids=USES_OF_A_TASK)
def test_a_closed_backend_has_no_task(use: Callable[[MiniGridBackend], object]) -> None:
    backend = ready(corridor("@.G"))
    backend.close()
    with pytest.raises(NotResetError, match="configure"):
        use(backend)


def test_a_closed_backend_can_be_closed_again_and_used_again() -> None:
    backend = ready(corridor("@.G"))
    backend.close()
    backend.close()
    backend.configure(corridor("@..G"))
    backend.reset()
    assert backend.step(2)[4].agent_position == (2, 1)


def test_a_backend_that_never_had_a_task_can_be_closed() -> None:
    backend = MiniGridBackend()
    backend.close()
    backend.configure(corridor("@.G"))
    assert backend.reset()[1].step_count == 0


@pytest.mark.parametrize("row", ["@G", "@hG"], ids=["success", "death"])
def test_a_step_after_the_end_is_refused_and_changes_nothing(row: str) -> None:
    backend = ready(corridor(row, **({"h": hazard()} if "h" in row else {})))
    backend.step(2)
    before, frame = backend.get_state(), backend.render()
    with pytest.raises(EpisodeOver):
        backend.step(0)
    assert backend.get_state() == before
    np.testing.assert_array_equal(backend.render(), frame)


@pytest.mark.parametrize("action", [7, -1, None, "turn_left", 1.5], ids=repr)
def test_an_action_outside_the_seven_is_refused_and_changes_nothing(action: Any) -> None:
    backend = ready(corridor("@.G"))
    before = backend.get_state()
    with pytest.raises(InvalidAction):
        backend.step(action)
    assert backend.get_state() == before


def test_a_task_that_cannot_be_leaves_the_former_one_usable() -> None:
    good = corridor("@..G")
    backend = ready(good)
    backend.step(2)
    with pytest.raises(InvalidTaskError, match="max_steps"):
        backend.configure(attrs.evolve(good, max_steps=0))
    assert backend.step(2)[4].agent_position == (3, 1)
    assert backend.get_mission_text() == "reach the goal"
    assert backend.reset()[1].agent_position == (1, 1)


def test_two_backends_do_not_disturb_each_other(task: TaskSpecification) -> None:
    one, other = ready(task), ready(task)
    state, frame = other.get_state(), other.render()
    roam(one, seed=1)
    assert other.get_state() == state
    np.testing.assert_array_equal(other.render(), frame)


def test_two_backends_in_step_show_the_same(task: TaskSpecification) -> None:
    one, other = ready(task), ready(task)
    rng = random.Random(2)
    for _ in range(40):
        if one.world.is_over(one.episode.state):
            break
        action = roaming_action(one.world, one.episode.state, rng)
        np.testing.assert_array_equal(one.step(action)[0], other.step(action)[0])


# --- Frames ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "cell"), [({}, 32), ({"tile_size": 8}, 8), ({"tile_size": 17}, 17)])
def test_the_observation_is_an_rgb_frame_with_a_square_for_each_cell(options: dict[str, int], cell: int) -> None:
    frame, *_ = ready(corridor("@...G"), **options).step(2)
    assert (frame.shape, frame.dtype) == ((3 * cell, 7 * cell, 3), np.uint8)


def test_the_observation_is_the_frame_that_render_gives(task: TaskSpecification) -> None:
    backend = ready(task)
    for action in (2, 1, 2, 5):
        np.testing.assert_array_equal(backend.step(action)[0], backend.render())


def test_without_a_render_mode_there_is_a_frame_only_when_asked_for(task: TaskSpecification) -> None:
    silent, showing = MiniGridBackend(render_mode=None), ready(task)
    silent.configure(task)
    assert silent.reset()[0] is None
    assert silent.step(2)[0] is None
    np.testing.assert_array_equal(silent.render(), showing.step(2)[0])


def test_a_frame_is_the_callers_own() -> None:
    backend = ready(corridor("@.G"))
    first = backend.render()
    kept = first.copy()
    first[:] = 7
    np.testing.assert_array_equal(backend.render(), kept)
    frame, *_ = backend.step(6)
    np.testing.assert_array_equal(frame, kept)


def test_a_later_step_leaves_earlier_frames_alone() -> None:
    backend = ready(corridor("@.G"))
    first = backend.render()
    kept = first.copy()
    backend.step(2)
    np.testing.assert_array_equal(first, kept)


def test_every_turn_and_move_can_be_seen() -> None:
    backend = ready(corridor("@..G"))
    frames = [backend.render(), *(backend.step(action)[0] for action in (0, 0, 0, 0, 2))]
    assert len({frame.tobytes() for frame in frames[:4]}) == 4
    np.testing.assert_array_equal(frames[4], frames[0])
    assert not np.array_equal(frames[5], frames[4])


def test_the_field_of_view_is_highlighted_only_when_asked_for() -> None:
    maze = corridor("@..G")
    plain, highlighted = ready(maze).render(), ready(maze, highlight=True).render()
    np.testing.assert_array_equal(plain, ready(maze, highlight=False).render())
    assert (highlighted.mean(axis=2) >= plain.mean(axis=2)).all()
    assert highlighted.sum() > plain.sum()


# --- What the rules hide is in no frame --------------------------------------------------------------------------

PARTIAL = ("view_cone", "fog_of_war")
ROOM = """
#######
#@..D.#
#...#k#
#.G.#h#
#######
"""


def room(observability: str, **things: Any) -> TaskSpecification:
    """A room with a shut door, behind which worlds may differ."""
    return draw(
        ROOM,
        rules={"observability": observability},
        goal={"type": "survive_steps"},
        **{"D": door("red", "closed"), "k": key("red"), "h": hazard(), **things},
    )


@pytest.mark.parametrize("highlight", [False, True])
@pytest.mark.parametrize("observability", PARTIAL)
def test_worlds_that_differ_only_in_unseen_cells_look_the_same_until_they_are_seen(
    observability: str, highlight: bool
) -> None:
    one = ready(room(observability), highlight=highlight)
    other = ready(room(observability, k=key("blue"), h=hazard("pit")), highlight=highlight)
    np.testing.assert_array_equal(one.render(), other.render())
    for action in (2, 2, 1, 1, 1, 1):
        np.testing.assert_array_equal(one.step(action)[0], other.step(action)[0])
    for action in (5, 2, 2):
        one.step(action), other.step(action)
    assert not np.array_equal(one.step(1)[0], other.step(1)[0])


def cells_drawn_as_unseen(frame: np.ndarray) -> set[tuple[int, int]]:
    height, width = frame.shape[0] // TILE, frame.shape[1] // TILE
    tiles = frame.reshape(height, TILE, width, TILE, 3).swapaxes(1, 2)
    unseen = draw_unseen_tile(TILE)
    return {(x, y) for y in range(height) for x in range(width) if np.array_equal(tiles[y, x], unseen)}


@given(task=tasks(), seed=seeds, highlight=st.booleans())
def test_a_frame_shows_the_cells_that_the_rules_show_and_no_others(
    task: TaskSpecification, seed: int, highlight: bool
) -> None:
    backend = ready(task, tile_size=TILE, highlight=highlight)
    rng = random.Random(seed)
    everywhere = {(x, y) for x in range(task.maze.width) for y in range(task.maze.height)}
    while not backend.world.is_over(backend.episode.state):
        frame, *_, state, _ = backend.step(roaming_action(backend.world, backend.episode.state, rng))
        shown = state.visible_cells if task.rules.observability == "view_cone" else state.explored_cells
        hand = {(0, 0)} if state.agent_carrying else set()
        assert cells_drawn_as_unseen(frame) == everywhere - shown - hand


@pytest.mark.parametrize("highlight", [False, True])
def test_a_fully_seen_world_shows_what_is_behind_its_doors(highlight: bool) -> None:
    one = ready(room("full"), highlight=highlight)
    other = ready(room("full", k=key("blue")), highlight=highlight)
    assert not np.array_equal(one.render(), other.render())


def test_a_view_cone_forgets_what_a_fog_of_war_remembers() -> None:
    frames = {mode: [ready(room(mode)).render()] for mode in PARTIAL}
    for mode in PARTIAL:
        backend = ready(room(mode))
        backend.step(0)
        frames[mode].append(backend.step(0)[0])
    np.testing.assert_array_equal(frames["view_cone"][0], frames["fog_of_war"][0])
    assert not np.array_equal(frames["view_cone"][1], frames["fog_of_war"][1])


def test_a_change_out_of_view_is_not_shown_before_it_is_seen() -> None:
    maze = """
    ########
    #@.#g..#
    #s.#.G.#
    ########
    """
    things = {"s": switch("g"), "g": gate()}
    for mode in PARTIAL:
        rules = {"observability": mode}
        one = ready(draw(maze, rules=rules, **things))
        other = ready(draw(maze, rules=rules, **{**things, "s": switch()}))
        one.step(1), other.step(1)
        np.testing.assert_array_equal(one.step(5)[0], other.step(5)[0])
        assert one.get_state().open_gates != other.get_state().open_gates


@pytest.mark.parametrize(
    ("thing", "bare"),
    [(key(), "#"), (gate(), "#"), (hazard("pit"), "."), (switch(), "."), (gate("open"), ".")],
    ids=["key", "shut gate", "pit", "switch", "open gate"],
)
def test_a_hidden_solid_thing_looks_like_wall_and_any_other_like_floor(thing: Any, bare: str) -> None:
    hidden = corridor("@.x.G", x=thing, rules={"hidden_mechanisms": ["x"]})
    np.testing.assert_array_equal(ready(hidden).render(), ready(corridor(f"@.{bare}.G")).render())


def test_a_hidden_thing_is_seen_once_it_is_discovered() -> None:
    hidden, open_ = ready(corridor("@kG", k=key(), rules={"hidden_mechanisms": ["k"]})), ready(corridor("@kG", k=key()))
    assert not np.array_equal(hidden.render(), open_.render())
    np.testing.assert_array_equal(hidden.step(2)[0], open_.step(2)[0])
