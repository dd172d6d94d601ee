"""`Difficulty`: measures of a task, each defined at its field."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import attrs

from gridworld.errors import GridworldError
from gridworld.solver.exact_answers import steps_to_loss
from gridworld.solver.necessity import is_untouched
from gridworld.solver.plans import DEFAULT_MAX_STATES
from gridworld.solver.search import TaskSearches, replay
from gridworld.solver.state_table import NotTabulatedError, StateTable
from gridworld.solver.table_cache import table_of
from gridworld.solver.task_report import DEFAULT_MAX_TABLE_STATES
from gridworld.support.faults import telling
from gridworld.world.episode import Episode
from gridworld.world.state import State
from gridworld.world.world import Entity, World


@attrs.frozen
class Difficulty:
    """The difficulty of one task on one topology."""

    optimal_length: int
    """Number of actions of a shortest plan."""

    states_searched: int
    """Number of distinct states met before the solver finds a shortest plan."""

    backtracking: int
    """Number of moves in the shortest plan that enter a cell visited before."""

    dependency_depth: int
    """Number of mechanisms that change in the shortest plan and that every equally short plan needs."""

    dependency_variety: int
    """Number of distinct types among the mechanisms of `dependency_depth`."""

    distractors: int
    """Number of mechanisms that can be picked up, pushed, toggled or entered but do not change in the plan."""

    distractor_quality: float
    """Share of distractors whose type is counted by `dependency_variety`, so that they look useful.

    From 0 to 1; 0 without distractors.
    """

    size: int
    """Number of cells inside the border of the maze, walls included."""

    wall_density: float
    """Share of the cells inside the border that are walls, 0 to 1."""

    hidden_share: float
    """Mean of the share of cells inside the border not shown at the start and the share of hidden mechanisms.

    0 for full observability without hidden mechanisms; always below 1.
    """

    irreversibility: float | None
    """Share of reachable living states from which the task can no longer be won; None if the state space is too large.
    """

    fragility: int | None
    """Fewest actions from any state on the shortest plan to death or to a dead end.

    None if the task cannot be lost, or if the state space is too large.
    """

    def dimensions(self) -> dict[str, float | None]:
        """Return the twelve fields as numbers of at least 0 that grow with difficulty; None if unknown.

        `fragility` becomes 1 divided by the number of actions, and 0 if the task cannot be lost; the other fields are
        unchanged.
        """
        fragility = None if self.irreversibility is None else 1 / self.fragility if self.fragility else 0.0
        return {**attrs.asdict(self), "fragility": fragility}


def measure_difficulty(
    world: World, max_states: int = DEFAULT_MAX_STATES, max_table_states: int = DEFAULT_MAX_TABLE_STATES
) -> Difficulty:
    """Measure a task.

    Args:
        world: the compiled task.
        max_states: limit on the states of each search.
        max_table_states: limit on the states of the table for `irreversibility` and `fragility`.

    Raises:
        GridworldError: no plan was found within `max_states`.
    """
    return measure_searched(TaskSearches(world, max_states), max_table_states)


def measure_searched(searches: TaskSearches, max_table_states: int) -> Difficulty:
    """Measure a task as `measure_difficulty` does, reusing shared searches."""
    world, solution = searches.world, searches.solution
    if solution.plan is None:
        raise GridworldError(f"{world.task.task_id}: {solution.verdict.value} after {solution.states_seen} states")
    run = replay(world, solution.plan)
    table = _table(searches, max_table_states)
    changed = _changed(world, run)
    needed = [each for each in changed if searches.necessity_of(each.index).is_necessary]
    needed_types = {entity.type.name for entity in needed}
    distractors = _distractors(world, changed)
    alike = [entity for entity in distractors if entity.type.name in needed_types]
    return Difficulty(
        optimal_length=len(solution.plan),
        states_searched=solution.states_seen,
        backtracking=count_revisits([state.cell for state in run]),
        dependency_depth=len(needed),
        dependency_variety=len(needed_types),
        distractors=len(distractors),
        distractor_quality=len(alike) / len(distractors) if distractors else 0.0,
        **_layout(world),
        irreversibility=None if table is None else float(table.lost.mean()),
        fragility=None if table is None else steps_to_loss(table, run[:-1]),
    )


def _table(searches: TaskSearches, max_states: int) -> StateTable | None:
    try:
        return table_of(searches.world, max_states, searches.expansion_of)
    except NotTabulatedError:
        return None


def _changed(world: World, run: list[State]) -> list[Entity]:
    arrangements = {(state.values, state.places): state for state in run}.values()
    return [
        entity
        for entity in world.entities
        if not all(is_untouched(world, entity.index, state) for state in arrangements)
    ]


def count_revisits(cells: Sequence[int]) -> int:
    """Count the moves that enter a cell visited before.

    Args:
        cells: the agent's cell at the start and after each action.
    """
    been, revisits = set(cells[:1]), 0
    for before, now in pairwise(cells):
        revisits += now != before and now in been
        been.add(now)
    return revisits


def _distractors(world: World, changed: Sequence[Entity]) -> list[Entity]:
    used, movable_count = {entity.index for entity in changed}, len(world.start.places)
    return [
        entity
        for entity in world.entities
        if entity.index not in used and (entity.index < movable_count or entity.type.on_toggle or entity.type.on_enter)
    ]


def known_difficulty(
    searches: TaskSearches, max_table_states: int = DEFAULT_MAX_TABLE_STATES
) -> dict[str, float | None]:
    """Return the fields of `Difficulty` by name; fields that need a plan are None if none was found.

    Raises:
        PluginFault: a mechanism or goal type of the task failed or returned a wrong result.
    """
    with telling(f"when the task '{searches.world.task.task_id}' was measured"):
        if searches.solution.plan is not None:
            return attrs.asdict(measure_searched(searches, max_table_states))
        return dict.fromkeys(attrs.fields_dict(Difficulty)) | _layout(searches.world)


def _layout(world: World) -> dict[str, Any]:
    """Return the fields that need no plan."""
    maze = world.task.maze
    size = (maze.width - 2) * (maze.height - 2)
    walls = sum(not maze.on_border(cell) for cell in maze.wall_cells())
    return {"size": size, "wall_density": walls / size, "hidden_share": _hidden_share(world)}


def _hidden_share(world: World) -> float:
    episode = Episode(world)
    episode.reset()
    maze, topology = world.task.maze, world.topology
    inside = [cells[0] for position, cells in topology.patches.items() if not maze.on_border(position)]
    unseen = sum(cell not in episode.knowledge.visible for cell in inside) / len(inside)
    hidden = len(world.task.rules.hidden_mechanisms) / len(world.entities) if world.entities else 0.0
    return (unseen + hidden) / 2
