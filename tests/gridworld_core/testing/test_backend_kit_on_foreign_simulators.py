"""The kit for backends passes a sound one around another simulator, and catches each of many broken ones."""

from typing import Any

import attrs
import numpy as np
import pytest

from gridworld.actions import ACTION_SPACE
from gridworld.backends.base import AbstractGridBackend, GridState
from gridworld.backends.kernel import KernelBackend
from gridworld.errors import EpisodeOver, InvalidAction, InvalidTaskError, NotResetError, Problem
from gridworld.hookspecs import BackendInfo
from gridworld.task_spec import TaskSpecification
from gridworld.testing import BackendConformance
from gridworld.testing.backend_contract import ContractChecks
from gridworld.testing.backend_kernel import KernelChecks
from gridworld.testing.conformance import checks_of
from support.sample_plugins import assert_caught, assert_conforms, failures

AHEAD = ((1, 0), (0, 1), (-1, 0), (0, -1))


class Walker(AbstractGridBackend):
    """Walks about between walls, and knows nothing else."""

    _task: TaskSpecification | None = None
    _state: GridState | None = None

    def configure(self, task_spec: TaskSpecification) -> None:
        _, errors = task_spec.validate()
        if len(task_spec.mechanisms):
            errors.append("mechanisms: there are only walls")
        if errors or task_spec.rules.observability != "full":
            raise InvalidTaskError([Problem("", error) for error in errors], task_spec.task_id)
        self._task, self._state = task_spec, None

    def reset(self, seed: int | None = None) -> Any:
        task = self.task()
        self._state = GridState(tuple(task.maze.start), 0, max_steps=task.max_steps)
        return self.render(), self.get_state(), {}

    def step(self, action: int) -> Any:
        state, task = self.present(), self.task()
        if state.terminated or state.truncated:
            raise EpisodeOver("it has ended")
        if action not in ACTION_SPACE:
            raise InvalidAction(f"no action: {action!r}")
        x, y = state.agent_position
        dx, dy = AHEAD[state.agent_direction] if action == 2 else (0, 0)
        place = state.agent_position if (x + dx, y + dy) in task.maze.wall_cells() else (x + dx, y + dy)
        there, count = place == (task.goal.target or task.maze.goal), state.step_count + 1
        self._state = attrs.evolve(
            state,
            agent_position=place,
            agent_direction=(state.agent_direction + {0: -1, 1: 1}.get(action, 0)) % 4,
            step_count=count,
            terminated=there,
            goal_reached=there,
            reward=float(there),
            truncated=count >= task.max_steps and not there,
        )
        state = self.get_state()
        return self.render(), state.reward, state.terminated, state.truncated, state, {}

    def render(self) -> Any:
        picture = np.zeros((6, 8, 3), dtype=np.uint8)
        x, y = self.present().agent_position
        picture[y, x] = 50 * self.present().agent_direction + 50
        return picture

    def get_mission_text(self) -> str:
        return f"walk to {self.task().maze.goal}"

    def get_state(self) -> GridState:
        return attrs.evolve(self.present())

    def close(self) -> None:
        self._task = self._state = None

    def task(self) -> TaskSpecification:
        if self._task is None:
            raise NotResetError("configure first")
        return self._task

    def present(self) -> GridState:
        if self._state is None:
            raise NotResetError("reset first")
        return self._state


def test_a_sound_backend_conforms() -> None:
    assert_conforms(BackendConformance, backend=Walker)


def test_it_is_checked_for_the_contract_and_a_kernel_backend_for_more() -> None:
    class OfWalker(BackendConformance):
        backend = Walker

    class OfWalkerByItsDescriptor(BackendConformance):
        backend = BackendInfo("walker", "Walks.", f"{__name__}:Walker")

    class OfKernel(BackendConformance):
        backend = KernelBackend

    def make_walker() -> AbstractGridBackend:
        return Walker()

    class OfFactory(BackendConformance):
        backend = make_walker

    assert checks_of(OfWalker) == checks_of(OfWalkerByItsDescriptor) == checks_of(OfFactory)
    assert checks_of(OfWalker) == checks_of(ContractChecks)
    assert checks_of(OfKernel) == checks_of(KernelChecks)
    assert len(checks_of(KernelChecks)) > len(checks_of(ContractChecks))


class Unmoved(Walker):
    """Walks nowhere."""

    def step(self, action: int) -> Any:
        return super().step(5 if action == 2 else action)


