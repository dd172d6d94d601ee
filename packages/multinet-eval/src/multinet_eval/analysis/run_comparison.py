"""Comparisons of recorded runs, or of the variants of matched tasks within runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from gridworld.errors import ArgumentError
from gridworld.support.checks import check_instance
from gridworld.support.wording import counted
from multinet_eval.analysis.contrasts import Conditions, Contrast, MainEffect, find_contrasts, main_effects
from multinet_eval.analysis.difference_in_words import Words, sum_up
from multinet_eval.analysis.mistakes.episode_mistakes import EpisodeMistakes
from multinet_eval.analysis.mistakes.mistake_differences import compare_mistakes, wasted_shares
from multinet_eval.analysis.mistakes.run_mistakes import mistakes_if_known
from multinet_eval.analysis.recorded_run import PlayedEpisode, PlayedTogether, RecordedRun, run_names
from multinet_eval.analysis.score import DEFAULT_SCORE, SCORES, Score, find_score
from multinet_eval.analysis.shared_conditions import check_comparable, top_name, varied_conditions
from multinet_eval.analysis.where_runs_differ import (
    Group,
    GroupDifference,
    SolvedMazes,
    cells_by_group,
    compare_groups,
    find_most,
)
from multinet_eval.record.manifest import PlayedSuite, suite_columns
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.record.task_result import TaskResult
from multinet_eval.settings.defaults import PERSON_PREFIX
from multinet_eval.statistics import ESTIMATORS_VERSION
from multinet_eval.statistics.clusters import (
    VARIANT,
    Cell,
    Observation,
    Pair,
    cluster_means,
    paired_cells,
    paired_scores,
)
from multinet_eval.statistics.intervals import CrossedMean, Range, crossed_mean
from multinet_eval.statistics.paired_differences import (
    Difference,
    Estimate,
    Interaction,
    compare_pairs,
    estimate_score,
    find_interactions,
)

if TYPE_CHECKING:
    from multinet_eval.analysis.metrics.metric_type import WeightsFile


@attrs.frozen
class Arm(PlayedTogether):
    """The episodes of one run, or of one variant within it."""

    name: str
    """Unique name within a comparison."""
    model: str
    suite: PlayedSuite
    run: str
    """Name of the run: its folder, or its path if folder names collide."""
    played: tuple[PlayedEpisode, ...]
    """Episodes in the order of the plan."""
    path: Path
    """Folder of the run."""
    variant: str | None = None
    """Variant of matched tasks; None for a whole run."""

    def with_mistakes(self, differing: Collection[str]) -> Iterator[tuple[Cell, TaskResult, EpisodeMistakes]]:
        """Yield the cell (`cell_of`), the result and the mistakes of each episode, as far as they are known."""
        mistakes, _ = mistakes_if_known(RunDirectory(self.path))
        for each in self.played:
            if each.result is not None and each.planned.number in mistakes:
                yield cell_of(each, differing), each.result, mistakes[each.planned.number]


def arms_of(runs: Sequence[RecordedRun]) -> list[Arm]:
    """Return one arm per run, named after its folder, or by its path if folder names collide."""
    names = run_names(run.path for run in runs)
    return [
        Arm(name, run.manifest.model_name, run.manifest.played_suite, name, run.played, run.path)
        for name, run in zip(names, runs, strict=True)
    ]


def arms_by_variant(runs: Sequence[RecordedRun]) -> list[Arm]:
    """Return one arm per variant of matched tasks in each run, in the order in which variants were first played.

    An arm is named after its variant, prefixed by the run if there are several runs. Tasks without a variant are
    ignored.

    Raises:
        ArgumentError: the runs have fewer than two arms.
    """
    found = []
    for run, whole in zip(runs, arms_of(runs), strict=True):
        for variant, played in _by_variant(run).items():
            name = f"{whole.name}: {variant}" if len(runs) > 1 else variant
            found.append(Arm(name, whole.model, whole.suite, whole.name, tuple(played), run.path, variant))
    if len(found) < 2:
        places = ", ".join(str(run.path) for run in runs)
        there_is = f"all are {found[0].name!r}" if found else "no task is one"
        raise ArgumentError(f"{places}: expected at least two variants of tasks (metadata.{VARIANT}), but {there_is}")
    return found


def _by_variant(run: RecordedRun) -> dict[str, list[PlayedEpisode]]:
    """Group the episodes of a run by variant."""
    episodes: dict[str, list[PlayedEpisode]] = {}
    for each in run.played:
        variant = run.tasks[each.planned.task].metadata.get(VARIANT)
        if variant is not None:
            episodes.setdefault(str(variant), []).append(each)
    return episodes


Table = list[dict[str, Any]]
"""Rows of plain values by column name."""


@attrs.frozen
class Comparison:
    """Results of a comparison. The tables are lists of plain dictionaries, for JSON, CSV and data frames."""

    score: str
    """Name of the compared score."""
    varied: tuple[str, ...]
    """Differing parts of the fingerprints, such as ``model.name``, or ``variant`` if variants are compared; sorted."""
    seed: int
    """Seed of resampled tests and intervals."""
    arms: tuple[Arm, ...]
    """The runs, or the variants of matched tasks in each run."""
    estimates: tuple[Estimate, ...]
    """Score of each arm."""
    differences: tuple[Difference, ...]
    """Difference between the arms of each pair that changes one condition, or of the only pair."""
    solved: tuple[SolvedMazes, ...]
    """Base mazes that the arms of each pair solve."""
    observations: tuple[tuple[Observation, ...], ...] = attrs.field(repr=False)
    """Score of each episode of each arm for which it is defined."""
    untested: tuple[Contrast, ...]
    """Pairs that are not compared, since they differ in several conditions."""
    effects: tuple[MainEffect, ...] = ()
    """Effect of each condition with the others held fixed; empty unless several conditions vary."""
    interactions: tuple[Interaction, ...] = ()
    """Interaction of each pair of variants with each pair of runs; empty if no variants are compared."""
    weights: WeightsFile | None = None
    """File with the weights of the score; None for a score without weights."""
    persons: CrossedMean | None = None
    """Pooled score of all human players; None unless several have played."""

    @cached_property
    def where(self) -> Mapping[int, Sequence[GroupDifference]]:
        """Differences between the first arm and each other one, by the index of the other.

        By mechanism, tier and tiling, the largest of each kind first.
        """
        return {
            each.second: compare_groups(
                {group: paired_scores({cell: scores[cell] for cell in cells}) for group, cells in groups.items()},
                self.seed,
            )
            for each, scores, groups in self._beside_first()
        }

    @cached_property
    def mistakes(self) -> Mapping[int, Sequence[GroupDifference]]:
        """Difference between the first arm and each other one in the share of steps that each kind of mistake wastes.

        By the index of the other; without the episodes whose mistakes are unknown.
        """
        others = [each.second for each in self.differences if each.first == 0]
        shares = {number: wasted_shares(self.arms[number].with_mistakes(self._differing)) for number in {0, *others}}
        return {other: compare_mistakes(shares[0], shares[other], self.seed) for other in others}

    def sentences(self) -> list[str]:
        """Sum up the comparison of the first arm with each other one; of two arms, say where most of it is."""
        told = []
        for each, scores, groups in self._beside_first():
            pair = [self.arms[each.first], self.arms[each.second]]
            rows = self.where[each.second] if len(self.arms) == 2 else ()
            most = find_most(rows, scores, groups) if each.difference else None
            unfinished = [arm.name for arm in pair if not arm.complete]
            told.append(sum_up(each, Words(self.score, *(arm.name for arm in pair)), rows, most, unfinished))
        return told

    def _beside_first(self) -> Iterator[tuple[Difference, Mapping[Cell, Pair], Mapping[Group, Collection[Cell]]]]:
        """Yield each difference from the first arm, the scores in common cells, and the cells by group."""
        for each in self.differences:
            if each.first == 0:
                pair = [each.first, each.second]
                scores = paired_cells(*(self.observations[number] for number in pair))
                results = _results_by_cell((self.arms[number] for number in pair), self._differing, scores)
                yield each, scores, cells_by_group(results)

    @property
    def _differing(self) -> Collection[str]:
        return set(map(top_name, self.varied))

    def run_table(self) -> Table:
        """Return a row for each arm."""
        return [
            {
                "run": arm.name,
                "model": arm.model,
                **suite_columns([arm.suite]),
                "complete": arm.complete,
                "finished": arm.finished,
                "mazes": estimate.clusters,
                "episodes": estimate.episodes,
                "missing": estimate.missing,
                "score": estimate.score,
                **_ends("interval", estimate.interval),
                **_ends("bounds", estimate.bounds),
            }
            for arm, estimate in zip(self.arms, self.estimates, strict=True)
        ]

    def difference_table(self) -> Table:
        """Return a row for each compared pair of arms."""
        pairs = zip(self.differences, self.solved, strict=True)
        return [{**self._difference_row(each), **solved.columns()} for each, solved in pairs]

    def where_table(self) -> Table:
        """Return a row for each mechanism, tier and tiling in which the first arm and another one can be compared."""
        return self._named_rows(self.where)

    def mistake_table(self) -> Table:
        """Return a row for each kind of mistake that wastes steps of the first arm or another one."""
        return self._named_rows(self.mistakes)

    def _named_rows(self, differences: Mapping[int, Sequence[GroupDifference]]) -> Table:
        return [
            {"first": self.arms[0].name, "second": self.arms[second].name, **row.to_row()}
            for second, rows in differences.items()
            for row in rows
        ]

    def effect_table(self) -> Table:
        """Return a row for each condition and pair of its settings, compared with all other conditions held fixed."""
        return [each.to_row() for each in self.effects]

    def interaction_table(self) -> Table:
        """Return one row per pair of variants and pair of runs that played both: the difference of effects.

        ``first_effect`` and ``second_effect`` are the differences between the variants in each run, over the base mazes
        that both have played, and ``difference`` is the first minus the second, in [-2, 2].
        """
        names = list(dict.fromkeys(arm.run for arm in self.arms))
        return [
            {
                "variants": " - ".join(each.variants),
                "first": names[each.first],
                "second": names[each.second],
                "mazes": each.clusters,
                "first_effect": each.effects[0],
                "second_effect": each.effects[1],
                "difference": each.difference,
                "interval_low": each.interval[0],
                "interval_high": each.interval[1],
                "test": each.test.kind.value,
                "p_value": each.test.p_value,
                "adjusted_p_value": each.adjusted_p_value,
            }
            for each in self.interactions
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as a JSON-ready dictionary."""
        return {
            "estimators": ESTIMATORS_VERSION,
            "score": self.score,
            "weights": None if self.weights is None else self.weights.to_dict(),
            "varied": list(self.varied),
            "seed": self.seed,
            "sentences": self.sentences(),
            "runs": self.run_table(),
            "effects": self.effect_table(),
            "differences": self.difference_table(),
            "untested": [
                [self.arms[each.first].name, self.arms[each.second].name, sorted(each.changed)]
                for each in self.untested
            ],
            "where": self.where_table(),
            "mistakes": self.mistake_table(),
            "interactions": self.interaction_table(),
            "persons": None if self.persons is None else attrs.asdict(self.persons),
        }

    def _difference_row(self, each: Difference) -> dict[str, Any]:
        return {
            "first": self.arms[each.first].name,
            "second": self.arms[each.second].name,
            "mazes": each.clusters,
            **each.columns(),
            **_ends("interval", each.interval),
            **_ends("bounds", each.bounds),
        }


