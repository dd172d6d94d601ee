"""Sequential comparison with a reference run: its design, fixed in ``run.json`` before the first answer, and its state.

The design contains the scores of the reference, so the decision follows from the run's own folder alone: from the
design and the ends of its episodes, in any order.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from gridworld.errors import ArgumentError
from gridworld.runner.record import EndReason, EpisodeEnd
from gridworld.support.wording import counted, first_lines
from gridworld.world.digest import text_digest
from multinet_eval.record.fingerprint import condition_differences
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.task_result import TaskResult
from multinet_eval.statistics.clusters import Observation, average, paired_differences
from multinet_eval.statistics.e_process import anytime_interval, deciding_look, e_process, earliest_look
from multinet_eval.support.output import compact_json

if TYPE_CHECKING:
    from multinet_eval.record.manifest import Manifest

Cell = tuple[str, str | None]
"""Key of one cell of a suite's results: task hash and tiling."""
Scores = Mapping[int, float | None]
"""Final score of each ended episode, by number; None for an unscored episode."""


@attrs.frozen
class Reference:
    """A finished run to compare with."""

    path: Path
    manifest: Manifest
    scores: Mapping[int, float]
    """Score of each planned episode, by number: 1 for success, otherwise 0."""

    @classmethod
    def of(cls, path: Path, manifest: Manifest, ends: Mapping[int, EpisodeEnd | None]) -> Reference:
        """Read a reference; raises ArgumentError unless every planned episode has ended and is scored."""
        scores = scores_of(ends)
        design = manifest.sequential
        if design is not None and design.state(manifest.plan, scores).stopped:
            raise ArgumentError(
                f"{path} stopped early, when its comparison was decided: expected a run that was played to its end"
            )
        left = [each.number for each in manifest.plan if each.number not in scores]
        if left:
            raise ArgumentError(
                f"{path} is unfinished, {len(left)} of {counted(len(manifest.plan), 'episode')} left: finish it first "
                f"with 'multinet runs resume {path}'"
            )
        found = {each.number: score for each in manifest.plan if (score := scores[each.number]) is not None}
        if len(found) < len(manifest.plan):
            unscored = counted(len(manifest.plan) - len(found), "episode")
            raise ArgumentError(
                f"{path} has {unscored} without a score: play again with 'multinet runs resume {path} --retry-faults'"
            )
        return cls(path, manifest, found)

    @property
    def digest(self) -> str:
        """Digest of the reference's fingerprint and scores."""
        return text_digest(compact_json([self.manifest.fingerprint, sorted(self.scores.items())]))

    def rate(self, cell: Cell) -> float:
        """Return the success rate in a cell, in [0, 1]."""
        return average(self.scores[each.number] for each in self.manifest.plan if _cell(each) == cell)


@attrs.frozen
class ReferenceCell:
    """The reference's result for a task on a tiling."""

    task: str
    """Hash of the task."""
    tiling: str | None
    rate: float
    """Success rate, in [0, 1]."""


@attrs.frozen
class ReferenceMaze:
    """The reference's results for a base maze."""

    name: str
    cells: tuple[ReferenceCell, ...]

    @property
    def rate(self) -> float:
        """Mean success rate over the maze's cells."""
        return average(each.rate for each in self.cells)

    @property
    def keys(self) -> list[Cell]:
        """Task and tiling of each cell of the maze."""
        return [(each.task, each.tiling) for each in self.cells]

    @property
    def observations(self) -> list[Observation]:
        """One observation per cell."""
        return [Observation(self.name, (each.task, each.tiling), each.rate) for each in self.cells]


