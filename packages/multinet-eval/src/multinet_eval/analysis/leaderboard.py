"""Leaderboards: models ranked by their recorded runs, overall and by parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from multinet_eval.analysis.mistakes.mistake_table import MistakeTable, with_mistakes
from multinet_eval.analysis.mistakes.run_mistakes import mistakes_if_known
from multinet_eval.analysis.recorded_run import PlayedEpisode, RecordedRun
from multinet_eval.analysis.run_comparison import Table, check_given, observe
from multinet_eval.analysis.score import DEFAULT_SCORE, SCORES, find_score
from multinet_eval.analysis.shared_conditions import (
    called,
    check_comparable,
    is_within,
    part_of,
    top_name,
    varied_conditions,
)
from multinet_eval.record.fingerprint import in_words
from multinet_eval.record.manifest import PlayedSuite, suite_columns
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.statistics import ESTIMATORS_VERSION
from multinet_eval.statistics.paired_differences import Estimate, estimate_score
from multinet_eval.statistics.paired_tests import PairedTest, Rank, paired_tests, rank_intervals, sign_flip_interval
from multinet_eval.support.output import compact_json

if TYPE_CHECKING:
    from multinet_eval.analysis.metrics.metric_type import WeightsFile


@attrs.frozen
class Entry:
    """One ranked unit: a model under one of the varied conditions."""

    name: str
    """The model's name, with the conditions that distinguish it from models of the same name."""
    model: str
    conditions: Mapping[str, str]
    """Values of the declared varied parts of the fingerprint."""
    runs: tuple[RecordedRun, ...]
    """All runs of this model under these conditions, as repetitions."""
    verified: bool
    """Whether all of these runs have been verified as consistent."""

    @property
    def suites(self) -> tuple[PlayedSuite, ...]:
        """Suites of the entry's runs, in order; several only if the suite is not a condition."""
        return tuple(run.manifest.played_suite for run in self.runs)

    @property
    def complete(self) -> bool:
        """Whether all runs of the entry are complete."""
        return all(run.complete for run in self.runs)

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as a JSON-ready dictionary."""
        return {
            "entry": self.name,
            "model": self.model,
            **suite_columns(self.suites),
            "conditions": dict(self.conditions),
            "runs": [str(run.path) for run in self.runs],
            "verified": self.verified,
            "complete": self.complete,
        }


@attrs.frozen
class Part:
    """A subset of episodes that is ranked separately, such as one tier."""

    axis: str
    """Criterion of the subset: ``all``, ``tier``, ``mechanism``, ``tiling`` or ``condition``."""
    value: str


WHOLE = Part("all", "all")
"""All episodes together."""


@attrs.frozen
class Standing:
    """Rank and scores of an entry within a part."""

    part: Part
    entry: Entry
    rank: Rank
    scores: Mapping[str, Estimate]
    """Estimates by score name."""


@attrs.frozen
class Pair:
    """Comparison of two entries within a part."""

    part: Part
    first: Entry
    second: Entry
    tested: PairedTest


@attrs.frozen
class Leaderboard:
    """Ranking of models. The tables are lists of plain dictionaries, for JSON, CSV and data frames."""

    score: str
    """Name of the score used for ranking."""
    varied: tuple[str, ...]
    """Parts of the fingerprints in which runs differ, sorted."""
    seed: int
    """Seed of resampled tests."""
    entries: tuple[Entry, ...]
    mistakes: tuple[MistakeTable, ...]
    """Mistakes of each entry."""
    standings: tuple[Standing, ...]
    """Standings by part, the best entry first."""
    pairs: tuple[Pair, ...]
    weights: WeightsFile | None = None
    """File with the weights of the score; None for a score without weights."""

    @property
    def suites(self) -> tuple[PlayedSuite, ...]:
        """The suites that were played."""
        return tuple(dict.fromkeys(suite for entry in self.entries for suite in entry.suites))

    def table(self) -> Table:
        """Return one row per entry and part: first all episodes, then by tier, mechanism, tiling and condition.

        `rank_first` and `rank_last` are the entry's rank interval within the part. ``_mazes`` is the number of base
        mazes of a score, fewer for SPL if an optimum is unknown. ``_interval_low`` and ``_interval_high`` are the ends
        of 95 % intervals, ``_bounds_low`` and ``_bounds_high`` are the score if all missing episodes had been lost or
        won.
        """
        return [_standing_row(each) for each in self.standings]

    def pair_table(self) -> Table:
        """Return one row per pair of entries and part: the paired difference of their scores, and its test.

        The 95 % intervals are computed here, since they take longer than the tests.
        """
        return [_pair_row(each, self.seed) for each in self.pairs]

    def to_dict(self) -> dict[str, Any]:
        """Return the leaderboard as a JSON-ready dictionary."""
        return {
            **suite_columns(self.suites),
            "estimators": ESTIMATORS_VERSION,
            "score": self.score,
            "weights": None if self.weights is None else self.weights.to_dict(),
            "varied": list(self.varied),
            "seed": self.seed,
            "entries": [
                {**each.to_dict(), **mistakes.to_dict()}
                for each, mistakes in zip(self.entries, self.mistakes, strict=True)
            ],
            "table": self.table(),
            "pairs": self.pair_table(),
        }


def make_leaderboard(
    runs: Sequence[RecordedRun],
    varied: Iterable[str] = (),
    score: str = DEFAULT_SCORE,
    seed: int = 0,
    unverified: Iterable[Path] = (),
    weights: Path | None = None,
) -> Leaderboard:
    """Rank models by their runs.

    All runs of one model under the same conditions form one entry: their episodes are averaged as repetitions, so that
    picking the best of several runs gains nothing. Entries are ranked by paired tests over what both have played, base
    maze by base maze, with Holm's adjustment within each part.

    Args:
        runs: the runs, at least one, each once.
        varied: declared conditions besides the model: parts of the fingerprints (`check_comparable`). Each condition
            has its own entries, and a part in which the models are ranked.
        score: ``success``, ``spl``, or a metric with values from 0 to 1, such as ``composite``.
        seed: seed of resampled tests.
        unverified: paths of runs not known to be consistent (`multinet_eval.verify.verification`), whose entries are
            marked.
        weights: a TOML file with the weights of the metric; by default the bundled ones.

    Raises:
        ArgumentError: no run is given, or a run is given twice, possibly as a copy.
        UnknownNameError: a declared condition does not exist.
        NotComparable: an undeclared condition differs between runs.
        GridworldError: as `find_score` does and, if the score is a metric, `RecordedRun.measured`.
    """
    chosen, declared = find_score(score, weights), tuple(varied)
    scores = {**SCORES, score: chosen}
    check_given(runs, 1)
    check_comparable(runs, declared)
    runs, found = chosen.measured(runs), varied_conditions(runs)
    differing = frozenset(map(top_name, found))
    conditions = conditions_of(runs, declared)
    entries = find_entries(runs, conditions, unverified)
    standings: list[Standing] = []
    pairs: list[Pair] = []
    for part, members in _parts(entries, conditions):
        played = [entries[number] for number in members]
        observed = {
            name: [observe((episode for _, episode in own), each, differing) for own in members.values()]
            for name, each in scores.items()
        }
        tests = paired_tests(observed[score], seed)
        pairs += [Pair(part, played[each.first], played[each.second], each) for each in tests]
        of_part = [
            Standing(part, entry, rank, {name: estimate_score(observed[name][n]) for name in scores})
            for n, (entry, rank) in enumerate(zip(played, rank_intervals(tests, len(played)), strict=True))
        ]
        standings += sorted(of_part, key=lambda each: _order(each, score))
    mistakes = tuple(map(_mistakes, entries))
    return Leaderboard(score, tuple(found), seed, entries, mistakes, tuple(standings), tuple(pairs), chosen.weights)


def _mistakes(entry: Entry) -> MistakeTable:
    """Return the mistakes of all episodes of an entry, as far as they are known."""
    found = ((run, mistakes_if_known(RunDirectory(run.path))[0]) for run in entry.runs)
    return MistakeTable.of(chain.from_iterable(with_mistakes(run.results, mistakes) for run, mistakes in found))


def conditions_of(runs: Sequence[RecordedRun], declared: Iterable[str]) -> list[str]:
    """Find the innermost parts of the fingerprints, apart from the model, that are declared varied and differ."""
    names = tuple(declared)
    return [path for path in varied_conditions(runs) if is_within(path, names) and top_name(path) != "model"]


def find_entries(
    runs: Sequence[RecordedRun], conditions: Sequence[str], unverified: Iterable[Path] = ()
) -> tuple[Entry, ...]:
    """Group the runs of the same model under the same conditions, ordered by the first run of each group.

    Args:
        runs: the runs, at least one, each once.
        conditions: the conditions, as returned by `conditions_of`.
        unverified: paths of runs not known to be consistent.
    """
    groups: dict[str, list[RecordedRun]] = {}
    for run in runs:
        own = {path: _fact(run, path) for path in conditions}
        key = compact_json([run.manifest.model_name, run.manifest.fingerprint.get("model"), own])
        groups.setdefault(key, []).append(run)
    firsts = [group[0] for group in groups.values()]
    telling = [*conditions, *(path for path in varied_conditions(runs) if top_name(path) == "model")]
    marked = set(unverified)
    return tuple(
        Entry(
            name=name,
            model=group[0].manifest.model_name,
            conditions={path: in_words(_fact(group[0], path)) for path in conditions},
            runs=tuple(group),
            verified=marked.isdisjoint(run.path for run in group),
        )
        for name, group in zip(_names(firsts, telling), groups.values(), strict=True)
    )


Played = tuple[RecordedRun, PlayedEpisode]
Members = dict[int, list[Played]]
"""Episodes by entry number, omitting entries without any."""
AXES = ("tier", "mechanism", "tiling")
"""Criteria of parts besides the conditions."""
WITHOUT = "none"
"""Name of the part for tasks without a mechanism, and for episodes on a backend without tilings."""


def _names(runs: Sequence[RecordedRun], telling: Iterable[str]) -> list[str]:
    """Name the runs' models, with the conditions that distinguish models of the same name, in short form if unique."""
    paths, facts = list(telling), []
    for run in runs:
        namesakes = [each for each in runs if each.manifest.model_name == run.manifest.model_name]
        facts.append([path for path in paths if any(_fact(each, path) != _fact(run, path) for each in namesakes)])
    short = [_named(run, called(run.manifest, own)) for run, own in zip(runs, facts, strict=True)]
    if len(set(short)) == len(short):
        return short
    return [
        _named(run, ", ".join(f"{path}={_fact(run, path)}" for path in own))
        for run, own in zip(runs, facts, strict=True)
    ]