OTHER_TASKS = frozenset({"suite", VARIANT})
"""Conditions under which tasks differ, so that mazes are paired by their base."""


def compare_runs(
    runs: Sequence[RecordedRun],
    varied: Iterable[str] = (),
    score: str = DEFAULT_SCORE,
    seed: int = 0,
    weights: Path | None = None,
) -> Comparison:
    """Compare runs with each other, or the variants of matched tasks within them.

    Episodes are averaged within their base maze first. If suites or variants are varied, mazes are paired by their
    base, otherwise task by task; if tilings are not varied, also tiling by tiling. Of more than two, only pairs that
    differ in one condition are compared; their tests are adjusted together.

    Args:
        runs: the runs, at least two, each once; one is enough to compare variants.
        varied: declared conditions besides the model: parts of the fingerprints (`check_comparable`). With ``variant``,
            the variants of matched tasks in a run (``metadata.variant``) are compared with each other.
        score: ``success``, ``spl``, or a metric with values from 0 to 1, such as ``composite``.
        seed: seed of resampled tests and intervals.
        weights: a TOML file with the weights of that metric; by default the bundled ones.

    Raises:
        ArgumentError: fewer than two runs or variants are given, a run is given twice, or no pair of several runs
            differs in one condition only.
        UnknownNameError: a declared condition does not exist.
        NotComparable: an undeclared condition differs between runs.
        GridworldError: as `find_score` does and, if the score is a metric, `RecordedRun.measured`.
    """
    chosen = find_score(score, weights)
    declared = list(varied)
    by_variant = VARIANT in declared
    check_given(runs, 1 if by_variant else 2)
    check_comparable(runs, declared, others=[VARIANT])
    scored = chosen.measured(runs)
    arms = arms_by_variant(scored) if by_variant else arms_of(scored)
    found = sorted([*varied_conditions(runs), *([VARIANT] if by_variant else [])])
    differing = set(map(top_name, found))
    observations = [observe(arm.played, chosen, differing) for arm in arms]
    wins = [observe(arm.played, SCORES[DEFAULT_SCORE], differing) for arm in arms]
    contrasts = find_contrasts(_conditions(runs, arms), declared)
    compared = _compared(contrasts)
    differences = compare_pairs(observations, seed, [(each.first, each.second) for each in compared])
    several = len({name for each in contrasts for name in each.changed}) > 1
    return Comparison(
        score=score,
        varied=tuple(found),
        seed=seed,
        arms=tuple(arms),
        interactions=tuple(find_interactions(_by_run(arms, observations), seed)),
        weights=chosen.weights,
        estimates=tuple(map(estimate_score, observations)),
        differences=tuple(differences),
        solved=tuple(SolvedMazes.of(paired_cells(wins[each.first], wins[each.second])) for each in differences),
        observations=tuple(map(tuple, observations)),
        untested=tuple(each for each in contrasts if each not in compared),
        effects=tuple(main_effects(compared, observations, seed)) if several else (),
        persons=_pool_persons(arms, observations),
    )


