"""Functions of ``import gridworld``, and its imports."""

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import gridworld
from gridworld.errors import ArgumentError, TaskFileWarning, UnknownNameError
from gridworld.hookspecs import BackendInfo, TaskSpecification
from gridworld.plugins import Provided, get_registry, using_registry
from gridworld.plugins.records import HEAVY_LIBRARIES
from gridworld.solver import search
from gridworld.suites import read_named_task
from support.commands import run_eval
from support.programs import run_python
from support.worlds import corridor

KEY = "validation_10/v04_single_key"
TILINGS = ["square", "hex", *(pytest.param(name, marks=pytest.mark.more) for name in ("triangle", "488", "3464"))]

on_each_tiling = pytest.mark.parametrize("tiling", TILINGS)


# --- Importing -----------------------------------------------------------------------------------------------------


def imported_with(statement: str) -> set[str]:
    """The modules that a fresh interpreter has imported after a statement and had not before."""
    program = f"import sys; before = set(sys.modules); {statement}; print(*(set(sys.modules) - before))"
    return set(run_python(program, []).stdout.split())


def test_the_package_imports_nothing_but_its_version() -> None:
    imported = imported_with("import typing; before = set(sys.modules); import gridworld")
    assert imported == {"gridworld", "gridworld._version"}


def test_hookspecs_imports_no_heavy_library_and_no_registry() -> None:
    imported = imported_with("import gridworld.hookspecs")
    assert not {*HEAVY_LIBRARIES, "gridworld.plugins.loading"} & imported


def test_any_other_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="module 'gridworld' has no attribute 'lode'"):
        vars(gridworld)["__getattr__"]("lode")


# --- Tasks and backends --------------------------------------------------------------------------------------------


def test_a_task_is_the_same_however_it_is_loaded(tmp_path: Path) -> None:
    task = gridworld.load(KEY)
    task.to_json(tmp_path / "key.json")
    ways = [
        gridworld.load(tmp_path / "key.json"),
        gridworld.load(str(tmp_path / "key.json")),
        gridworld.load(task),
        read_named_task(KEY),
        read_named_task(tmp_path / "key.json"),
        TaskSpecification.from_json(tmp_path / "key.json"),
        *gridworld.suite(tmp_path),
        *(each for each in gridworld.suite("validation_10") if each.task_id == task.task_id),
    ]
    assert ways == [task] * 8