class Swapped(Walker):
    """Turns right when it is to turn left, and the other way round."""

    def step(self, action: int) -> Any:
        return super().step({0: 1, 1: 0}.get(action, action) if isinstance(action, int) else action)


class FacesDown(Walker):
    """Begins facing down."""

    def reset(self, seed: int | None = None) -> Any:
        super().reset(seed)
        self._state = attrs.evolve(self.present(), agent_direction=1)
        return self.render(), self.get_state(), {}


class WalksSideways(Walker):
    """Walks backwards."""

    def step(self, action: int) -> Any:
        state = self.present()
        if action != 2:
            return super().step(action)
        self._state = attrs.evolve(state, agent_direction=(state.agent_direction + 2) % 4)
        super().step(2)
        self._state = attrs.evolve(self.present(), agent_direction=state.agent_direction)
        now = self.get_state()
        return self.render(), now.reward, now.terminated, now.truncated, now, {}


@pytest.mark.parametrize(
    ("broken", "wrong"),
    [
        (Unmoved, "leads to (1, 1), expected (2, 1)"),
        (Swapped, "the agent faces 1 after 1 times TURN_LEFT, expected 3"),
        (FacesDown, "the agent faces 1 after 0 times TURN_LEFT, expected 0"),
        (WalksSideways, "move_forward from (1, 1)"),
    ],
)
def test_one_that_does_not_turn_or_move_as_actions_say_is_caught(broken: type[Walker], wrong: str) -> None:
    assert_caught(BackendConformance, "it_turns_and_moves_on_bare_floor", wrong, "", backend=broken)


class Nameless(Walker):
    name = ""


class Numbered(Walker):
    tiling = 4  # type: ignore[assignment]


class TakesNoSeed(Walker):
    def reset(self) -> Any:  # type: ignore[override]
        return super().reset()


class Speechless(Walker):
    def get_mission_text(self) -> str:
        return " "


class AnswersEarly(Walker):
    """Has a state before it has a task."""

    def present(self) -> GridState:
        return self._state or GridState((1, 1), 0)


class Trusting(Walker):
    """Takes on what is invalid."""

    def configure(self, task_spec: TaskSpecification) -> None:
        super().configure(attrs.evolve(task_spec, max_steps=10))


class Hasty(Walker):
    """Forgets the episode before it looks at the task."""

    def configure(self, task_spec: TaskSpecification) -> None:
        self._state = None
        super().configure(task_spec)


class Gymnastic(Walker):
    def reset(self, seed: int | None = None) -> Any:
        observation, state, _ = super().reset(seed)
        return observation, state.to_dict(), {}


class NoInfo(Walker):
    def reset(self, seed: int | None = None) -> Any:
        observation, state, _ = super().reset(seed)
        return observation, state, None


class WordyEvents(Walker):
    def step(self, action: int) -> Any:
        *rest, _ = super().step(action)
        return (*rest, {"events": ("moved",)})


class PaysTwice(Walker):
    """Pays another reward than the state says."""

    def step(self, action: int) -> Any:
        observation, reward, *rest = super().step(action)
        return (observation, reward + 1, *rest)


class Lenient(Walker):
    def step(self, action: Any) -> Any:
        return super().step(action if action in range(7) else 6)


class PlaysOn(Walker):
    """Steps after the end."""

    def step(self, action: int) -> Any:
        if self.present().truncated and action in ACTION_SPACE:
            self._state = attrs.evolve(self.present(), truncated=False)
        return super().step(action)


class Uncounted(Walker):
    def get_state(self) -> GridState:
        return attrs.evolve(self.present(), step_count=0)


class Hides(Walker):
    def get_state(self) -> GridState:
        return attrs.evolve(self.present(), observability_mode="fog_of_war")


class FromTheCorner(Walker):
    """Counts from the first cell inside the border."""

    def get_state(self) -> GridState:
        x, y = self.present().agent_position
        return attrs.evolve(self.present(), agent_position=(x - 1, y - 1))


class LagsBehind(Walker):
    """Returns the state before the step."""

    def step(self, action: int) -> Any:
        before = self.get_state()
        observation, *_ = super().step(action)
        return observation, before.reward, before.terminated, before.truncated, before, {}


class Endless(Walker):
    def present(self) -> GridState:
        return attrs.evolve(super().present(), truncated=False)


