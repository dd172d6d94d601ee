"""Simulated coverage and length of intervals: ``nox -s coverage-table`` writes ``interval_coverage.txt``.

A suite has mazes, each played in so many variants, each so many times. The chance of success of a maze is
logistic(c + scatter · z) with z standard normal, and c such that the mean over all mazes there could be is the rate.
Of a pair of models, the z of a maze have a correlation of 0.7.
"""

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from multinet_eval.statistics.intervals import (
    ClusteredShare,
    bounded_mean_interval,
    effective_interval,
    median_interval,
    student_quantile,
    wilson_interval,
)
from multinet_eval.statistics.paired_tests import sign_flip_interval, sign_flip_test

TABLE = Path(__file__).with_name("interval_coverage.txt")
Values = NDArray[np.float64]
Range = tuple[float, float]
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(61)
CORRELATION = 0.7


@attrs.frozen
class Design:
    """Size of a suite."""

    mazes: int
    variants: int
    epochs: int

    @property
    def plays(self) -> int:
        """The number of plays of a maze."""
        return self.variants * self.epochs

    def __str__(self) -> str:
        return f"{self.mazes} x {self.variants} x {self.epochs}"


DESIGNS = (Design(10, 1, 3), Design(33, 1, 1), Design(10, 4, 3), Design(20, 3, 5), Design(10, 1, 12))
RATES = (0.1, 0.5, 0.9)
PAIRS = ((0.5, 0.5), (0.9, 0.9), (0.9, 0.7), (0.5, 0.1))
SCATTERS = (0.0, 1.0, 2.0, 3.0)
"""In logits."""


@attrs.frozen
class Line:
    """One line of the table."""

    case: Sequence[str]
    estimator: str
    coverage: float
    """Share of the suites for which there is an interval whose interval holds the true value."""
    length: float
    """Mean length of the intervals."""
    note: str = ""

    def __str__(self) -> str:
        case = "".join(f"{each:<13}" for each in self.case)
        return f"{case}{self.estimator:<26}{self.coverage:>8.1%}{self.length:>9.3f}  {self.note}".rstrip()


def summarize(case: Sequence[str], estimator: str, intervals: Sequence[Range], truth: float, note: str = "") -> Line:
    """A line of the table."""
    ends = np.array(intervals)
    held = np.mean((ends[:, 0] <= truth + 1e-12) & (truth - 1e-12 <= ends[:, 1]))
    return Line(case, estimator, float(held), float(np.mean(ends[:, 1] - ends[:, 0])), note)


@cache
def centre(rate: float, scatter: float) -> float:
    """The logit at which the mean chance of success over all mazes is the rate."""
    low, high = -50.0, 50.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        mean = float(WEIGHTS @ logistic(middle + scatter * NODES) / WEIGHTS.sum())
        low, high = (middle, high) if mean < rate else (low, middle)
    return low


def logistic(logits: Values) -> Values:
    """Chances of success."""
    return 1 / (1 + np.exp(-logits))


def play(design: Design, rate: float, scatter: float, z: Values, rng: np.random.Generator) -> Values:
    """The number of successes in each maze, of the shape of z."""
    return rng.binomial(design.plays, logistic(centre(rate, scatter) + scatter * z)).astype(float)


def rates(suites: int, rng: np.random.Generator) -> Iterator[Line]:
    """Success rates of one model."""
    for design in DESIGNS:
        for rate in RATES:
            for scatter in SCATTERS:
                won = np.sort(play(design, rate, scatter, rng.standard_normal((suites, design.mazes)), rng), axis=1)
                shares = [clustered(tuple(each), design.plays) for each in won]
                short = np.mean([each.may_be_short for each in shares])
                case = (str(design), f"{rate:g}", f"{scatter:g}")
                ours = [effective_interval(each) for each in shares]
                yield summarize(case, "clustered", ours, rate, f"'may be short' in {short:.1%}")
                plain = [wilson_interval(int(each.sum()), design.mazes * design.plays) for each in won]
                yield summarize(case, "Wilson, plays counted", plain, rate)


