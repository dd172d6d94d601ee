"""A baseline that knows only what it has been shown: explores what is unknown, and plans over the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gridworld.actions import Action
from gridworld.model_interface import EpisodeInfo, ModelInput, ModelOutput, OracleInterface
from gridworld.solver.observing_anew import observe_anew
from gridworld.solver.search import solve
from gridworld.solver.shown_world import ShownWorld, remembering
from gridworld.solver.spaces import timeless
from gridworld.world.knowledge import Snapshot, first_snapshot, observe
from gridworld.world.rules import transition
from gridworld.world.state import State
from gridworld.world.topology import NO_CELL
from gridworld.world.world import World

if TYPE_CHECKING:
    from gridworld.runner.record import Step

__all__ = ["ExplorerModel"]

DEFAULT_MAX_STATES = 200_000


class ExplorerModel(OracleInterface):
    """Plays a shortest plan over what it has been shown; where there is none, it goes to see the nearest unknown cell.

    What it has not seen is wall to it, and what is hidden is what it looks like; what it has seen, it remembers as it
    was. When there is nothing left to see, it walks against the nearest wall that it has not tried, since something may
    be hidden there; without such a wall, it waits. It thinks again whenever something is not as it expected. Where
    everything is shown, its plans are shortest ones. It is a reference, and no bound: to look round in another order
    may be luckier.

    Args:
        max_states: each search gives up after meeting this many states.
    """

    def __init__(self, max_states: int = DEFAULT_MAX_STATES) -> None:
        self._max_states = max_states

    @property
    def model_name(self) -> str:
        """``explorer``."""
        return "explorer"

    @property
    def looks_at_pictures(self) -> bool:
        """False, but for a subclass that decides by itself."""
        return type(self).predict is not ExplorerModel.predict

    def look_into(self, world: World) -> None:
        """Take on a task; nothing is used of it but what the episode shows."""
        self._world = remembering(world)
        self._snapshot: Snapshot | None = None
        self._plan: tuple[Action, ...] = ()
        """The next action, and what is to follow."""
        self._expected: tuple[object, ...] | None = None
        """What is shown after the next action, if it does what it is expected to do."""
        self._tried: set[int] = set()
        """The walls that it has walked against."""

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """See what was seen before."""
        observe_anew(self, self._world, steps)
        return True

    def observe(self, state: State) -> None:
        """Look, and think again unless all is as it was expected."""
        before = self._snapshot
        if before is not None and before.state == state:
            return  # the step was lost
        if before is None:
            self._snapshot = first_snapshot(self._world)
        else:
            self._snapshot = Snapshot(state, observe(self._world, before, state))
        shown = ShownWorld.of(self._world, self._snapshot)
        follows = self._plan[1:]
        as_expected = follows and self._expected == (shown.state.key, shown.unknown, shown.known)
        self._plan = follows if as_expected else next(self._plans(shown), (Action.DONE,))
        after, _ = transition(timeless(shown.world), shown.state, self._plan[0])
        self._expected = (after.key, shown.unknown, shown.known)
        ahead = _ahead(shown.world, shown.state)
        if self._plan[0] == Action.MOVE_FORWARD and ahead in shown.world.walls:
            self._tried.add(ahead)

    def predict(self, input: ModelInput) -> ModelOutput:
        """The next action of what it is about to do."""
        return ModelOutput(action=self._plan[0])

    def _plans(self, shown: ShownWorld) -> Iterator[tuple[Action, ...]]:
        """What there is to do: to win, to see something new, to find something hidden."""
        world, start = shown.world, shown.state
        won = solve(world, self._max_states, start).plan
        if won:
            yield won
        seen = solve(world, self._max_states, start, lambda state: _ahead(world, state) in shown.unknown).plan
        if seen:
            yield seen
        untried = world.walls - self._tried - _border(world)
        found = solve(world, self._max_states, start, lambda state: _ahead(world, state) in untried).plan
        if found is not None:
            yield (*found, Action.MOVE_FORWARD)


def _ahead(world: World, state: State) -> int:
    return world.exits[state.cell * world.headings + state.heading]


def _border(world: World) -> frozenset[int]:
    """The cells behind which there is nothing, and none."""
    maze, lattice = world.task.maze, world.topology.lattice
    return frozenset(cell for cell in world.walls if maze.on_border(lattice[cell])) | {NO_CELL}