def _named(run: RecordedRun, told: str) -> str:
    return f"{run.manifest.model_name} ({told})" if told else run.manifest.model_name


def _fact(run: RecordedRun, path: str) -> Any:
    return part_of(run.manifest.fingerprint, path)


def _parts(entries: Sequence[Entry], conditions: Iterable[str]) -> Iterator[tuple[Part, Members]]:
    """Yield all parts of the ranking; criteria with only one part are omitted."""
    whole = {n: [(run, each) for run in entry.runs for each in run.played] for n, entry in enumerate(entries)}
    yield WHOLE, whole
    divided: dict[str, dict[str, Members]] = {}
    for number, played in whole.items():
        for run, episode in played:
            for axis, value in _parts_of(run, episode):
                of_part = divided.setdefault(axis, {}).setdefault(value, {})
                of_part.setdefault(number, []).append((run, episode))
    for axis in AXES:
        parts = divided.get(axis, {})
        for value in sorted(parts, key=_numbers_first) if len(parts) > 1 else ():
            yield Part(axis, value), parts[value]
    for path in conditions:
        for value in sorted({entry.conditions[path] for entry in entries}):
            own = {n: whole[n] for n, entry in enumerate(entries) if entry.conditions[path] == value}
            yield Part("condition", f"{path}={value}"), own


