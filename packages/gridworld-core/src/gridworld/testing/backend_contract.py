"""`ContractChecks`: the checks of every backend, whichever simulator it uses."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
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
from gridworld.testing.comparing import copied, same
from gridworld.testing.conformance import Conformance, Entry, NeedsExamples, calling, constructed, expect, fail, loaded
from gridworld.testing.stage import stage, stage_task
from gridworld.testing.walks import walk
from gridworld.world import compile_world, square_topology
from gridworld.world.events import Event

__all__ = ["LENGTH", "MODES", "ContractChecks", "Moment", "stages"]

SEED = 1
LENGTH = 40
"""Maximum number of steps in a walk."""
MODES = ("full", "view_cone", "fog_of_war")
"""Observability modes in which backends are tested."""
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
    return [stage_task(rules={"observability": mode, "view_size": 3}) for mode in MODES]


def _bare_stages() -> list[TaskSpecification]:
    """Return the empty stage, and the empty stage with other walls and another start."""
    data = stage({}, companions=False)
    maze = {**data["maze"], "walls": ANNEX, "start": [2, 1]}
    return [TaskSpecification.from_dict(each) for each in (data, {**data, "task_id": "annex", "maze": maze})]


@attrs.frozen(eq=False)
class Moment:
    """The result of a reset or step."""

    observation: Any
    reward: float
    state: GridState
    info: Any

    @property
    def is_last(self) -> bool:
        """Whether the episode is over."""
        return self.state.terminated or self.state.truncated


class ContractChecks(Conformance):
    """The checks of every `AbstractGridBackend`; authors subclass `BackendConformance`."""

    kind: ClassVar[str] = "backend"

    backend: ClassVar[BackendInfo | Callable[..., AbstractGridBackend] | str]
    """The class, its descriptor, its import string, or its name if it is installed."""

    arguments: ClassVar[Mapping[str, Any]] = {}
    """Arguments of the backend's constructor."""

    tasks: ClassVar[Sequence[TaskSpecification | Entry]] = ()
    """At least two different tasks that the backend can play, as specifications or as the contents of task files.

    By default the kit tries its own tasks: a room with built-in mechanisms in each observability mode, the empty
    room, and that room with walls. Tasks that the backend refuses with `InvalidTaskError` are left out.
    """

    # --- What the checks look at ---------------------------------------------------------------------------------

    def make(self) -> AbstractGridBackend:
        """Return a new backend."""
        given = self.resolve()
        constructor = loaded(given.target) if isinstance(given, BackendInfo) else given
        made: AbstractGridBackend = constructed(constructor, self.arguments, "the backend")
        expect(
            isinstance(made, AbstractGridBackend),
            f"{made!r} is not a backend",
            "derive it from `gridworld.backends.base.AbstractGridBackend`, or from "
            "`gridworld.backends.kernel.KernelBackend` if it shows the kernel's worlds",
        )
        return made

    def started(self, task: TaskSpecification) -> tuple[AbstractGridBackend, Any]:
        """Return a new backend at the start of a task, and its first observation."""
        backend = self.make()
        with calling(f"configure and reset on '{task.task_id}'"):
            backend.configure(task)
            observation, _, _ = backend.reset(seed=task.seed)
        return backend, observation

    def playable(self, count: int = 1) -> list[TaskSpecification]:
        """Return at least `count` tasks that the backend plays.

        Args:
            count: how many are needed at least.

        Raises:
            NeedsExamples: the backend plays fewer tasks.
        """
        refusals: list[str] = []
        given = [
            each if isinstance(each, TaskSpecification) else TaskSpecification.from_dict(each) for each in self.tasks
        ]
        tasks = given or [task for task in (*stages(), *_bare_stages()) if self._accepts(task, refusals)][:MAX_TASKS]
        if len(tasks) < count:
            because = f"; it refuses the kit's own: {refusals[0]}" if refusals else ""
            raise NeedsExamples(
                f"{len(tasks)} tasks are known that the backend can play, {count} are needed{because}",
                "subclass the kit in your tests and set `tasks` to at least two different tasks that it can play",
            )
        return tasks

    def _accepts(self, task: TaskSpecification, refusals: list[str]) -> bool:
        backend = self.make()
        with calling(f"configure on '{task.task_id}'", "raise `InvalidTaskError` for a task that it cannot play"):
            try:
                backend.configure(task)
            except InvalidTaskError as refusal:
                refusals.append(str(refusal))
                return False
        return True

    def moments(self, backend: AbstractGridBackend, task: TaskSpecification) -> Iterator[Moment]:
        """Yield the moments of a fixed walk through the configured task, the start first."""
        with calling("reset(seed=1)"):
            observation, state, info = backend.reset(seed=SEED)
        moment = Moment(observation, 0.0, state, info)
        yield moment
        for action in _walk_of(backend, task):
            if moment.is_last:
                return
            with calling(f"step({action})"):
                observation, reward, _, _, state, info = backend.step(action)
            moment = Moment(observation, reward, state, info)
            yield moment

    def play(self, backend: AbstractGridBackend, task: TaskSpecification) -> list[Any]:
        """Return copies of everything shown in an episode of the fixed walk."""
        return [
            (copied(moment.observation), moment.reward, moment.state.to_dict(), backend.digest())
            for moment in self.moments(backend, task)
        ]

    # --- What it says of itself ----------------------------------------------------------------------------------

    def test_it_has_a_name(self) -> None:
        """The backend has a name and, if it has a tiling, the tiling's name: results are reported under these names."""
        backend, given = self.make(), self.resolve()
        names = (given.name, type(backend).__name__) if isinstance(given, BackendInfo) else (backend.name,)
        expect(
            isinstance(backend.name, str) and backend.name and backend.name in names,
            f"`name` is {backend.name!r}, expected {' or '.join(map(repr, names))}",
            "return the name of its BackendInfo, or leave `name` to the base class",
        )
        expect(
            backend.tiling is None or (isinstance(backend.tiling, str) and backend.tiling),
            f"`tiling` is {backend.tiling!r}",
            "return the name of the tiling, or leave `tiling` to the base class where there is none",
        )

    def test_its_methods_take_the_arguments_of_the_contract(self) -> None:
        """`configure(task)`, `reset()`, `reset(seed=None)` and `step(action)` work; other methods take no arguments."""
        backend, task = self.make(), self.playable()[0]
        calls: tuple[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]], ...] = (
            (backend.configure, (task,), {}),
            (backend.reset, (), {}),
            (backend.reset, (), {"seed": None}),
            (backend.step, (int(Action.DONE),), {}),
            (backend.render, (), {}),
            (backend.get_mission_text, (), {}),
            (backend.get_state, (), {}),
            (backend.close, (), {}),
        )
        for method, arguments, named in calls:
            signature = inspect.signature(method)
            try:
                signature.bind(*arguments, **named)
            except TypeError as error:
                fail(
                    f"{method.__name__}{signature} cannot be called as the contract says: {error}",
                    "give it the parameters that `AbstractGridBackend` has, and defaults to any further ones",
                )

    def test_its_mission_is_a_sentence(self) -> None:
        """`get_mission_text` returns a non-empty text."""
        for task in self.playable():
            mission = self.started(task)[0].get_mission_text()
            expect(
                isinstance(mission, str) and mission.strip(),
                f"the mission of '{task.task_id}' is {mission!r}",
                "return a sentence that tells the agent what to achieve",
            )

    # --- configure, reset, step ----------------------------------------------------------------------------------

    def test_before_configure_and_reset_it_says_so(self) -> None:
        """Before `configure` and `reset`, the methods raise `NotResetError`."""
        first, second = self.playable(2)[:2]
        fresh, configured = self.make(), self.make()
        configured.configure(first)
        again, _ = self.started(first)
        again.configure(second)
        for when, backend in (("configure", fresh), ("reset", configured), ("reset", again)):
            _expect_not_reset(f"step() before {when}()", partial(backend.step, 0))
            _expect_not_reset(f"render() before {when}()", backend.render)
            _expect_not_reset(f"get_state() before {when}()", backend.get_state)
        _expect_not_reset("reset() before configure()", fresh.reset)
        _expect_not_reset("get_mission_text() before configure()", fresh.get_mission_text)

    def test_an_invalid_task_is_refused_and_the_one_before_kept(self) -> None:
        """`configure` raises `InvalidTaskError` for an invalid task, and the running episode goes on."""
        task = self.playable()[0]
        backend, _ = self.started(task)
        backend.step(Action.TURN_LEFT)
        before = copied(backend.get_state())
        remedy = "call `task.validate()` first, and raise `InvalidTaskError` if it finds problems"
        try:
            backend.configure(attrs.evolve(task, max_steps=0))
        except InvalidTaskError:
            pass
        except Exception as error:
            fail(f"configure(a task with max_steps=0) raises {type(error).__name__}, not InvalidTaskError", remedy)
        else:
            fail("configure(a task with max_steps=0) raises no InvalidTaskError", remedy)
        with calling("get_state() after a task was refused", KEEPS_TASK):
            after = backend.get_state()
        expect(after == before, "refusing a task changes the state of the configured one", KEEPS_TASK)

    def test_reset_and_step_return_what_the_interface_says(self) -> None:
        """Results are (observation, state, info), and (observation, reward, terminated, truncated, state, info)."""
        for task in self.playable():
            backend = self.make()
            backend.configure(task)
            with calling("reset(seed=1)"):
                first = backend.reset(seed=SEED)
            expect(
                len(first) == 3 and isinstance(first[1], GridState) and _is_info(first[2]),
                f"reset returns {first!r}",
                "return (observation, GridState, info), where `info` is a dictionary; a KernelBackend returns what "
                "super().reset does",
            )
            with calling("step(2)"):
                result = backend.step(Action.MOVE_FORWARD)
            expect(
                len(result) == 6,
                f"step returns {len(result)} things: {result!r}",
                "return (observation, reward, terminated, truncated, GridState, info); a KernelBackend returns what "
                "super().step does",
            )
            _, reward, terminated, truncated, state, info = result
            expect(
                isinstance(state, GridState)
                and (reward, terminated, truncated) == (state.reward, state.terminated, state.truncated)
                and _is_info(info),
                f"step returns {result!r}",
                "return the reward and the flags of the GridState, and a dictionary whose `events`, if any, are "
                "a tuple of `gridworld.hookspecs.Event`",
            )

    def test_a_refused_action_leaves_the_state_unchanged(self) -> None:
        """A refused action raises `InvalidAction` outside the action space and `EpisodeOver` after the end."""
        for each in self.playable():
            task = attrs.evolve(each, max_steps=2)
            backend, _ = self.started(task)
            for action in OUTSIDE:
                _expect_refused(backend, action, InvalidAction)
            for _ in range(task.max_steps):
                backend.step(Action.DONE)
            _expect_refused(backend, int(Action.DONE), EpisodeOver)

    def test_it_turns_and_moves_on_bare_floor(self) -> None:
        """On squares the agent begins facing right, turns by a quarter, and steps ahead unless a wall is there."""
        for task in self.playable():
            backend, _ = self.started(task)
            if backend.tiling in (None, SQUARE):
                self._expect_turns_and_moves(backend, task)

    def _expect_turns_and_moves(self, backend: AbstractGridBackend, task: TaskSpecification) -> None:
        walls, taken = task.maze.wall_cells(), _named_cells(task)
        if task.maze.start in taken:
            return
        for turns, (turn, quarter) in product(range(len(STEPS)), ((Action.TURN_LEFT, -1), (Action.TURN_RIGHT, 1))):
            with calling(f"{turns} times step({int(turn)}), then step({int(Action.MOVE_FORWARD)})"):
                backend.reset(seed=SEED)
                for _ in range(turns):
                    backend.step(turn)
                heading = quarter * turns % len(STEPS)
                faced = backend.get_state()
                if not (faced.terminated or faced.truncated):
                    backend.step(Action.MOVE_FORWARD)
            expect(
                faced.agent_direction == heading,
                f"on '{task.task_id}' the agent faces {faced.agent_direction} after {turns} times {turn.name}, "
                f"expected {heading}",
                "begin with 0, right; turning left takes 1 from `agent_direction`, turning right adds 1, modulo 4",
            )
            (x, y), (dx, dy) = task.maze.start, STEPS[heading]
            ahead = (x + dx, y + dy)
            place = task.maze.start if ahead in walls else ahead
            expect(
                ahead in taken or faced.terminated or faced.truncated or backend.get_state().agent_position == place,
                f"on '{task.task_id}' move_forward from {(x, y)} with the heading {heading} leads to "
                f"{backend.get_state().agent_position}, expected {tuple(place)}",
                "move it onto the cell ahead; headings are 0 right, 1 down, 2 left, 3 up",
            )

    # --- States --------------------------------------------------------------------------------------------------

    def test_its_states_agree_with_the_task(self) -> None:
        """States agree with the task in the start, the step count and the end."""
        for task in self.playable():
            backend, _ = self.started(task)
            for number, moment in enumerate(self.moments(backend, task)):
                wrong = [what for what, holds in _facts(task, number, moment, backend.get_state()) if not holds]
                expect(
                    not wrong,
                    f"after {number} steps of '{task.task_id}' {wrong[:1]} is not true of {moment.state}",
                    "fill in `GridState` from the task and from the simulator at each reset and step",
                )

    def test_an_episode_is_truncated_when_its_steps_run_out(self) -> None:
        """An episode is truncated after `max_steps` steps, not before."""
        for each in self.playable():
            task = attrs.evolve(each, max_steps=3)
            backend, _ = self.started(task)
            flags = [backend.step(Action.DONE)[2:4] for _ in range(task.max_steps)]
            expect(
                flags == [(False, False), (False, False), (False, True)],
                f"waiting for all {task.max_steps} steps of a task gives (terminated, truncated) {flags}",
                "truncate the episode at step `task.max_steps`, unless it has ended before",
            )

    def test_its_states_survive_json(self) -> None:
        """`to_dict` and `from_dict` keep the whole state, and it has a digest."""
        for task in self.playable():
            backend, _ = self.started(task)
            for moment in self.moments(backend, task):
                for state in (moment.state, backend.get_known_state()):
                    with calling("GridState.to_dict and from_dict", PLAIN_STATES):
                        read = GridState.from_dict(json.loads(json.dumps(state.to_dict())))
                    expect(read == state, f"{state} is read from JSON as {read}", PLAIN_STATES)
                digest = backend.digest()
                expect(
                    isinstance(digest, str) and len(digest) == 16 and set(digest) <= set("0123456789abcdef"),
                    f"digest() returns {digest!r}",
                    "leave `digest` to the base class, or return 16 hexadecimal digits",
                )

    def test_a_returned_state_stays_as_it_was(self) -> None:
        """Later steps do not modify a returned state."""
        for task in self.playable():
            backend, _ = self.started(task)
            kept = [(moment.state, copied(moment.state)) for moment in self.moments(backend, task)]
            expect(
                all(state == copy for state, copy in kept),
                "a returned state was modified by a later step",
                "return a new `GridState` each time, with sets and dictionaries of its own",
            )

    # --- The same again ------------------------------------------------------------------------------------------

    def test_the_same_task_gives_the_same_episode(self) -> None:
        """Another instance, and another reset of the same instance, give the same episode."""
        for task in self.playable():
            backend, _ = self.started(task)
            episodes = [self.play(self.started(task)[0], task), self.play(backend, task), self.play(backend, task)]
            expect(
                all(same(episode, episodes[0]) for episode in episodes),
                f"on '{task.task_id}' in the mode {task.rules.observability}, the same actions lead to different "
                f"observations when they are played again",
                "return to the start at each reset, and take all randomness from the seed of `reset`",
            )

    def test_a_second_task_keeps_nothing_of_the_first(self) -> None:
        """`configure` resets all state."""
        tasks = self.playable(2)
        for earlier, task in zip([*tasks[1:], tasks[0]], tasks, strict=True):
            fresh, reused = self.started(task)[0], self.started(earlier)[0]
            self.play(reused, earlier)
            reused.configure(task)
            expect(
                same(self.play(reused, task), self.play(fresh, task)),
                f"'{task.task_id}' is observed differently after another task has been played",
                "reset everything that belongs to a task in `configure` (in `on_configure` of a KernelBackend)",
            )

    def test_it_can_be_used_again_after_close(self) -> None:
        """`close` releases resources, and may be called twice."""
        task = self.playable()[0]
        backend, _ = self.started(task)
        played = self.play(backend, task)
        with calling("close(), twice", "let `close` do nothing the second time"):
            backend.close()
            backend.close()
        remedy = "recreate what was released in `configure` (in `on_configure` of a KernelBackend)"
        with calling("configure and reset after close()", remedy):
            backend.configure(task)
            backend.reset(seed=SEED)
        again = self.play(backend, task)
        expect(same(again, played), "an episode differs after close()", remedy)

    # --- What it shows -------------------------------------------------------------------------------------------

    def test_its_pictures_are_rgb(self) -> None:
        """`render` returns an array of shape (height, width, 3), uint8."""
        backend, _ = self.started(self.playable()[0])
        with calling("render()"):
            frame = backend.render()
        expect(
            is_rgb(frame),
            f"render() returns {type(frame).__name__} {_shape(frame)}",
            "return a numpy array of shape (height, width, 3) and dtype uint8",
        )

    def test_looking_changes_nothing(self) -> None:
        """Rendering twice gives the same picture, and rendering an episode does not change it."""
        for task in self.playable():
            backend, _ = self.started(task)
            unwatched = self.play(backend, task)
            watched = []
            for number, moment in enumerate(self.moments(backend, task)):
                watched.append((copied(moment.observation), moment.reward, moment.state.to_dict(), backend.digest()))
                if number % LOOK_EVERY:
                    continue
                with calling("render(), get_state() and get_known_state(), twice"):
                    looks = [_look(backend) for _ in "ab"]
                expect(
                    same(looks[0], looks[1]),
                    f"in the mode {task.rules.observability}, looking a second time shows something else",
                    "do not modify anything in `render`, `get_state` and `get_known_state`",
                )
            expect(
                same(watched, unwatched),
                "an episode takes another course when it is looked at",
                "do not modify anything in `render`, `get_state` and `get_known_state`",
            )


