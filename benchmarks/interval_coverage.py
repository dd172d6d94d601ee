"""Simulated coverage and length of intervals: ``nox -s coverage-table`` writes ``interval_coverage.txt``.

A suite has mazes, each played in so many variants, each so many times. The chance of success of a maze is
logistic(c + scatter · z) with z standard normal, and c such that the mean over all mazes there could be is the rate.
Of a pair of models, the z of a maze have a correlation of 0.7. Rates are also simulated for mixtures of mazes, for 1 to
6 variants of a maze that differ by one logit, and with 30 % of the plays missing.
"""

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from multinet_eval.statistics.intervals import bounded_mean_interval, median_interval, student_quantile
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
RATES = (0.02, 0.1, 0.5, 0.9, 0.98)
MAZES = (3, 5, 8, 12, 20, 30)
PLAYS = (1, 3, 12)
MISSING = 0.3
MOST_VARIANTS = 6
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


@attrs.frozen
class Suites:
    """Simulated suites of one kind."""

    means: Values
    """Share of the plays won in each maze, shape (suites, mazes); NaN for a maze without a play."""
    plays: Values
    """Number of plays of each maze."""

    @classmethod
    def of_chances(cls, chances: Values, epochs: int, rng: np.random.Generator) -> "Suites":
        """Play each maze, with these chances of success, so many times."""
        return cls(rng.binomial(epochs, chances) / epochs, np.full(chances.shape, float(epochs)))


Kind = Callable[[float, float, tuple[int, int], int, np.random.Generator], Suites]
"""Simulates suites with a rate, a scatter or part, a shape and a number of epochs."""


def scattered(rate: float, scatter: float, shape: tuple[int, int], epochs: int, rng: np.random.Generator) -> Suites:
    """Mazes whose chances differ by the scatter, in logits."""
    chances = logistic(centre(rate, scatter) + scatter * rng.standard_normal(shape))
    return Suites.of_chances(chances, epochs, rng)


def mixed(rate: float, part: float, shape: tuple[int, int], epochs: int, rng: np.random.Generator) -> Suites:
    """Mazes that are always lost, or always won if the part is negative, and others of one chance.

    A part of 1 means that all mazes are certain, lost or won.
    """
    certain = rng.random(shape) < abs(part) * (1 - rate if part > 0 else rate)
    others = rate / (1 - part * (1 - rate)) if part > 0 else 1 - (1 - rate) / (1 + part * rate)
    return Suites.of_chances(np.where(certain, float(part < 0), min(others, 1.0)), epochs, rng)


def varied(rate: float, scatter: float, shape: tuple[int, int], epochs: int, rng: np.random.Generator) -> Suites:
    """Mazes with unequal numbers of variants, which differ by one logit."""
    present = np.arange(MOST_VARIANTS) < rng.integers(1, MOST_VARIANTS + 1, shape)[..., None]
    z, own = rng.standard_normal((*shape, 1)), rng.standard_normal(present.shape)
    won = rng.binomial(epochs, logistic(centre(rate, math.hypot(scatter, 1)) + scatter * z + own)) / epochs
    variants = present.sum(axis=-1)
    return Suites((won * present).sum(axis=-1) / variants, variants * float(epochs))


def missing(rate: float, scatter: float, shape: tuple[int, int], epochs: int, rng: np.random.Generator) -> Suites:
    """Mazes of which plays are missing, of some all."""
    played = rng.binomial(epochs, 1 - MISSING, shape)
    won = rng.binomial(played, logistic(centre(rate, scatter) + scatter * rng.standard_normal(shape)))
    return Suites(np.where(played > 0, won / np.maximum(played, 1), np.nan), played.astype(float))


SCATTERED = (0.0, 1.0, 2.0, 3.0)
KINDS: dict[str, tuple[Kind, tuple[float, ...]]] = {
    "scatter": (scattered, SCATTERED),
    "mixtures": (mixed, (1.0, 0.5, -0.5)),
    "variants": (varied, SCATTERED),
    "missing": (missing, SCATTERED),
}


