"""Installed tilings, and their errors in the library, backends and commands."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gridworld.errors import ArgumentError, InvalidTaskError, PluginFault, Problem, UnknownNameError
from gridworld.plugins import load_registry, using_registry
from gridworld.plugins.tilings import compile_on, find_tiling, lay_out
from gridworld.world import square_topology
from gridworld_multigrid import MultiGridBackend
from support.commands import multinet
from support.plugins import write_distribution
from support.runs import write_corridor
from support.tilings import TILINGS
from support.worlds import corridor, door, draw, draw_everything

THIRD_PARTY = """
from gridworld.hookspecs import TilingInfo, hookimpl


@hookimpl
def gridworld_tilings():
    return [
        TilingInfo("even", "Squares, for lattices of even width.", "fussy_tilings:even"),
        TilingInfo("cut-off", "Squares, without the last column.", "fussy_tilings:cut_off"),
        TilingInfo("overlapping", "Squares, each with its right neighbour's cell too.", "fussy_tilings:overlapping"),
        TilingInfo("missing", "Promised and not there.", "fussy_tilings:missing"),
        TilingInfo("broken", "Raises.", "fussy_tilings:broken"),
        TilingInfo("shapeless", "Makes no topology.", "fussy_tilings:shapeless"),
    ]


def even(width, height):
    from gridworld.world import square_topology

    if width % 2:
        raise ValueError(f"the width has to be even, got {width}")
    return square_topology(width, height)


def broken(width, height):
    return {}["squares"]


def shapeless(width, height):
    return [width, height]


def cut_off(width, height):
    from gridworld.world import square_topology

    return square_topology(width - 1, height)


def overlapping(width, height):
    import attrs
    from gridworld.world import square_topology

    squares = square_topology(width, height)
    rightwards = {(x - 1, y): cells for (x, y), cells in squares.patches.items()}
    patches = {place: cells + rightwards.get(place, ()) for place, cells in squares.patches.items()}
    return attrs.evolve(squares, name="overlapping", patches=patches)
"""
ODD, EVEN = "@.G", "@..G"
NOT_EVEN = "the tiling 'even' cannot be laid out: the width has to be even, got 5"
NO_CELL = "too small for the tiling 'square': it has no cell for [5, 0]"
COVERED = "its patch on the tiling 'overlapping' covers that of a wall"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a third party's tilings are installed, to be put on the path."""
    folder = tmp_path_factory.mktemp("site")
    write_distribution(
        folder, "fussy", "1.0", {"tilings": "fussy_tilings"}, {"fussy_tilings.py": THIRD_PARTY}, ["gridworld-core"]
    )
    return folder