NOT_RESET = (
    "raise `gridworld.errors.NotResetError` until `configure` and `reset` have been called; a KernelBackend uses "
    "`self.episode`, which raises it"
)
KEEPS_TASK = "change nothing until it is certain that the task can be played"
PLAIN_STATES = "fill in `GridState` with what its fields say: integers, strings, and sets and dictionaries of them"


def _walk_of(backend: AbstractGridBackend, task: TaskSpecification) -> list[Action]:
    """Return the actions of a random walk through the kernel's world; many also make sense in another simulator."""
    on_squares = square_topology(*task.maze.dimensions)
    world = backend.world if isinstance(backend, KernelBackend) else compile_world(task, on_squares)
    return [action for _, action, _, _ in walk(world, SEED, LENGTH)]


def _facts(task: TaskSpecification, number: int, moment: Moment, present: GridState) -> Iterator[tuple[str, bool]]:
    """Yield statements in words, each with whether it holds after `number` steps of an episode."""
    state, at_start = moment.state, number == 0
    yield "get_state() == the state of reset or step", state == present
    yield f"step_count == {number}", state.step_count == number
    yield f"max_steps == {task.max_steps}", state.max_steps == task.max_steps
    yield f"observability_mode == '{task.rules.observability}'", state.observability_mode == task.rules.observability
    yield f"agent_position == {tuple(task.maze.start)}", not at_start or state.agent_position == task.maze.start
    yield "agent_position is on the lattice", _on_lattice(task, state.agent_position)
    yield "not terminated, not truncated, reward 0", not at_start or (moment.is_last, state.reward) == (False, 0)
    yield "terminated when goal_reached", state.terminated or not state.goal_reached
    yield "visible_cells <= explored_cells", state.visible_cells <= state.explored_cells