def _conditions(runs: Sequence[RecordedRun], arms: Iterable[Arm]) -> list[Conditions]:
    """Return the conditions of each arm."""
    manifests = dict(zip(run_names(run.path for run in runs), (run.manifest for run in runs), strict=True))
    return [Conditions(manifests[arm.run], arm.run, arm.variant) for arm in arms]


def _compared(contrasts: Sequence[Contrast]) -> list[Contrast]:
    """Return the contrasts of one condition; a single pair is compared in any case.

    Raises:
        ArgumentError: there is none.
    """
    found = [each for each in contrasts if each.is_of_one or len(contrasts) == 1]
    if not found:
        changed = " and ".join(sorted(contrasts[0].changed))
        raise ArgumentError(
            f"each pair of runs differs in several conditions (the first in {changed}): expected runs of which two "
            "differ in one, or two runs"
        )
    return found


def _results_by_cell(
    arms: Iterable[Arm], differing: Collection[str], cells: Collection[Cell]
) -> dict[Cell, list[TaskResult]]:
    """Return the scored results in these cells."""
    found: dict[Cell, list[TaskResult]] = {cell: [] for cell in cells}
    for arm in arms:
        for each in arm.played:
            cell = cell_of(each, differing)
            if each.result is not None and each.result.scored and cell in found:
                found[cell].append(each.result)
    return found


