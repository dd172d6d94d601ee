"""Exact coverage and length of intervals of paired differences: ``nox -s coverage-table`` writes the table.

Each maze is played once by both models. It is discordant, solved by just one of them, with a probability that is the
share; so many of the discordant mazes are solved by the first. Coverage and length are sums over all outcomes, which
are multinomial, and nothing is drawn.
"""

import argparse
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from multinet_eval.statistics.paired_tests import LEVEL, sign_flip_interval, sign_flip_test, subset_interval

TABLE = Path(__file__).with_suffix(".txt")
Values = NDArray[np.float64]
Interval = Callable[[list[float]], tuple[float, float]]
SIZES = (8, 12, 20, 30, 50, 100)
SHARES = np.linspace(0, 1, 201)
WON = np.linspace(0.5, 1, 26)
"""Shares of the discordant mazes that the first model solves; those below one half mirror them."""
SHOWN_SHARES = (0.0, 0.1, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0)
SHOWN_WON = (0.5, 0.7, 1.0)


def ours(differences: list[float]) -> tuple[float, float]:
    """The interval of the toolkit."""
    return sign_flip_interval(differences, sign_flip_test(differences, 0).p_value, 0)


def halves(differences: list[float]) -> tuple[float, float]:
    """The interval with mazes added at ½ and -½ in place of 1 and -1."""
    low, high = subset_interval([*differences, -0.5, 0.5], 0) or (-1.0, 1.0)
    if sign_flip_test(differences, 0).p_value > LEVEL:
        return (min(low, 0.0), max(high, 0.0))
    return (max(low, 0.0), high) if math.fsum(differences) > 0 else (low, min(high, 0.0))


@attrs.frozen
class Outcomes:
    """All outcomes of so many mazes, with their intervals."""

    counts: Values
    """Mazes that only the first solves, that only the second solves, and the others: shape (outcomes, 3)."""
    ways: Values
    """Logarithms of the multinomial coefficients."""
    ends: Values
    """Intervals, shape (outcomes, 2)."""

    @classmethod
    def of(cls, mazes: int, interval: Interval) -> "Outcomes":
        """The outcomes of a number of mazes."""
        counts = [(won, lost, mazes - won - lost) for won in range(mazes + 1) for lost in range(mazes + 1 - won)]
        ways = [math.lgamma(mazes + 1) - sum(math.lgamma(each + 1) for each in count) for count in counts]
        ends = [interval([1.0] * won + [-1.0] * lost + [0.0] * same) for won, lost, same in counts]
        return cls(np.array(counts, dtype=float), np.array(ways), np.array(ends))

    def measure(self, share: float, won: float) -> tuple[float, float]:
        """Coverage and mean length, if a share of the mazes is discordant and the first solves so many of these."""
        chances = np.array([share * won, share * (1 - won), 1 - share])
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(self.counts > 0, self.counts * np.log(chances), 0.0).sum(axis=1)
        weights, truth = np.exp(self.ways + logs), share * (2 * won - 1)
        held = (self.ends[:, 0] <= truth + 1e-12) & (truth - 1e-12 <= self.ends[:, 1])
        return float(weights @ held), float(weights @ (self.ends[:, 1] - self.ends[:, 0]))

    def worst(self) -> tuple[float, float, float]:
        """The lowest coverage, with the share of discordant mazes and that of those won."""
        return min((self.measure(share, won)[0], float(share), float(won)) for share in SHARES for won in WON)


def lines(mazes: int) -> Iterator[str]:
    """The lines of a number of mazes."""
    found, shorter = Outcomes.of(mazes, ours), Outcomes.of(mazes, halves)
    for added, each in (("1 and -1", found), ("1/2 and -1/2", shorter)):
        coverage, share, won = each.worst()
        worst = f"at least {coverage:.1%}, with {share:g} discordant, {won:g} of them won"
        yield f"{mazes} mazes, and {added + ':':<13} {worst}"
    yield ""
    yield f"{'':23}{'1 and -1':>18}{'1/2 and -1/2':>18}"
    yield f"{'mazes':>5}{'discordant':>12}{'won':>6}" + 2 * f"{'coverage':>10}{'length':>8}" + f"{'ratio':>8}"
    for won in SHOWN_WON:
        for share in SHOWN_SHARES:
            both = [each.measure(share, won) for each in (found, shorter)]
            measured = "".join(f"{coverage:>10.1%}{length:>8.3f}" for coverage, length in both)
            yield f"{mazes:>5}{share:>12g}{won:>6g}{measured}{both[0][1] / both[1][1]:>8.2f}"
    yield ""


def table(sizes: tuple[int, ...]) -> str:
    """The whole table as text."""
    title = f"Intervals of 95 %; worst of {len(SHARES)} shares of discordant mazes x {len(WON)} shares of those won"
    return "\n".join([title, "", *(line for mazes in sizes for line in lines(mazes))])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=TABLE, help="file to write")
    parser.parse_args().output.write_text(table(SIZES), encoding="utf-8")