@attrs.frozen
class SequentialDesign:
    """The design of a comparison, fixed before the first answer."""

    against: str
    """Name of the reference's folder."""
    model: str
    """Name of the reference's model."""
    reference: str
    """Digest of the reference's fingerprint and scores."""
    alpha: float
    """Maximum probability of a decision between models of equal means."""
    epochs: int
    mazes: tuple[ReferenceMaze, ...]
    """Base mazes in the order in which they are looked at."""

    @classmethod
    def of(cls, manifest: Manifest, bases: Mapping[str, str], reference: Reference, alpha: float) -> SequentialDesign:
        """Design the comparison for a new run.

        Args:
            manifest: the manifest of the new run.
            bases: base maze by task hash.
            reference: the run to compare with.
            alpha: the error rate, in (0, 1).

        Raises:
            ArgumentError: the reference has another suite, other conditions or other epochs; the message lists all
                differences.
        """
        _refuse_other_conditions(reference, manifest)
        cells: dict[str, dict[Cell, None]] = {}
        for each in manifest.plan:
            cells.setdefault(bases[each.task], {})[_cell(each)] = None
        return cls(
            against=reference.path.resolve().name,
            model=reference.manifest.model_name,
            reference=reference.digest,
            alpha=alpha,
            epochs=manifest.settings.epochs,
            mazes=tuple(
                ReferenceMaze(maze, tuple(ReferenceCell(*cell, reference.rate(cell)) for cell in cells[maze]))
                for maze in maze_order(cells, manifest)
            ),
        )

    @property
    def earliest(self) -> int | None:
        """Smallest number of mazes that can decide the comparison; None if none can."""
        return earliest_look([maze.rate for maze in self.mazes], self.alpha)

    def problems(self, manifest: Manifest) -> Iterator[str]:
        """Report contradictions between the design and the run, each with its place."""
        if not 0 < self.alpha < 1:
            yield f"alpha: found {self.alpha}, expected a number between 0 and 1"
        if self.epochs != manifest.settings.epochs:
            yield f"epochs: found {self.epochs}, expected those of the settings, {manifest.settings.epochs}"
        if Counter(cell for maze in self.mazes for cell in maze.keys) != Counter(
            {_cell(each) for each in manifest.plan}
        ):
            yield "mazes: expected each planned task once on each tiling"
        if not all(0 <= cell.rate <= 1 for maze in self.mazes for cell in maze.cells):
            yield "mazes: expected rates from 0 to 1"

    def in_order(self, plan: Iterable[PlannedEpisode]) -> list[PlannedEpisode]:
        """Sort planned episodes maze by maze; within a maze, keep the order of the plan."""
        places = {cell: place for place, maze in enumerate(self.mazes) for cell in maze.keys}
        return sorted(plan, key=lambda each: places[_cell(each)])

    def state(self, plan: Sequence[PlannedEpisode], scores: Scores) -> SequentialState:
        """Look after each complete maze in turn, until the comparison is decided or a maze is incomplete.

        A maze without any score is skipped.

        Args:
            plan: the plan of the run.
            scores: the scores of its episodes.
        """
        numbers: dict[Cell, list[int]] = {}
        for each in plan:
            numbers.setdefault(_cell(each), []).append(each.number)
        differences, looks = list[float](), list[int]()
        looked = 0
        for place, maze in enumerate(self.mazes, start=1):
            ours = {number: cell for cell in maze.keys for number in numbers[cell]}
            if not all(number in scores for number in ours):
                break
            looked = place
            played = [Observation(maze.name, cell, scores[number]) for number, cell in ours.items()]
            for difference in paired_differences(played, maze.observations).values():
                differences.append(difference)
                looks.append(looked)
        end = deciding_look(differences, self.alpha) if differences else None
        if end is not None:
            looked, differences = looks[end - 1], differences[:end]
        return SequentialState(
            against=self.against,
            model=self.model,
            alpha=self.alpha,
            mazes=len(self.mazes),
            looked=looked,
            decided=end is not None,
            differences=tuple(differences),
            cells=frozenset(cell for maze in self.mazes[:looked] for cell in maze.keys),
        )


