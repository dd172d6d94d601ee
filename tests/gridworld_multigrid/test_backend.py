"""`MultiGridBackend` keeps the contract of every backend, on every tiling."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.backends.base import GridState
from gridworld.backends.kernel import KernelBackend
from gridworld.errors import EpisodeOver, InvalidAction, InvalidTaskError, NotResetError, UnknownNameError
from gridworld.plugins import get_registry
from gridworld.solver import solve
from gridworld.support.import_strings import load_object
from gridworld.task_spec import TaskSpecification
from gridworld.testing.walks import roaming_action
from gridworld.world.acts import cell_ahead
from gridworld.world.events import Moved
from gridworld_multigrid import MultiGridBackend
from support.plugins import run_python, write_distribution
from support.thoroughness import bounded
from support.tilings import TILINGS, everything, on_all_tilings, start_on
from support.worlds import begin, corridor, hazard, key, look, tasks

SMALL = 96
in_random_worlds = bounded(8)


def ready(task: TaskSpecification, **options: Any) -> MultiGridBackend:
    """A backend at the start of an episode."""
    backend = MultiGridBackend(**{"image_size": SMALL, **options})
    backend.configure(task)
    backend.reset()
    return backend


# --- What it is --------------------------------------------------------------------------------------------------


def test_it_is_installed_as_the_backend_multigrid() -> None:
    assert load_object(get_registry().backends.get("multigrid").target) is MultiGridBackend
    assert issubclass(MultiGridBackend, KernelBackend)


@on_all_tilings
def test_it_has_a_name_and_the_tiling_that_was_asked_for(name: str) -> None:
    backend = MultiGridBackend(tiling=name)
    assert (backend.name, backend.tiling) == ("multigrid", name)
    backend.configure(corridor("@.G"))
    assert backend.world.topology.name == name


def test_its_tiling_is_square_unless_said_otherwise() -> None:
    assert MultiGridBackend().tiling == "square"


def test_an_unknown_tiling_is_refused_at_once_with_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown tiling 'triangel' .did you mean 'triangle'"):
        MultiGridBackend(tiling="triangel")


@pytest.mark.parametrize(
    "arguments",
    [
        {"render_mode": "human"},
        {"image_size": 63},
        {"image_size": (640, 10)},
        {"image_size": (1, 2, 3)},
        {"image_size": 99.5},
        {"image_size": "large"},
    ],
    ids=str,
)
def test_arguments_out_of_range_are_refused(arguments: dict[str, Any]) -> None:
    (name,) = arguments
    with pytest.raises(ValueError, match=name):
        MultiGridBackend(**arguments)


def test_importing_the_package_imports_neither_numpy_nor_gymnasium() -> None:
    done = run_python(
        "import sys, gridworld_multigrid.plugin, gridworld_multigrid.agent\n"
        "print(sorted({'numpy', 'gymnasium', 'PIL'} & set(sys.modules)), gridworld_multigrid.Action.PUSH.value)",
        [],
    )
    assert (done.stdout, done.stderr) == ("[] 7\n", "")


# --- configure, reset, step --------------------------------------------------------------------------------------


@on_all_tilings
def test_the_calls_of_the_contract(name: str) -> None:
    backend = MultiGridBackend(tiling=name, image_size=SMALL)
    backend.configure(corridor("@..G"))
    frame, state, info = backend.reset(seed=5)
    assert (frame.ndim, frame.shape[2], frame.dtype) == (3, 3, np.uint8)
    assert max(frame.shape) <= SMALL
    assert isinstance(state, GridState)
    assert (state, info["events"]) == (backend.get_state(), ())
    frame, reward, terminated, truncated, state, info = backend.step(6)
    assert [type(each) for each in (frame, reward, terminated, truncated, state)] == [
        np.ndarray,
        float,
        bool,
        bool,
        GridState,
    ]
    assert backend.get_mission_text() == "reach the goal"
    np.testing.assert_array_equal(backend.render(), frame)


@in_random_worlds
@given(task=tasks(), seed=st.integers(0, 10_000))
def test_on_squares_a_step_does_what_it_does_in_the_kernel(task: TaskSpecification, seed: int) -> None:
    backend, alone, rng = ready(task, render_mode=None), begin(task), random.Random(seed)
    while not backend.world.is_over(backend.episode.state):
        action = roaming_action(alone.world, alone.state, rng)
        _, reward, terminated, truncated, state, info = backend.step(action)
        assert info["events"] == alone.step(action)
        assert state == look(alone) == backend.get_state()
        assert (reward, terminated, truncated) == (state.reward, state.terminated, state.truncated)


@on_all_tilings
def test_the_plan_of_the_solver_wins(name: str) -> None:
    task = corridor("@.k..G", k=key(), goal={"type": "collect_all", "target_ids": ["k"]})
    backend = ready(task, tiling=name, render_mode=None)
    plan = solve(backend.world, 10_000).plan
    assert plan
    outcomes = [backend.step(action) for action in plan]
    assert [outcome[2] for outcome in outcomes] == [False] * (len(plan) - 1) + [True]
    assert outcomes[-1][4].goal_reached
    assert outcomes[-1][1] > 0


@on_all_tilings
def test_reset_goes_back_to_the_start(name: str) -> None:
    backend, rng = ready(everything(), tiling=name), random.Random(1)
    frame, state, _ = backend.reset()
    for _ in range(30):
        if backend.world.is_over(backend.episode.state):
            break
        backend.step(roaming_action(backend.world, backend.episode.state, rng))
    again, same, _ = backend.reset(seed=3)
    np.testing.assert_array_equal(again, frame)
    assert same == state


def test_another_task_can_be_configured_at_any_time() -> None:
    backend = ready(corridor("@..G"), tiling="hex")
    before = backend.step(2)[0]
    backend.configure(corridor("@k....G", k=key()))
    frame, state, _ = backend.reset()
    assert (state.agent_position, state.step_count) == ((1, 1), 0)
    assert frame.shape != before.shape


def test_a_task_that_cannot_be_leaves_the_former_one_usable() -> None:
    good = corridor("@..G")
    backend = ready(good, tiling="3464")
    with pytest.raises(InvalidTaskError, match="max_steps"):
        backend.configure(attrs.evolve(good, max_steps=0))
    assert backend.step(2)[4].step_count == 1
    assert backend.reset()[1].agent_position == (1, 1)


# --- Unready, over and wrong use ---------------------------------------------------------------------------------

USES: dict[str, Callable[[MultiGridBackend], object]] = {
    "step": lambda backend: backend.step(6),
    "render": lambda backend: backend.render(),
    "get_state": lambda backend: backend.get_state(),
}
USES_OF_A_TASK = {
    **USES,
    "reset": lambda backend: backend.reset(),
    "get_mission_text": lambda backend: backend.get_mission_text(),
}


@pytest.mark.parametrize("use", USES_OF_A_TASK.values(), ids=USES_OF_A_TASK)
def test_without_a_task_nothing_can_be_done(use: Callable[[MultiGridBackend], object]) -> None:
    with pytest.raises(NotResetError, match="configure"):
        use(MultiGridBackend())
    closed = ready(corridor("@.G"))
    closed.close()
    with pytest.raises(NotResetError, match="configure"):
        use(closed)


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_before_reset_nothing_can_be_played_or_seen(use: Callable[[MultiGridBackend], object]) -> None:
    backend = MultiGridBackend()
    backend.configure(corridor("@.G"))
    with pytest.raises(NotResetError, match="reset"):
        use(backend)
    assert backend.reset()[1].step_count == 0
    use(backend)


@on_all_tilings
def test_a_step_after_the_end_is_refused_and_changes_nothing(name: str) -> None:
    backend = ready(corridor("@.G", max_steps=1), tiling=name)
    assert backend.step(6)[3]
    before, frame = backend.get_state(), backend.render()
    for action in (0, 99):
        with pytest.raises(EpisodeOver):
            backend.step(action)
    assert backend.get_state() == before
    np.testing.assert_array_equal(backend.render(), frame)


@pytest.mark.parametrize("action", [7, 8, -1, None, "turn_left", 1.5], ids=repr)
@on_all_tilings
def test_an_action_outside_the_seven_is_refused_and_changes_nothing(name: str, action: Any) -> None:
    backend = ready(corridor("@.G"), tiling=name)
    before, frame = backend.get_state(), backend.render()
    with pytest.raises(InvalidAction):
        backend.step(action)
    assert backend.get_state() == before
    np.testing.assert_array_equal(backend.render(), frame)


@on_all_tilings
def test_two_backends_do_not_disturb_each_other(name: str) -> None:
    one, other = ready(everything(), tiling=name), ready(everything(), tiling=name)
    state, frame = other.get_state(), other.render()
    for action in (1, 2, 2, 0, 3):
        one.step(action)
    assert other.get_state() == state
    np.testing.assert_array_equal(other.render(), frame)


# --- Pictures ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [64, (200, 80), 640])
def test_a_picture_fits_into_the_asked_width_and_height(size: Any) -> None:
    width, height = (size, size) if isinstance(size, int) else size
    frame = ready(corridor("@.G"), image_size=size).render()
    assert frame.shape[1] <= width
    assert frame.shape[0] <= height
    assert frame.shape[1] >= 0.8 * width or frame.shape[0] >= 0.8 * height


def test_a_picture_is_640_wide_or_high_unless_said_otherwise() -> None:
    backend = MultiGridBackend("square")
    backend.configure(corridor("@.G"))
    assert 600 <= max(backend.reset()[0].shape) <= 640


def test_a_picture_is_no_larger_than_its_largest_side() -> None:
    task = corridor("@" + "." * 197 + "G")
    assert 1200 <= max(ready(task, image_size=4000).render().shape) <= 1536
    assert max(ready(task, image_size=4000, max_side=300).render().shape) <= 300
    with pytest.raises(ValueError, match="max_side"):
        MultiGridBackend(max_side=63)


@on_all_tilings
def test_without_a_render_mode_there_is_a_picture_only_when_asked_for(name: str) -> None:
    silent, showing = (ready(everything(), tiling=name, render_mode=mode) for mode in (None, "rgb_array"))
    for action in (2, 1, 2, 6):
        frame = showing.step(action)[0]
        assert silent.step(action)[0] is None
    np.testing.assert_array_equal(silent.render(), frame)
    assert silent.reset()[0] is None
    np.testing.assert_array_equal(silent.render(), showing.reset()[0])


@on_all_tilings
def test_a_later_step_leaves_earlier_pictures_alone(name: str) -> None:
    backend = ready(everything(), tiling=name)
    first = backend.render()
    kept = first.copy()
    backend.step(1)
    np.testing.assert_array_equal(first, kept)


# --- Tilings of others -------------------------------------------------------------------------------------------

BRICKS = """
from functools import cache

