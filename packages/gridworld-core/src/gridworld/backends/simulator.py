"""`SimulatorBackend`: base class of backends around other simulators."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from operator import index
from typing import Any, ClassVar

from gridworld.actions import ACTION_SPACE, Action
from gridworld.backends.base import AbstractGridBackend, Info, Observation
from gridworld.backends.grid_state import GridState
from gridworld.errors import EpisodeOver, InvalidAction, InvalidTaskError, NotResetError, Problem
from gridworld.task_spec import TaskSpecification

__all__ = ["SimulatorBackend"]


class SimulatorBackend(AbstractGridBackend):
    """A backend around a grid simulator with its own rules.

    Subclasses start, step, query and draw the simulator. This class rejects invalid and unsupported tasks, calls out of
    order and unknown actions, counts steps, and ends episodes at the goal or when the budget is used up. Observations
    are pictures, and everything is in full view.
    """

    mechanisms: ClassVar[tuple[str, ...]] = ()
    """Supported mechanisms, as named in task files."""
    goals: ClassVar[tuple[str, ...]] = ("reach_position",)
    """Supported goal types."""

    _task: TaskSpecification | None = None
    _steps: int | None = None
    _over = False

    @abstractmethod
    def start(self, task: TaskSpecification, seed: int | None) -> None:
        """Start a task; all randomness must come from the seed."""

    @abstractmethod
    def act(self, action: Action) -> None:
        """Execute an action; an impossible action changes nothing."""

    @abstractmethod
    def look(self) -> GridState:
        """Return the simulator's current state, made by `state_at`."""

    @abstractmethod
    def draw(self) -> Any:
        """Draw the current state as an RGB array of shape (height, width, 3), uint8."""

    @abstractmethod
    def mission(self, task: TaskSpecification) -> str:
        """Return the sentence that states the agent's goal in a task."""

    def problems(self, task: TaskSpecification) -> Iterable[Problem]:
        """Yield further reasons to reject a valid task, with field paths; none by default."""
        return ()

    def state_at(
        self, position: tuple[int, int], direction: int, *, reached: bool, failed: bool = False, **further: Any
    ) -> GridState:
        """Make the state that `look` returns; adds step count and end of the episode.

        Args:
            position: the agent's lattice cell, (column, row) from the top left.
            direction: the agent's heading: 0 right, 1 down, 2 left or 3 up.
            reached: whether the goal is reached; the reward is then 1 unless `further` has a ``reward``.
            failed: whether the episode has ended without success.
            further: other fields of `GridState`.
        """
        task, steps = self._running()
        width, height = task.maze.dimensions
        everywhere = {(x, y) for x in range(width) for y in range(height)}
        over = reached or failed
        filled: dict[str, Any] = {
            "step_count": steps,
            "max_steps": task.max_steps,
            "terminated": over,
            "truncated": not over and steps >= task.max_steps,
            "goal_reached": reached,
            "reward": float(reached),
            "visible_cells": everywhere,
            "explored_cells": set(everywhere),
        }
        return GridState(position, direction, **(filled | further))

    def configure(self, task_spec: TaskSpecification) -> None:
        """Check and store a task; raises `InvalidTaskError` for an unplayable one, and keeps the previous one."""
        _, errors = task_spec.validate()
        problems = [Problem("", error) for error in errors] or [*self._lacking(task_spec), *self.problems(task_spec)]
        if problems:
            raise InvalidTaskError(problems, task_spec.task_id)
        self._task, self._steps = task_spec, None

    def reset(self, seed: int | None = None) -> tuple[Observation, GridState, Info]:
        """Restart the task."""
        task, self._steps = self._configured(), None
        self.start(task, seed)
        self._steps = 0
        state = self.get_state()
        return self.render(), state, {}

    def step(self, action: int) -> tuple[Observation, float, bool, bool, GridState, Info]:
        """Take one of the seven actions."""
        _, steps = self._running()
        if self._over:
            raise EpisodeOver(f"the episode ended after {steps} steps; reset before the next action")
        self.act(_checked(action))
        self._steps = steps + 1
        state = self.get_state()
        return self.render(), state.reward, state.terminated, state.truncated, state, {}

    def render(self) -> Any:
        """Draw the current state."""
        self._running()
        return self.draw()

    def get_mission_text(self) -> str:
        """Return the mission of the task."""
        return self.mission(self._configured())

    def get_state(self) -> GridState:
        """Return the current state."""
        self._running()
        state = self.look()
        self._over = state.terminated or state.truncated
        return state

    def close(self) -> None:
        """Forget the current task."""
        self._task = self._steps = None

    def _configured(self) -> TaskSpecification:
        if self._task is None:
            raise NotResetError("configure(task) must be called first")
        return self._task

    def _running(self) -> tuple[TaskSpecification, int]:
        task = self._configured()
        if self._steps is None:
            raise NotResetError("reset() must be called before the first step")
        return task, self._steps

    def _lacking(self, task: TaskSpecification) -> Iterator[Problem]:
        """Yield a problem for each part of a task that is not supported."""
        for name, listed in task.mechanisms.groups():
            if name not in self.mechanisms:
                has = self._has_only(*self.mechanisms)
                yield from (Problem(f"mechanisms.{name}[{number}]", has) for number in range(len(listed)))
        if task.goal.type not in self.goals:
            yield Problem("goal.type", self._has_only(*self.goals))
        if task.rules.observability != "full":
            yield Problem("rules.observability", self._has_only("full"))
        if task.rules.hidden_mechanisms:
            yield Problem("rules.hidden_mechanisms", f"{self.name} hides nothing")

    def _has_only(self, *words: str) -> str:
        return f"{self.name} has only {' and '.join(words)}" if words else f"{self.name} has none"


def _checked(action: int) -> Action:
    try:
        return Action(index(action))
    except (TypeError, ValueError):
        raise InvalidAction(f"action {action!r} is not in the action space {ACTION_SPACE}") from None