def _by_run(
    arms: Sequence[Arm], observations: Sequence[Sequence[Observation]]
) -> list[dict[str, Sequence[Observation]]]:
    """Return the observations of each run by variant; empty for whole runs."""
    found: dict[str, dict[str, Sequence[Observation]]] = {arm.run: {} for arm in arms}
    for arm, observed in zip(arms, observations, strict=True):
        if arm.variant is not None:
            found[arm.run][arm.variant] = observed
    return list(found.values())


def _pool_persons(arms: Sequence[Arm], observations: Sequence[Sequence[Observation]]) -> CrossedMean | None:
    """Estimate the score of all persons together, by base maze; None if fewer than two have played.

    Each person's episodes in one maze are averaged first.
    """
    played: dict[str, list[Observation]] = {}
    for arm, of_arm in zip(arms, observations, strict=True):
        if arm.model.startswith(PERSON_PREFIX):
            played.setdefault(arm.model, []).extend(of_arm)
    means = {person: cluster_means(each) for person, each in played.items()}
    cells = {(person, maze): score for person, mazes in means.items() for maze, score in mazes.items()}
    return crossed_mean(cells) if len({person for person, _ in cells}) > 1 else None


def check_given(runs: Sequence[RecordedRun], least: int) -> None:
    """Check that there are enough runs and that each is given once, even as a copy.

    Raises:
        TypeError: `runs` contains something other than recorded runs.
        ArgumentError: too few runs are given, or a run is given twice.
    """
    for run in runs:
        check_instance(
            "each of the runs", run, RecordedRun, "`read` of multinet_eval.analysis reads one from its folder"
        )
    if len(runs) < least:
        raise ArgumentError(f"expected at least {counted(least, 'run')}, got {len(runs)}")
    for path, times in Counter(run.path.resolve() for run in runs).items():
        if times > 1:
            raise ArgumentError(f"{path} is given {times} times: a run cannot be compared with itself")
    _refuse_copies(runs)


