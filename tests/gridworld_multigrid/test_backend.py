"""`MultiGridBackend` keeps the contract of every backend, on every tiling."""

from pathlib import Path
from typing import Any

import pytest

from gridworld.errors import UnknownNameError
from gridworld.solver import solve
from gridworld.task_spec import TaskSpecification
from gridworld.world.acts import cell_ahead
from gridworld.world.events import Moved
from gridworld_multigrid import MultiGridBackend
from support.plugins import run_python, write_distribution
from support.thoroughness import bounded
from support.tilings import TILINGS, on_all_tilings, start_on
from support.worlds import corridor, hazard, key, look

SMALL = 96
in_random_worlds = bounded(8)


def ready(task: TaskSpecification, **options: Any) -> MultiGridBackend:
    """A backend at the start of an episode."""
    backend = MultiGridBackend(**{"image_size": SMALL, **options})
    backend.configure(task)
    backend.reset()
    return backend


# --- What it is --------------------------------------------------------------------------------------------------


@on_all_tilings
def test_it_has_a_name_and_the_tiling_that_was_asked_for(name: str) -> None:
    backend = MultiGridBackend(tiling=name)
    assert (backend.name, backend.tiling) == ("multigrid", name)
    backend.configure(corridor("@.G"))
    assert backend.world.topology.name == name


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


def test_importing_the_plugin_and_the_tilings_imports_neither_numpy_nor_gymnasium() -> None:
    done = run_python(
        "import sys, gridworld_multigrid_plugin, gridworld_polygons.uniform\n"
        "print(sorted({'numpy', 'gymnasium', 'PIL'} & set(sys.modules)))",
        [],
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


# --- configure, reset, step --------------------------------------------------------------------------------------


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


# --- Unready, over and wrong use ---------------------------------------------------------------------------------


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
