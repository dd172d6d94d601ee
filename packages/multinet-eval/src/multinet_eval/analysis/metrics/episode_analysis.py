"""Analysis of a recorded episode, shared by all metrics.

The distance d is the fewest actions to success from a state, infinite if success is impossible and after death; b is
the remaining step budget, which lost steps also use up. d assumes an agent that knows the whole task, even if little
was shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import attrs

from gridworld.runner.record import DecisionKind, EpisodeEnd, EpisodeHeader, Step
from gridworld.task.routes import Route, read_routes
from gridworld.task_spec import Position, TaskSpecification
from gridworld.world.events import kinds_of
from gridworld.world.rules import transition
from gridworld.world.state import State
from gridworld.world.world import World
from multinet_eval.analysis.metrics.known_tasks import KnownSuite, KnownTask
from multinet_eval.play.episode import DivergedError
from multinet_eval.record.task_result import TaskResult


@attrs.frozen(eq=False, slots=False)
class EpisodeAnalysis:
    """Analysis of a finished episode; each part is computed on first use and cached.

    Moments are numbered: 0 is the start, n is after step n.
    """

    task: TaskSpecification
    """The task with the played step budget."""
    header: EpisodeHeader
    steps: tuple[Step, ...]
    end: EpisodeEnd
    known: KnownTask | None
    """The task on its tiling; None if the backend is not built on the kernel."""
    suite: KnownSuite | None = None
    """All tasks of the run on this tiling; None without a kernel backend, and for a single episode."""

    @cached_property
    def result(self) -> TaskResult:
        """Counts of the episode: steps, answers by outcome, usage, success."""
        return TaskResult.of(self.header, self.steps, self.end)

    @cached_property
    def taken(self) -> tuple[Step, ...]:
        """Steps that used up budget: steps with an action, and lost steps."""
        return tuple(step for step in self.steps if step.kind is not DecisionKind.STOP)

    @cached_property
    def states(self) -> tuple[State, ...] | None:
        """State at each moment, found by replaying the actions; None if `known` is.

        Raises:
            DivergedError: replaying gives other states than recorded.
        """
        return None if self.known is None else tuple(self._replayed(self.known.world))

    def _replayed(self, world: World) -> Iterator[State]:
        state = world.start
        yield state
        for step in self.taken:
            if step.action is not None:
                state, events = transition(world, state, step.action)
                if events != step.events:
                    raise self._diverged(step)
            yield state

    @cached_property
    def cells(self) -> tuple[int, ...] | None:
        """Cell of the agent on the tiling at each moment; None if `states` is."""
        return None if self.states is None else tuple(state.cell for state in self.states)

    @cached_property
    def positions(self) -> tuple[Position, ...] | None:
        """Lattice cell of the agent at each moment, as in task files; None if `cells` is."""
        if self.known is None or self.cells is None:
            return None
        return tuple(self.known.world.topology.lattice[cell] for cell in self.cells)

    @cached_property
    def numbers(self) -> tuple[int, ...] | None:
        """Number of the state at each moment in the table of all states (`KnownTask.table`), or `WON` or `DEAD`.

        None without a table: on a backend that is not built on the kernel, for a goal that depends on the step count
        such as ``survive_steps``, and for a task with too many states.

        Raises:
            DivergedError: the recorded events are not those of these states.
        """
        table = None if self.known is None else self.known.table
        if table is None:
            return None
        number, found = 0, [0]
        for step in self.taken:
            if step.action is not None:
                if number < 0 or int(table.events[number, step.action]) != kinds_of(step.events):
                    raise self._diverged(step)
                number = int(table.successor[number, step.action])
            found.append(number)
        return tuple(found)

    def _diverged(self, step: Step) -> DivergedError:
        return DivergedError(
            f"'{self.task.task_id}', played again, is another episode than was recorded from step {step.number}"
        )

    @cached_property
    def distances(self) -> tuple[float, ...] | None:
        """Distance d at each moment; None if `numbers` is, and for an unsolvable task.

        Raises:
            DivergedError: as for `numbers`.
        """
        if self.known is None or self.numbers is None:
            return None
        found = self.known.distances(self.numbers)
        return found if 0 < found[0] < math.inf else None

    @cached_property
    def regrets(self) -> tuple[float | None, ...] | None:
        """Regret of each step in `taken`, 1 + d(s') - d(s); None if `distances` is.

        A detour costs as much as it adds to a shortest plan, an optimal action costs 0, and a lost step costs 1. The
        regret is None for the action that makes success impossible, and for all later steps.
        """
        if self.distances is None:
            return None
        moves = zip(self.distances, self.distances[1:], strict=False)
        return tuple(1 + after - before if after < math.inf else None for before, after in moves)

    @cached_property
    def structural_no_return(self) -> int | None:
        """First moment at which success is impossible, d = ∞; None if it stays possible or d is unknown."""
        distances = self.distances or ()
        return next((moment for moment, distance in enumerate(distances) if distance == math.inf), None)

    @cached_property
    def first_uses(self) -> Mapping[str, int] | None:
        """Moment at which each entity first took part in an event, by id and in order of occurrence.

        None if the backend does not report events.
        """
        if not self.header.reports_events:
            return None
        found: dict[str, int] = {}
        for moment, step in enumerate(self.taken, start=1):
            for thing in (event.involves for event in step.events):
                if thing is not None:
                    found.setdefault(thing, moment)
        return found

    @property
    def uses(self) -> tuple[str, ...] | None:
        """Ids of the entities that took part in an event, ordered by their first participation.

        None if `first_uses` is.
        """
        return None if self.first_uses is None else tuple(self.first_uses)

    @property
    def chain(self) -> tuple[str, ...]:
        """Distinct elements of the task's dependency chain, in order; empty for a task without one."""
        steps = self.task.dependency_chain.sequence if self.task.dependency_chain else ()
        return tuple(dict.fromkeys(step.element for step in sorted(steps, key=lambda each: each.step)))

    @cached_property
    def routes(self) -> Mapping[str, Route]:
        """Declared routes of the task by name (`gridworld.task.routes`); empty for a task without any."""
        return read_routes(self.task)

    @property
    def optimal_paths(self) -> Sequence[frozenset[int]] | None:
        """Cells of each shortest plan (`KnownTask.optimal_paths`); None if unknown."""
        return None if self.known is None else self.known.optimal_paths