def _on_lattice(task: TaskSpecification, cell: tuple[int, int]) -> bool:
    x, y = cell
    return 0 <= x < task.maze.width and 0 <= y < task.maze.height


def _named_cells(task: TaskSpecification) -> set[tuple[int, int]]:
    """Return the cells that are occupied at the start."""
    world = compile_world(task, square_topology(*task.maze.dimensions))
    return {world.topology.lattice[cell] for entity in world.entities for cell in entity.cells}


def _look(backend: AbstractGridBackend) -> tuple[Any, ...]:
    picture = copied(backend.render())
    return picture, backend.get_state().to_dict(), backend.get_known_state().to_dict(), backend.digest()


def _expect_not_reset(what: str, call: Callable[[], object]) -> None:
    try:
        call()
    except NotResetError:
        return
    except Exception as error:
        fail(f"{what} raises {type(error).__name__}", NOT_RESET)
    fail(f"{what} does not raise", NOT_RESET)


def _expect_refused(backend: AbstractGridBackend, action: Any, error: type[Exception]) -> None:
    before = copied(backend.get_state())
    remedy = f"raise `{error.__name__}` before anything changes; a KernelBackend leaves it to super().step"
    try:
        backend.step(action)
    except error:
        pass
    except Exception as other:
        fail(f"step({action!r}) raises {type(other).__name__}, not {error.__name__}", remedy)
    else:
        fail(f"step({action!r}) raises no {error.__name__}", remedy)
    expect(backend.get_state() == before, f"step({action!r}) raises, but has changed the state", remedy)


def _is_info(info: Any) -> bool:
    """Whether the value is a dictionary whose events, if any, are `Event` records."""
    if not isinstance(info, dict):
        return False
    events = info.get("events", ())
    return isinstance(events, tuple) and all(isinstance(event, Event) for event in events)


def _shape(frame: Any) -> str:
    import numpy as np

    return f"of shape {frame.shape} and dtype {frame.dtype}" if isinstance(frame, np.ndarray) else ""
