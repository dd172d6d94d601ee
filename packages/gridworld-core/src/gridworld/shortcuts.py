"""Functions exported by ``gridworld``: load, solve, generate and draw tasks, and make backends by name.

A task is a `TaskSpecification`, the path of a task file, or ``SUITE/TASK_ID`` of an installed suite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from gridworld.backends.base import AbstractGridBackend
from gridworld.errors import ArgumentError, GridworldError
from gridworld.generation.making import make_all
from gridworld.generation.recipe import check_recipes, recipe_of_values
from gridworld.plugins import get_registry, normal_name
from gridworld.plugins.arguments import list_arguments
from gridworld.plugins.tilings import compile_on, find_tiling
from gridworld.solver import search
from gridworld.solver.exact_answers import PlaceDistances
from gridworld.solver.plans import Solution
from gridworld.suites import find_suite, read_named_task
from gridworld.suites.generated import required_tasks
from gridworld.support.faults import calling
from gridworld.support.files import is_folder, write_bytes
from gridworld.support.png import encode_png
from gridworld.task_spec import TaskSpecification
from gridworld.world.world import World

Task = TaskSpecification | str | PathLike[str]
"""A task, the path of a task file, or ``SUITE/TASK_ID``."""

SQUARE, SQUARE_BACKEND, TILING_BACKEND = "square", "minigrid", "multigrid"


def load(name: Task) -> TaskSpecification:
    """Load a task from a file, or by ``SUITE/TASK_ID``; a `TaskSpecification` is returned unchanged.

    Raises:
        UnknownNameError: no installed suite has the task.
        TaskError: the file is not a valid task.
        ArgumentError: the file cannot be read, or the name denotes a whole suite.
    """
    return name if isinstance(name, TaskSpecification) else read_named_task(name)


def suite(name: str | PathLike[str]) -> list[TaskSpecification]:
    """Load the tasks of an installed suite, a folder of task files, or ``generated:FAMILY?...``, in order.

    Raises:
        UnknownNameError, ArgumentError: no suite, folder or generator has this name.
        SuiteError: the suite is not usable.
    """
    return find_suite(fspath(name))


def make(task: Task, tiling: str = SQUARE) -> AbstractGridBackend:
    """Make a backend configured with a task; call its ``reset`` next.

    Square worlds use `minigrid` if it is installed; otherwise `multigrid` is preferred, then the first backend that
    takes a tiling.

    Raises:
        UnknownNameError: the tiling, or a backend for it, is not installed; the message says what to install.
        InvalidTaskError: the task is invalid on the tiling.
    """
    find_tiling(tiling)
    tiling = normal_name("tiling", tiling)
    backends, chosen = get_registry().backends, TILING_BACKEND
    arguments = {"tiling": tiling}
    if tiling == SQUARE and SQUARE_BACKEND in backends:
        chosen, arguments = SQUARE_BACKEND, {}
    elif chosen not in backends:
        able = (each.item.name for each in backends if _takes_tiling(each.item.load()))
        chosen = next(able, SQUARE_BACKEND if tiling == SQUARE else chosen)
    backend: AbstractGridBackend = backends.get(chosen).load()(**arguments)
    backend.configure(load(task))
    return backend


def _takes_tiling(constructor: Callable[..., Any]) -> bool:
    return any(argument.name == "tiling" for argument in list_arguments(constructor))


def compile(task: Task, tiling: str = SQUARE) -> World:  # noqa: A001  (as in `re.compile`)
    """Compile a task on a tiling, for `gridworld.world.transition` and the functions of `gridworld.solver`.

    Raises:
        UnknownNameError: the tiling is not installed.
        InvalidTaskError: the task is invalid on the tiling.
    """
    return compile_on(tiling, load(task))


def solve(task: Task, tiling: str = SQUARE) -> Solution:
    """Find a shortest plan, or prove that no plan exists; raises as `compile`."""
    return search.solve(compile(task, tiling))


def distances(task: Task, tiling: str = SQUARE) -> PlaceDistances:
    """Find the fewest actions to success from each lattice cell and heading, with all other state as at the start.

    Raises:
        NotTabulatedError: the task has too many states, or its goal depends on the number of steps.
        UnknownNameError, InvalidTaskError: as in `compile`.
    """
    return PlaceDistances.of(load(task), tiling)


def generate(
    family: str, count: int = 20, seed: int = 0, tiling: str = SQUARE, **parameters: Any
) -> Iterator[TaskSpecification]:
    """Generate distinct tasks lazily, each proved solvable.

    Args:
        family: a generator, such as ``perfect_maze``.
        count: number of tasks, or of groups of related tasks.
        seed: the same seed generates the same tasks on every machine.
        tiling: the tiling on which tasks are certified; separate several with commas.
        parameters: parameters of the generator, such as ``size=9`` or ``size="9-13"``, and of every recipe, such as
            ``length="20-40"``.

    Raises:
        UnknownNameError: the generator or tiling is not installed; the message says what to install.
        ArgumentError: a parameter is unknown or has a wrong value.
        SuiteError: during iteration, if no task was found within the recipe's number of attempts.
    """
    given = {"family": family, "count": count, "seed": seed, "tilings": tiling, **parameters}
    recipe = recipe_of_values(given, f"generate('{family}')")
    check_recipes([recipe])
    return (task for found in make_all([recipe]) for task in required_tasks(found))


def render(source: Task, file: str | PathLike[str], tiling: str = SQUARE, episode: int = 0) -> Path:
    """Draw a task, or an episode of a recorded run, to a picture file.

    Args:
        source: a task, or the folder of a recorded run.
        file: a path whose extension gives the format: ``.png`` shows the start of a task; ``.gif`` and ``.webp``
            animate its shortest plan, or the recorded episode.
        tiling: the tiling of a task; a run has its own.
        episode: the number of the episode, for a run.

    Returns:
        The path of the file.

    Raises:
        UnknownNameError: no renderer for the format is installed; the message says what to install.
        NoPlanError: a task to animate has no plan within its step budget.
        GridworldError: the file cannot be written, or the run cannot be read.
    """
    path = Path(file)
    if not path.suffix:
        raise ArgumentError(f"{path}: expected a file extension that names the format, such as .png or .gif")
    renderer = get_registry().renderers.get(path.suffix.lower().removeprefix("."))
    if isinstance(source, TaskSpecification) or not is_folder(fspath(source)):
        drawn: TaskSpecification | Path = load(source)
    else:
        drawn = Path(source)
    write = renderer.load()
    with calling(renderer.owner, renderer.target, passing=GridworldError):
        write(drawn, path, tiling, episode)
    return path


def write_png(drawn: TaskSpecification | Path, file: Path, tiling: str, episode: int) -> None:
    """Draw the initial state of a task; raises ArgumentError for a run or an unwritable file."""
    if isinstance(drawn, Path):
        raise ArgumentError(f"{drawn}: a recorded run is drawn as .gif or .webp, got {file.name}")
    backend = make(drawn, tiling)
    backend.reset()
    try:
        write_bytes(file, encode_png(backend.render()))
    except OSError as error:
        raise ArgumentError(f"cannot write {file}: {error.strerror}") from error
    finally:
        backend.close()
