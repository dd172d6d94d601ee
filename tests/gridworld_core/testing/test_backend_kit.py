"""The kit for backends passes a sound one on the kernel, and catches each of many broken ones."""

from typing import Any

import attrs
import numpy as np
import pytest

from gridworld.backends.base import GridState
from gridworld.backends.kernel import KernelBackend
from gridworld.hookspecs import BackendInfo
from gridworld.task_spec import TaskSpecification
from gridworld.testing import BackendConformance
from gridworld.world import Topology, square_topology
from gridworld.world.knowledge import Snapshot
from support.sample_plugins import assert_caught, assert_conforms, failures


class Mosaic(KernelBackend):
    """One pixel for each cell, coloured by how it is shown."""

    def __init__(self, brightness: int = 1) -> None:
        self._brightness = brightness

    @property
    def name(self) -> str:
        return "mosaic"

    @property
    def tiling(self) -> str:
        return "square"

    def make_topology(self, task: TaskSpecification) -> Topology:
        return square_topology(*task.maze.dimensions)

    def observe(self) -> Any:
        return self.render()

    def render(self) -> Any:
        state = self.episode.state
        looks = [repr(self.episode.look(cell)) for cell in range(self.world.topology.cell_count)]
        colors = [[sum(look.encode()) % 256, self._brightness, cell == state.cell] for cell, look in enumerate(looks)]
        return np.array([colors], dtype=np.uint8)


def test_a_sound_backend_conforms() -> None:
    assert_conforms(BackendConformance, backend=Mosaic)
    assert_conforms(BackendConformance, backend=Mosaic, arguments={"brightness": 5})


class Sees(Mosaic):
    """Shows what lies on cells that were never seen."""

    def render(self) -> Any:
        picture = super().render()
        picture[0, :, 1] = len(self.episode.state.places)
        return picture


class SeesGoals(Mosaic):
    """Counts the things in the maze, seen or not."""

    def observe(self) -> Any:
        return [self.render(), len(self.world.entities)]


class ShowsHidden(Mosaic):
    """Marks the cells that are taken, hidden or not."""

    def render(self) -> Any:
        picture = super().render()
        taken = [cell for entity in self.world.entities for cell in entity.cells if entity.id in self._hidden()]
        picture[0, taken, 1] = 255
        return picture

    def _hidden(self) -> tuple[str, ...]:
        return self.world.task.rules.hidden_mechanisms


class Flickers(Mosaic):
    frames = 0

    def render(self) -> Any:
        self.frames += 1
        return super().render() + np.uint8(self.frames)


class OwnRules(Mosaic):
    """Pays for every step."""

    def step(self, action: int) -> Any:
        observation, _, terminated, truncated, state, info = super().step(action)
        state = attrs.evolve(state, reward=0.5)
        return observation, 0.5, terminated, truncated, state, info


class OwnState(Mosaic):
    """Turns the y axis over."""

    def get_state(self) -> GridState:
        state = super().get_state()
        x, y = state.agent_position
        return attrs.evolve(state, agent_position=(x, -y))


class ShortStep(Mosaic):
    """Returns what Gymnasium does."""

    def step(self, action: int) -> Any:
        observation, reward, terminated, truncated, _, info = super().step(action)
        return observation, reward, terminated, truncated, info


class TwoOfReset(Mosaic):
    def reset(self, seed: int | None = None) -> Any:
        observation, _, info = super().reset(seed)
        return observation, info


class Forgiving(Mosaic):
    """Takes whatever it is told to do for waiting."""

    def step(self, action: Any) -> Any:
        return super().step(action if action in range(7) else 6)


class StepsFirst(Mosaic):
    """Finds out too late that there is no such action."""

    def step(self, action: Any) -> Any:
        if action not in range(7):
            super().step(6)
        return super().step(action)


class ValueErrors(Mosaic):
    def render(self) -> Any:
        if self._episode is None:
            raise ValueError("no task")
        return super().render()