def test_a_file_in_an_older_form_is_warned_of_by_whoever_is_to_tell(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text(json.dumps({**gridworld.load(KEY).to_dict(), "_note": "mine"}), encoding="utf-8")
    with pytest.warns(TaskFileWarning, match=r"old\.json: .*_note"):
        task = gridworld.load(path)
    told: list[str] = []
    assert read_named_task(path, told.extend) == task
    assert [message.startswith(f"{path}: in an older form") for message in told] == [True]


def test_a_suite_is_no_task() -> None:
    with pytest.raises(ArgumentError, match="validation_10 is a suite; a task is validation_10/TASK_ID"):
        gridworld.load("validation_10")


@on_each_tiling
def test_a_backend_shows_the_task_on_the_tiling(tiling: str) -> None:
    backend = gridworld.make(KEY, tiling)
    assert (backend.name, backend.tiling) == ("minigrid" if tiling == "square" else "multigrid", tiling)
    _, state, _ = backend.reset()
    assert state.agent_position == gridworld.load(KEY).maze.start


def test_another_backend_shows_squares_without_minigrid() -> None:
    registry = get_registry()
    others = [each for each in registry.backends if each.item.name != "minigrid"]
    with using_registry(registry.with_provided("backend", others)):
        assert gridworld.make(KEY).name == "multigrid"


def test_a_backend_of_somebody_else_will_do_if_it_takes_the_tiling() -> None:
    theirs = Provided(BackendInfo("theirs", "Theirs.", "gridworld_multigrid.backend:MultiGridBackend"), "their", "own")
    one = Provided(BackendInfo("one", "Squares.", "gridworld_minigrid.backend:MiniGridBackend"), "other", "own")
    with using_registry(get_registry().with_provided("backend", [one, theirs])):
        assert gridworld.make(KEY, "hex").tiling == "hex"


@pytest.mark.parametrize(("tiling", "missing"), [("square", "gridworld-minigrid"), ("hex", "gridworld-multigrid")])
def test_without_a_backend_the_message_names_the_distribution(tiling: str, missing: str) -> None:
    with (
        using_registry(get_registry().with_provided("backend", [])),
        pytest.raises(UnknownNameError, match=f"is provided by {missing}"),
    ):
        gridworld.make(KEY, tiling)


# --- Exact answers -------------------------------------------------------------------------------------------------


@on_each_tiling
def test_the_distance_from_each_place_is_that_of_a_shortest_plan_from_there(tiling: str) -> None:
    world, distances = gridworld.compile(KEY, tiling), gridworld.distances(KEY, tiling)
    assert distances[world.task.maze.start, world.start.heading] == gridworld.solve(KEY, tiling).length
    for position, heading in islice(distances, 0, None, 17):
        start = world.start.at(world.topology.anchor(position)).facing(heading)
        if not world.reached(start):
            assert search.solve(world, start=start).length == distances[position, heading]


def test_distances_are_an_array_too() -> None:
    distances = gridworld.distances(KEY)
    width, height = gridworld.load(KEY).maze.dimensions
    assert distances.array.shape == (height, width, 4)
    assert len(distances) == len(list(distances)) == (distances.array >= 0).sum()
    assert all(distances.array[y, x, heading] == distance for ((x, y), heading), distance in distances.items())
    with pytest.raises(ValueError, match="read-only"):
        distances.array[0, 0, 0] = 1


@pytest.mark.parametrize(
    "key", [((0, 0), 0), ((-1, 1), 0), ((1, 1), 4), ((99, 1), 0), (1, 1), "start", ((1, 1, 1), 0), ((1.5, 1), 0)]
)
def test_there_is_no_distance_from_walls_from_outside_or_from_what_is_no_place(key: Any) -> None:
    distances = gridworld.distances(KEY)
    assert key not in distances
    assert distances.get(key) is None


def test_the_goal_is_at_no_distance_and_alone_has_one_where_success_is_out_of_reach() -> None:
    distances = gridworld.distances(corridor("@.G"))
    assert {distances[(3, 1), heading] for heading in range(4)} == {0}
    assert distances[(1, 1), 0] == 2
    assert set(gridworld.distances(corridor("@.#G"))) == {((4, 1), heading) for heading in range(4)}


# --- Fresh tasks ---------------------------------------------------------------------------------------------------


def test_tasks_are_certified_and_found_as_they_are_asked_for() -> None:
    without_end = gridworld.generate("perfect_maze", count=10**9, seed=7, size=7, tiling="square,hex")
    first, second = islice(without_end, 2)
    assert first.maze != second.maze
    for tiling in ("square", "hex"):
        assert first.metadata["certificate"]["optimal_length"][tiling] == gridworld.solve(first, tiling).length
    assert list(gridworld.generate("perfect_maze", count=2, seed=7, size=7, tiling="square,hex")) == [first, second]


def test_a_band_of_lengths_is_kept() -> None:
    for task in gridworld.generate("open_rooms", count=3, length="10-15"):
        assert 10 <= task.metadata["certificate"]["optimal_length"]["square"] <= 15


def test_what_is_wrong_is_said_before_a_task_is_asked_for() -> None:
    with pytest.raises(UnknownNameError, match=r"perfect_mace.*did you mean 'perfect_maze'"):
        gridworld.generate("perfect_mace")
    with pytest.raises(ArgumentError, match=r"no parameter 'siz' \(did you mean 'size'\?\)"):
        gridworld.generate("perfect_maze", siz=9)
    with pytest.raises(UnknownNameError, match="hexx"):
        gridworld.generate("perfect_maze", tiling="hexx")


# --- Pictures ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "form", "animated"), [("a.png", "PNG", 0), ("a.gif", "GIF", 1), ("a.WEBP", "WEBP", 1)]
)
def test_a_task_is_drawn_in_the_format_of_the_name(tmp_path: Path, name: str, form: str, animated: bool) -> None:
    path = gridworld.render(KEY, tmp_path / name, "hex")
    with Image.open(path) as picture:
        assert (picture.format, getattr(picture, "is_animated", False)) == (form, animated)


def test_an_episode_of_a_recorded_run_is_drawn(tmp_path: Path) -> None:
    gridworld.load(KEY).to_json(tmp_path / "key.json")
    run, tasks = tmp_path / "run", tmp_path / "tasks"
    tasks.mkdir()
    corridor("@..G").to_json(tasks / "corridor.json")
    assert run_eval("--model", "greedy", "--task-dir", tasks, "--run-dir", run).exit_code == 0
    with Image.open(gridworld.render(run, tmp_path / "run.gif")) as animation:
        assert animation.n_frames == 4
    with pytest.raises(ArgumentError, match="no episode 1"):
        gridworld.render(run, tmp_path / "other.gif", episode=1)
    with pytest.raises(ArgumentError, match=r"drawn as \.gif or \.webp, got run\.png"):
        gridworld.render(run, tmp_path / "run.png")


def test_a_name_without_an_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="expected a file extension that names the format"):
        gridworld.render(KEY, tmp_path / "picture")


@pytest.mark.parametrize("source", [KEY, "run"])
def test_without_the_evaluation_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run").mkdir()
    own = [each for each in get_registry().renderers if each.distribution == "gridworld-core"]
    with (
        using_registry(get_registry().with_provided("renderer", own)),
        pytest.raises(UnknownNameError, match="'gif' is provided by multinet-eval"),
    ):
        gridworld.render(source, "picture.gif")