def _numbers_first(value: str) -> tuple[bool, int, str]:
    return (not value.isdecimal(), int(value) if value.isdecimal() else 0, value)


def _parts_of(run: RecordedRun, episode: PlayedEpisode) -> Iterator[tuple[str, str]]:
    """Yield the criterion and value of each part that contains an episode, besides the conditions."""
    task = run.tasks[episode.planned.task]
    yield "tier", str(task.difficulty_tier)
    for name in [name for name, _ in task.mechanisms.groups()] or [WITHOUT]:
        yield "mechanism", name
    yield "tiling", run.manifest.backend_on(episode.planned.tiling).tiling or WITHOUT


def _order(standing: Standing, score: str) -> tuple[float, str]:
    """Return a sort key: the best standing first, unknown scores last."""
    known = standing.scores[score].score
    return (1.0 if known is None else -known, standing.entry.name)


def _standing_row(standing: Standing) -> dict[str, Any]:
    part, entry, rank = standing.part, standing.entry, standing.rank
    ranked = standing.scores[DEFAULT_SCORE]
    row: dict[str, Any] = {
        "axis": part.axis,
        "part": part.value,
        "entry": entry.name,
        "model": entry.model,
        **suite_columns(entry.suites),
        "conditions": ", ".join(f"{path}={value}" for path, value in entry.conditions.items()) or None,
        "runs": len(entry.runs),
        "verified": entry.verified,
        "complete": entry.complete,
        "rank_first": rank.first,
        "rank_last": rank.last,
        "mazes": ranked.clusters,
        "episodes": ranked.episodes,
        "missing": ranked.missing,
    }
    for name, estimate in standing.scores.items():
        row[name] = estimate.score
        row[f"{name}_mazes"] = estimate.clusters
        row[f"{name}_interval_low"], row[f"{name}_interval_high"] = estimate.interval
        row[f"{name}_bounds_low"], row[f"{name}_bounds_high"] = estimate.bounds
    return row


def _pair_row(pair: Pair, seed: int) -> dict[str, Any]:
    test, differences = pair.tested.test, pair.tested.differences
    low, high = (None, None) if test is None else sign_flip_interval(differences, test.p_value, seed)
    return {
        "axis": pair.part.axis,
        "part": pair.part.value,
        "first": pair.first.name,
        "second": pair.second.name,
        "mazes": pair.tested.clusters,
        **pair.tested.columns(),
        "interval_low": low,
        "interval_high": high,
    }
