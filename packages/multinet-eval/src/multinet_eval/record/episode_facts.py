"""`EpisodeFacts`: figures of an episode without its steps; computed once, and kept (`Derived`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

import attrs

from gridworld.model_interface import Adjustment, AnswerOutcome, Usage
from gridworld.runner.record import DecisionKind, Request
from gridworld.support.caches import code_digest
from gridworld.world.events import UnknownEvent
from multinet_eval.record.derived import Derived, Records
from multinet_eval.record.events import EpisodeRecord, Spent
from multinet_eval.record.run_directory import Attempt, RunDirectory, read_attempt
from multinet_eval.record.task_result import TaskResult, add_counts, add_usages, measured_times
from multinet_eval.settings.spending import Prices
from multinet_eval.support.parallel import ALONE, Work

NAME = "episodes"
USABLE = (AnswerOutcome.OK, AnswerOutcome.NO_EFFECT)
"""Outcomes of answers with an action that could be taken."""


@attrs.frozen
class EpisodeFacts:
    """Figures of an episode that has begun, over all attempts at it unless noted otherwise."""

    attempts: int
    steps: int
    """Number of steps of the latest attempt."""
    lost_steps: int
    """Number of steps of the latest attempt without a usable answer."""
    spent: Spent
    usage: Usage
    """Sum over the requests that were sent; a part that none of them reports is None."""
    faults: dict[str, int]
    """Number of failed requests, by kind: those that got no answer because of the server or the network."""
    answers: dict[str, int]
    """Number of answers by outcome, those from a cache included."""
    reasons: dict[str, str]
    """Message of the latest request of each kind of fault and of unusable answer."""
    end: str | None = None
    """Reason of the end (`EndReason`) of the latest attempt; None if it has not ended."""
    result: TaskResult | None = None
    """Result of the latest attempt; None if it has not ended."""
    times: tuple[float, ...] = ()
    """Durations that distinguish the latest attempt from a copy (`measured_times`)."""
    adjustments: tuple[Adjustment, ...] = ()
    """Workarounds of the latest attempt."""

    @classmethod
    def of(cls, attempts: Sequence[EpisodeRecord]) -> EpisodeFacts:
        """Compute the facts from all attempts, the latest last."""
        latest, requests = attempts[-1], list(chain.from_iterable(each.requests for each in attempts))
        failed = [each for each in requests if each.outcome is AnswerOutcome.INFRASTRUCTURE]
        end = latest.end
        return cls(
            attempts=len(attempts),
            steps=len(latest.steps),
            lost_steps=sum(step.kind is DecisionKind.LOST for step in latest.steps),
            spent=Spent().plus_all(requests),
            usage=add_usages(each.usage for each in requests if not each.cached),
            faults=Counter(map(_kind, failed)),
            answers=Counter(_kind(each) for each in requests if each.outcome is not AnswerOutcome.INFRASTRUCTURE),
            reasons={_kind(each): each.message for each in requests if each.action is None},
            end=None if end is None else end.reason.value,
            result=None if end is None else TaskResult.of(latest.header, latest.steps, end),
            times=measured_times(latest.steps),
            adjustments=tuple(latest.adjustments),
        )


def _kind(request: Request) -> str:
    return (request.trouble or request.outcome).value


@attrs.frozen
class RequestTotals:
    """Figures of the requests of several episodes, over all attempts."""

    spent: Spent
    usage: Usage
    """Sum over the requests that were sent; a part that none of them reports is None."""
    faults: dict[str, int]
    """Number of failed requests, by kind of fault."""
    answers: dict[str, int]
    """Number of answers by outcome, those from a cache included."""
    reasons: dict[str, str]
    """Message of one request of each kind of fault and of unusable answer: in the last attempt with such a request, of
    the last that counts, or else of the last that was repeated."""

    @classmethod
    def of(cls, episodes: Iterable[EpisodeFacts]) -> RequestTotals:
        """Add up the figures of episodes, in order."""
        listed = list(episodes)
        return cls(
            spent=Spent.sum(each.spent for each in listed),
            usage=add_usages(each.usage for each in listed),
            faults=add_counts(each.faults for each in listed),
            answers=add_counts(each.answers for each in listed),
            reasons={kind: message for each in listed for kind, message in each.reasons.items()},
        )

    @property
    def unusable(self) -> dict[str, int]:
        """Number of unusable answers, by outcome."""
        return {kind: count for kind, count in self.answers.items() if kind not in USABLE}

    def cost(self, prices: Prices | None) -> float | None:
        """Compute the cost of the requests; None without prices."""
        return None if prices is None else prices.cost_of(self.spent)


def facts_of_run(
    directory: RunDirectory, work: Work = ALONE, records: Records | None = None
) -> dict[int, EpisodeFacts]:
    """Return the facts of each episode that has begun, by number and in this order.

    Only steps of episodes whose facts are not kept are read.

    Args:
        directory: the run.
        work: how episodes are read.
        records: the episodes; by default all that have begun.

    Raises:
        RunError: an episode cannot be read; the message names the file and line.
    """
    records = records or Records(directory)
    maker = code_digest(("gridworld", "multinet_eval"))
    kept: Derived[EpisodeFacts] = Derived(directory.root, records, NAME, EpisodeFacts, maker)
    found = {number: kept.get(number) for number in records.attempts}
    unread = [(number, records.attempts[number]) for number, facts in found.items() if facts is None]
    try:
        for number, facts, is_lasting in work.map_together(_read_facts, unread, "reading episodes"):
            found[number] = facts
            if facts is not None and is_lasting:
                kept.put(number, facts)
    finally:
        kept.save()
    return {number: facts for number, facts in found.items() if facts is not None}


def _read_facts(
    episodes: Sequence[tuple[int, Sequence[Attempt]]],
) -> list[tuple[int, EpisodeFacts | None, bool]]:
    """Return the facts of episodes, and whether they stay the same."""
    found = []
    for number, attempts in episodes:
        read = [record for record in map(read_attempt, attempts) if record is not None]
        facts = EpisodeFacts.of(read) if read else None
        found.append((number, facts, facts is not None and facts.result is not None and _is_known(read[-1])))
    return found


def _is_known(record: EpisodeRecord) -> bool:
    """Whether all events are of the core, so that no plugin has to be loaded to read them."""
    kinds = {type(event) for step in record.steps for event in step.events}
    return UnknownEvent not in kinds and all(kind.__module__.startswith("gridworld.") for kind in kinds)
