"""`BenchmarkConformance`: the checks that every task suite must pass."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import ClassVar

from gridworld import solver
from gridworld.errors import TaskError
from gridworld.generation.recipe import Recipe
from gridworld.hookspecs import BenchmarkInfo
from gridworld.solver.plans import DEFAULT_MAX_STATES, Verdict
from gridworld.suites.generated import generate_suite
from gridworld.suites.named import benchmark_recipes
from gridworld.support.files import json_files, parse_json
from gridworld.task_spec import TaskSpecification
from gridworld.testing.conformance import Conformance, calling, expect, fail
from gridworld.world import compile_world, square_topology


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

    def recipes(self) -> tuple[Recipe, ...]:
        """Return the recipes from which the suite is generated; empty for a suite of files."""
        with calling("reading its recipes"):
            return benchmark_recipes(self.resolve())

    def folder(self) -> Path:
        """Return the folder of the suite, or of its recipe file."""
        info = self.resolve()
        with calling(f"finding the package '{info.package}'"):
            place = files(info.package) / info.folder
        folder = place.parent if isinstance(place, Path) and self.recipes() else place
        if not isinstance(folder, Path) or not folder.is_dir():
            fail(f"the package '{info.package}' has no folder '{info.folder}'")
        return folder

    def paths(self) -> list[Path]:
        """Return the task files; empty for a generated suite."""
        return [] if self.recipes() else list(json_files(self.folder()))

    def tasks(self) -> Iterator[tuple[str, TaskSpecification]]:
        """Yield each task with its path in the folder, or with its id if it is generated."""
        if recipes := self.recipes():
            with calling("generating it"):
                yield from [(task.task_id, task) for task in generate_suite(recipes)]
        for path in self.paths():
            try:
                yield str(path.relative_to(self.folder())), TaskSpecification.from_json(path)
            except TaskError:
                continue

    def test_its_folder_is_inside_its_package_and_has_task_files(self) -> None:
        """Both are installed together: the suite's folder is inside its package, and in the wheel, too."""
        info, folder = self.resolve(), self.folder()
        package = files(info.package)
        inside = isinstance(package, Path) and folder.resolve().is_relative_to(package.resolve())
        expect(inside, f"{folder} is not inside the package '{info.package}'")
        expect(self.recipes() or self.paths(), f"{folder} has no *.json file")

    def test_each_file_is_a_valid_task(self) -> None:
        """Each file holds one JSON object in UTF-8, a valid task: `multinet tasks validate FOLDER` shows the same."""
        wrong: list[str] = []
        for path in self.paths():
            with calling(f"reading {path.name}"):
                data = parse_json(path.read_bytes())
            expect(isinstance(data, dict), f"{path.name} holds {type(data).__name__}, not an object")
            try:
                _, problems = TaskSpecification.from_json(path).validate()
            except TaskError as error:
                problems = [str(problem) for problem in error.problems]
            wrong.extend(f"{path.name}: {problem}" for problem in problems)
        expect(not wrong, "; ".join(wrong))

    def test_no_two_tasks_have_one_id(self) -> None:
        """Task ids are unique, since results are reported by id."""
        seen: dict[str, str] = {}
        for name, task in self.tasks():
            first = seen.setdefault(task.task_id, name)
            expect(first == name, f"{name} has the id of {first}: '{task.task_id}'")

    def test_each_task_can_be_won_within_its_budget(self) -> None:
        """The solver wins each task on squares within the task's budget of steps."""
        for name, task in self.tasks():
            if not task.validate()[0]:
                continue
            with calling(f"compiling {name}"):
                world = compile_world(task, square_topology(*task.maze.dimensions))
            solution = solver.solve(world, self.max_states)
            known = solution.verdict is not Verdict.GAVE_UP
            expect(known, f"whether {name} is solvable is unknown after {self.max_states} states, see `max_states`")
            won = solution.plan is not None and len(solution.plan) <= task.max_steps
            expect(won, f"{name} cannot be won" + (f" in fewer than {solution.length} steps" if solution.plan else ""))