class Hoarder(Mosaic):
    """Paints over a canvas that it never clears."""

    canvas: Any = None

    def on_change(self) -> None:
        self.canvas = self.episode.state.steps + (self.canvas or 0)

    def observe(self) -> Any:
        return [self.render(), self.canvas or 0]


class ByTheSeed(Mosaic):
    """Every object of it shows something else."""

    made = 0

    def __init__(self) -> None:
        super().__init__()
        ByTheSeed.made += 1
        self._brightness = ByTheSeed.made


class ClosesForGood(Mosaic):
    closed = False

    def close(self) -> None:
        super().close()
        self.closed = True

    def on_configure(self) -> None:
        if self.closed:
            raise RuntimeError("closed")


class Untold(Mosaic):
    """Leaves the events out."""

    def step(self, action: int) -> Any:
        *rest, _ = super().step(action)
        return (*rest, {})


class UntoldStart(Mosaic):
    def reset(self, seed: int | None = None) -> Any:
        observation, state, _ = super().reset(seed)
        return observation, state, {}


class DrawsInSteps(Mosaic):
    """Keeps a picture that only resets and steps make anew."""

    picture: Any = None

    def reset(self, seed: int | None = None) -> Any:
        self.picture = None
        return super().reset(seed)

    def step(self, action: int) -> Any:
        self.picture = None
        return super().step(action)

    def render(self) -> Any:
        if self.picture is None:
            self.picture = super().render()
        return self.picture


class Spares(Mosaic):
    """Draws nothing where nobody looks, as it may."""

    def skip_rendering(self) -> None:
        self.unseen = True


class LooksAway(Spares):
    """Keeps the picture of the last moment at which somebody looked."""

    picture: Any = None

    def on_configure(self) -> None:
        self.picture = None

    def on_change(self) -> None:
        if not self.unseen:
            self.picture = None

    def render(self) -> Any:
        if self.picture is None:
            self.picture = super().render()
        return self.picture


class StaysUnseen(Spares):
    """Does not notice that somebody looks again."""

    def configure(self, task_spec: TaskSpecification) -> None:
        unseen = self.unseen
        super().configure(task_spec)
        self.unseen = unseen


class CallsItText(Spares):
    """Says that there are no pictures as long as there are none."""

    @property
    def pictured(self) -> bool:
        return not self.unseen


class CountsItself(Mosaic):
    """Makes its digests from what it has counted since the reset."""

    steps = 0

    def reset(self, seed: int | None = None) -> Any:
        self.steps = 0
        return super().reset(seed)

    def step(self, action: int) -> Any:
        self.steps += 1
        return super().step(action)

    def digest(self) -> str:
        return f"{self.steps:016x}"


class OnlyGoesBack(Mosaic):
    """Takes every snapshot for the start."""

    def restore(self, snapshot: Snapshot) -> None:
        self.episode.reset()
        self.on_change()


class Gray(Mosaic):
    def render(self) -> Any:
        return super().render()[:, :, 0]


class Floats(Mosaic):
    def render(self) -> Any:
        return super().render() / 255


class Elsewhere(Mosaic):
    @property
    def tiling(self) -> str:
        return "penrose"


class TooSmall(Mosaic):
    def make_topology(self, task: TaskSpecification) -> Topology:
        return square_topology(20, 20)


UNSEEN = "where_nobody_looks_all_else_is_the_same"
NEVER_SEEN = "what_is_not_seen_is_not_shown"
REFUSES = "a_refused_action_leaves_the_state_unchanged"
RESTORES = "a_restored_moment_is_shown_as_it_was"
AS_THE_KERNEL = "its_state_is_that_of_the_kernel_at_every_step"


