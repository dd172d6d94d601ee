"""Results of a probing: scores with intervals and chance levels, by probe and by item properties."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from gridworld.model_interface import AnswerOutcome
from gridworld.plugins.registry import owner_of
from gridworld.support.faults import calling
from multinet_eval.probing.probe import Counts, Grade, Item, Probe, Unreadable
from multinet_eval.probing.probe_directory import AnsweredQuestion
from multinet_eval.statistics.clusters import average
from multinet_eval.statistics.intervals import mean_interval

MOST_CONSTANTS = 50
"""Number of most frequent answers to try as the best constant answer."""
Interval = tuple[float, float]
"""Lower and upper end of a 95 % interval."""


@attrs.frozen
class Measure:
    """One score of a probe: the mean over base mazes of the micro-F1 over the answers about a maze."""

    name: str
    score: float | None
    """Score of the readable answers, 0 to 1; for questions with a single answer, the share of right ones.

    None without readable answers.
    """
    mazes: int
    """Number of base mazes with a readable answer."""
    interval: Interval
    with_unreadable: float
    """Score with unreadable answers counted as wrong."""
    best_constant: float
    """Chance level: the score of the best constant answer."""
    other_task: float | None
    """Chance level of giving another task's right answer; None with a single task."""


@attrs.frozen
class Group:
    """Graded items with a common property, from readable answers."""

    by: str
    """Property of the items: ``tiling``, ``thing``, ``color``, ``distance`` or ``walk``."""
    value: str
    asked: int
    right: int
    mazes: int
    """Number of base mazes with such items."""
    score: float
    """Share of right ones among the items of a maze: the mean over mazes."""
    interval: Interval


@attrs.frozen
class ProbeReport:
    """Results of one probe."""

    probe: str
    answered: int
    """Number of questions that got a reply or a refusal."""
    unreadable: Mapping[str, int]
    """Number of unreadable answers by reason: ``unparsable``, or the outcome of the request."""
    measures: tuple[Measure, ...]
    """Scores of the probe, starting with its own score."""
    groups: tuple[Group, ...]
    confusions: Mapping[str, Mapping[str, int]]
    """Number of answers by true and stated item."""

    @property
    def nothing_read(self) -> bool:
        """Whether no answer was readable."""
        return sum(self.unreadable.values()) == self.answered

    def to_dict(self) -> dict[str, Any]:
        """Return the results as a JSON-ready dictionary."""
        return attrs.asdict(self)


@attrs.frozen
class GradedAnswer:
    """An answer with its grade."""

    answered: AnsweredQuestion
    maze: str
    """Base maze of the task."""
    truth: Any
    full: Grade
    """Grade of the right answer."""
    grade: Grade | None
    """Grade of the answer; None for an unreadable answer."""
    why: str = ""
    """Reason why the answer is unreadable; otherwise empty."""


def report_on(
    answers: Iterable[AnsweredQuestion], probes: Mapping[str, Probe], bases: Mapping[str, str]
) -> tuple[ProbeReport, ...]:
    """Report the results of the answers, for each probe in order.

    Answers about the tasks of one base maze, on all tilings, are scored together; scores are means over base mazes.

    Args:
        answers: answers of a probing.
        probes: the probes that asked, by name.
        bases: base maze by task id; a task not listed is its own base maze.

    Raises:
        PluginFault: a probe failed to grade.
    """
    answers = tuple(answers)
    reports = []
    for name, probe in probes.items():
        with calling(owner_of("probe", probe, name), "grade"):
            graded = [
                grade_answer(each, probe, bases.get(each.place.task)) for each in answers if each.place.probe == name
            ]
            if graded:
                reports.append(_report(name, probe, graded))
    return tuple(reports)


def grade_answer(answered: AnsweredQuestion, probe: Probe, base: str | None = None) -> GradedAnswer:
    """Grade an answer and the truth; without `base`, the task is its own base maze."""
    maze = answered.place.task if base is None else base
    question = answered.question
    truth = probe.read(question, question.right)
    full = probe.grade(question, truth, truth)
    try:
        answer = probe.read(question, answered.said())
    except Unreadable:
        why = AnswerOutcome.UNPARSABLE if answered.outcome is AnswerOutcome.OK else answered.outcome
        return GradedAnswer(answered, maze, truth, full, None, str(why))
    return GradedAnswer(answered, maze, truth, full, probe.grade(question, truth, answer))