class NumpyStates(Walker):
    def get_state(self) -> GridState:
        x, y = self.present().agent_position
        return attrs.evolve(self.present(), agent_position=(np.int64(x), np.int64(y)))


class OddDigests(Walker):
    def digest(self) -> str:
        return str(self.present().step_count)


class OneState(Walker):
    """Returns the same state each time, and changes it."""

    def __init__(self) -> None:
        self.cells: set[tuple[int, int]] = set()

    def reset(self, seed: int | None = None) -> Any:
        self.cells.clear()
        return super().reset(seed)

    def get_state(self) -> GridState:
        self.cells.add(self.present().agent_position)
        return attrs.evolve(self.present(), explored_cells=self.cells)


class Erratic(Walker):
    """Starts another way each time."""

    resets = 0

    def reset(self, seed: int | None = None) -> Any:
        super().reset(seed)
        self.resets += 1
        self._state = attrs.evolve(self.present(), agent_direction=self.resets % 4)
        return self.render(), self.get_state(), {}


class KeepsTheFirstWalls(Walker):
    first: TaskSpecification | None = None

    def configure(self, task_spec: TaskSpecification) -> None:
        super().configure(task_spec)
        self.first = self.first or task_spec
        self._task = attrs.evolve(task_spec, maze=self.first.maze)


class ClosesForGood(Walker):
    closed = False

    def close(self) -> None:
        super().close()
        self.closed = True

    def task(self) -> TaskSpecification:
        if self.closed:
            raise RuntimeError("closed")
        return super().task()


class ClosesOnce(Walker):
    def close(self) -> None:
        del self._task


class Transparent(Walker):
    """Draws with an alpha channel."""

    def render(self) -> Any:
        return np.pad(super().render(), ((0, 0), (0, 0), (0, 1)))


class Blinks(Walker):
    looks = 0

    def render(self) -> Any:
        self.looks += 1
        return super().render() + np.uint8(self.looks)


class StandsStillWhenWatched(Walker):
    watched = False

    def get_known_state(self) -> GridState:
        self.watched = True
        return super().get_known_state()

    def step(self, action: int) -> Any:
        watched, self.watched = self.watched, False
        return super().step(6 if watched and action in ACTION_SPACE else action)


EARLY = "before_configure_and_reset_it_says_so"
REFUSED_TASK = "an_invalid_task_is_refused_and_the_one_before_kept"
RETURNS = "reset_and_step_return_what_the_interface_says"
REFUSED_ACTION = "a_refused_action_leaves_the_state_unchanged"
AGREES = "its_states_agree_with_the_task"


@pytest.mark.parametrize(
    ("backend", "check", "wrong", "remedy"),
    [
        (Nameless, "it_has_a_name", "`name` is ''", "leave `name` to the base class"),
        (Numbered, "it_has_a_name", "`tiling` is 4", "leave `tiling` to the base class"),
        (
            TakesNoSeed,
            "its_methods_take_the_arguments_of_the_contract",
            "reset() -> ",
            "that `AbstractGridBackend` has",
        ),
        (Speechless, "its_mission_is_a_sentence", "the mission of 'stage' is ' '", "what to achieve"),
        (AnswersEarly, EARLY, "render() before configure() does not raise", "`gridworld.errors.NotResetError`"),
        (Trusting, REFUSED_TASK, "raises no InvalidTaskError", "call `task.validate()` first"),
        (Hasty, REFUSED_TASK, "get_state() after a task was refused raised NotResetError", "until it is certain"),
        (Gymnastic, RETURNS, "reset returns (", "(observation, GridState, info)"),
        (NoInfo, RETURNS, "reset returns (", "`info` is a dictionary"),
        (WordyEvents, RETURNS, "step returns (", "a tuple of `gridworld.hookspecs.Event`"),
        (PaysTwice, RETURNS, "step returns (", "the reward and the flags of the GridState"),
        (Lenient, REFUSED_ACTION, "step(7) raises no InvalidAction", "raise `InvalidAction` before anything changes"),
        (PlaysOn, REFUSED_ACTION, "step(6) raises no EpisodeOver", "raise `EpisodeOver`"),
        (Uncounted, AGREES, "after 1 steps of 'stage' ['step_count == 1']", "fill in `GridState`"),
        (Hides, AGREES, "[\"observability_mode == 'full'\"]", "fill in `GridState`"),
        (FromTheCorner, AGREES, "['agent_position == (1, 1)']", "fill in `GridState`"),
        (LagsBehind, AGREES, "['get_state() == the state of reset or step']", "at each reset and step"),
        (Endless, "an_episode_is_truncated_when_its_steps_run_out", "(False, False)]", "at step `task.max_steps`"),
        (NumpyStates, "its_states_survive_json", "int64 is not JSON", "with what its fields say"),
        (OddDigests, "its_states_survive_json", "digest() returns '0'", "leave `digest` to the base class"),
        (OneState, "a_returned_state_stays_as_it_was", "was modified by a later step", "a new `GridState` each time"),
        (Erratic, "the_same_task_gives_the_same_episode", "different observations", "at each reset"),
        (
            KeepsTheFirstWalls,
            "a_second_task_keeps_nothing_of_the_first",
            "after another task has been played",
            "in `configure`",
        ),
        (
            ClosesForGood,
            "it_can_be_used_again_after_close",
            "RuntimeError: closed",
            "recreate what was released in `configure`",
        ),
        (ClosesOnce, "it_can_be_used_again_after_close", "close(), twice raised AttributeError", "the second time"),
        (Transparent, "its_pictures_are_rgb", "of shape (6, 8, 4)", "(height, width, 3)"),
        (Blinks, "looking_changes_nothing", "looking a second time", "do not modify anything in"),
        (
            StandsStillWhenWatched,
            "looking_changes_nothing",
            "another course when it is looked at",
            "do not modify anything in",
        ),
    ],
)
def test_a_broken_backend_is_caught(backend: Any, check: str, wrong: str, remedy: str) -> None:
    assert_caught(BackendConformance, check, wrong, remedy, backend=backend)