from gridworld.hookspecs import TilingInfo, hookimpl


@hookimpl
def gridworld_tilings():
    return [TilingInfo("bricks", "Squares, twice as wide.", "their_bricks:bricks")]


@cache
def bricks(width, height):
    import attrs
    from gridworld.world import square_topology

    squares = square_topology(width, height)
    polygons = tuple(tuple((2 * x, y) for x, y in polygon) for polygon in squares.polygons)
    centres = tuple((2 * x, y) for x, y in squares.centres)
    return attrs.evolve(squares, name="bricks", polygons=polygons, centres=centres)
"""
SHOW_BRICKS = """
from gridworld_multigrid import MultiGridBackend
from support.worlds import corridor, key
backend = MultiGridBackend("bricks", image_size=(400, 100))
backend.configure(corridor("@k.G", k=key()))
frame = backend.reset()[0]
print(backend.tiling, frame.shape, backend.step(3)[4].agent_carrying)
"""


def test_a_tiling_that_others_publish_is_shown_too(tmp_path: Path) -> None:
    write_distribution(
        tmp_path, "bricks", "1.0", {"bricks": "their_bricks"}, {"their_bricks.py": BRICKS}, ["gridworld-core"]
    )
    done = run_python(SHOW_BRICKS, [tmp_path, Path(__file__).parents[1]])
    assert (done.stdout, done.stderr) == ("bricks (98, 386, 3) k\n", "")


@on_all_tilings
def test_death_is_no_success(name: str) -> None:
    backend = ready(corridor("@hG", h=hazard()), tiling=name, render_mode=None)
    world = backend.world
    while (ahead := cell_ahead(world, backend.episode.state)) not in world.by_id["h"].cells:
        backend.step(2 if world.is_free(backend.episode.state, ahead) else 1)
    _, reward, terminated, _, state, info = backend.step(2)
    assert (reward, terminated, state.goal_reached) == (0.0, True, False)
    assert isinstance(info["events"][0], Moved)


def test_the_state_is_told_in_lattice_cells() -> None:
    for name in TILINGS:
        state = ready(corridor("@..G"), tiling=name).get_state()
        assert state.agent_position == (1, 1)
        assert state == look(start_on(name, corridor("@..G")))
