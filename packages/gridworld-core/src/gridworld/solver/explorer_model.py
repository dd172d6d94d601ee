"""`ExplorerModel`: a baseline that explores unknown cells and plans over the cells seen so far."""

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
from gridworld.world.world import World

if TYPE_CHECKING:
    from gridworld.model_interface.steps import Step

DEFAULT_MAX_STATES = 200_000
SOLID = int(Trait.SOLID)


class ExplorerModel(OracleInterface):
    """Follows a shortest plan through the known part of the world; without one, explores the nearest unknown cell.

    It treats unknown cells as walls and hidden entities as what they look like, and remembers everything as last seen.
    With nothing left to explore, it walks into the nearest untried wall, since something may be hidden there; without
    such a wall, it waits. It replans whenever the world differs from its expectation. Under full observability its
    plans are shortest ones. It is a reference, not a bound: exploring in another order may be luckier.

    Args:
        max_states: state limit of each search.
    """

    def __init__(self, max_states: int = DEFAULT_MAX_STATES) -> None:
        self._max_states = max_states

    @property
    def model_name(self) -> str:
        """Name of the model, ``explorer``."""
        return "explorer"

    @property
    def looks_at_pictures(self) -> bool:
        """Whether a subclass overrides `predict`; this model itself uses no pictures."""
        return type(self).predict is not ExplorerModel.predict

    def look_into(self, world: World) -> None:
        """Start a task; only the part that the episode shows is used."""
        self._world = remembering(world)
        self._snapshot: Snapshot | None = None
        self._plan: tuple[Action, ...] = ()
        """The remaining actions of the plan."""
        self._expected: tuple[object, ...] | None = None
        """Identity of the world expected after the next action."""
        self._tried: set[int] = set()
        """Walls that the model has walked into."""

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Observe the recorded states."""
        replay_observations(self, self._world, steps)
        return True

    def observe(self, state: State) -> None:
        """Update the known world, and replan unless it is as expected."""
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
        ahead = shown.world.ahead(shown.state)
        if self._plan[0] == Action.MOVE_FORWARD and ahead in shown.world.walls:
            self._tried.add(ahead)

    def predict(self, input: ModelInput) -> ModelOutput:
        """Return the next action of the plan."""
        return ModelOutput(action=self._plan[0])

    def _plans(self, shown: ShownWorld) -> Iterator[tuple[Action, ...]]:
        """Yield plans in order of preference: to win, to see an unknown cell, to find something hidden."""
        world, start = shown.world, shown.state
        won = solve(world, self._max_states, start).plan
        if won:
            yield won
        seen = solve(world, self._max_states, start, lambda state: world.ahead(state) in shown.unknown).plan
        if seen:
            yield seen
        maze, lattice = world.task.maze, world.topology.lattice
        inner_walls = {cell for cell in world.walls if not maze.on_border(lattice[cell])}
        untried = inner_walls - self._tried
        found = solve(world, self._max_states, start, lambda state: world.ahead(state) in untried).plan
        if found is not None:
            yield (*found, Action.MOVE_FORWARD)


# --- The world as far as it has been shown ----------------------------------------------------------------------------


@attrs.frozen(eq=False)
class ShownWorld:
    """The known part of a world; unknown cells are walls."""

    world: World
    state: State
    """The current state as far as known."""
    unknown: frozenset[int]
    """The cells that have not been seen."""
    known: frozenset[int]
    """The entities that have been seen."""

    @classmethod
    def of(cls, world: World, snapshot: Snapshot) -> ShownWorld:
        """Build the world as a snapshot shows it, and take hidden entities for what they look like.

        If the entity that controls another has not been seen, it is assumed to have its initial value.

        Args:
            world: a world from `remembering`.
            snapshot: a snapshot from an episode in that world.
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
            fixed_at=tuple(NOTHING if index in gone else index for index in world.fixed_at),
            hidden=0,
        )
        places = tuple(GONE if index in gone else place for index, place in enumerate(believed.places))
        return cls(shown, believed._replace(places=places), unknown, known)


def remembering(world: World) -> World:
    """Return the world for an agent that remembers what it has seen, even if the rules show only the current view."""
    rules = world.task.rules
    if rules.observability != "view_cone":
        return world
    return attrs.evolve(world, task=attrs.evolve(world.task, rules=attrs.evolve(rules, observability="fog_of_war")))
