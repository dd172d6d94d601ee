"""`BackendConformance`: what every backend has to be like."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import attrs

from gridworld.actions import Action
from gridworld.backends.grid_state import full_grid_state, known_grid_state
from gridworld.backends.kernel import KernelBackend
from gridworld.errors import EpisodeOver, InvalidAction, NotResetError
from gridworld.plugins import get_registry
from gridworld.plugins.descriptors import BackendInfo
from gridworld.support.import_strings import load_object
from gridworld.task_spec import TaskSpecification
from gridworld.testing.comparing import copied, same
from gridworld.testing.conformance import Conformance, calling, constructed, expect, fail
from gridworld.testing.stage import stage, stage_task
from gridworld.testing.walks import walk
from gridworld.world import Episode, Topology, compile_world

__all__ = ["BackendConformance"]

SEEDS = (1, 2)
LENGTH = 40
CLOSET = [[4, 1], [4, 2], [4, 3], [5, 3], [6, 3], [4, 4], [3, 3]]
"""Walls that shut the cells (5, 1) to (6, 2) off from the rest of the stage."""
UNSEEN = ([5, 1], [6, 1], [5, 2], [6, 2])
MODES = ("full", "view_cone", "fog_of_war")


class BackendConformance(Conformance):
    """The checks of a backend, to be subclassed in its author's tests.

        class TestTextBackend(BackendConformance):
            backend = TextBackend
            arguments = {"width": 80}

    Backends only show the world: it is the kernel that is played beside them, step by step.
    """

    kind: ClassVar[str] = "backend"

    backend: ClassVar[BackendInfo | Callable[..., KernelBackend] | str]
    """The class, its descriptor, its import string, or its name if it is installed."""

    arguments: ClassVar[Mapping[str, Any]] = {}
    """Arguments of its constructor."""

    # --- What the checks look at ---------------------------------------------------------------------------------

    def make(self) -> KernelBackend:
        """A new backend."""
        given = self.resolve()
        constructor = load_object(given.target) if isinstance(given, BackendInfo) else given
        backend = constructed(constructor, self.arguments, "the backend")
        expect(
            isinstance(backend, KernelBackend),
            f"{backend!r} is no backend",
            "derive it from `gridworld.backends.kernel.KernelBackend`",
        )
        made: KernelBackend = backend
        return made

    def started(self, task: TaskSpecification) -> tuple[KernelBackend, Any]:
        """A new backend at the start of a task, and what it observes."""
        backend = self.make()
        with calling(f"configure and reset on '{task.task_id}'"):
            backend.configure(task)
            observation, _, _ = backend.reset(seed=task.seed)
        return backend, observation

    def tasks(self) -> list[TaskSpecification]:
        """The stage, under each observability."""
        return [stage_task(rules={"observability": mode, "view_size": 3}) for mode in MODES]

    # --- What it says of itself ----------------------------------------------------------------------------------

    def test_it_has_the_name_of_its_descriptor_and_an_installed_tiling(self) -> None:
        """Results are reported under these names."""
        backend, given = self.make(), self.resolve()
        wanted = given.name if isinstance(given, BackendInfo) else backend.name
        expect(
            isinstance(backend.name, str) and backend.name == wanted,
            f"`name` is {backend.name!r}, its descriptor says {wanted!r}",
            "return the name of its BackendInfo",
        )
        expect(
            backend.tiling is not None and backend.tiling in get_registry().tilings,
            f"`tiling` is {backend.tiling!r}, installed are {', '.join(get_registry().tilings.names())}",
            "name an installed tiling, or provide the tiling through `gridworld_tilings`",
        )

    def test_its_topology_is_of_the_size_of_the_task(self) -> None:
        """`make_topology` lays out the task's lattice."""
        task = stage_task()
        with calling("make_topology(task)"):
            topology = self.make().make_topology(task)
        expect(
            isinstance(topology, Topology) and (topology.width, topology.height) == task.maze.dimensions,
            f"make_topology returns {type(topology).__name__} of another size than {task.maze.dimensions}",
            "return the tiling of `task.maze.dimensions`",
        )

    # --- configure, reset, step ----------------------------------------------------------------------------------

    def test_before_configure_and_reset_it_says_so(self) -> None:
        """`NotResetError`, never an answer."""
        fresh, configured = self.make(), self.make()
        configured.configure(stage_task())
        for when, backend in (("configure", fresh), ("reset", configured)):
            for name, call in (("step", lambda b=backend: b.step(0)), ("render", backend.render)):
                try:
                    call()
                except NotResetError:
                    continue
                except Exception as error:
                    fail(f"{name}() before {when}() raises {type(error).__name__}", NOT_RESET)
                fail(f"{name}() before {when}() does not raise", NOT_RESET)

    def test_reset_and_step_return_what_the_interface_says(self) -> None:
        """(observation, state, info) and (observation, reward, terminated, truncated, state, info)."""
        for task in self.tasks():
            backend = self.make()
            backend.configure(task)
            with calling("reset(seed=1)"):
                first = backend.reset(seed=1)
            expect(
                _is_info(first[-1]) and len(first) == 3, f"reset returns {first!r}", "return what super().reset does"
            )
            with calling("step(2)"):
                result = backend.step(Action.MOVE_FORWARD)
            expect(len(result) == 6, f"step returns {len(result)} things: {result!r}", "return what super().step does")
            _, reward, terminated, truncated, state, info = result
            expect(
                (reward, terminated, truncated) == (state.reward, state.terminated, state.truncated) and _is_info(info),
                f"step returns {result!r}",
                "return what super().step does; add to `info` in `extra_info`",
            )

    def test_its_state_is_that_of_the_kernel_at_every_step(self) -> None:
        """Backends show what happens and never decide it."""
        for task in self.tasks():
            for seed in SEEDS:
                backend, _ = self.started(task)
                episode = Episode(compile_world(task, backend.make_topology(task)))
                episode.reset()
                for _, action, _, events in walk(episode.world, seed, LENGTH):
                    episode.step(action)
                    with calling(f"step({action})"):
                        *_, state, info = backend.step(action)
                    full = full_grid_state(episode.world, episode.snapshot)
                    known = known_grid_state(episode.world, episode.snapshot)
                    expect(
                        state == full and backend.get_known_state() == known,
                        f"after {state.step_count} steps the state is {state}, the kernel's is {full}",
                        "leave `step`, `get_state` and `get_known_state` to the base class",
                    )
                    expect(info["events"] == events, "`info['events']` are not the kernel's", "leave them as they are")

    def test_actions_that_cannot_be_leave_the_state_unchanged(self) -> None:
        """`InvalidAction` outside the seven, `EpisodeOver` after the end."""
        task = attrs.evolve(stage_task(), max_steps=2)
        backend, _ = self.started(task)
        wrong: tuple[Any, ...] = (7, -1, "up", None, 1.5)
        for action in wrong:
            _expect_refused(backend, action, InvalidAction)
        for _ in range(task.max_steps):
            backend.step(Action.DONE)
        _expect_refused(backend, int(Action.DONE), EpisodeOver)

    # --- The same again ------------------------------------------------------------------------------------------

    def test_the_same_task_gives_the_same_episode(self) -> None:
        """In another backend, and after another reset of the same one."""
        for task in self.tasks():
            backend, _ = self.started(task)
            episodes = [self._play(self.started(task)[0]), self._play(backend), self._play(backend)]
            expect(
                all(same(episode, episodes[0]) for episode in episodes),
                f"on '{task.task_id}' under {task.rules.observability}, the same actions are observed differently when "
                f"they are played again",
                "go back to the very start at each reset, and let nothing depend on chance, time or the seed",
            )

    def test_a_second_task_keeps_nothing_of_the_first(self) -> None:
        """`configure` starts afresh."""
        for task in self.tasks():
            fresh, reused = self.started(task)[0], self.started(stage_task(companions=False))[0]
            self._play(reused)
            reused.configure(task)
            expect(
                same(self._play(reused), self._play(fresh)),
                "a task is observed differently when another one has been played before",
                "make everything that belongs to a task anew in `on_configure`",
            )

    def test_it_can_be_used_again_after_close(self) -> None:
        """`close` releases; it may come twice."""
        task = stage_task()
        backend, _ = self.started(task)
        played = self._play(backend)
        with calling("close(), twice", "let `close` do nothing the second time"):
            backend.close()
            backend.close()
        with calling("configure and reset after close()", "make what was released anew in `on_configure`"):
            backend.configure(task)
            again = self._play(backend)
        expect(same(again, played), "an episode is another one after close()", "start afresh in `on_configure`")

    def _play(self, backend: KernelBackend) -> list[Any]:
        """Everything observed in an episode of a fixed walk."""
        observation, state, _ = backend.reset(seed=1)
        seen = [(copied(observation), state)]
        for _, action, _, _ in walk(backend.world, SEEDS[0], LENGTH):
            observation, _, _, _, state, _ = backend.step(action)
            seen.append((copied(observation), state))
        return seen

    # --- What it shows -------------------------------------------------------------------------------------------

    def test_its_pictures_are_rgb(self) -> None:
        """`render` returns an array of shape (height, width, 3), uint8."""
        backend, _ = self.started(stage_task())
        with calling("render()"):
            frame = backend.render()
        expect(
            _is_rgb(frame),
            f"render() returns {type(frame).__name__} {_shape(frame)}",
            "return a numpy array of shape (height, width, 3) and dtype uint8",
        )

    def test_observing_and_rendering_change_nothing(self) -> None:
        """Twice is the same as once."""
        for task in self.tasks():
            backend, _ = self.started(task)
            backend.step(Action.MOVE_FORWARD)
            before = backend.get_state()
            with calling("observe() and render(), twice"):
                seen = [(copied(backend.observe()), copied(backend.render())) for _ in "ab"]
            expect(
                same(seen[0], seen[1]) and backend.get_state() == before,
                f"under {task.rules.observability}, looking a second time shows something else",
                "let `observe` and `render` only look; draw what changed since the last picture",
            )

    def test_what_is_not_seen_is_not_shown(self) -> None:
        """Two worlds that differ in unseen cells only are observed, and drawn, the same."""
        for mode in ("view_cone", "fog_of_war"):
            shown = [self._watch(task) for task in _closets(mode)]
            different = [number for number, each in enumerate(shown) if not same(each, shown[0])]
            expect(
                not different,
                f"under {mode}, the picture tells what is on cells that the agent has never seen",
                "draw each cell as `self.episode.look(cell)` says: None is unseen, whatever lies there",
            )

    def test_what_is_hidden_is_not_shown(self) -> None:
        """A hidden thing is drawn as wall if it is solid, otherwise as nothing."""
        cell = [3, 1]
        wall, gate = [{"id": "stage-lava", "position": cell}], [{"id": "stage-door", "position": cell}]
        hidden = stage_task(mechanisms={"hazards": wall}, rules={"hidden_mechanisms": ["stage-lava"]}, companions=False)
        shut = stage_task(mechanisms={"gates": gate}, rules={"hidden_mechanisms": ["stage-door"]}, companions=False)
        bare = stage_task(companions=False)
        walled = attrs.evolve(bare, maze=attrs.evolve(bare.maze, walls=[cell]))
        for what, with_it, without in (("a hazard", hidden, bare), ("a gate", shut, walled)):
            shown = [self.started(task) for task in (with_it, without)]
            pictures = [(copied(observation), copied(backend.render())) for backend, observation in shown]
            expect(
                same(pictures[0], pictures[1]),
                f"{what} that is hidden is drawn otherwise than what it looks like",
                "draw each cell as `self.episode.look(cell)` says",
            )

    def _watch(self, task: TaskSpecification) -> list[Any]:
        """Everything that is observed and drawn while the agent looks around without seeing into the closet."""
        backend, observation = self.started(task)
        seen = [(copied(observation), copied(backend.render()))]
        for action in (Action.TURN_RIGHT, Action.MOVE_FORWARD, Action.TURN_LEFT, Action.TURN_LEFT, Action.MOVE_FORWARD):
            observation, *_ = backend.step(action)
            seen.append((copied(observation), copied(backend.render())))
        visible = {tuple(cell) for cell in backend.get_state().explored_cells}
        expect(
            not visible & {tuple(cell) for cell in UNSEEN},
            f"from outside, the agent sees into a closed room: {sorted(visible)}",
            "see `TilingConformance`: its tiling lets sight pass through walls",
        )
        return seen