@pytest.fixture
def _third_party(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(site)
    with using_registry(load_registry()):
        yield


with_third_party = pytest.mark.usefixtures("_third_party")

# --- By name -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("wrong", "nearest"), [("triangel", "triangle")])
def test_an_unknown_tiling_is_refused_with_the_nearest_and_installed_ones(wrong: str, nearest: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        find_tiling(wrong)
    assert str(caught.value).startswith(f"unknown tiling '{wrong}' (did you mean '{nearest}'?)")
    assert set(TILINGS) <= set(caught.value.known)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ((draw_everything(), "square"), "expected the name of a tiling, such as 'square', got a TaskSpecification"),
        (("square", "hex"), "expected a TaskSpecification to compile on 'square', got a str"),
    ],
    ids=["swapped", "no task"],
)
def test_swapped_arguments_of_compile_on_are_refused(order: Any, expected: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        compile_on(*order)
    assert str(caught.value) == expected


def test_a_lattice_larger_than_a_maze_may_be_is_not_laid_out() -> None:
    with pytest.raises(ValueError, match="expected at most 512 columns and rows"):
        square_topology(5, 10**30)


# --- Laid out ----------------------------------------------------------------------------------------------------


@with_third_party
def test_a_refused_lattice_is_a_problem_of_the_dimensions() -> None:
    even = find_tiling("even")
    assert lay_out(even, corridor(EVEN)).width == 6
    with pytest.raises(InvalidTaskError) as caught:
        lay_out(even, corridor(ODD))
    assert caught.value.problems == (Problem("maze.dimensions", NOT_EVEN),)
    assert caught.value.source == "drawn"


@with_third_party
def test_a_tiling_that_is_not_there_is_the_fault_of_its_plugin() -> None:
    with pytest.raises(PluginFault, match="cannot load 'fussy_tilings:missing'"):
        lay_out(find_tiling("missing"), corridor(ODD))


@with_third_party
@pytest.mark.parametrize(
    ("tiling", "message"),
    [
        (
            "broken",
            r"^tiling 'broken' \(.*\) failed in fussy_tilings:broken when the task 'drawn' was laid out: KeyError: ",
        ),
        ("shapeless", r"^tiling 'shapeless' \(.*\) failed in .*: returned \[5, 3\], expected a Topology$"),
    ],
)
def test_a_broken_tiling_is_named(tiling: str, message: str) -> None:
    with pytest.raises(PluginFault, match=message):
        lay_out(find_tiling(tiling), corridor(ODD))


# --- On a backend ------------------------------------------------------------------------------------------------


@with_third_party
def test_a_backend_keeps_its_task_if_the_next_one_is_refused() -> None:
    backend = MultiGridBackend("even", render_mode=None)
    had = corridor(EVEN)
    backend.configure(had)
    backend.reset()
    before = backend.step(2)[4]
    with pytest.raises(InvalidTaskError) as caught:
        backend.configure(corridor(ODD))
    assert caught.value.problems == (Problem("maze.dimensions", NOT_EVEN),)
    assert backend.world.task is had
    assert backend.get_state() == before


@with_third_party
@pytest.mark.parametrize(
    ("tiling", "problem"),
    [
        pytest.param("cut-off", Problem("maze.dimensions", NO_CELL), id="no cell"),
        pytest.param("overlapping", Problem("mechanisms.doors[0]", COVERED), id="collision"),
    ],
)
def test_a_backend_names_what_cannot_be_placed(tiling: str, problem: Problem) -> None:
    task = draw("######\n#@..G#\n#..d##\n######", d=door(initial_state="closed"))
    with pytest.raises(InvalidTaskError) as caught:
        MultiGridBackend(tiling, render_mode=None).configure(task)
    assert problem in caught.value.problems


# --- On the command line -----------------------------------------------------------------------------------------


@with_third_party
def test_solve_plays_a_task_that_the_tiling_can_lay_out_and_refuses_others(tmp_path: Path) -> None:
    odd, even = write_corridor(tmp_path, "odd", ODD), write_corridor(tmp_path, "even", EVEN)
    refused = multinet("tasks", "solve", odd, "--tiling", "even")
    assert refused.exit_code == 2
    assert "error: odd is not a valid task:" in refused.stderr
    assert f"maze.dimensions: {NOT_EVEN}" in refused.stderr
    solved = multinet("tasks", "solve", even, "--tiling", "even", "--json")
    assert (solved.exit_code, json.loads(solved.stdout)["length"]) == (0, 3)
    mistyped = multinet("tasks", "solve", even, "--tiling", "evn")
    assert mistyped.exit_code == 2
    assert "error: unknown tiling 'evn' (did you mean 'even'?)" in mistyped.stderr


@with_third_party
def test_validate_reports_tasks_that_the_tiling_refuses(tmp_path: Path) -> None:
    write_corridor(tmp_path, "a_odd", ODD)
    write_corridor(tmp_path, "b_even", EVEN)
    write_corridor(tmp_path, "c_sealed", "@#.G")
    finished = multinet("tasks", "validate", tmp_path, "--tiling", "even", "--workers", "1", "--json")
    assert (finished.exit_code, finished.stderr) == (1, "")
    odd, even, sealed = json.loads(finished.stdout)
    assert odd["findings"] == [{"severity": "error", "path": "maze.dimensions", "message": NOT_EVEN}]
    assert (even["ok"], even["findings"]) == (True, [])
    assert [finding["path"] for finding in sealed["findings"]] == ["maze.start"]
