"""`MistakeTable`: the mistakes of many episodes by kind, ranked, and the sentence that says what is wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from gridworld.support.wording import with_article
from multinet_eval.analysis.mistakes.acts import CARRIED_ON, NO_ANSWER
from multinet_eval.analysis.mistakes.episode_mistakes import GOAL, Ending, EpisodeMistakes
from multinet_eval.analysis.mistakes.needs import MistakeKind
from multinet_eval.record.results import RunResults
from multinet_eval.record.task_result import TaskResult
from multinet_eval.statistics.clusters import average
from multinet_eval.statistics.intervals import Range, bounded_mean_interval

MOST_NOUNS = 3
"""Maximum number of things named in `MistakeRow.towards`."""
MOSTLY = 0.5
"""Share of the wasted steps above which a row's sentence names what they led to."""


@attrs.frozen
class MistakeRow:
    """Mistakes of one kind."""

    kind: MistakeKind
    nouns: Mapping[str, int]
    """Number of wasted steps by the noun of the next interaction on a shortest plan, in descending order."""
    decisive: int
    """Number of failed episodes whose decisive mistake is of this kind."""
    episodes: int
    """Number of episodes with such a mistake."""
    share: float
    """Share of the wasted steps: the mean over the base mazes with any wasted steps."""
    interval: Range
    """95 % interval of `share` (`bounded_mean_interval`)."""

    @property
    def wasted_steps(self) -> int:
        """Number of steps that these mistakes wasted."""
        return sum(self.nouns.values())

    @property
    def needed(self) -> str | None:
        """Acts that began a shortest plan, such as ``turn or go on``; None for the rest of a reply after a mistake."""
        return self.kind.needed_words

    @property
    def towards(self) -> str:
        """Next interactions on the shortest plans, the most frequent first, such as ``a door, the goal``."""
        more = ["…"] if len(self.nouns) > MOST_NOUNS else []
        return ", ".join([*map(_noun, list(self.nouns)[:MOST_NOUNS]), *more])

    @property
    def did(self) -> str:
        """Act of the model, such as ``walked into a wall``."""
        return str(self.kind.did)

    @property
    def words(self) -> str:
        """The row in words, such as ``Needed to toggle a door, but walked into it``."""
        kind, did = self.kind, self.did
        if kind.did == CARRIED_ON:
            return "Carried on after a mistake in the same reply"
        nouns = {act.noun for act in kind.needed if act.noun}
        if kind.did == NO_ANSWER.act:
            did = "gave no usable answer"
        elif kind.did.noun in nouns and not kind.did.is_another:
            did = f"{kind.did.verb} it"
        return f"Needed to {self.needed}{'' if nouns else self._direction()}, but {did}"

    def _direction(self) -> str:
        noun, wasted = next(iter(self.nouns.items()))
        if wasted <= MOSTLY * self.wasted_steps:
            return ""
        return f" towards {_noun(noun)}" if len(self.nouns) == 1 else f", mostly towards {_noun(noun)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the row as a JSON-ready dictionary."""
        return {
            "needed": self.needed,
            "towards": self.towards,
            "did": self.did,
            "exploring": self.kind.is_exploring,
            "decisive": self.decisive,
            "episodes": self.episodes,
            "wasted_steps": self.wasted_steps,
            "share": self.share,
            "interval_low": self.interval[0],
            "interval_high": self.interval[1],
        }


def _noun(noun: str) -> str:
    return f"the {GOAL}" if noun == GOAL else with_article(noun)


def _unknown(episodes: int) -> str:
    return f" ({episodes:,} unknown)" if episodes else ""