NOT_RESET = "raise `gridworld.errors.NotResetError`: use `self.episode`, which raises it"


def _closets(mode: str) -> Iterator[TaskSpecification]:
    """Tasks that differ in what is in the closed room."""
    contents: tuple[Mapping[str, Any], ...] = (
        {},
        {"keys": [{"id": "closet", "position": UNSEEN[0], "color": "blue"}]},
        {"blocks": [{"id": "closet", "position": UNSEEN[0]}]},
        {"hazards": [{"id": "closet", "position": UNSEEN[1]}]},
        {"doors": [{"id": "closet", "position": UNSEEN[2], "initial_state": "closed"}]},
    )
    for mechanisms in contents:
        data = stage(mechanisms, rules={"observability": mode, "view_size": 5}, companions=False)
        yield TaskSpecification.from_dict({**data, "maze": {**data["maze"], "walls": CLOSET, "goal": [2, 4]}})


def _expect_refused(backend: KernelBackend, action: Any, error: type[Exception]) -> None:
    before = backend.get_state()
    remedy = "hand the action to super().step, which raises it before anything changes"
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
    return isinstance(info, dict) and isinstance(info.get("events"), tuple)


def _is_rgb(frame: Any) -> bool:
    import numpy as np

    is_array = isinstance(frame, np.ndarray) and frame.dtype == np.uint8
    return bool(is_array and frame.ndim == 3 and frame.shape[2] == 3 and frame.size)


def _shape(frame: Any) -> str:
    import numpy as np

    return f"of shape {frame.shape} and dtype {frame.dtype}" if isinstance(frame, np.ndarray) else ""