class Picky(Walker):
    """Plays only what is called after it."""

    def configure(self, task_spec: TaskSpecification) -> None:
        if not task_spec.task_id.startswith("picky"):
            raise InvalidTaskError([Problem("task_id", "it is not for me")], task_spec.task_id)
        super().configure(task_spec)


def picky_task(task_id: str, goal: list[int]) -> dict[str, Any]:
    return {
        "task_id": task_id,
        "seed": 1,
        "difficulty_tier": 1,
        "maze": {"dimensions": [7, 6], "start": [1, 1], "goal": goal},
        "goal": {"type": "reach_position"},
        "max_steps": 30,
    }


ONE, TWO = picky_task("picky one", [5, 4]), picky_task("picky two", [2, 3])


def test_a_backend_that_refuses_the_tasks_of_the_kit_is_asked_for_others() -> None:
    found = failures(BackendConformance, backend=Picky)
    assert {result.verdict for result in found.values()} == {"undecided"}
    for result in found.values():
        assert "it refuses the kit's own: stage is not a valid task:\n  task_id: it is not for me" in result.wrong
        assert "set `tasks` to at least two different tasks that it can play" in result.remedy


def test_it_is_checked_on_the_tasks_that_it_is_given() -> None:
    assert_conforms(BackendConformance, backend=Picky, tasks=(ONE, TaskSpecification.from_dict(TWO)))


def test_one_task_is_not_enough_to_see_what_is_left_of_it_in_another() -> None:
    found = failures(BackendConformance, backend=Picky, tasks=(ONE,))
    assert set(found) == {EARLY, "a_second_task_keeps_nothing_of_the_first"}
    assert {result.verdict for result in found.values()} == {"undecided"}


def test_a_given_task_that_it_refuses_is_a_fault() -> None:
    wrong, remedy = "raised InvalidTaskError: elsewhere is not a valid task", "it must not raise here"
    elsewhere = {**ONE, "task_id": "elsewhere"}
    assert_caught(BackendConformance, AGREES, wrong, remedy, backend=Picky, tasks=(elsewhere, TWO))


def test_a_backend_with_another_error_for_a_task_that_it_cannot_play_is_caught() -> None:
    class Raises(Walker):
        def configure(self, task_spec: TaskSpecification) -> None:
            raise KeyError("switches")

    wrong, remedy = "configure on 'stage' raised KeyError", "raise `InvalidTaskError` for a task that it cannot play"
    assert_caught(BackendConformance, AGREES, wrong, remedy, backend=Raises)


def test_something_that_is_no_backend_is_caught() -> None:
    class Duck:
        """Has no base class."""

    wrong, remedy = "is not a backend", "derive it from `gridworld.backends.base.AbstractGridBackend`"
    assert_caught(BackendConformance, "it_has_a_name", wrong, remedy, backend=Duck)
