"""`KernelChecks`: additional checks of backends built on the rules kernel."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from gridworld.actions import Action
from gridworld.backends.base import AbstractGridBackend
from gridworld.backends.grid_state import full_grid_state, known_grid_state
from gridworld.backends.kernel import KernelBackend
from gridworld.hookspecs import BackendInfo
from gridworld.plugins import get_registry
from gridworld.task_spec import TaskSpecification
from gridworld.testing.backend_contract import LENGTH, ContractChecks, stages
from gridworld.testing.comparing import copied, same
from gridworld.testing.conformance import calling, expect, fail
from gridworld.testing.stage import stage, stage_task
from gridworld.testing.walks import walk
from gridworld.world import Episode, Topology, compile_world
from gridworld.world.knowledge import Snapshot

__all__ = ["KernelChecks"]

SEEDS = (1, 2)
CLOSET = [[4, 1], [4, 2], [4, 3], [5, 3], [6, 3], [4, 4], [3, 3]]
"""Walls that separate the cells (5, 1) to (6, 2) from the rest of the stage."""
UNSEEN = ([5, 1], [6, 1], [5, 2], [6, 2])
RESTORED, WALKED_ON = 4, 2
"""Number of earlier snapshots to restore per episode, and of steps taken from each."""


@attrs.frozen(eq=False)
class _Shown:
    """A snapshot, with copies of everything shown at that moment."""

    snapshot: Snapshot
    seen: tuple[Any, ...]

    @classmethod
    def by(cls, backend: KernelBackend) -> _Shown:
        states = backend.get_state().to_dict(), backend.get_known_state().to_dict()
        return cls(backend.snapshot(), (*states, backend.digest(), copied(backend.observe()), copied(backend.render())))


class KernelChecks(ContractChecks):
    """The checks of every `KernelBackend`; authors subclass `BackendConformance`.

    Such a backend only shows the world: its states are compared with those of the kernel, step by step.
    """

    def make_kernel(self) -> KernelBackend:
        """Return a new backend."""
        return _on_kernel(self.make())

    def _start_kernel(self, task: TaskSpecification) -> tuple[KernelBackend, Any]:
        """Return a new backend at the start of a task, and its first observation."""
        backend, observation = self.started(task)
        return _on_kernel(backend), observation

    # --- What it says of itself ----------------------------------------------------------------------------------

    def test_it_has_the_name_of_its_descriptor_and_an_installed_tiling(self) -> None:
        """The backend has its descriptor's name and an installed tiling: results are reported under these names."""
        backend, given = self.make_kernel(), self.resolve()
        wanted = given.name if isinstance(given, BackendInfo) else backend.name
        expect(
            backend.name == wanted,
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
            topology = self.make_kernel().make_topology(task)
        expect(
            isinstance(topology, Topology) and (topology.width, topology.height) == task.maze.dimensions,
            f"make_topology returns {type(topology).__name__} that is not of the size {task.maze.dimensions}",
            "return the tiling of `task.maze.dimensions`",
        )

    # --- It is the kernel that decides ---------------------------------------------------------------------------

    def test_its_state_is_that_of_the_kernel_at_every_step(self) -> None:
        """The backend's state is the kernel's at every step: such backends show what happens and never decide it."""
        for task in stages():
            for seed in SEEDS:
                backend = self.make_kernel()
                backend.configure(task)
                _, _, info = backend.reset(seed=seed)
                expect(info.get("events") == (), f"`info` of reset is {info!r}", ADDS_TO_INFO)
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
                    expect(info.get("events") == events, "`info['events']` are not the kernel's", ADDS_TO_INFO)

    # --- Snapshots -----------------------------------------------------------------------------------------------

    def test_a_restored_moment_is_shown_as_it_was(self) -> None:
        """A restored moment has the same state, observation, picture and digest, there and later, in any instance."""
        for task in stages():
            backend, _ = self._start_kernel(task)
            actions = [action for _, action, _, _ in walk(backend.world, SEEDS[0], LENGTH)]
            kept = [_Shown.by(backend)]
            for action in actions:
                backend.step(action)
                kept.append(_Shown.by(backend))
            other = self.make_kernel()
            other.configure(task)
            rng = random.Random(SEEDS[0])
            for number in rng.choices(range(len(kept)), k=RESTORED):
                _expect_restored(backend, kept, actions, number)
                _expect_restored(other, kept, actions, number)

    # --- What it shows -------------------------------------------------------------------------------------------

    def test_observing_changes_nothing(self) -> None:
        """Observing twice gives the same as observing once."""
        for task in stages():
            backend, _ = self._start_kernel(task)
            backend.step(Action.MOVE_FORWARD)
            before = backend.snapshot()
            with calling("observe(), twice"):
                seen = [copied(backend.observe()) for _ in "ab"]
            expect(
                same(seen[0], seen[1]) and backend.snapshot() == before,
                f"in the mode {task.rules.observability}, observing a second time shows something else",
                "do not modify anything in `observe`; draw what has changed since the last picture",
            )

    def test_where_nobody_looks_all_else_is_the_same(self) -> None:
        """An episode without drawing plays the same, and shows the same as soon as a picture is requested."""
        for task in stages():
            (seen, observation), unseen = self._start_kernel(task), self.make_kernel()
            first = copied(observation)
            unseen.configure(task)
            unseen.skip_rendering()
            unseen.reset()
            _expect_same_unseen(unseen, seen)
            for _, action, _, _ in walk(seen.world, SEEDS[0], LENGTH):
                seen.step(action)
                unseen.step(action)
            _expect_same_unseen(unseen, seen)
            unseen.configure(task)
            expect(
                same(copied(unseen.reset()[0]), first),
                "after `configure`, nothing is observed since nobody has looked before",
                "leave `configure` to the base class, which ends that",
            )

    def test_what_is_not_seen_is_not_shown(self) -> None:
        """Two worlds that differ only in unseen cells have the same observations and pictures."""
        for mode in ("view_cone", "fog_of_war"):
            shown = [self._watch(task) for task in _closets(mode)]
            different = [number for number, each in enumerate(shown) if not same(each, shown[0])]
            expect(
                not different,
                f"in the mode {mode}, the picture shows what is on cells that the agent has never seen",
                "draw each cell as `self.episode.look(cell)` says: None means unseen, whatever lies there",
            )

    def test_what_is_hidden_is_not_shown(self) -> None:
        """A hidden entity is drawn as a wall if it is solid, otherwise as floor."""
        cell = [3, 1]
        wall, gate = [{"id": "stage-lava", "position": cell}], [{"id": "stage-door", "position": cell}]
        hidden = stage_task(mechanisms={"hazards": wall}, rules={"hidden_mechanisms": ["stage-lava"]}, companions=False)
        shut = stage_task(mechanisms={"gates": gate}, rules={"hidden_mechanisms": ["stage-door"]}, companions=False)
        bare = stage_task(companions=False)
        walled = attrs.evolve(bare, maze=attrs.evolve(bare.maze, walls=[cell]))
        for what, with_it, without in (("a hazard", hidden, bare), ("a gate", shut, walled)):
            shown = [self._start_kernel(task) for task in (with_it, without)]
            pictures = [(copied(observation), copied(backend.render())) for backend, observation in shown]
            expect(
                same(pictures[0], pictures[1]),
                f"{what} that is hidden is not drawn as the wall or floor that it looks like",
                "draw each cell as `self.episode.look(cell)` says",
            )

    def _watch(self, task: TaskSpecification) -> list[Any]:
        """Return everything observed and drawn while the agent looks around without seeing into the closet."""
        backend, observation = self._start_kernel(task)
        seen = [(copied(observation), copied(backend.render()))]
        for action in (Action.TURN_RIGHT, Action.MOVE_FORWARD, Action.TURN_LEFT, Action.TURN_LEFT, Action.MOVE_FORWARD):
            observation, *_ = backend.step(action)
            seen.append((copied(observation), copied(backend.render())))
        visible = {tuple(cell) for cell in backend.get_state().explored_cells}
        expect(
            not visible & {tuple(cell) for cell in UNSEEN},
            f"from outside, the agent sees into a closed room: {sorted(visible)}",
            "its tiling lets sight pass through walls: run `TilingConformance` on it",
        )
        return seen


ADDS_TO_INFO = "keep what the base class puts into `info`"


def _on_kernel(backend: AbstractGridBackend) -> KernelBackend:
    if not isinstance(backend, KernelBackend):
        fail(
            f"{backend!r} is not built on the kernel",
            "set `backend` to the class itself, so that the kit can tell at class creation",
        )
    return backend


def _expect_restored(backend: KernelBackend, kept: list[_Shown], actions: list[Action], number: int) -> None:
    """Restore the moment after the first `number` actions, and go on from there."""
    with calling("restore(an earlier snapshot)"):
        backend.restore(kept[number].snapshot)
    for at in range(number, min(number + WALKED_ON, len(actions)) + 1):
        if at > number:
            backend.step(actions[at - 1])
        wrong = _differing(_Shown.by(backend), kept[at])
        expect(
            not wrong,
            f"after the moment of step {number} was restored, {', '.join(wrong)} at step {at} is not as it was",
            "derive everything from `self.episode.snapshot`, or update it in `on_change`, which `restore` calls, too",
        )


def _expect_same_unseen(unseen: KernelBackend, seen: KernelBackend) -> None:
    with calling("observe() and render() while `unseen`"):
        wrong = _differing(_Shown.by(unseen), _Shown.by(seen))
    expect(
        not wrong and unseen.pictured == seen.pictured,
        f"where nobody looks, {', '.join(wrong) or '`pictured`'} is not what it is where somebody does",
        "what is not brought up to date while `unseen` has to be when it is drawn",
    )


def _differing(one: _Shown, other: _Shown) -> list[str]:
    return [what for what, here, there in zip(SHOWN, one.seen, other.seen, strict=True) if not same(here, there)]


SHOWN = ("get_state()", "get_known_state()", "digest()", "observe()", "render()")


def _closets(mode: str) -> Iterator[TaskSpecification]:
    """Yield tasks that differ in the contents of the closed room."""
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