@attrs.frozen
class MistakeTable:
    """Mistakes of scored episodes by kind: first those that were decisive in most failed episodes, then by share."""

    rows: tuple[MistakeRow, ...]
    endings: Mapping[Ending, int]
    """Number of scored episodes by how they ended, in the order of `Ending`."""
    unknown: int = 0
    """Number of scored episodes whose mistakes are unknown."""
    unknown_failures: int = 0
    """Number of failed ones among them."""

    @classmethod
    def of(cls, episodes: Iterable[tuple[TaskResult, EpisodeMistakes]]) -> MistakeTable:
        """Make the table of the scored ones among some episodes."""
        endings, decisive, present = Counter[Ending](), Counter[MistakeKind](), Counter[MistakeKind]()
        wasted: dict[str, Counter[MistakeKind]] = defaultdict(Counter)
        nouns: dict[MistakeKind, Counter[str]] = defaultdict(Counter)
        unknown = unknown_failures = 0
        for result, mistakes in episodes:
            if not result.scored:
                continue
            endings[mistakes.ending] += 1
            unknown += not mistakes.is_known
            unknown_failures += not mistakes.is_known and mistakes.ending is not Ending.SOLVED
            if mistakes.decisive is not None:
                decisive[mistakes.decisive] += 1
            present.update({each.kind for each in mistakes.counts})
            for each in mistakes.counts:
                wasted[result.maze][each.kind] += each.wasted
                nouns[each.kind][each.towards] += each.wasted
        rows = list[MistakeRow]()
        for kind, found in nouns.items():
            shares = [of_maze[kind] / of_maze.total() for _, of_maze in sorted(wasted.items())]
            low, high = bounded_mean_interval(shares, 0.0, 1.0)
            by_frequency = dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))
            interval = float(low), float(high)
            rows.append(MistakeRow(kind, by_frequency, decisive[kind], present[kind], average(shares), interval))
        rows.sort(key=lambda row: (-row.decisive, not row.kind.is_ranked, -row.share, row.kind))
        in_order = {ending: endings[ending] for ending in Ending if endings[ending]}
        return cls(tuple(rows), in_order, unknown, unknown_failures)

    @classmethod
    def of_run(cls, results: RunResults, mistakes: Mapping[int, EpisodeMistakes]) -> MistakeTable:
        """Make the table of a run, given the mistakes of its episodes by number."""
        return cls.of(with_mistakes(results, mistakes))

    @property
    def wasted_steps(self) -> int:
        """Number of steps that all episodes wasted."""
        return sum(row.wasted_steps for row in self.rows)

    @property
    def failed(self) -> int:
        """Number of scored episodes that failed."""
        return sum(number for ending, number in self.endings.items() if ending is not Ending.SOLVED)

    @property
    def sentence(self) -> str:
        """The first row in words, with its share and number; empty without episodes."""
        played = sum(self.endings.values())
        unknown = _unknown(self.unknown)
        if not played:
            return ""
        if not self.rows:
            return f"No step was wasted{unknown}." if self.unknown < played else "The mistakes are unknown."
        first = next((row for row in self.rows if row.kind.is_ranked), None)
        if first is None:
            return f"No mistakes: {self.wasted_steps:,} steps of exploring{unknown}."
        if first.decisive:
            unknown = _unknown(self.unknown_failures)
            return f"{first.words}: decisive in {first.decisive:,} of {self.failed:,} failed episodes{unknown}."
        return f"{first.words}: {first.wasted_steps:,} of {self.wasted_steps:,} wasted steps{unknown}."

    def to_list(self) -> list[dict[str, Any]]:
        """Return the rows as JSON-ready dictionaries."""
        return [row.to_dict() for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """Return what results in JSON say about mistakes: the rows as ``mistakes``, the sentence and the endings."""
        endings = {ending.value: number for ending, number in self.endings.items()}
        return {"mistakes": self.to_list(), "mistakes_sentence": self.sentence, "endings": endings}


def with_mistakes(
    results: RunResults, mistakes: Mapping[int, EpisodeMistakes]
) -> Iterator[tuple[TaskResult, EpisodeMistakes]]:
    """Yield the result and the mistakes of each episode of a run whose mistakes are given by number."""
    return ((result, mistakes[number]) for number, result in results.numbered.items() if number in mistakes)