@cache
def clustered(won: tuple[float, ...], plays: int) -> ClusteredShare:
    """The rate of a suite."""
    return ClusteredShare.of_rates([each / plays for each in won], [plays] * len(won))


def differences(suites: int, rng: np.random.Generator) -> Iterator[Line]:
    """Differences of two models on the same mazes."""
    for design in DESIGNS:
        for first, second in PAIRS:
            for scatter in SCATTERS:
                z, other = rng.standard_normal((2, suites, design.mazes))
                theirs = CORRELATION * z + math.sqrt(1 - CORRELATION**2) * other
                won = play(design, first, scatter, z, rng) - play(design, second, scatter, theirs, rng)
                found = np.sort(won, axis=1) / design.plays
                case = (str(design), f"{first:g} - {second:g}", f"{scatter:g}")
                p_values = [sign_flip_test(list(each), 0).p_value for each in found]
                ours = [sign_flip_interval(list(each), p, 0) for each, p in zip(found, p_values, strict=True)]
                refused = f"p <= 0.05 in {np.mean(np.array(p_values) <= 0.05):.1%}"
                yield summarize(case, "sign flips", ours, first - second, refused)
                ends = np.column_stack(bounded_mean_interval(found, -1, 1))
                yield summarize(case, "t, a maze at each bound", ends.tolist(), first - second)


def means(suites: int, rng: np.random.Generator) -> Iterator[Line]:
    """Means and medians of other values, one for each maze."""
    for size in (6, 10, 33):
        for name, draw, mean, middle in VALUES:
            found = draw(rng, (suites, size))
            t = student_quantile(size - 1) * found.std(axis=1, ddof=1) / math.sqrt(size)
            centres = found.mean(axis=1)
            case = (f"{size} mazes", name, "")
            plain = np.column_stack([centres - t, centres + t]).tolist()
            if middle is None:
                ends = np.column_stack(bounded_mean_interval(found, 0, 1)).tolist()
                yield summarize(case, "t, a maze at each bound", ends, mean)
            else:
                medians = [median_interval(list(each)) for each in found]
                yield summarize(case, "median", [each for each in medians if each is not None], middle)
            yield summarize(case, "mean, plain t", plain, mean)


Draw = Callable[[np.random.Generator, tuple[int, int]], Values]
VALUES: tuple[tuple[str, Draw, float, float | None], ...] = (
    ("share, skewed", lambda rng, shape: rng.beta(0.3, 1.2, shape), 0.2, None),
    ("share, zeros", lambda rng, shape: rng.beta(2, 2, shape) * (rng.random(shape) < 0.2), 0.1, None),
    ("share, even", lambda rng, shape: rng.beta(4, 4, shape), 0.5, None),
    ("lognormal", lambda rng, shape: rng.lognormal(0, 1.5, shape), math.exp(1.5**2 / 2), 1.0),
    ("exponential", lambda rng, shape: rng.exponential(1, shape), 1.0, math.log(2)),
)
"""Name, draw, mean, and median for values without an upper bound."""

SECTIONS = {
    "Success rates: mazes x variants x epochs, rate, scatter in logits": rates,
    "Differences: mazes x variants x epochs, rates, scatter in logits": differences,
    "Other values: mazes, distribution of their values": means,
}


def main() -> None:
    """Simulate, and write the table."""
    parser = argparse.ArgumentParser(prog="coverage", description=__doc__.splitlines()[0])
    parser.add_argument("--suites", type=int, default=4000, help="suites drawn for each line")
    parser.add_argument("--pairs", type=int, default=1000, help="pairs of models drawn for each line")
    parser.add_argument("--output", type=Path, default=TABLE, help="file to write")
    options = parser.parse_args()
    lines = [f"{options.suites} suites a line, {options.pairs} pairs of models a line; intervals of 95 %"]
    for title, measure in SECTIONS.items():
        lines += ["", title, "", f"{'':39}{'estimator':<26}{'coverage':>8}{'length':>9}"]
        count = options.pairs if measure is differences else options.suites
        lines += [str(line) for line in measure(count, np.random.default_rng(1))]
    options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