def _refuse_copies(runs: Iterable[RecordedRun]) -> None:
    """Check that no episode is in two runs; `multinet_eval.verify.verification` does so within a run."""
    originals: dict[tuple[float, ...], RecordedRun] = {}
    for run in runs:
        for each in run.played:
            original = originals.setdefault(each.times, run) if each.times else run
            if original is not run:
                raise ArgumentError(
                    f"{run.path} is a copy of {original.path}: the requests of its episode {each.planned.number} took "
                    "the same times, to the last digit; expected each run once"
                )


def cell_of(episode: PlayedEpisode, differing: Collection[str]) -> Cell:
    """Return the cell that an episode shares with its counterparts in the other runs.

    Args:
        episode: the episode.
        differing: names of the outermost parts that differ.
    """
    planned = episode.planned
    task = planned.task if OTHER_TASKS.isdisjoint(differing) else None
    tiling = None if "backend" in differing or "tilings" in differing else planned.tiling
    return episode.base, (task, tiling)


def observe(played: Iterable[PlayedEpisode], score: Score, differing: Collection[str]) -> list[Observation]:
    """Return the scores of episodes, in the cells of `cell_of`.

    An episode that is unfinished, or ended by an error, is a missing observation. A scored one for which the score is
    undefined, such as SPL where the optimum is unknown, is left out.

    Args:
        played: the episodes.
        score: the score.
        differing: names of the outermost parts that differ.
    """
    found = []
    for each in played:
        is_missing = each.result is None or not each.result.scored
        known = None if each.result is None or is_missing else score.of(each, each.result)
        if is_missing or known is not None:
            found.append(Observation(*cell_of(each, differing), known))
    return found


def _ends(name: str, ends: Range) -> dict[str, float]:
    return {f"{name}_low": ends[0], f"{name}_high": ends[1]}