@pytest.mark.parametrize(
    ("backend", "check", "wrong", "remedy"),
    [
        (Sees, NEVER_SEEN, "cells that the agent has never seen", "self.episode.look(cell)"),
        (SeesGoals, NEVER_SEEN, "cells that the agent has never seen", "None means unseen"),
        (ShowsHidden, "what_is_hidden_is_not_shown", "a hazard that is hidden", "self.episode.look(cell)"),
        (Flickers, "looking_changes_nothing", "looking a second time", "do not modify anything in"),
        (Flickers, "observing_changes_nothing", "observing a second time", "do not modify anything in"),
        (LooksAway, UNSEEN, "observe(), render() is not what it is", "when it is drawn"),
        (StaysUnseen, UNSEEN, "nothing is observed", "leave `configure` to the base class"),
        (CallsItText, UNSEEN, "`pictured` is not what it is", "when it is drawn"),
        (OwnRules, AS_THE_KERNEL, "the kernel's is", "leave `step`"),
        (OwnState, AS_THE_KERNEL, "the kernel's is", "to the base class"),
        (ShortStep, "reset_and_step_return_what_the_interface_says", "step returns 5 things", "super().step"),
        (TwoOfReset, "reset_and_step_return_what_the_interface_says", "reset returns (", "super().reset"),
        (Forgiving, REFUSES, "step(7) raises no InvalidAction", "leaves it to super().step"),
        (StepsFirst, REFUSES, "has changed the state", "before anything changes"),
        (
            ValueErrors,
            "before_configure_and_reset_it_says_so",
            "render() before configure() raises ValueError",
            "self.epis",
        ),
        (Hoarder, "the_same_task_gives_the_same_episode", "different observations", "at each reset"),
        (Hoarder, "a_second_task_keeps_nothing_of_the_first", "after another task has been", "in `on_configure`"),
        (
            ByTheSeed,
            "the_same_task_gives_the_same_episode",
            "different observations",
            "all randomness from the seed of `reset`",
        ),
        (ClosesForGood, "it_can_be_used_again_after_close", "RuntimeError: closed", "in `on_configure`"),
        (Untold, AS_THE_KERNEL, "`info['events']` are not", "into `info`"),
        (UntoldStart, AS_THE_KERNEL, "`info` of reset is {}", "into `info`"),
        (DrawsInSteps, RESTORES, "observe(), render() at step", "in `on_change`"),
        (CountsItself, RESTORES, "restored, digest() at step", "`self.episode.snapshot`"),
        (OnlyGoesBack, RESTORES, "restored, get_state(), get_known_state()", "which `restore` calls"),
        (Gray, "its_pictures_are_rgb", "of shape (1, 48)", "(height, width, 3)"),
        (Floats, "its_pictures_are_rgb", "dtype float64", "dtype uint8"),
        (Elsewhere, "it_has_the_name_of_its_descriptor_and_an_installed_tiling", "'penrose'", "gridworld_tilings"),
        (TooSmall, "its_topology_is_of_the_size_of_the_task", "not of the size (8, 6)", "task.maze.dimensions"),
    ],
)
def test_a_broken_backend_is_caught(backend: Any, check: str, wrong: str, remedy: str) -> None:
    assert_caught(BackendConformance, check, wrong, remedy, backend=backend)


def test_a_backend_of_another_name_than_its_descriptors_is_caught() -> None:
    assert_caught(
        BackendConformance,
        "it_has_the_name_of_its_descriptor_and_an_installed_tiling",
        "`name` is 'minigrid', its descriptor says 'tiles'",
        "the name of its BackendInfo",
        backend=BackendInfo("tiles", "Tiles.", "gridworld_minigrid.backend:MiniGridBackend"),
    )


def test_a_backend_that_needs_arguments_is_asked_for_them() -> None:
    class Demanding(Mosaic):
        def __init__(self, palette: str) -> None:
            super().__init__()

    found = failures(BackendConformance, backend=Demanding)
    assert {result.verdict for result in found.values()} == {"undecided"}
    assert all("set `arguments`" in result.remedy for result in found.values())
