"""The kit for generators passes sound ones, and each of its checks catches a broken one."""

import itertools
import random
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from gridworld.generation import Drawing, Generator, NothingDrawn
from gridworld.hookspecs import GeneratorInfo
from gridworld.testing import GeneratorConformance
from support.sample_plugins import (
    Corridors,
    Twins,
    assert_caught,
    assert_conforms,
    assert_has_broken_ones,
    installed,
)

FEW = (1, 2, 3)


def test_sound_ones_conform_however_they_are_named() -> None:
    info = GeneratorInfo("corridors", "For tests.", "support.sample_plugins:Corridors")
    for generator in (Corridors, info, "support.sample_plugins:Corridors", Twins):
        assert_conforms(GeneratorConformance, generator=generator, seeds=FEW)
    assert_conforms(GeneratorConformance, generator=Corridors, arguments={"depth": 1, "size": 12}, seeds=FEW)
    with installed():
        assert_conforms(GeneratorConformance, generator="corridors", seeds=FEW)


def drawing(draw: Callable[[int], Any]) -> type[Generator]:
    """A generator that draws something else."""

    @attrs.frozen
    class Broken(Generator):
        """Broken."""

        def draw(self, seed: int) -> Any:
            return draw(seed)

    return Broken


def nothing(seed: int) -> Drawing:
    raise NothingDrawn("no")


(CORRIDOR,) = Corridors().draw(0).tasks
COUNT = itertools.count()


def corridor(**changes: Any) -> Callable[[int], Drawing]:
    return lambda seed: Drawing((attrs.evolve(CORRIDOR, **changes),))


@attrs.frozen
class NeedsSize(Corridors):
    size: int = attrs.field(kw_only=True)


@attrs.frozen
class Unreadable(Corridors):
    cells: tuple[int, ...] = ()


@attrs.frozen
class Unreachable(Corridors):
    length: int = attrs.field(default=3, kw_only=True)


class Unequal(Corridors):
    def __eq__(self, other: object) -> bool:
        return self is other


VALUE = "it_is_a_value_with_defaults_and_says_what_it_is"
TEXTS = "its_parameters_can_be_given_as_texts"
SEEDED = "a_seed_gives_the_same_tasks_each_time"
VALID = "its_tasks_are_valid"
CLAIMS = "what_it_claims_can_be_measured"

BROKEN: list[tuple[str, Any]] = [
    (VALUE, NeedsSize),
    (VALUE, Unequal),
    (TEXTS, Unreadable),
    (TEXTS, Unreachable),
    (SEEDED, drawing(lambda seed: Corridors(size=60).draw(2 * next(COUNT)))),
    (SEEDED, drawing(lambda seed: Corridors(size=60).draw(random.randrange(100)))),
    (SEEDED, drawing(corridor())),
    (VALID, drawing(nothing)),
    (VALID, drawing(lambda seed: 1 // 0)),
    (VALID, drawing(lambda seed: CORRIDOR)),
    (VALID, drawing(lambda seed: Drawing(()))),
    (VALID, drawing(corridor(max_steps=0))),
    (VALID, drawing(corridor(metadata={"cells": {1, 2}}))),
    (VALID, drawing(lambda seed: Drawing((CORRIDOR, CORRIDOR)))),
    (CLAIMS, drawing(lambda seed: Drawing((CORRIDOR,), held=("lenght",)))),
    (CLAIMS, drawing(lambda seed: Drawing((CORRIDOR,), held=("length",), varied=("length",)))),
    ("some_of_its_tasks_can_be_certified", drawing(lambda seed: Corridors(flaw="unsolvable").draw(1))),
]


@pytest.mark.parametrize(("check", "generator"), BROKEN)
def test_a_broken_generator_is_caught(check: str, generator: Any) -> None:
    assert_caught(GeneratorConformance, check, generator=generator, seeds=FEW)


def test_every_check_has_a_broken_generator() -> None:
    assert_has_broken_ones(GeneratorConformance, [check for check, _ in BROKEN])
