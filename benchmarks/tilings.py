"""Resets and steps of the multi-tiling backend with a picture each, on every tiling, beside the MiniGrid backend.

All play the same random actions on the 16 x 12 task of ``steps.py``. Resets are measured with a step after each, so
that there is something to go back from: two pictures each. (Aims: 10,000 resets and 25,000 steps a second in full view
on every tiling; partial views within twice full ones.)
"""

import random
from collections.abc import Iterator, Mapping
from functools import partial

import attrs

from figures import Effort, Figure, Measure, on_one_core, rates
from gridworld.backends.base import AbstractGridBackend
from gridworld.plugins import get_registry
from gridworld_minigrid import MiniGridBackend
from gridworld_multigrid import MultiGridBackend
from steps import TASK

SQUARE, MINIGRID = "square", "MiniGridBackend"


def reset(backend: AbstractGridBackend, count: int) -> int:
    """Resets, a step after each."""
    for _ in range(count):
        backend.reset()
        backend.step(2)
    return count


def step(backend: AbstractGridBackend, count: int) -> int:
    """Random steps, with a picture after each."""
    backend.reset()
    for action in random.Random(0).choices(range(7), k=count):
        _, _, terminated, truncated, _, _ = backend.step(action)
        if terminated or truncated:
            backend.reset()
    return count


def make_backends(observability: str) -> dict[str, AbstractGridBackend]:
    """Name to a backend that plays the task with that observability."""
    task = attrs.evolve(TASK, rules=attrs.evolve(TASK.rules, observability=observability))
    made: dict[str, AbstractGridBackend] = {SQUARE: MultiGridBackend(SQUARE)}
    for tiling in get_registry().tilings.names():
        made.setdefault(tiling, MultiGridBackend(tiling))
    made[MINIGRID] = MiniGridBackend()
    for backend in made.values():
        backend.configure(task)
    return made


def _measure(observability: str, effort: Effort) -> Iterator[Figure]:
    on_one_core()
    backends = make_backends(observability)
    steps, resets = effort.times(3_000), effort.times(1_000)
    yield from rates({name: partial(step, each, steps) for name, each in backends.items()}, effort.rounds)
    yield from rates(
        {f"{name}, reset and step": partial(reset, each, resets) for name, each in backends.items()},
        effort.rounds,
        "pairs/s",
    )


MEASURES: Mapping[str, Measure] = {name: partial(_measure, name) for name in ("full", "view_cone", "fog_of_war")}
