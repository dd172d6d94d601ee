"""`GeneratorConformance`: the checks that every task generator must pass."""

from __future__ import annotations

import inspect
import json
import random
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from gridworld.errors import TaskError
from gridworld.generation.certificate import DEFAULT_BOUNDS, NotCertified, prove
from gridworld.generation.generator import Drawing, Generator, NothingDrawn
from gridworld.generation.measures import MEASURES
from gridworld.generation.recipe import SEED_BITS, recipe_fields
from gridworld.hookspecs import GeneratorInfo
from gridworld.plugins.arguments import list_arguments
from gridworld.task.writing import task_to_text
from gridworld.task_spec import TaskSpecification
from gridworld.testing.conformance import Conformance, calling, constructed, expect, fail, loaded
from gridworld.world import compile_world, square_topology

__all__ = ["GeneratorConformance"]

READABLE = ("one of ", "int or ", "bool or ", "float or ", "str or ")
"""Prefixes of the type descriptions of parameters that can be given as strings."""
SEEDS = (0, 1, 2, 3, 4, 5, 6, 7, 2**31, 2**SEED_BITS - 1)


class GeneratorConformance(Conformance):
    """The checks of a generator, to be subclassed in its author's tests.

    class TestMoats(GeneratorConformance):
        generator = Moats
        arguments = {"size": 9}
    """

    kind: ClassVar[str] = "generator"

    generator: ClassVar[GeneratorInfo | type[Generator] | str]
    """The class, its descriptor, its import string, or its name if it is installed."""

    arguments: ClassVar[Mapping[str, Any]] = {}
    """Parameters of the generator that differ from the defaults."""

    seeds: ClassVar[Sequence[int]] = SEEDS
    """The seeds to draw from."""

    # --- What the checks look at ---------------------------------------------------------------------------------

    def constructor(self) -> Any:
        """Return the generator's class."""
        given = self.resolve()
        return loaded(given.target) if isinstance(given, GeneratorInfo) else given

    def make(self) -> Generator:
        """Return the generator with the given parameters."""
        made = constructed(self.constructor(), self.arguments, "the generator")
        expect(
            isinstance(made, Generator),
            f"{made!r} is not a generator",
            "derive its class from `gridworld.generation.Generator`",
        )
        generator: Generator = made
        return generator

    def drawings(self) -> dict[int, Drawing]:
        """Return the drawings by seed, skipping seeds that yield nothing."""
        generator = self.make()
        found = {seed: _draw(generator, seed) for seed in self.seeds}
        drawn = {seed: drawing for seed, drawing in found.items() if drawing is not None}
        expect(
            drawn,
            f"nothing is drawn from any of {len(self.seeds)} seeds",
            "raise `NothingDrawn` only where a seed has no task, and try other layouts before",
        )
        return drawn

    # --- Checks --------------------------------------------------------------------------------------------------

    def test_it_is_made_without_arguments_and_says_what_it_is(self) -> None:
        """All parameters have defaults, and the docstring documents the family."""
        constructor = self.constructor()
        with calling("making it without arguments", "give each parameter a default, and let the defaults fit together"):
            constructor()
        expect(inspect.getdoc(constructor), f"{constructor.__name__} has no docstring", "say what its tasks are like")

    def test_its_parameters_can_be_given_as_texts(self) -> None:
        """Parameters can be given as strings, in recipes and on the command line."""
        for argument in list_arguments(self.constructor()):
            expect(
                argument.name not in recipe_fields(),
                f"the parameter '{argument.name}' can never be given: recipes have a field of that name",
                f"call it something else than {', '.join(recipe_fields())}",
            )
            expect(
                argument.type in ("int", "bool", "float", "str") or argument.type.startswith(READABLE),
                f"the parameter '{argument.name}' is of the type {argument.type}",
                "use numbers, truth values, texts and `Literal`, alone or with None; where subclasses are in other "
                "modules, do not postpone annotations",
            )

    def test_it_is_a_value(self) -> None:
        """Equal parameters make equal generators, so that they can be compared and sent to other processes."""
        expect(self.make() == self.make(), "two with the same parameters are not equal", "make it a frozen attrs class")

    def test_a_seed_gives_the_same_tasks_each_time(self) -> None:
        """Drawing a seed again gives an equal task, in any order and by any generator of equal parameters."""
        first = {seed: _texts(drawing) for seed, drawing in self.drawings().items()}
        generator = self.make()
        for seed in reversed(list(first)):
            random.seed(seed)
            again = _draw(generator, seed)
            expect(
                again is not None and _texts(again) == first[seed],
                f"seed {seed} gives other tasks when it is drawn from again",
                "take all random choices from the seed, keep nothing between calls, and sort sets before you choose",
            )

    def test_random_numbers_of_others_stay_as_they_are(self) -> None:
        """The generator neither uses nor seeds Python's global random generator."""
        random.seed(0)
        before = random.getstate()
        self.drawings()
        expect(random.getstate() == before, "it draws from `random` itself", "make a `random.Random(seed)` of your own")

    def test_seeds_give_different_tasks(self) -> None:
        """At least two seeds give different tasks."""
        texts = {_texts(drawing) for drawing in self.drawings().values()}
        expect(len(texts) > 1 or len(self.seeds) < 2, "all seeds give the same tasks", "use the seed")

    def test_its_tasks_are_valid(self) -> None:
        """Each task is valid, as `multinet tasks validate` checks."""
        for seed, drawing in self.drawings().items():
            for task in drawing.tasks:
                is_valid, problems = task.validate()
                expect(is_valid, f"the task of seed {seed} is invalid: {'; '.join(problems)}", "draw valid tasks only")

    def test_its_tasks_can_be_written_and_read(self) -> None:
        """Tasks can be written and read as task files."""
        for drawing in self.drawings().values():
            for task in drawing.tasks:
                with calling("writing and reading a task", "put nothing into metadata that JSON does not have"):
                    read = TaskSpecification.from_dict(json.loads(task_to_text(task)))
                expect(read == task, "a task differs after it was written and read", "use the types of the fields")

    def test_tasks_that_belong_together_say_which_they_are(self) -> None:
        """``metadata.variant`` is a string that differs between the tasks of a set."""
        for seed, drawing in self.drawings().items():
            variants = [task.metadata.get("variant") for task in drawing.tasks]
            expect(
                len(variants) == 1 or (all(isinstance(each, str) for each in variants) and _differ(variants)),
                f"the tasks of seed {seed} have the variants {variants}",
                'set metadata={"variant": NAME}, with another name for each',
            )

    def test_what_it_claims_can_be_measured(self) -> None:
        """`held` and `varied` name measures, none of them in both."""
        for drawing in self.drawings().values():
            claims = [*drawing.held, *drawing.varied]
            unknown = [name for name in claims if name not in MEASURES]
            expect(not unknown, f"it claims something of {', '.join(unknown)}", f"measures are: {', '.join(MEASURES)}")
            expect(_differ(claims), f"it claims something twice: {', '.join(claims)}", "name each measure once")

    def test_some_of_its_tasks_can_be_certified(self) -> None:
        """The solver certifies some of the tasks on squares."""
        reasons = []
        for drawing in self.drawings().values():
            try:
                for task in drawing.tasks:
                    prove(compile_world(task, square_topology(*task.maze.dimensions)), DEFAULT_BOUNDS)
                return
            except (NotCertified, TaskError) as error:
                reasons.append(str(error))
        fail(f"none can be certified: {reasons[0]}", "see what `multinet tasks validate` says of a task that it draws")


def _draw(generator: Generator, seed: int) -> Drawing | None:
    """Return the tasks drawn from a seed; None if the seed yields nothing."""
    with calling(f"drawing from the seed {seed}", "raise `NothingDrawn` where there is no task, and nothing else"):
        try:
            drawing = generator.draw(seed)
        except NothingDrawn:
            return None
    expect(
        isinstance(drawing, Drawing)
        and drawing.tasks
        and {type(each) for each in drawing.tasks} == {TaskSpecification},
        f"drawing from the seed {seed} gives {drawing!r}",
        "return a `Drawing` with one `TaskSpecification` or more",
    )
    return drawing


def _texts(drawing: Drawing) -> tuple[str, ...]:
    return tuple(map(task_to_text, drawing.tasks))


def _differ(values: Sequence[Any]) -> bool:
    return len(set(values)) == len(values)
