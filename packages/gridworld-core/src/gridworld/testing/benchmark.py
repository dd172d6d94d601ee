"""`BenchmarkConformance`: the checks that every task suite must pass."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

from gridworld import solver
from gridworld.errors import TaskError
from gridworld.generation.recipe import Recipe
from gridworld.hookspecs import BenchmarkInfo
from gridworld.solver.plans import DEFAULT_MAX_STATES, Verdict
from gridworld.suites.generated import generate_suite
from gridworld.suites.named import benchmark_recipes
from gridworld.support.files import json_files
from gridworld.task_spec import TaskSpecification
from gridworld.testing.conformance import Conformance, calling, expect, fail
from gridworld.world import compile_world, square_topology

__all__ = ["BenchmarkConformance"]


class BenchmarkConformance(Conformance):
    """The checks of a task suite, to be subclassed in its author's tests.

    class TestMazes(BenchmarkConformance):
        benchmark = "mazes"
    """

    kind: ClassVar[str] = "benchmark"

    benchmark: ClassVar[BenchmarkInfo | str]
    """The descriptor, its import string, or the name of an installed task suite."""

    max_states: ClassVar[int] = DEFAULT_MAX_STATES
    """Number of states after which the search for a plan gives up."""

    # --- What the checks look at ---------------------------------------------------------------------------------

    def recipes(self) -> tuple[Recipe, ...]:
        """Return the recipes from which the suite is generated; empty for a suite of files."""
        with calling("reading its recipes", "correct the file: the message says where"):
            return benchmark_recipes(self.resolve())

    def folder(self) -> Path:
        """Return the folder of the suite, or of its recipe file."""
        info = self.resolve()
        with calling(f"finding the package '{info.package}'", "name the package that the folder is in, and install it"):
            place = files(info.package) / info.folder
        folder = place.parent if isinstance(place, Path) and self.recipes() else place
        if not isinstance(folder, Path) or not folder.is_dir():
            fail(
                f"the package '{info.package}' has no folder '{info.folder}'",
                "put the folder inside the package, and make sure that it is in the wheel, too",
            )
        return folder

    def paths(self) -> list[Path]:
        """Return the task files; empty for a generated suite."""
        return [] if self.recipes() else list(json_files(self.folder()))

    def tasks(self) -> Iterator[tuple[str, TaskSpecification]]:
        """Yield each task with its path in the folder, or with its id if it is generated."""
        recipes = self.recipes()
        if recipes:
            with calling("generating it", "correct its recipes: `multinet tasks generate` says what is wrong"):
                tasks = generate_suite(recipes)
            yield from ((task.task_id, task) for task in tasks)
            return
        folder = self.folder()
        for path in self.paths():
            try:
                yield str(path.relative_to(folder)), TaskSpecification.from_json(path)
            except TaskError:
                continue

    # --- Checks --------------------------------------------------------------------------------------------------

    def test_its_folder_is_inside_its_package_and_has_task_files(self) -> None:
        """The suite's folder is inside its package and has task files, so that both are installed together."""
        info, folder = self.resolve(), self.folder()
        package = files(info.package)
        expect(
            isinstance(package, Path) and folder.resolve().is_relative_to(package.resolve()),
            f"{folder} is not inside the package '{info.package}'",
            "move the folder into the package: files elsewhere are not in its wheel",
        )
        expect(self.recipes() or self.paths(), f"{folder} has no *.json file", "put one file for each task into it")

    def test_each_file_is_one_json_object(self) -> None:
        """Each file is one JSON object in UTF-8."""
        for path in self.paths():
            data: Any = None
            with calling(f"reading {path.name}", "save it as JSON, in UTF-8"):
                data = json.loads(path.read_text(encoding="utf-8-sig"))
            expect(
                isinstance(data, dict),
                f"{path.name} holds {type(data).__name__}, not an object",
                "write one task into each file",
            )

    def test_each_file_is_a_valid_task(self) -> None:
        """Each file is a well-formed and valid task; all problems are listed."""
        wrong: list[str] = []
        for path in self.paths():
            try:
                _, problems = TaskSpecification.from_json(path).validate()
            except TaskError as error:
                problems = [str(problem) for problem in error.problems]
            wrong.extend(f"{path.name}: {problem}" for problem in problems)
        expect(not wrong, "; ".join(wrong), "correct the files: `multinet tasks validate FOLDER` shows the same")

    def test_no_two_tasks_have_one_id(self) -> None:
        """Task ids are unique, since results are reported by id."""
        seen: dict[str, str] = {}
        for name, task in self.tasks():
            first = seen.setdefault(task.task_id, name)
            expect(first == name, f"{name} has the id of {first}: '{task.task_id}'", "give each task an id of its own")

    def test_each_task_can_be_won_within_its_budget(self) -> None:
        """The solver wins each task on squares within the task's budget of steps."""
        for name, task in self.tasks():
            if not task.validate()[0]:
                continue
            with calling(f"compiling {name}", "correct the task: `multinet tasks validate` says what is wrong"):
                world = compile_world(task, square_topology(*task.maze.dimensions))
            solution = solver.solve(world, self.max_states)
            expect(
                solution.verdict is not Verdict.GAVE_UP,
                f"whether {name} is solvable is unknown after {self.max_states} states",
                "set a larger `max_states`, or make the task smaller",
            )
            expect(
                solution.plan is not None and len(solution.plan) <= task.max_steps,
                f"{name} cannot be won" + (f" in fewer than {solution.length} steps" if solution.plan else ""),
                f"correct the task, or raise its max_steps of {task.max_steps}",
            )
