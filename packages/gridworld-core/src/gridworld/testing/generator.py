"""`GeneratorConformance`: the checks that every task generator must pass."""

from __future__ import annotations

import inspect
import random
from collections.abc import Sequence
from typing import ClassVar

from gridworld.errors import TaskError
from gridworld.generation.certificate import DEFAULT_BOUNDS, NotCertified, prove
from gridworld.generation.generator import Drawing, Generator, NothingDrawn
from gridworld.generation.measures import MEASURES
from gridworld.generation.recipe import SEED_BITS, recipe_fields
from gridworld.hookspecs import GeneratorInfo
from gridworld.plugins.arguments import list_arguments
from gridworld.task.writing import task_to_text
from gridworld.task_spec import TaskSpecification
from gridworld.testing.conformance import TargetConformance, calling, expect, fail
from gridworld.testing.expectations import expect_through_a_task_file
from gridworld.world import compile_world, square_topology

READABLE = ("int", "bool", "float", "str")
"""Types of parameters that can be given as strings; so can a choice, and each of them or None."""
SEEDS = (0, 1, 2, 3, 4, 5, 6, 7, 2**31, 2**SEED_BITS - 1)


class GeneratorConformance(TargetConformance):
    """The checks of a generator, to be subclassed in its author's tests.

    class TestMoats(GeneratorConformance):
        generator = Moats
        arguments = {"size": 9}
    """

    kind: ClassVar[str] = "generator"
    base: ClassVar[type] = Generator

    generator: ClassVar[GeneratorInfo | type[Generator] | str]
    """The class, its descriptor, its import string, or its name if it is installed."""

    seeds: ClassVar[Sequence[int]] = SEEDS
    """The seeds to draw from."""

    def drawings(self) -> dict[int, Drawing]:
        """Return the drawings by seed, skipping seeds that yield nothing."""
        generator = self.make()
        found = {seed: _draw(generator, seed) for seed in self.seeds}
        drawn = {seed: drawing for seed, drawing in found.items() if drawing is not None}
        expect(drawn, f"nothing is drawn from any of {len(self.seeds)} seeds")
        return drawn

    def test_it_is_a_value_with_defaults_and_says_what_it_is(self) -> None:
        """A generator is a frozen attrs class with a docstring; all parameters have defaults, which fit together."""
        target = self.target()
        with calling("making it without arguments"):
            target()
        expect(inspect.getdoc(target), f"{target.__name__} has no docstring")
        expect(self.make() == self.make(), "two with the same parameters are not equal")

    def test_its_parameters_can_be_given_as_texts(self) -> None:
        """Parameters are numbers, truth values, texts and `Literal`, alone or with None, in recipes and commands.

        None has the name of a field of recipes. Annotations are not postponed where subclasses are in other modules.
        """
        for argument in list_arguments(self.target()):
            what = f"the parameter '{argument.name}'"
            expect(
                argument.name not in recipe_fields(), f"{what} can never be given: recipes have a field of that name"
            )
            readable = argument.type.startswith("one of ") or argument.type.split(" or ")[0] in READABLE
            expect(readable, f"{what} is of the type {argument.type}")

    def test_a_seed_gives_the_same_tasks_each_time(self) -> None:
        """Tasks follow from the seed, in any order and generator: all random choices are from `random.Random(seed)`.

        Nothing is kept between calls, sets are sorted before a choice, and the global generator stays as it was.
        """
        random.seed(0)
        before = random.getstate()
        first = {seed: [*map(task_to_text, drawing.tasks)] for seed, drawing in self.drawings().items()}
        expect(random.getstate() == before, "it draws from `random` itself")
        generator = self.make()
        for seed in reversed(first):
            again = _draw(generator, seed)
            alike = again is not None and [*map(task_to_text, again.tasks)] == first[seed]
            expect(alike, f"seed {seed} gives other tasks when it is drawn from again")
        different = {str(texts) for texts in first.values()}
        expect(len(different) > 1 or len(self.seeds) < 2, "all seeds give the same tasks")

    def test_its_tasks_are_valid(self) -> None:
        """Each task is valid, and can be written as a task file, metadata included.

        In a set, each has another text in ``metadata.variant``.
        """
        for seed, drawing in self.drawings().items():
            for task in drawing.tasks:
                is_valid, problems = task.validate()
                expect(is_valid, f"the task of seed {seed} is invalid: {'; '.join(problems)}")
                expect_through_a_task_file("a task", task)
            variants = [task.metadata.get("variant") for task in drawing.tasks]
            named = len(set(variants)) == len(variants) and all(isinstance(each, str) for each in variants)
            expect(len(variants) == 1 or named, f"the tasks of seed {seed} have the variants {variants}")

    def test_what_it_claims_can_be_measured(self) -> None:
        """`held` and `varied` name measures of `gridworld.generation`, each once."""
        for drawing in self.drawings().values():
            claims = [*drawing.held, *drawing.varied]
            unknown = [name for name in claims if name not in MEASURES]
            expect(not unknown, f"it claims something of {', '.join(unknown)}, measures are {', '.join(MEASURES)}")
            expect(len(set(claims)) == len(claims), f"it claims something twice: {', '.join(claims)}")

    def test_some_of_its_tasks_can_be_certified(self) -> None:
        """The solver certifies some of the tasks on squares, as `multinet tasks validate` shows."""
        reasons = []
        for drawing in self.drawings().values():
            try:
                for task in drawing.tasks:
                    prove(compile_world(task, square_topology(*task.maze.dimensions)), DEFAULT_BOUNDS)
                return
            except (NotCertified, TaskError) as error:
                reasons.append(str(error))
        fail(f"none can be certified: {reasons[0]}")


def _draw(generator: Generator, seed: int) -> Drawing | None:
    """Return the tasks drawn from a seed; None if the seed yields nothing."""
    with calling(f"drawing from the seed {seed}"):
        try:
            drawing: Drawing = generator.draw(seed)
        except NothingDrawn:
            return None
    sound = isinstance(drawing, Drawing) and {type(each) for each in drawing.tasks} == {TaskSpecification}
    expect(sound, f"drawing from the seed {seed} gives {drawing!r}, no `Drawing` with a `TaskSpecification` or more")
    return drawing