def _report(name: str, probe: Probe, graded: Sequence[GradedAnswer]) -> ProbeReport:
    given = Counter(answer for each in graded for answer in probe.constants(each.answered.question, each.truth))
    constants = [_level(probe, graded, [answer] * len(graded)) for answer, _ in given.most_common(MOST_CONSTANTS)]
    other_tasks = _other_tasks(graded)
    others = _level(probe, graded, other_tasks) if other_tasks else {}
    confusions: dict[str, Counter[str]] = {}
    for each in graded:
        for item in () if each.grade is None else each.grade.items:
            confusions.setdefault(item.labels.get("thing", item.labels.get("distance", "")), Counter())[item.said] += 1
    return ProbeReport(
        probe=name,
        answered=len(graded),
        unreadable=dict(sorted(Counter(each.why for each in graded if each.grade is None).items())),
        measures=tuple(
            _measure(measure, graded, max(level[measure] for level in constants), others.get(measure))
            for measure in dict.fromkeys(measure for each in graded for measure in each.full.scores)
        ),
        groups=tuple(_groups(graded)),
        confusions={thing: dict(sorted(said.items())) for thing, said in sorted(confusions.items())},
    )


def _measure(name: str, graded: Sequence[GradedAnswer], best_constant: float, other_task: float | None) -> Measure:
    read: dict[str, Counts] = {}
    given: dict[str, Counts] = {}
    for each in graded:
        if name not in each.full.scores:
            continue
        if each.grade is None:
            there = each.full.scores[name].there
            counts = Counts(0, there, there)  # as much said as there is, and nothing of it right
        else:
            counts = each.grade.scores[name]
            read[each.maze] = read.get(each.maze, Counts()) + counts
        given[each.maze] = given.get(each.maze, Counts()) + counts
    scores = [counts.f1 for counts in read.values()]
    return Measure(
        name=name,
        score=average(scores) if scores else None,
        mazes=len(scores),
        interval=mean_interval(scores),
        with_unreadable=average(counts.f1 for counts in given.values()),
        best_constant=best_constant,
        other_task=other_task,
    )


def _level(probe: Probe, graded: Sequence[GradedAnswer], answers: Sequence[Any]) -> dict[str, float]:
    """Compute the scores of some answers, one per question, by measure."""
    counts: dict[str, dict[str, Counts]] = {}
    for each, answer in zip(graded, answers, strict=True):
        for name, score in probe.grade(each.answered.question, each.truth, answer).scores.items():
            by_maze = counts.setdefault(name, {})
            by_maze[each.maze] = by_maze.get(each.maze, Counts()) + score
    return {name: average(score.f1 for score in by_maze.values()) for name, by_maze in counts.items()}


def _other_tasks(graded: Sequence[GradedAnswer]) -> list[Any]:
    """Return, for each question, the right answer for the next task; empty with a single task."""
    by_task: dict[str, list[GradedAnswer]] = {}
    for each in graded:
        by_task.setdefault(each.answered.place.task, []).append(each)
    tasks = list(by_task)
    if len(tasks) < 2:
        return []
    following = dict(zip(tasks, [*tasks[1:], tasks[0]], strict=True))
    counts = Counter[str]()
    others = []
    for each in graded:
        task = each.answered.place.task
        there = by_task[following[task]]
        others.append(there[counts[task] % len(there)].truth)
        counts[task] += 1
    return others


def _groups(graded: Sequence[GradedAnswer]) -> Iterable[Group]:
    found: dict[tuple[str, str], dict[str, list[Item]]] = {}
    for each in graded:
        place = each.answered.place
        for item in () if each.grade is None else each.grade.items:
            labels = {"tiling": place.tiling, "walk": place.walk, **item.labels}
            for label in labels.items():
                found.setdefault(label, {}).setdefault(each.maze, []).append(item)
    for (by, value), clusters in sorted(found.items()):
        asked = sum(map(len, clusters.values()))
        right = sum(item.right for items in clusters.values() for item in items)
        scores = [average(float(item.right) for item in items) for items in clusters.values()]
        yield Group(by, value, asked, right, len(scores), average(scores), mean_interval(scores))
