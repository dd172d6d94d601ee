"""Simulates calibrations: ``python benchmarks/calibration.py > benchmarks/calibration.txt``, which is kept.

Abilities come from N(0, scatter²), difficulties of 40 tasks from N(0.5, 1.5²). Where a design is complete, each model
was given each task; where it is sparse, each task was given to two of the models. Played three times, a model has an
effect of its own at each task, from N(0, 0.75²). The table has how many intervals of 95 % hold the truth, and the slope
of the difficulties that are found by the true ones, which is 1 where they are not drawn together.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from multinet_eval.statistics.item_response import RaschFit, fit_rasch

SUITES = 100
TASKS, LEVEL, TASK_SD, INTERACTION_SD = 40, 0.5, 1.5, 0.75
DESIGNS = {"complete": (False, 1), "complete, 3 epochs": (False, 3), "sparse": (True, 1)}
"""Name to whether it is sparse, and how often each model played each task."""
COLUMNS = ("design", "models", "scatter", "abilities", "difficulties", "slope")
WIDTHS = (18, 6, 7, 9, 12, 5)
Floats = NDArray[np.float64]


def simulated(models: int, scatter: float, design: str, seed: int) -> tuple[Floats, Floats, RaschFit]:
    """True abilities and difficulties of a suite of which not all ended alike, and what is found of them."""
    sparse, epochs = DESIGNS[design]
    rng = np.random.default_rng([seed, models, int(scatter)])
    while True:
        abilities, difficulties = scatter * rng.standard_normal(models), LEVEL + TASK_SD * rng.standard_normal(TASKS)
        logits = abilities[:, None] - difficulties
        if epochs > 1:
            logits = logits + INTERACTION_SD * rng.standard_normal(logits.shape)
        trials = np.full(logits.shape, epochs)
        if sparse:
            trials[rng.permuted(np.tile(np.arange(models)[:, None], TASKS), axis=0) >= 2] = 0
        successes = rng.binomial(trials, 1 / (1 + np.exp(-logits)))
        if 0 < successes.sum() < trials.sum():
            return abilities, difficulties, fit_rasch(successes, trials)


def row(design: str, models: int, scatter: float) -> tuple[str, ...]:
    """Coverage of abilities and of difficulties, and the slope."""
    able, hard, true, found = [], [], [], []
    for seed in range(SUITES):
        abilities, difficulties, fit = simulated(models, scatter, design, seed)
        able.append((fit.abilities.low <= abilities) & (abilities <= fit.abilities.high))
        hard.append((fit.difficulties.low <= difficulties) & (difficulties <= fit.difficulties.high))
        true.append(difficulties - difficulties.mean())
        found.append(fit.difficulties.mean)
    slope = np.vdot(true, found) / np.vdot(true, true)
    return design, str(models), f"{scatter:g}", f"{np.mean(able):.1%}", f"{np.mean(hard):.1%}", f"{slope:.2f}"


def rows() -> Iterator[tuple[str, ...]]:
    """All lines of the table."""
    yield COLUMNS
    for case in product(DESIGNS, (4, 8, 16), (1.0, 3.0)):
        yield row(*case)


if __name__ == "__main__":
    for cells in rows():
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True)).rstrip(), flush=True)
    print(f"\n{SUITES} simulated suites a line")