@attrs.frozen
class SequentialState:
    """State of a sequential comparison."""

    against: str
    model: str
    """Name of the reference's model."""
    alpha: float
    mazes: int
    """Number of base mazes in the plan."""
    looked: int
    """Number of looks so far, one per maze."""
    decided: bool
    differences: tuple[float, ...] = attrs.field(repr=False)
    """Success rate minus the reference's, for each scored maze up to the last look."""
    cells: frozenset[Cell] = attrs.field(repr=False)
    """Cells of the mazes up to the last look."""

    @property
    def difference(self) -> float | None:
        """Mean of the differences; None before the first score."""
        return average(self.differences) if self.differences else None

    @property
    def interval(self) -> tuple[float, float]:
        """Interval of level 1 - alpha, valid whenever the run stops (`anytime_interval`)."""
        return anytime_interval(self.differences, self.alpha)

    @property
    def evidence(self) -> float:
        """E-value after the last look; the comparison is decided when it reaches 1/alpha."""
        return float(e_process(self.differences)[-1]) if self.differences else 1.0

    @property
    def stopped(self) -> bool:
        """Whether the comparison was decided before the last maze."""
        return self.decided and self.looked < self.mazes

    @property
    def told(self) -> str:
        """One sentence about the state of the comparison."""
        looked = f"after {self.looked} of {counted(self.mazes, 'maze')}"
        if self.difference is None:
            return f"not decided {looked}: nothing is compared with {self.against} ({self.model}) yet"
        low, high = self.interval
        verdict = f"not decided {looked} against"
        if self.decided:
            verdict = f"decided {looked}: {'higher' if self.difference > 0 else 'lower'} success rate than"
        return (
            f"{verdict} {self.against} ({self.model}); difference {self.difference:+.2f} "
            f"({100 * (1 - self.alpha):.4g} % anytime interval {low:+.2f} to {high:+.2f})"
        )

    def is_needed(self, planned: PlannedEpisode) -> bool:
        """Whether a planned episode counts or may still count."""
        return not self.stopped or _cell(planned) in self.cells

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready data."""
        return {
            "against": self.against,
            "model": self.model,
            "alpha": self.alpha,
            "mazes": self.mazes,
            "looked": self.looked,
            "decided": self.decided,
            "stopped": self.stopped,
            "evidence": self.evidence,
            "difference": self.difference,
            "interval": list(self.interval),
        }


def maze_order(mazes: Iterable[str], manifest: Manifest) -> list[str]:
    """Shuffle base mazes, seeded only by the run's seed and suite."""
    salt = f"{manifest.settings.seed}/{manifest.suite_hash}"
    return sorted(mazes, key=lambda maze: hashlib.sha256(f"{salt}/{maze}".encode()).digest())


def scores_of(ends: Mapping[int, EpisodeEnd | TaskResult | None]) -> dict[int, float | None]:
    """Return the scores of ended episodes, except those that resuming would replay."""
    return {
        number: None if end.error is not None else float(_is_success(end))
        for number, end in ends.items()
        if end is not None and not end.permanent
    }


def _is_success(end: EpisodeEnd | TaskResult) -> bool:
    return end.success if isinstance(end, TaskResult) else end.reason is EndReason.GOAL


def _cell(planned: PlannedEpisode) -> Cell:
    return planned.task, planned.tiling


def _refuse_other_conditions(reference: Reference, manifest: Manifest) -> None:
    found = list(_differences(reference.manifest, manifest))
    if found:
        listed = "".join(f"\n  {line}" for line in first_lines(found))
        raise ArgumentError(
            f"--until-decided {reference.path}: expected a run of the same suite, conditions and epochs; in the "
            f"reference and here there are:{listed}"
        )


def _differences(reference: Manifest, manifest: Manifest) -> Iterator[str]:
    if reference.settings.epochs != manifest.settings.epochs:
        yield f"epochs: {reference.settings.epochs} and {manifest.settings.epochs}"
    for path, text in condition_differences(reference.fingerprint, manifest.fingerprint):
        yield f"{path}: {text}"
