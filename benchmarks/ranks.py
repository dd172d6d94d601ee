"""Simulation of leaderboards of models with equal means: how often a model is ranked above another.

``python benchmarks/ranks.py`` prints the table; with ``--write`` it replaces ``benchmarks/ranks.txt``. The models are
interchangeable on every maze, whose chances of success differ by two logits, or have unequal spread: the first always
solves a share of the mazes, the rate, and never the others, while all others solve each play with that chance.
"""

import argparse
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from interval_coverage import centre, logistic
from multinet_eval.statistics.clusters import Observation
from multinet_eval.statistics.paired_tests import paired_tests

SEED = 41
MODELS = 5
SCATTER = 2.0
TABLE = Path(__file__).with_suffix(".txt")


@attrs.frozen
class Design:
    """Leaderboards of one kind."""

    interchangeable: bool
    rate: float
    mazes: int
    epochs: int

    def draw(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Rates of each model in each maze, float, shape (models, mazes)."""
        shape = (MODELS, self.mazes)
        if self.interchangeable:
            chances = logistic(centre(self.rate, SCATTER) + SCATTER * rng.standard_normal(self.mazes))
            return np.asarray(rng.binomial(self.epochs, np.broadcast_to(chances, shape)) / self.epochs)
        played = rng.binomial(self.epochs, self.rate, shape) / self.epochs
        played[0] = rng.random(self.mazes) < self.rate
        return np.asarray(played)


DESIGNS = (
    *(Design(True, rate, mazes, epochs) for rate in (0.6, 0.95) for mazes in (20, 100) for epochs in (1, 5)),
    *(
        Design(False, rate, mazes, epochs)
        for rate in (0.9, 0.95, 0.98)
        for mazes in (10, 33)
        for epochs in (1, 5, 12, 100)
    ),
)


def wrong(design: Design, suites: int) -> float:
    """The share of the leaderboards in which a model ranks above another."""
    rng, found = np.random.default_rng(SEED), 0
    for _ in range(suites):
        runs = [
            [Observation(str(maze), None, float(each)) for maze, each in enumerate(run)] for run in design.draw(rng)
        ]
        found += any(each.winner is not None for each in paired_tests(runs, SEED))
    return found / suites


def table(suites: int) -> str:
    """The whole table as text."""
    lines = [f"{suites:,} leaderboards of {MODELS} models with equal means each", ""]
    lines.append(f"{'models':<18}{'rate':>6}{'design':>13}{'a wrong rank':>14}")
    for design in DESIGNS:
        name = "interchangeable" if design.interchangeable else "unequal spread"
        shape = f"{design.mazes} x 1 x {design.epochs}"
        lines.append(f"{name:<18}{design.rate:>6g}{shape:>13}{wrong(design, suites):>14.1%}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--suites", type=int, default=300)
    parser.add_argument("--write", action="store_true", help=f"replace {TABLE.name}")
    arguments = parser.parse_args()
    text = table(arguments.suites)
    print(text, end="")
    if arguments.write:
        TABLE.write_text(text, encoding="utf-8")
