"""`GeneratorConformance` passes good generators, and says of a broken one what is wrong and what to do."""

import itertools
import random
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from gridworld.generation import Drawing, Generator, NothingDrawn
from gridworld.hookspecs import GeneratorInfo
from gridworld.plugins import get_registry
from gridworld.testing import GeneratorConformance
from support.sample_plugins import Corridors, Twins, assert_caught, assert_conforms, installed

FEW = (1, 2, 3)


def test_good_ones_conform_however_they_are_named() -> None:
    info = GeneratorInfo("corridors", "For tests.", "support.sample_plugins:Corridors")
    for generator in (Corridors, info, "support.sample_plugins:Corridors"):
        assert_conforms(GeneratorConformance, generator=generator)
    assert_conforms(GeneratorConformance, generator=Corridors, arguments={"depth": 1, "size": 12}, seeds=FEW)
    assert_conforms(GeneratorConformance, generator=Twins, seeds=FEW)
    with installed():
        assert_conforms(GeneratorConformance, generator="corridors", seeds=FEW)


@pytest.mark.parametrize(
    "name", [each.item.name for each in get_registry().generators if each.distribution == "gridworld-generators"]
)
def test_our_own_conform(name: str) -> None:
    assert_conforms(GeneratorConformance, generator=name, seeds=FEW)


def broken(draw: Callable[[int], Any]) -> type[Generator]:
    """A generator that draws something else."""

    @attrs.frozen
    class Broken(Generator):
        """Broken."""

        def draw(self, seed: int) -> Drawing:
            drawn: Drawing = draw(seed)
            return drawn

    return Broken


(CORRIDOR,) = Corridors().draw(0).tasks
COUNT = itertools.count()


def nothing(seed: int) -> Drawing:
    raise NothingDrawn("no")


def variants(*names: Any) -> Drawing:
    return Drawing(tuple(attrs.evolve(CORRIDOR, metadata={"variant": name}) for name in names))


@pytest.mark.parametrize(
    ("draw", "check", "wrong", "remedy"),
    [
        (nothing, "its_tasks_are_valid", "nothing is drawn from any of 3 seeds", "raise `NothingDrawn` only"),
        (lambda seed: 1 // 0, "its_tasks_are_valid", "ZeroDivisionError", "raise `NothingDrawn`"),
        (lambda seed: CORRIDOR, "its_tasks_are_valid", "gives TaskSpecification", "return a `Drawing`"),
        (lambda seed: Drawing(()), "its_tasks_are_valid", "gives Drawing", "one `TaskSpecification` or more"),
        (
            lambda seed: Corridors(size=60).draw(2 * next(COUNT)),
            "a_seed_gives_the_same_tasks_each_time",
            "gives other tasks when it is drawn from again",
            "keep nothing between calls",
        ),
        (
            lambda seed: Corridors(size=60).draw(random.randrange(100)),
            "random_numbers_of_others_stay_as_they_are",
            "draws from `random` itself",
            "of your own",
        ),
        (lambda seed: Drawing((CORRIDOR,)), "seeds_give_different_tasks", "all seeds give the same", "use the seed"),
        (
            lambda seed: Drawing((attrs.evolve(CORRIDOR, max_steps=0),)),
            "its_tasks_are_valid",
            "is invalid: max_steps",
            "draw valid tasks only",
        ),
        (
            lambda seed: Drawing((attrs.evolve(CORRIDOR, metadata={"cells": {1, 2}}),)),
            "its_tasks_can_be_written_and_read",
            "raised TaskFormatError",
            "nothing into metadata that JSON does not have",
        ),
        (
            lambda seed: variants("a", "a"),
            "tasks_that_belong_together_say_which_they_are",
            "have the variants ['a', 'a']",
            "another name for each",
        ),
        (
            lambda seed: variants("a", None),
            "tasks_that_belong_together_say_which_they_are",
            "['a', None]",
            "metadata",
        ),
        (
            lambda seed: Drawing((CORRIDOR,), held=("lenght",)),
            "what_it_claims_can_be_measured",
            "lenght",
            "measures are: length",
        ),
        (
            lambda seed: Drawing((CORRIDOR,), held=("length",), varied=("length",)),
            "what_it_claims_can_be_measured",
            "twice",
            "name each measure once",
        ),
        (
            lambda seed: Corridors(flaw="unsolvable").draw(1),
            "some_of_its_tasks_can_be_certified",
            "none can be certified: unsolvable on square",
            "multinet tasks validate",
        ),
    ],
)
def test_what_draws_badly_is_caught(draw: Callable[[int], Any], check: str, wrong: str, remedy: str) -> None:
    assert_caught(GeneratorConformance, check, wrong, remedy, generator=broken(draw), seeds=FEW)


def test_what_is_made_badly_is_caught() -> None:
    @attrs.frozen
    class NeedsSize(Corridors):
        size: int = attrs.field(kw_only=True)

    @attrs.frozen
    class Unreadable(Corridors):
        """Unreadable."""

        cells: tuple[int, ...] = ()

    @attrs.frozen
    class Unreachable(Corridors):
        """Unreachable."""

        length: int = attrs.field(default=3, kw_only=True)

    class Unequal(Corridors):
        """Unequal."""

        def __eq__(self, other: object) -> bool:
            return self is other

    made = "it_is_made_without_arguments_and_says_what_it_is"
    for generator, check, wrong, remedy in (
        (NeedsSize, made, "making it without arguments raised TypeError", "give each parameter a default"),
        (Unreadable, "its_parameters_can_be_given_as_texts", "'cells' is of the type", "numbers, truth values"),
        (Unreachable, "its_parameters_can_be_given_as_texts", "'length' can never be given", "call it something else"),
        (Unequal, "it_is_a_value", "not equal", "frozen attrs class"),
        (attrs.make_class("Other", []), "it_is_a_value", "Other() is not a generator", "derive its class from"),
    ):
        assert_caught(GeneratorConformance, check, wrong, remedy, generator=generator, seeds=FEW)
