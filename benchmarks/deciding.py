"""Simulation of runs that are played until they are decided: how often they are, and how many mazes they take.

``python benchmarks/deciding.py`` prints the table; with ``--write`` it replaces ``benchmarks/deciding.txt``. A row is a
design of mazes x variants x epochs. In half of the mazes of "half better, half worse", the first model has its first
rate and the second model its second; in the others it is the other way round, so that the means are equal. Of "all or
nothing", the first model always solves a share of the mazes, its first rate, and never the others, while the second
solves each play with that chance: the means are equal, and their spread is not.
"""

import argparse
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from multinet_eval.statistics.e_process import deciding_look, e_process
from multinet_eval.statistics.paired_tests import LEVEL, sign_flip_test

ALPHA = 0.05
SEED = 37
TABLE = Path(__file__).with_suffix(".txt")


@attrs.frozen
class Design:
    """Pairs of runs of one kind."""

    name: str
    rates: tuple[float, float]
    mazes: int = 33
    epochs: int = 3
    alternating: bool = False
    """Whether the models change places in half of the mazes."""
    all_or_nothing: bool = False
    """Whether the first model always or never solves a maze."""

    @property
    def difference(self) -> float:
        """The true difference of the means."""
        return 0.0 if self.alternating else self.rates[0] - self.rates[1]

    def draw(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Differences of a pair of runs, in the order in which mazes are looked at, float, shape (mazes,)."""
        if self.all_or_nothing:
            solved = rng.random(self.mazes) < self.rates[0]
            return np.asarray(solved - rng.binomial(self.epochs, self.rates[1], self.mazes) / self.epochs)
        changed = rng.permutation(self.mazes) % 2 == 1 if self.alternating else np.zeros(self.mazes, dtype=bool)
        first = np.where(changed, self.rates[1], self.rates[0])
        second = np.where(changed, self.rates[0], self.rates[1])
        drawn = rng.binomial(self.epochs, first) - rng.binomial(self.epochs, second)
        return np.asarray(drawn / self.epochs, dtype=np.float64)


NULLS = (
    Design("equal", (0.5, 0.5)),
    Design("equal", (0.9, 0.9)),
    Design("equal", (0.5, 0.5), epochs=1),
    Design("equal", (0.5, 0.5), mazes=100, epochs=1),
    Design("half better, half worse", (0.9, 0.1), mazes=34, alternating=True),
    Design("half better, half worse", (1.0, 0.0), mazes=34, alternating=True),
    Design("half better, half worse", (1.0, 0.0), mazes=100, alternating=True),
    Design("all or nothing", (0.95, 0.95), all_or_nothing=True),
    Design("all or nothing", (0.95, 0.95), epochs=12, all_or_nothing=True),
    Design("all or nothing", (0.98, 0.98), epochs=12, all_or_nothing=True),
    Design("all or nothing", (0.98, 0.98), epochs=100, all_or_nothing=True),
    Design("all or nothing", (0.98, 0.98), mazes=10, epochs=100, all_or_nothing=True),
)
UNEQUAL = (
    Design("better", (0.8, 0.5)),
    Design("better", (0.9, 0.3)),
    Design("better", (0.8, 0.5), epochs=1),
    Design("better", (0.7, 0.6), mazes=100),
    Design("better", (0.9, 0.3), mazes=10),
)


@attrs.frozen
class Outcome:
    """Shares of pairs."""

    decided: float
    wrong: float
    """Decided for the worse model, or between equal ones."""
    played: float
    """Mean share of the mazes."""
    covered: float
    """Whose interval, where the run stops, holds the true difference."""
    found: float
    """Decided, or played to the end with a p-value of at most `LEVEL` (``multinet compare``)."""


def simulate(design: Design, pairs: int) -> Outcome:
    """The outcome of pairs of runs."""
    rng, found = np.random.default_rng(SEED), []
    for _ in range(pairs):
        differences = design.draw(rng)
        look = deciding_look(differences, ALPHA)
        seen = differences[:look]
        covered = e_process(seen, design.difference)[-1] < 1 / ALPHA
        wrong = look is not None and seen.mean() * design.difference <= 0
        shown = look is not None or sign_flip_test(differences.tolist(), SEED).p_value <= LEVEL
        found.append((look is not None, wrong, len(seen) / design.mazes, covered, shown))
    return Outcome(*np.mean(found, axis=0).tolist())


def table(pairs: int) -> str:
    """The whole table as text."""
    lines = [f"{pairs:,} pairs each, alpha {ALPHA:g}", ""]
    lines.append(
        f"{'models':<24}{'rates':>12}{'design':>14}{'decided':>9}{'wrong':>8}{'mazes':>8}{'covered':>9}{'or p':>8}"
    )
    for design in (*NULLS, *UNEQUAL):
        found = simulate(design, pairs)
        rates, shape = "{:g} {:g}".format(*design.rates), f"{design.mazes} x 1 x {design.epochs}"
        shares = f"{found.decided:>9.1%}{found.wrong:>8.1%}{found.played:>8.0%}{found.covered:>9.1%}{found.found:>8.1%}"
        lines.append(f"{design.name:<24}{rates:>12}{shape:>14}{shares}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--write", action="store_true", help=f"replace {TABLE.name}")
    arguments = parser.parse_args()
    text = table(arguments.pairs)
    print(text, end="")
    if arguments.write:
        TABLE.write_text(text, encoding="utf-8")
