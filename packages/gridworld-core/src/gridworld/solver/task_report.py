"""Checks of a task by the solver: whether it can be won, whether its annotations are true, and how it can be lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import attrs

from gridworld.actions import Action
from gridworld.solver.exact_answers import can_lose_by, nearest_dead_end
from gridworld.solver.necessity import NecessityResult, is_untouched, only_after
from gridworld.solver.plans import DEFAULT_MAX_STATES, Verdict
from gridworld.solver.search import TaskSearches, replay, solve
from gridworld.solver.spaces import EntityPredicate, Property
from gridworld.solver.state_table import NotTabulatedError, StateTable
from gridworld.solver.table_cache import table_of
from gridworld.task.validation import LABEL_DISTRACTOR
from gridworld.task_spec import Distractor
from gridworld.world.world import World

DEFAULT_MAX_TABLE_STATES = 300_000
"""Default limit on the states of a table."""

Severity = Literal["error", "undecided", "note"]


@attrs.frozen
class Finding:
    """One finding about a task; `path` is the field of the task file."""

    severity: Severity
    path: str
    message: str


@attrs.frozen
class TaskReport:
    """All findings about one task."""

    task_id: str
    verdict: str
    optimal_steps: int | None
    max_steps: int
    states_seen: int
    findings: tuple[Finding, ...]
    dead_end: tuple[Action, ...] | None
    """Shortest sequence of actions to a state where a living agent can no longer win.

    None if no such state exists, or if the state space is too large to tell (a finding then says so).
    """

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong and no check was left undecided."""
        return all(finding.severity == "note" for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        plain = attrs.asdict(self)
        plain["dead_end"] = None if self.dead_end is None else [action.name.lower() for action in self.dead_end]
        return {"ok": self.ok, **plain}


def check_task(
    world: World, max_states: int = DEFAULT_MAX_STATES, max_table_states: int = DEFAULT_MAX_TABLE_STATES
) -> TaskReport:
    """Check a compiled task with the solver.

    Args:
        world: the compiled task.
        max_states: state limit of each search; questions that exceed it are reported as undecided.
        max_table_states: state limit of a table; dead ends are found only in tables.
    """
    return check_searched(TaskSearches(world, max_states), max_table_states)


def check_searched(searches: TaskSearches, max_table_states: int) -> TaskReport:
    """Check a task as `check_task` does, reusing shared searches."""
    world, solution = searches.world, searches.solution
    findings = list(_check_solution(searches))
    dead_end = None
    if solution.length is not None:
        table, undecided = _table(searches, max_table_states)
        checker = _Checker(searches, table)
        findings += [*checker.chain(), *checker.distractors()]
        findings += undecided
        dead_end = None if table is None else nearest_dead_end(table)
    return TaskReport(
        task_id=world.task.task_id,
        verdict=solution.verdict.value,
        optimal_steps=solution.length,
        max_steps=world.max_steps,
        states_seen=solution.states_seen,
        findings=tuple(findings),
        dead_end=dead_end,
    )


def _check_solution(searches: TaskSearches) -> Iterator[Finding]:
    world, solution = searches.world, searches.solution
    if solution.verdict is Verdict.UNSOLVABLE:
        yield Finding("error", "goal", f"cannot be reached: all {solution.states_seen} states were searched")
    elif solution.verdict is Verdict.GAVE_UP:
        advice = solution.advice(searches.max_states)
        yield Finding("undecided", "goal", f"no plan found within {solution.states_seen} states{advice}")
    elif solution.length is not None and solution.length > world.max_steps:
        yield Finding("error", "max_steps", f"{world.max_steps} is too few: a shortest plan takes {solution.length}")


def _table(searches: TaskSearches, max_states: int) -> tuple[StateTable | None, list[Finding]]:
    try:
        return table_of(searches.world, max_states, searches.expansion_of), []
    except NotTabulatedError as error:
        advice = "" if error.limit is None else "; raise max_table_states"
        return None, [Finding("note", "", f"{error.reason}: dead ends were not looked for{advice}")]


class _Checker:
    """Checks a task's dependency chain and distractors against its shortest plan."""

    def __init__(self, searches: TaskSearches, table: StateTable | None) -> None:
        self._searches = searches
        self._world = searches.world
        self._table = table
        self._max_states = searches.max_states

    def chain(self) -> Iterator[Finding]:
        """Yield findings unless each element of the chain is necessary and their order is forced."""
        chain = self._world.task.dependency_chain
        unlocked: set[str] = set()
        for number, step in enumerate(chain.sequence if chain else ()):
            path = f"dependency_chain.sequence[{number}]"
            yield from self._necessary(f"{path}.element", step.element)
            if step.unlocks in self._world.by_id and step.unlocks not in unlocked:
                yield from self._necessary(f"{path}.unlocks", step.unlocks)
                yield from self._forced(f"{path}.unlocks", step.element, step.unlocks)
            unlocked.add(step.unlocks)

    def _necessary(self, path: str, element: str) -> Iterator[Finding]:
        """Yield a finding unless lacking the element makes the task unwinnable or longer."""
        result = self._necessity(element)
        if result.length is not None:
            yield Finding("error", path, f"'{element}' is not necessary: without it {result.length} actions suffice")
        elif not result.decided:
            yield self._undecided(path, f"whether '{element}' is necessary")

    def _forced(self, path: str, first: str, then: str) -> Iterator[Finding]:
        """Yield a finding unless using `then` before `first` makes the task unwinnable or longer."""
        reverse = self._searches.as_short(only_after(self._world, self._index(then), self._index(first)))
        if reverse.length is not None:
            yield Finding("error", path, f"'{then}' need not wait for '{first}': {reverse.length} actions suffice")
        elif reverse.depth == self._searches.solution.length:
            yield self._undecided(path, f"whether '{then}' has to wait for '{first}'")

    def _necessity(self, name: str) -> NecessityResult:
        return self._searches.necessity_of(self._index(name))

    def distractors(self) -> Iterator[Finding]:
        """Yield findings if a distractor is needed, or if touching it can lose the task."""
        for number, distractor in enumerate(self._world.task.distractors):
            if distractor.type != LABEL_DISTRACTOR:
                yield from self._harmless(f"distractors[{number}].element_id", distractor)

    def _harmless(self, path: str, distractor: Distractor) -> Iterator[Finding]:
        name = distractor.element_id
        result = self._necessity(name)
        if result.is_necessary:
            yield Finding("error", path, f"'{name}' is not a distractor: every shortest plan uses it")
        elif not result.decided:
            yield self._undecided(path, f"whether '{name}' is needed")
        yield from self._safe(path, name)

    def _safe(self, path: str, name: str) -> Iterator[Finding]:
        """Yield a finding if touching a distractor can lose the task; without a table, try only the quickest touch."""
        if self._table is not None:
            if can_lose_by(self._table, self._touching(name)):
                yield Finding("error", path, f"'{name}' is not safe: touching it can lose the task")
            return
        touch = solve(self._world, self._max_states, until=self._touching(name))
        if touch.verdict is Verdict.GAVE_UP:
            yield self._undecided(path, f"whether '{name}' can be touched")
        elif touch.plan is not None:
            yield from self._still_winnable(path, name, touch.plan)

    def _still_winnable(self, path: str, name: str, plan: tuple[Action, ...]) -> Iterator[Finding]:
        after = self._searches.from_state(replay(self._world, plan)[-1])
        if after.verdict is Verdict.UNSOLVABLE:
            yield Finding("error", path, f"'{name}' is not safe: touching it can lose the task")
        elif after.verdict is Verdict.GAVE_UP:
            yield self._undecided(path, f"whether '{name}' is safe")

    def _touching(self, name: str) -> Property:
        index = self._index(name)
        return EntityPredicate(lambda state: not is_untouched(self._world, index, state))

    def _index(self, name: str) -> int:
        return self._world.by_id[name].index

    def _undecided(self, path: str, question: str) -> Finding:
        return Finding("undecided", path, f"{question} was not decided within {self._max_states} states")
