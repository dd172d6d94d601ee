"""The functions that ``import gridworld`` offers: tasks, backends, exact answers, fresh tasks and pictures by name.

A task is given as a `TaskSpecification`, the path of a task file, or ``SUITE/TASK_ID`` of an installed suite; a tiling
by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from gridworld.backends.base import AbstractGridBackend
from gridworld.errors import ArgumentError
from gridworld.generation.making import make_all
from gridworld.generation.recipe import check_recipes
from gridworld.generation.recipe_texts import recipe_of_values
from gridworld.plugins import get_registry, normal_name
from gridworld.plugins.arguments import list_arguments
from gridworld.plugins.tilings import compile_on, find_tiling
from gridworld.solver import search
from gridworld.solver.answers import PlaceDistances
from gridworld.solver.plans import Solution
from gridworld.suites import find_suite, read_named_task
from gridworld.suites.generated import required_tasks
from gridworld.support.files import is_folder, write_bytes
from gridworld.support.import_strings import load_callable
from gridworld.support.png import encode_png
from gridworld.task_spec import TaskSpecification
from gridworld.world.world import World

__all__ = ["Task", "compile", "distances", "generate", "load", "make", "render", "solve", "suite", "write_png"]

Task = TaskSpecification | str | PathLike[str]
"""A task, the path of a task file, or ``SUITE/TASK_ID``."""

SQUARE, SQUARE_BACKEND, TILING_BACKEND = "square", "minigrid", "multigrid"


def load(name: Task) -> TaskSpecification:
    """Load a task: the file at a path, or ``SUITE/TASK_ID``; a task is returned as it is.

    Raises:
        UnknownNameError: no installed suite has the task.
        TaskError: the file is not a valid task.
        ArgumentError: the file cannot be read, or a suite is named.
    """
    return name if isinstance(name, TaskSpecification) else read_named_task(name)


def suite(name: str | PathLike[str]) -> list[TaskSpecification]:
    """Load the tasks of an installed suite, a folder of task files, or ``generated:FAMILY?...``, in order.

    Raises:
        UnknownNameError, ArgumentError: there is no such suite.
        SuiteError: it is not a usable suite.
    """
    return find_suite(fspath(name))


def make(task: Task, tiling: str = SQUARE) -> AbstractGridBackend:
    """Make a backend that shows a task; call its ``reset`` next.

    Squares are shown by `minigrid` where it is installed, all else by `multigrid`, and where that is not installed by
    the first backend that takes a tiling.

    Raises:
        UnknownNameError: there is no such tiling, or no backend that shows it; the message says what to install.
        InvalidTaskError: the task is invalid on the tiling.
    """
    find_tiling(tiling)
    backend = _make_backend(normal_name("tiling", tiling))
    backend.configure(load(task))
    return backend


def _make_backend(tiling: str) -> AbstractGridBackend:
    backends, preferred = get_registry().backends, TILING_BACKEND
    if tiling == SQUARE and SQUARE_BACKEND in backends:
        on_squares: AbstractGridBackend = load_callable(backends.get(SQUARE_BACKEND).target)()
        return on_squares
    if preferred not in backends:
        able = (each.item.name for each in backends if _takes_tiling(load_callable(each.item.target)))
        preferred = next(able, SQUARE_BACKEND if tiling == SQUARE else preferred)
    on_tiling: AbstractGridBackend = load_callable(backends.get(preferred).target)(tiling=tiling)
    return on_tiling


def _takes_tiling(constructor: Callable[..., Any]) -> bool:
    return "tiling" in [argument.name for argument in list_arguments(constructor)]


def compile(task: Task, tiling: str = SQUARE) -> World:  # noqa: A001  (as in `re.compile`)
    """Compile a task on a tiling, for `gridworld.world.transition` and the functions of `gridworld.solver`.

    Raises:
        UnknownNameError: no such tiling is installed.
        InvalidTaskError: the task is invalid on it.
    """
    return compile_on(tiling, load(task))


def solve(task: Task, tiling: str = SQUARE) -> Solution:
    """Find a shortest plan, or prove that there is none; raises as `compile` does."""
    return search.solve(compile(task, tiling))


def distances(task: Task, tiling: str = SQUARE) -> PlaceDistances:
    """Find the fewest actions to success from every lattice cell and heading, with all else as at the start.

    Raises:
        NotTabulatedError: the task has too many states, or its goal depends on the number of steps.
        UnknownNameError, InvalidTaskError: as `compile` does.
    """
    return PlaceDistances.of(load(task), tiling)


def generate(
    family: str, count: int = 20, seed: int = 0, tiling: str = SQUARE, **parameters: Any
) -> Iterator[TaskSpecification]:
    """Draw fresh tasks, each found and proved solvable when it is asked for, no two alike.

    Args:
        family: the name of a generator, such as ``perfect_maze``.
        count: how many tasks, or sets of tasks that belong together.
        seed: decides which; the same tasks on every machine.
        tiling: what they are certified on; several tilings with commas between.
        parameters: the generator's own, such as ``size=9`` or ``size="9-13"``, and those of every recipe, such as
            ``length="20-40"``.

    Raises:
        UnknownNameError: no such generator or tiling is installed; the message says what to install.
        ArgumentError: a parameter is unknown or has a wrong value.
        SuiteError: on the way, that no task was found in as many attempts as the recipe allows.
    """
    given = {"family": family, "count": count, "seed": seed, "tilings": tiling, **parameters}
    recipe = recipe_of_values(given, f"generate('{family}')")
    check_recipes([recipe])
    return (task for found in make_all([recipe]) for task in required_tasks(found))


def render(source: Task, file: str | PathLike[str], tiling: str = SQUARE, episode: int = 0) -> Path:
    """Draw a task, or an episode of a recorded run, as a file; the ending of its name says in which format.

    Args:
        source: a task, or the folder of a recorded run.
        file: ``.png`` shows the start of a task; ``.gif`` and ``.webp`` its shortest plan, or what was done in an
            episode.
        tiling: what a task is laid out on; a run was played on its own.
        episode: the number of an episode of a run.

    Returns:
        The path of the file.

    Raises:
        UnknownNameError: nothing that is installed writes the format; the message says what to install.
        NoPlanError: an animated task has no plan within its budget of steps.
        GridworldError: the file cannot be written, or the run cannot be read.
    """
    path = Path(file)
    if not path.suffix:
        raise ArgumentError(f"{path}: expected an ending that says the format, such as .png or .gif")
    renderer = get_registry().renderers.get(path.suffix.lower().removeprefix("."))
    if isinstance(source, TaskSpecification) or not is_folder(fspath(source)):
        drawn: TaskSpecification | Path = load(source)
    else:
        drawn = Path(source)
    load_callable(renderer.target)(drawn, path, tiling, episode)
    return path


def write_png(drawn: TaskSpecification | Path, file: Path, tiling: str, episode: int) -> None:
    """Write the start of a task as a PNG file.

    Raises:
        ArgumentError: a run is given, or the file cannot be written.
    """
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