def rates(suites: int, rng: np.random.Generator) -> Iterator[str]:
    """Success rates of one model: the worst coverage over the scatters of a kind, and the mean length."""
    yield f"{'':34}{'coverage':>9}{'length':>8}{'effective plays':>19}{'ratio':>8}"
    for kind, (simulate, parts) in KINDS.items():
        for mazes in MAZES:
            for epochs in PLAYS:
                for rate in RATES:
                    found = [simulate(rate, part, (suites, mazes), epochs, rng) for part in parts]
                    covered, length = measured([bounded(each) for each in found], rate)
                    other, longer = measured([effective(each) for each in found], rate)
                    yield (
                        f"{kind:<10}{mazes:>3} mazes x {epochs:>2}{rate:>9g}  {covered:>9.1%}{length:>8.3f}"
                        f"{other:>11.1%}{longer:>8.3f}{length / longer:>8.2f}"
                    )


def measured(intervals: Sequence[Values], truth: float) -> tuple[float, float]:
    """The lowest coverage of sets of intervals, each of shape (suites, 2), and the mean length."""
    held = [np.mean((each[:, 0] <= truth + 1e-12) & (truth - 1e-12 <= each[:, 1])) for each in intervals]
    return float(min(held)), float(np.mean([np.mean(each[:, 1] - each[:, 0]) for each in intervals]))


def bounded(found: Suites) -> Values:
    """The intervals of the toolkit."""
    ends, counts = np.empty((len(found.means), 2)), np.isfinite(found.means).sum(axis=1)
    ordered = np.sort(found.means, axis=1)  # NaN last
    for count in np.unique(counts):
        rows = counts == count
        ends[rows] = np.column_stack(bounded_mean_interval(ordered[rows, :count], 0, 1))
    return ends


def effective(found: Suites) -> Values:
    """Wilson's intervals with the number of plays divided by the design effect (Kish 1965; Korn and Graubard 1998)."""
    counts = np.maximum(np.isfinite(found.means).sum(axis=1), 1)
    means = np.nan_to_num(np.nansum(found.means, axis=1) / counts)
    variance = np.nansum((found.means - means[:, None]) ** 2, axis=1) / counts**2
    inverse = np.where(found.plays > 0, 1 / np.maximum(found.plays, 1), 0.0).sum(axis=1)
    plays = np.maximum(counts, counts**2 / np.maximum(inverse, 1e-9))
    spread = means * (1 - means)
    known = (spread > 0) & (counts > 1) & (plays > 1)
    effect = variance * counts / np.maximum(counts - 1, 1) * (plays - 1) / np.where(known, spread, 1.0)
    number = np.where(known, np.maximum(counts, plays / np.maximum(effect, 1.0)), counts)
    trials = np.maximum(counts, number * (quantiles(number) / quantiles(counts)) ** 2)
    z = student_quantile(1e9)
    middle, half = means + z * z / (2 * trials), z * np.sqrt(spread / trials + z * z / (4 * trials**2))
    ends: Values = np.column_stack([middle - half, middle + half]) / (1 + z * z / trials)[:, None]
    return ends


def quantiles(sizes: Values) -> Values:
    """Student's quantiles for the scatter of so many values."""
    different, places = np.unique(np.round(np.maximum(sizes - 1.0, 1.0), 2), return_inverse=True)
    return np.array([student_quantile(each) for each in different])[places]


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
    "Success rates: kind of suite, mazes x plays, rate; worst of the scatters 0 to 3, or of three mixtures": rates,
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
        lines += ["", title, ""]
        if measure is not rates:
            lines.append(f"{'':39}{'estimator':<26}{'coverage':>8}{'length':>9}")
        count = options.pairs if measure is differences else options.suites
        lines += [str(line) for line in measure(count, np.random.default_rng(1))]
    options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
