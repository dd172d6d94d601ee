"""`BackendConformance`: the checks that a backend must pass."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from copy import deepcopy
from itertools import product
from typing import Any

import attrs

from gridworld.actions import Action
from gridworld.backends.grid_state import full_grid_state, known_grid_state
from gridworld.backends.kernel import KernelBackend
from gridworld.plugins import get_registry
from gridworld.task_spec import TaskSpecification
from gridworld.testing.backend_contract import LENGTH, ContractChecks, stages
from gridworld.testing.conformance import calling, expect, fail
from gridworld.testing.expectations import same
from gridworld.testing.stage import kit_task, stage, stage_task, walk
from gridworld.world import Episode, Topology, compile_world
from gridworld.world.knowledge import Snapshot

SEEDS = (1, 2)
CLOSET = [[4, 1], [4, 2], [4, 3], [5, 3], [6, 3], [4, 4], [3, 3]]
"""Walls that separate the cells (5, 1) to (6, 2) from the rest of the stage."""
UNSEEN = ([5, 1], [6, 1], [5, 2], [6, 2])
RESTORED, WALKED_ON = 4, 2
"""Number of earlier snapshots to restore per episode, and of steps taken from each."""
SHOWN = ("get_state()", "get_known_state()", "digest()", "observe()", "render()")


class BackendConformance(ContractChecks):
    """The checks of a backend, to be subclassed in its author's tests.

        class TestTextBackend(BackendConformance):
            backend = TextBackend
            arguments = {"width": 80}

    A `KernelBackend` only shows the world: it is compared with the kernel, step by step. For a backend around another
    simulator, the checks of that have nothing to do. A backend that refuses the kit's own tasks needs others:

        class TestWarehouse(BackendConformance):
            backend = WarehouseBackend
            tasks = (LOCKED, AJAR)
    """

    def kernel_stages(self) -> list[TaskSpecification]:
        """Return the furnished stage in each observability mode; nothing for a backend around another simulator."""
        return stages() if isinstance(self.make(), KernelBackend) else []

    def kernel_backend(self, task: TaskSpecification) -> KernelBackend:
        """Return a new backend at the start of a task."""
        backend = self.started(task)
        assert isinstance(backend, KernelBackend)
        return backend

    def test_it_shows_an_installed_tiling_of_the_size_of_the_task(self) -> None:
        """`tiling` is installed, or provided by the same plugin; `make_topology` takes `task.maze.dimensions`."""
        for task in self.kernel_stages()[:1]:
            backend, tilings = self.kernel_backend(task), get_registry().tilings
            expect(
                backend.tiling and backend.tiling in tilings,
                f"`tiling` is {backend.tiling!r}, installed are {tilings.names()}",
            )
            topology = backend.make_topology(task)
            size = (topology.width, topology.height) if isinstance(topology, Topology) else type(topology).__name__
            expect(
                size == task.maze.dimensions, f"make_topology returns {size}, not of the size {task.maze.dimensions}"
            )

    # --- It is the kernel that decides ---------------------------------------------------------------------------

    def test_its_state_is_that_of_the_kernel_at_every_step(self) -> None:
        """`step`, `get_state`, `get_known_state` and what is in `info` are left to the base class."""
        for task, seed in product(self.kernel_stages(), SEEDS):
            backend = self.kernel_backend(task)
            _, _, info = backend.reset(seed=seed)
            expect(info.get("events") == (), f"`info` of reset is {info!r}, without the kernel's events")
            episode = Episode(compile_world(task, backend.make_topology(task)))
            episode.reset()
            for _, action, _, events in walk(episode.world, seed, LENGTH):
                episode.step(action)
                with calling(f"step({action})"):
                    *_, state, info = backend.step(action)
                known = known_grid_state(episode.world, episode.snapshot)
                full = full_grid_state(episode.world, episode.snapshot)
                if state != full or backend.get_known_state() != known:
                    fail(f"after {state.step_count} steps the state is {state}, the kernel's is {full}")
                expect(info.get("events") == events, "`info['events']` are not the kernel's")

    def test_a_restored_moment_is_shown_as_it_was(self) -> None:
        """In any instance, what is shown follows from `self.episode.snapshot`, or is updated in `on_change`.

        `restore` calls that, too.
        """
        for task in self.kernel_stages():
            backend, other = self.kernel_backend(task), self.kernel_backend(task)
            actions = [action for _, action, _, _ in walk(backend.world, SEEDS[0], LENGTH)]
            kept = [_Shown.by(backend)]
            for action in actions:
                backend.step(action)
                kept.append(_Shown.by(backend))
            rng = random.Random(SEEDS[0])
            for number, each in product(rng.choices(range(len(kept)), k=RESTORED), (backend, other)):
                with calling("restore(an earlier snapshot)"):
                    each.restore(kept[number].snapshot)
                for at in range(number, min(number + WALKED_ON, len(actions)) + 1):
                    if at > number:
                        each.step(actions[at - 1])
                    wrong = _differing(_Shown.by(each), kept[at])
                    expect(not wrong, f"after step {number} was restored, {wrong} at step {at} is not as it was")

    # --- What it shows -------------------------------------------------------------------------------------------

    def test_where_nobody_looks_all_else_is_the_same(self) -> None:
        """What is not kept up to date while `unseen` is brought up to date when it is drawn; `configure` ends that."""
        for task in self.kernel_stages():
            seen, unseen = self.kernel_backend(task), self.kernel_backend(task)
            unseen.skip_rendering()
            unseen.reset()
            _expect_same_unseen(unseen, seen)
            for _, action, _, _ in walk(seen.world, SEEDS[0], LENGTH):
                seen.step(action)
                unseen.step(action)
            _expect_same_unseen(unseen, seen)
            for each in (seen, unseen):
                each.configure(task)
            first, again = deepcopy(seen.reset()[0]), deepcopy(unseen.reset()[0])
            expect(same(first, again), "after `configure`, nothing is observed since nobody has looked before")

    def test_what_is_not_seen_or_hidden_is_not_shown(self) -> None:
        """Cells are drawn as `self.episode.look(cell)` says: None means unseen, and what is hidden is wall or floor."""
        if not self.kernel_stages():
            return
        for mode in ("view_cone", "fog_of_war"):
            first, *others = map(self._watch, _closets(mode))
            for other in others:
                expect(same(first, other), f"in the mode {mode}, cells that the agent has never seen are shown")
        bare, cell = stage_task(companions=False), [3, 1]
        walled = attrs.evolve(bare, maze=attrs.evolve(bare.maze, walls=[cell]))
        for name, without in (("hazards", bare), ("gates", walled)):
            hidden = {
                "mechanisms": {name: [{"id": "hidden", "position": cell}]},
                "rules": {"hidden_mechanisms": ["hidden"]},
            }
            pictures = [self._picture(task) for task in (stage_task(**hidden, companions=False), without)]
            expect(same(*pictures), f"hidden {name} are not drawn as the wall or floor that they look like")

    def _watch(self, task: TaskSpecification) -> list[Any]:
        """Return everything observed and drawn while the agent looks around without seeing into the closet."""
        backend = self.kernel_backend(task)
        seen = [deepcopy((backend.reset()[0], backend.render()))]
        for action in (Action.TURN_RIGHT, Action.MOVE_FORWARD, Action.TURN_LEFT, Action.TURN_LEFT, Action.MOVE_FORWARD):
            seen.append(deepcopy((backend.step(action)[0], backend.render())))
        inside = {tuple(cell) for cell in backend.get_state().explored_cells} & {tuple(cell) for cell in UNSEEN}
        expect(
            not inside, f"the agent sees into a closed room: run `TilingConformance` on the tiling; {sorted(inside)}"
        )
        return seen

    def _picture(self, task: TaskSpecification) -> Any:
        backend = self.kernel_backend(task)
        return deepcopy((backend.reset()[0], backend.render()))


@attrs.frozen(eq=False)
class _Shown:
    """A snapshot, with copies of everything shown at that moment."""

    snapshot: Snapshot
    seen: tuple[Any, ...]

    @classmethod
    def by(cls, backend: KernelBackend) -> _Shown:
        states = backend.get_state().to_dict(), backend.get_known_state().to_dict()
        pictures = deepcopy(backend.observe()), deepcopy(backend.render())
        return cls(backend.snapshot(), (*states, backend.digest(), *pictures))


def _differing(one: _Shown, other: _Shown) -> str:
    shown = zip(SHOWN, one.seen, other.seen, strict=True)
    return ", ".join(what for what, here, there in shown if not same(here, there))


def _expect_same_unseen(unseen: KernelBackend, seen: KernelBackend) -> None:
    with calling("observe() and render() while `unseen`"):
        wrong = _differing(_Shown.by(unseen), _Shown.by(seen))
    wrong = wrong or ("" if unseen.pictured == seen.pictured else "`pictured`")
    expect(not wrong, f"where nobody looks, {wrong} is not what it is where somebody does")


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
        yield kit_task({**data, "maze": {**data["maze"], "walls": CLOSET, "goal": [2, 4]}})
