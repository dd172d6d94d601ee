"""Baselines: uniformly random actions, and walking straight towards the target."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from gridworld.actions import ACTION_SPACE, Action
from gridworld.model_interface.base import EpisodeInfo, ModelInput, ModelInterface, ModelOutput, OracleInterface
from gridworld.world import Entity, State, World, transition
from gridworld.world.topology import NO_CELL

if TYPE_CHECKING:
    from gridworld.model_interface.steps import Step


ACTIONS = sorted(ACTION_SPACE)


class RandomModelInterface(ModelInterface):
    """Chooses uniformly random actions, reproducible in any order and on any worker.

    Args:
        seed: combined with the seed of each episode.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self._random = random.Random(seed)

    @property
    def model_name(self) -> str:
        """Name of the model, ``random``."""
        return "random"

    @property
    def looks_at_pictures(self) -> bool:
        """Whether a subclass overrides `predict`; this model itself uses no pictures."""
        return type(self).predict is not RandomModelInterface.predict

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Seed the random actions from the model's seed, the episode's seed and the task's id."""
        self._random = random.Random(f"{self._seed}/{episode.seed}/{episode.task_id}")

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Advance the random generator by the actions drawn so far."""
        for _ in range(sum(len(step.requests) for step in steps)):
            self._random.choice(ACTIONS)
        return True

    def predict(self, input: ModelInput) -> ModelOutput:
        """Choose a random action id."""
        return ModelOutput(action=self._random.choice(sorted(input.action_space)))


class GreedyModel(OracleInterface):
    """Turns towards the neighbouring cell, walls excluded, that is nearest to the target, and steps forward.

    The target is the first unfinished entity in the goal's ``target_ids``: one without a target position is unfinished
    until its state changes, others until they reach their position. The agent picks it up or toggles it as soon as
    possible. If no entity is unfinished, the target is the goal's ``target`` or ``maze.goal``, where the agent waits.
    Other mechanisms are ignored: the agent bumps into doors and steps into lava. The model is deterministic.
    """

    def __init__(self) -> None:
        self._next = Action.DONE

    @property
    def model_name(self) -> str:
        """Name of the model, ``greedy``."""
        return "greedy"

    @property
    def looks_at_pictures(self) -> bool:
        """Whether a subclass overrides `predict`; this model itself uses no pictures."""
        return type(self).predict is not GreedyModel.predict

    def look_into(self, world: World) -> None:
        """Store the world."""
        self._world = world

    def observe(self, state: State) -> None:
        """Compute the next action."""
        self._next = greedy_action(self._world, state)

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Return True: there is no state to restore."""
        return True

    def predict(self, input: ModelInput) -> ModelOutput:
        """Return the action for the last observed state."""
        return ModelOutput(action=self._next)


def greedy_action(world: World, state: State) -> Action:
    """Return the action of `GreedyModel` in a state."""
    thing = _next_target(world, state)
    if thing is not None:
        return _act_on(world, state, thing)
    goal = world.task.goal.target or world.task.maze.goal
    return _step_toward(world, state, world.topology.patches[goal])


def _next_target(world: World, state: State) -> Entity | None:
    goal = world.task.goal
    for name, place in zip_longest(goal.target_ids, goal.target_positions[: len(goal.target_ids)]):
        thing = world.by_id.get(name)
        cells = () if thing is None else world.cells_of(state, thing)
        if thing is None or not cells:
            continue
        is_done = _is_changed(thing, world.start, state) if place is None else cells == (world.topology.anchor(place),)
        if not is_done:
            return thing
    return None


def _act_on(world: World, state: State, thing: Entity) -> Action:
    """Pick up or toggle an entity if possible from here, otherwise walk toward it."""
    for action in (Action.PICKUP, Action.TOGGLE):
        if _is_changed(thing, state, transition(world, state, action)[0]):
            return action
    return _step_toward(world, state, world.cells_of(state, thing))


def _is_changed(thing: Entity, before: State, after: State) -> bool:
    index, place = thing.index, slice(thing.index, thing.index + 1)
    return before.values[index] != after.values[index] or before.places[place] != after.places[place]


def _step_toward(world: World, state: State, target: Sequence[int]) -> Action:
    """Return the first action of the shortest way into the neighbouring cell nearest to the target."""
    if state.cell in target:
        return Action.DONE
    _, _, action = min(
        (_distance(world, world.exits[_place(world, state.cell, heading)], target), turns, action)
        for heading, turns, action in _headings(world, state)
    )
    return action


def _headings(world: World, state: State) -> Iterator[tuple[int, int, Action]]:
    """Yield the reachable headings, each with its number of turns and the first action."""
    yield state.heading, 0, Action.MOVE_FORWARD
    for table, action in ((world.left, Action.TURN_LEFT), (world.right, Action.TURN_RIGHT)):
        heading = state.heading
        for turns in range(1, len(world.topology.edges[state.cell]) + 1):
            heading = table[_place(world, state.cell, heading)]
            yield heading, turns, action


def _distance(world: World, cell: int, target: Sequence[int]) -> float:
    """Return the distance from a cell's centre to the nearest target centre, rounded so that ties are exact."""
    if cell == NO_CELL or cell in world.walls:
        return math.inf
    centres = world.topology.centres
    return round(min(math.dist(centres[cell], centres[each]) for each in target), 6)


def _place(world: World, cell: int, heading: int) -> int:
    return cell * world.headings + heading
