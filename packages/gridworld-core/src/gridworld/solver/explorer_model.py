"""A baseline that knows only what it has been shown: it explores unknown cells and plans over the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import attrs

from gridworld.actions import Action
from gridworld.model_interface import EpisodeInfo, ModelInput, ModelOutput, OracleInterface
from gridworld.solver.optimal_model import replay_observations
from gridworld.solver.search import solve
from gridworld.solver.spaces import without_budget
from gridworld.world.knowledge import Snapshot, first_snapshot, known_state, observe
from gridworld.world.mechanism_type import Trait
from gridworld.world.rules import transition
from gridworld.world.state import GONE, NOTHING, State
from gridworld.world.topology import NO_CELL
from gridworld.world.world import World

if TYPE_CHECKING:
    from gridworld.model_interface.steps import Step

DEFAULT_MAX_STATES = 200_000
SOLID = int(Trait.SOLID)


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
        """Key of the state shown after the next action, if all goes as expected."""
        self._tried: set[int] = set()
        """The walls that it has walked against."""

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """See what was seen before."""
        replay_observations(self, self._world, steps)
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
        after, _ = transition(without_budget(shown.world), shown.state, self._plan[0])
        self._expected = (after.key, shown.unknown, shown.known)
        ahead = _ahead(shown.world, shown.state)
        if self._plan[0] == Action.MOVE_FORWARD and ahead in shown.world.walls:
            self._tried.add(ahead)

    def predict(self, input: ModelInput) -> ModelOutput:
        """The next action of its plan."""
        return ModelOutput(action=self._plan[0])

    def _plans(self, shown: ShownWorld) -> Iterator[tuple[Action, ...]]:
        """Plans in order of preference: to win, to see something new, to find something hidden."""
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


# --- The world as far as it has been shown ----------------------------------------------------------------------------


@attrs.frozen(eq=False)
class ShownWorld:
    """A world that holds only what has been shown: unknown cells are wall."""

    world: World
    state: State
    """The present state as far as it is known."""
    unknown: frozenset[int]
    """The cells that have not been seen."""
    known: frozenset[int]
    """The entities that have been."""

    @classmethod
    def of(cls, world: World, snapshot: Snapshot) -> ShownWorld:
        """World shown by a moment of an episode; hidden things are what they look like.

        Whatever an unknown thing controls stays as that thing was at the start of the task.

        Args:
            world: one that `remembering` has made.
            snapshot: a moment of an episode of it.
        """
        believed, known = known_state(world, snapshot)
        unknown = frozenset(range(world.topology.cell_count)) - snapshot.knowledge.explored
        absent = [entity for entity in world.entities if entity.index not in known]
        cells = {entity.index: frozenset(world.cells_of(snapshot.state, entity)) for entity in absent}
        looks_like_wall = frozenset[int]().union(
            *(
                cells[each.index]
                for each in absent
                if world.is_hidden(snapshot.state, each.index) and world.traits_of(snapshot.state, each.index) & SOLID
            )
        )
        gone = {each.index for each in absent}
        shown = attrs.evolve(
            world,
            walls=world.walls | unknown | looks_like_wall,
            fixed_at=tuple(NOTHING if thing in gone else thing for thing in world.fixed_at),
            hidden=0,
        )
        places = tuple(GONE if thing in gone else place for thing, place in enumerate(believed.places))
        return cls(shown, believed._replace(places=places), unknown, known)


def remembering(world: World) -> World:
    """The world for an agent that remembers what it has seen, where the task's rules show the view alone."""
    rules = world.task.rules
    if rules.observability != "view_cone":
        return world
    return attrs.evolve(world, task=attrs.evolve(world.task, rules=attrs.evolve(rules, observability="fog_of_war")))
