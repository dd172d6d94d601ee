"""Resets and steps per second of the multi-tiling backend on every installed tiling, beside the MiniGrid backend.

All play the same random actions on the 16 x 12 task of ``benchmarks/steps.py``, in one process, taking turns; the time
is that of the processor, the best of several rounds counts, and only the ratios mean anything on another machine.

    nox -s benchmarks
"""

import argparse
import random
import time
from collections.abc import Callable

import attrs

from gridworld.backends.base import AbstractGridBackend
from gridworld.plugins import get_registry
from gridworld_minigrid import MiniGridBackend
from gridworld_multigrid import MultiGridBackend
from steps import TASK

OBSERVABILITY = ("full", "view_cone", "fog_of_war")
RESETS_WANTED = 1_000
SQUARE, MINIGRID = "square", "MiniGridBackend"


def reset(backend: AbstractGridBackend, count: int) -> None:
    """Resets, a step after each, so that there is something to go back from."""
    for _ in range(count):
        backend.reset()
        backend.step(2)


def step(backend: AbstractGridBackend, count: int) -> None:
    """Random steps, with a picture after each."""
    backend.reset()
    for action in random.Random(0).choices(range(7), k=count):
        _, _, terminated, truncated, _, _ = backend.step(action)
        if terminated or truncated:
            backend.reset()


def rates(
    play: Callable[[AbstractGridBackend, int], None], backends: dict[str, AbstractGridBackend], count: int, rounds: int
) -> dict[str, float]:
    """The best count per second of several rounds, in which the backends take turns; after a round to warm up."""
    best = dict.fromkeys(backends, 0.0)
    for round_ in range(rounds + 1):
        for name, backend in backends.items():
            start = time.process_time()
            play(backend, count)
            best[name] = max(best[name], count / (time.process_time() - start)) if round_ else 0.0
    return best


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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the number of steps")
    options = parser.parse_args()
    resets, steps = (max(1, int(count * options.scale)) for count in (1_000, 3_000))
    for observability in OBSERVABILITY:
        print(f"\n{observability:16s} {'resets/s':>10s} {'RGB steps/s':>12s} {'/ square':>9s} {'/ MiniGrid':>11s}")
        backends = make_backends(observability)
        reset_rates = rates(reset, backends, resets, options.rounds)
        step_rates = rates(step, backends, steps, options.rounds)
        for name, value in step_rates.items():
            ratios = f"{value / step_rates[SQUARE]:9.2f} {value / step_rates[MINIGRID]:11.2f}"
            print(f"{name:16s} {reset_rates[name]:10,.0f} {value:12,.0f} {ratios}")
    print(f"\n(aim: at least {RESETS_WANTED:,} resets/s, and no tiling slower than half the square's)")


if __name__ == "__main__":
    main()
