"""`ContractChecks`: the checks of every backend, whichever simulator it uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import partial
from typing import Any, ClassVar

import attrs

from gridworld.actions import Action
from gridworld.backends.base import AbstractGridBackend
from gridworld.backends.grid_state import GridState
from gridworld.backends.kernel import KernelBackend
from gridworld.errors import EpisodeOver, InvalidAction, InvalidTaskError, NotResetError
from gridworld.hookspecs import BackendInfo
from gridworld.support.png import is_rgb
from gridworld.task_spec import TaskSpecification
from gridworld.testing.conformance import Entry, TargetConformance, Undecided, calling, expect, fail
from gridworld.testing.expectations import expect_through_json, same
from gridworld.testing.stage import kit_task, stage, stage_task, walk
from gridworld.world import compile_world, square_topology
from gridworld.world.events import Event

SEED = 1
LENGTH = 40
"""Maximum number of steps in a walk."""
LOOK_EVERY = 4
"""Number of steps between two inspections of an episode."""
MAX_TASKS = 4
"""Maximum number of the kit's own tasks to play."""
ANNEX = [[4, 1], [4, 2], [2, 4]]
"""Walls that turn the empty stage into another maze."""
SQUARE = "square"
STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""Lattice vector of a step in each heading on squares."""
OUTSIDE: tuple[Any, ...] = (7, -1, "up", None, 1.5)
"""Actions outside the action space."""


def stages() -> list[TaskSpecification]:
    """Return the furnished stage in each observability mode."""
    modes = ("full", "view_cone", "fog_of_war")
    return [stage_task(rules={"observability": mode, "view_size": 3}) for mode in modes]


def _bare_stages() -> list[TaskSpecification]:
    """Return the empty stage, and the empty stage with other walls and another start."""
    data = stage({}, companions=False)
    maze = {**data["maze"], "walls": ANNEX, "start": [2, 1]}
    return [kit_task(each) for each in (data, {**data, "task_id": "annex", "maze": maze})]


Moment = tuple[Any, float, GridState, Any]
"""Observation, reward, state and info: the result of a reset or step."""


class ContractChecks(TargetConformance):
    """The checks of every `AbstractGridBackend`; authors subclass `BackendConformance`."""

    kind: ClassVar[str] = "backend"
    base: ClassVar[type] = AbstractGridBackend

    backend: ClassVar[BackendInfo | Callable[..., AbstractGridBackend] | str]
    """The class, its descriptor, its import string, or its name if it is installed."""

    tasks: ClassVar[Sequence[TaskSpecification | Entry]] = ()
    """At least two different tasks that the backend can play, as specifications or as the contents of task files.

    By default the kit tries its own tasks: a room with built-in mechanisms in each observability mode, the empty
    room, and that room with walls. Tasks that the backend refuses with `InvalidTaskError` are left out.
    """

    # --- What the checks look at ---------------------------------------------------------------------------------

    def started(self, task: TaskSpecification) -> AbstractGridBackend:
        """Return a new backend at the start of a task."""
        backend: AbstractGridBackend = self.make()
        with calling(f"configure and reset on '{task.task_id}'"):
            backend.configure(task)
            backend.reset(seed=task.seed)
        return backend

    def playable(self, count: int = 1) -> list[TaskSpecification]:
        """Return at least `count` tasks that the backend plays.

        Args:
            count: how many are needed at least.

        Raises:
            Undecided: the backend plays fewer tasks.
        """
        refusals: list[str] = []
        given = [each if isinstance(each, TaskSpecification) else kit_task(each) for each in self.tasks]
        tasks = given or [task for task in (*stages(), *_bare_stages()) if self._accepts(task, refusals)][:MAX_TASKS]
        if len(tasks) < count:
            because = f"; it refuses the kit's own: {refusals[0]}" if refusals else ""
            raise Undecided(
                f"{len(tasks)} tasks are known that the backend can play, {count} are needed{because}; subclass the "
                "kit in your tests and set `tasks` to at least two different tasks that it can play"
            )
        return tasks

    def _accepts(self, task: TaskSpecification, refusals: list[str]) -> bool:
        with calling(f"configure on '{task.task_id}'"):
            try:
                self.make().configure(task)
            except InvalidTaskError as refusal:
                refusals.append(str(refusal))
                return False
        return True

    def moments(self, backend: AbstractGridBackend, task: TaskSpecification) -> Iterator[Moment]:
        """Yield the moments of a fixed walk through the configured task, the start first.

        The walk is one through the kernel's world; many of its actions also make sense in another simulator.
        """
        with calling(f"reset(seed={SEED})"):
            observation, state, info = backend.reset(seed=SEED)
        yield observation, 0.0, state, info
        on_squares = square_topology(*task.maze.dimensions)
        world = backend.world if isinstance(backend, KernelBackend) else compile_world(task, on_squares)
        for _, action, _, _ in walk(world, SEED, LENGTH):
            if state.terminated or state.truncated:
                return
            with calling(f"step({action})"):
                observation, reward, _, _, state, info = backend.step(action)
            yield observation, reward, state, info

    def play(self, backend: AbstractGridBackend, task: TaskSpecification) -> list[Any]:
        """Return copies of everything shown in an episode of the fixed walk."""
        return [_shown(backend, moment) for moment in self.moments(backend, task)]

    # --- What it says of itself ----------------------------------------------------------------------------------

    def test_it_has_a_name_and_a_mission(self) -> None:
        """Results are reported under `name`, that of the BackendInfo if there is one, and `tiling`, if it has one.

        `get_mission_text` returns a sentence that tells the agent what to achieve.
        """
        backend, given = self.make(), self.resolve()
        names = (given.name, type(backend).__name__) if isinstance(given, BackendInfo) else (backend.name,)
        expect(backend.name and backend.name in names, f"`name` is {backend.name!r}, expected one of {names}")
        for what, name in (("name", backend.name), ("tiling", backend.tiling)):
            named = (isinstance(name, str) and name) or (name is None and what == "tiling")
            expect(named, f"`{what}` is {name!r}, no text")
        for task in self.playable():
            mission = self.started(task).get_mission_text()
            expect(isinstance(mission, str) and mission.strip(), f"the mission of '{task.task_id}' is {mission!r}")

    # --- configure, reset, step ----------------------------------------------------------------------------------

    def test_before_configure_and_reset_it_says_so(self) -> None:
        """Before `configure` and `reset`, the methods raise `NotResetError`; `self.episode` of a KernelBackend does."""
        first, second = self.playable(2)[:2]
        fresh, configured = self.make(), self.make()
        configured.configure(first)
        again = self.started(first)
        again.configure(second)
        for when, backend in (("configure", fresh), ("reset", configured), ("reset", again)):
            calls = {"step": partial(backend.step, 0), "render": backend.render, "get_state": backend.get_state}
            for name, call in calls.items():
                _expect_raised(f"{name}() before {when}()", call, NotResetError)
        _expect_raised("reset() before configure()", fresh.reset, NotResetError)
        _expect_raised("get_mission_text() before configure()", fresh.get_mission_text, NotResetError)

    def test_an_invalid_task_is_refused_and_the_one_before_kept(self) -> None:
        """`configure` calls `task.validate()`, and raises `InvalidTaskError` before it changes anything."""
        task = self.playable()[0]
        backend = self.started(task)
        backend.step(Action.TURN_LEFT)
        before = deepcopy(backend.get_state())
        invalid = partial(backend.configure, attrs.evolve(task, max_steps=0))
        _expect_raised("configure(a task with max_steps=0)", invalid, InvalidTaskError)
        with calling("get_state() after a task was refused"):
            expect(backend.get_state() == before, "refusing a task changes the state of the configured one")

    def test_reset_and_step_return_what_the_interface_says(self) -> None:
        """They return (observation, state, info), and (observation, reward, terminated, truncated, state, info).

        Reward and flags are those of the state, and `events` in the dictionary `info`, if any, are a tuple of `Event`.
        """
        for task in self.playable():
            backend = self.make()
            backend.configure(task)
            with calling(f"reset(seed={SEED})"):
                first = backend.reset(seed=SEED)
            sound = len(first) == 3 and isinstance(first[1], GridState) and _is_info(first[2])
            expect(sound, f"reset returns {first!r}")
            with calling(f"step({int(Action.MOVE_FORWARD)})"):
                result = backend.step(Action.MOVE_FORWARD)
            expect(len(result) == 6, f"step returns {len(result)} things: {result!r}")
            _, *facts, state, info = result
            sound = isinstance(state, GridState) and facts == [state.reward, state.terminated, state.truncated]
            expect(sound and _is_info(info), f"step returns {result!r}")

    def test_a_refused_action_leaves_the_state_unchanged(self) -> None:
        """Before anything changes, `InvalidAction` is raised outside the action space, `EpisodeOver` after the end."""
        for each in self.playable():
            task = attrs.evolve(each, max_steps=2)
            backend = self.started(task)
            for action in OUTSIDE:
                _expect_refused(backend, action, InvalidAction)
            for _ in range(task.max_steps):
                backend.step(Action.DONE)
            _expect_refused(backend, int(Action.DONE), EpisodeOver)

    def test_it_turns_in_place_if_it_says_so(self) -> None:
        """With `turns_in_place`, the agent begins facing right, 0, and each turn leaves it on its cell of squares.

        Turning left takes 1 from `agent_direction`, right adds 1: 0 is right, 1 down, 2 left, 3 up.
        """
        for task in self._on_squares() if self.make().turns_in_place else ():
            for turn, quarter in ((Action.TURN_LEFT, -1), (Action.TURN_RIGHT, 1)):
                for turns, (state,) in enumerate(self._turning(self.started(task), turn, 0)):
                    at_place = (state.agent_position, state.agent_direction)
                    expected = (task.maze.start, quarter * turns % len(STEPS))
                    what = f"on '{task.task_id}', after {turns} times {turn.name}, the agent"
                    expect(at_place == expected, f"{what} is at {at_place}, cell and direction, expected {expected}")

    def test_it_moves_one_cell_if_it_says_so(self) -> None:
        """With `moves_one_cell`, the agent on squares steps ahead onto bare floor, and stays where a wall is ahead."""
        for task in self._on_squares() if self.make().moves_one_cell else ():
            world = compile_world(task, square_topology(*task.maze.dimensions))
            taken = {world.topology.lattice[cell] for entity in world.entities for cell in entity.cells}
            for faced, moved in self._turning(self.started(task), Action.TURN_LEFT, 1):
                what = f"on '{task.task_id}', the agent at {faced.agent_position} that faces {faced.agent_direction}"
                expect(faced.agent_direction in range(len(STEPS)), f"{what} faces none of the directions 0 to 3")
                (x, y), (dx, dy) = faced.agent_position, STEPS[faced.agent_direction]
                ahead = (x + dx, y + dy)
                place = faced.agent_position if ahead in task.maze.wall_cells() else ahead
                arrived = ahead in taken or moved.agent_position == place
                expect(arrived, f"{what} moves forward to {moved.agent_position}, expected {tuple(place)}")

    def _on_squares(self) -> list[TaskSpecification]:
        """Return the tasks if the backend shows squares, except those that start on a mechanism."""
        if self.make().tiling not in (None, SQUARE):
            return []
        starts = ((task, compile_world(task, square_topology(*task.maze.dimensions))) for task in self.playable())
        return [task for task, world in starts if not world.things_at(world.start, world.start.cell)]

    def _turning(self, backend: AbstractGridBackend, turn: Action, steps: int) -> Iterator[list[GridState]]:
        """Yield the states after 0 to 3 turns and some steps forward, the state before each step first.

        Episodes that end earlier are left out.
        """
        for turns in range(len(STEPS)):
            with calling(f"{turns} times step({int(turn)}), then {steps} times step({int(Action.MOVE_FORWARD)})"):
                backend.reset(seed=SEED)
                states = [backend.get_state()]
                for action in (*[turn] * turns, *[Action.MOVE_FORWARD] * steps):
                    if states[-1].terminated or states[-1].truncated:
                        break
                    states.append(backend.step(action)[4])
                else:
                    yield states[turns:]

    # --- States --------------------------------------------------------------------------------------------------

    def test_its_states_agree_with_the_task(self) -> None:
        """`GridState` is filled in from the task and from the simulator at each reset and step.

        An episode is truncated at step `task.max_steps`, not before, unless it has ended.
        """
        for task in self.playable():
            backend = self.started(task)
            for number, (_, _, state, _) in enumerate(self.moments(backend, task)):
                for what, holds in _facts(task, number, state, backend.get_state()):
                    if not holds:
                        fail(f"after {number} steps of '{task.task_id}' {what!r} is not true of {state}")
            backend = self.started(attrs.evolve(task, max_steps=3))
            flags = [backend.step(Action.DONE)[2:4] for _ in range(3)]
            expected = [(False, False), (False, False), (False, True)]
            expect(flags == expected, f"waiting for 3 of 3 steps gives (terminated, truncated) {flags}")

    def test_its_states_survive_json_and_later_steps(self) -> None:
        """`GridState` holds integers, strings, and sets and dictionaries of them, made anew for each.

        `digest` returns 16 hexadecimal digits.
        """
        for task in self.playable():
            backend, kept = self.started(task), []
            for _, _, state, _ in self.moments(backend, task):
                for each in (state, backend.get_known_state()):
                    expect_through_json("a GridState", each)
                kept.append((state, deepcopy(state)))
                digest = backend.digest()
                sound = isinstance(digest, str) and re.fullmatch("[0-9a-f]{16}", digest)
                expect(sound, f"digest() returns {digest!r}")
            expect(all(state == copy for state, copy in kept), "a returned state was modified by a later step")

    # --- The same again ------------------------------------------------------------------------------------------

    def test_an_episode_is_the_same_whatever_was_before(self) -> None:
        """`reset` returns to the start, and all randomness comes from its seed, in any instance.

        `configure`, or `on_configure` of a KernelBackend, resets everything that belongs to a task, also after `close`,
        which may be called twice.
        """
        tasks = self.playable(2)
        for earlier, task in zip([*tasks[1:], tasks[0]], tasks, strict=True):
            expected, backend = self.play(self.started(task), task), self.started(earlier)
            self.play(backend, earlier)
            backend.configure(task)
            found = {"after another task": self.play(backend, task), "again": self.play(backend, task)}
            with calling("close(), twice"):
                backend.close()
                backend.close()
            with calling("configure and reset after close()"):
                backend.configure(task)
                backend.reset(seed=SEED)
            found["after close()"] = self.play(backend, task)
            for when, episode in found.items():
                expect(same(episode, expected), f"'{task.task_id}' is observed differently when it is played {when}")

    # --- What it shows -------------------------------------------------------------------------------------------

    def test_looking_changes_nothing(self) -> None:
        """`render`, `observe`, `get_state` and `get_known_state` modify nothing: a second look shows the same.

        `render` returns a numpy array of shape (height, width, 3) and dtype uint8.
        """
        for task in self.playable():
            backend = self.started(task)
            unwatched, watched = self.play(backend, task), []
            for number, moment in enumerate(self.moments(backend, task)):
                watched.append(_shown(backend, moment))
                if number % LOOK_EVERY:
                    continue
                with calling("looking twice"):
                    (frame, *one), (again, *other) = _look(backend), _look(backend)
                facts = [getattr(frame, fact, None) for fact in ("shape", "dtype")]
                expect(is_rgb(frame), f"render() returns {type(frame).__name__}, of shape and dtype {facts}")
                mode = task.rules.observability
                expect(same([frame, one], [again, other]), f"in the mode {mode}, a second look shows something else")
            expect(same(watched, unwatched), "an episode takes another course when it is looked at")


def _shown(backend: AbstractGridBackend, moment: Moment) -> tuple[Any, ...]:
    observation, reward, state, _ = moment
    return deepcopy(observation), reward, state.to_dict(), backend.digest()


def _look(backend: AbstractGridBackend) -> tuple[Any, ...]:
    states = backend.get_state().to_dict(), backend.get_known_state().to_dict()
    observed = deepcopy(backend.observe()) if isinstance(backend, KernelBackend) else None
    return deepcopy(backend.render()), observed, states, backend.digest()


def _facts(task: TaskSpecification, number: int, state: GridState, present: GridState) -> Iterator[tuple[str, bool]]:
    """Yield statements in words, each with whether it holds after `number` steps of an episode."""
    at_start, (x, y), over = number == 0, state.agent_position, state.terminated or state.truncated
    yield "get_state() == the state of reset or step", state == present
    yield f"step_count == {number}", state.step_count == number
    yield f"max_steps == {task.max_steps}", state.max_steps == task.max_steps
    yield f"observability_mode == '{task.rules.observability}'", state.observability_mode == task.rules.observability
    yield f"agent_position == {tuple(task.maze.start)}", not at_start or state.agent_position == task.maze.start
    yield "agent_position is on the lattice", 0 <= x < task.maze.width and 0 <= y < task.maze.height
    yield "not terminated, not truncated, reward 0", not at_start or (over, state.reward) == (False, 0)
    yield "terminated when goal_reached", state.terminated or not state.goal_reached
    yield "visible_cells <= explored_cells", state.visible_cells <= state.explored_cells


def _expect_raised(what: str, call: Callable[[], object], error: type[Exception]) -> None:
    try:
        call()
    except error:
        return
    except Exception as other:
        fail(f"{what} raises {type(other).__name__} instead of {error.__name__}")
    fail(f"{what} raises no {error.__name__}")


def _expect_refused(backend: AbstractGridBackend, action: Any, error: type[Exception]) -> None:
    before = deepcopy(backend.get_state())
    _expect_raised(f"step({action!r})", partial(backend.step, action), error)
    expect(backend.get_state() == before, f"step({action!r}) raises, but has changed the state")


def _is_info(info: Any) -> bool:
    """Whether the value is a dictionary whose events, if any, are `Event` records."""
    events = info.get("events", ()) if isinstance(info, dict) else None
    return isinstance(events, tuple) and all(isinstance(event, Event) for event in events)
