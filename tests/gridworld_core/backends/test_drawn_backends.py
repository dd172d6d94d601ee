"""The backends that draw keep the contract of every backend, on every tiling."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.backends.base import GridState
from gridworld.backends.kernel import DrawnBackend, KernelBackend
from gridworld.errors import EpisodeOver, InvalidAction, InvalidTaskError, NotResetError
from gridworld.plugins import get_registry
from gridworld.support.import_strings import load_object
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from gridworld_multigrid import MultiGridBackend
from support.thoroughness import bounded
from support.tilings import everything
from support.worlds import begin, corridor, hazard, key, look, roaming_action, tasks

Make = Callable[..., DrawnBackend]
MAKERS: dict[str, Make] = {
    "minigrid": partial(MiniGridBackend, tile_size=8),
    **{tiling: partial(MultiGridBackend, tiling=tiling, image_size=96) for tiling in ("square", "hex")},
}
on_all = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
of_each = pytest.mark.parametrize("make", [MAKERS["minigrid"], MAKERS["hex"]], ids=["minigrid", "multigrid"])
on_squares = pytest.mark.parametrize("make", [MAKERS["minigrid"], MAKERS["square"]], ids=["minigrid", "multigrid"])

Use = Callable[[DrawnBackend], object]
USES: dict[str, Use] = {
    "step": lambda backend: backend.step(6),
    "render": lambda backend: backend.render(),
    "get_state": lambda backend: backend.get_state(),
}
USES_OF_A_TASK: dict[str, Use] = {
    **USES,
    "reset": lambda backend: backend.reset(),
    "get_mission_text": lambda backend: backend.get_mission_text(),
}


def ready(make: Make, task: TaskSpecification, **options: Any) -> DrawnBackend:
    """A backend at the start of an episode."""
    backend = make(**options)
    backend.configure(task)
    backend.reset()
    return backend


def roam(backend: DrawnBackend, seed: int, steps: int = 1000) -> list[Any]:
    """Outcomes of random steps, up to the end of the episode."""
    rng, outcomes = random.Random(seed), []
    for _ in range(steps):
        if backend.world.is_over(backend.episode.state):
            break
        outcomes.append(backend.step(roaming_action(backend.world, backend.episode.state, rng)))
    return outcomes


def unchanged(backend: DrawnBackend, action: Any, error: type[Exception]) -> bool:
    """Whether an action is refused and neither state nor picture change."""
    state, frame = backend.get_state(), backend.render()
    with pytest.raises(error):
        backend.step(action)
    return backend.get_state() == state and np.array_equal(backend.render(), frame)


@pytest.mark.parametrize(("name", "backend"), [("minigrid", MiniGridBackend), ("multigrid", MultiGridBackend)])
def test_it_is_installed(name: str, backend: type) -> None:
    assert load_object(get_registry().backends.get(name).target) is backend
    assert issubclass(backend, KernelBackend)
    assert (backend().name, backend().tiling) == (name, "square")


# --- configure, reset, step --------------------------------------------------------------------------------------


@on_all
def test_the_calls_of_the_contract(make: Make) -> None:
    backend = make()
    assert backend.configure(corridor("@..G")) is None  # type: ignore[func-returns-value]  # it is what is tested
    frame, state, info = backend.reset(seed=5)
    assert (frame.ndim, frame.shape[2], frame.dtype) == (3, 3, np.uint8)
    assert isinstance(state, GridState)
    assert (state, info["events"]) == (backend.get_state(), ())
    frame, reward, terminated, truncated, state, info = backend.step(6)
    assert [type(each) for each in (frame, reward, terminated, truncated, state)] == [
        np.ndarray,
        float,
        bool,
        bool,
        GridState,
    ]
    assert backend.get_mission_text() == "reach the goal"
    np.testing.assert_array_equal(backend.render(), frame)


@on_squares
@bounded(8)
@given(task=tasks(), seed=st.integers(0, 10_000))
def test_a_step_on_squares_has_the_outcome_of_the_kernel(make: Make, task: TaskSpecification, seed: int) -> None:
    backend, alone, rng = ready(make, task, render_mode=None), begin(task), random.Random(seed)
    assert backend.get_state() == look(alone)
    while not backend.world.is_over(backend.episode.state):
        action = roaming_action(alone.world, alone.state, rng)
        _, reward, terminated, truncated, state, info = backend.step(action)
        assert info["events"] == alone.step(action)
        assert state == look(alone) == backend.get_state()
        assert (reward, terminated, truncated) == (state.reward, state.terminated, state.truncated)


@on_all
def test_reset_goes_back_to_the_start(make: Make) -> None:
    backend = ready(make, everything())
    frame, state, _ = backend.reset()
    roam(backend, seed=1, steps=30)
    again, same, _ = backend.reset(seed=3)
    np.testing.assert_array_equal(again, frame)
    assert same == state


@of_each
def test_another_task_can_be_configured_at_any_time(make: Make) -> None:
    backend = ready(make, corridor("@.G"))
    before = backend.step(2)[0]
    backend.configure(corridor("@...kG", k=key(), goal={"type": "collect_all", "target_ids": ["k"]}))
    assert backend.get_mission_text() == "pick up the red key"
    frame, state, _ = backend.reset()
    assert frame.shape != before.shape
    assert (state.agent_position, state.step_count) == ((1, 1), 0)


@of_each
def test_an_invalid_task_leaves_the_previous_one_usable(make: Make) -> None:
    good = corridor("@..G")
    backend = ready(make, good)
    backend.step(2)
    with pytest.raises(InvalidTaskError, match="max_steps"):
        backend.configure(attrs.evolve(good, max_steps=0))
    assert backend.step(2)[4].agent_position == (3, 1)
    assert backend.get_mission_text() == "reach the goal"
    assert backend.reset()[1].agent_position == (1, 1)


# --- Refusals ----------------------------------------------------------------------------------------------------


@of_each
@pytest.mark.parametrize("use", USES_OF_A_TASK.values(), ids=USES_OF_A_TASK)
def test_without_a_task_nothing_can_be_done(make: Make, use: Use) -> None:
    closed = ready(make, corridor("@.G"))
    closed.close()
    for backend in (make(), closed):
        with pytest.raises(NotResetError, match="configure"):
            use(backend)


@of_each
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_before_reset_nothing_can_be_played_or_seen(make: Make, use: Use) -> None:
    backend = make()
    backend.configure(corridor("@.G"))
    with pytest.raises(NotResetError, match="reset"):
        use(backend)
    assert backend.reset()[1].step_count == 0
    use(backend)


@of_each
def test_a_closed_backend_can_be_closed_and_used_again(make: Make) -> None:
    for backend in (make(), ready(make, corridor("@.G"))):
        backend.close()
        backend.close()
        backend.configure(corridor("@..G"))
        assert backend.reset()[1].step_count == 0
        assert backend.step(2)[4].agent_position == (2, 1)


@on_all
@pytest.mark.parametrize("action", [0, 99])
def test_a_step_after_the_end_is_refused_and_changes_nothing(make: Make, action: int) -> None:
    over = ready(make, corridor("@.G", max_steps=1))
    assert over.step(6)[3]
    assert unchanged(over, action, EpisodeOver)


@of_each
@pytest.mark.parametrize("row", ["@G", "@hG"], ids=["success", "death"])
def test_a_step_after_success_or_death_is_refused(make: Make, row: str) -> None:
    over = ready(make, corridor(row, **({"h": hazard()} if "h" in row else {})))
    over.step(2)
    assert unchanged(over, 0, EpisodeOver)


@on_all
@pytest.mark.parametrize("action", [7, 8, -1, None, "turn_left", 1.5], ids=repr)
def test_an_unknown_action_is_refused_and_changes_nothing(make: Make, action: Any) -> None:
    assert unchanged(ready(make, corridor("@.G")), action, InvalidAction)


# --- Pictures ----------------------------------------------------------------------------------------------------


@on_all
def test_without_a_render_mode_a_picture_is_drawn_only_by_render(make: Make) -> None:
    silent, showing = (ready(make, everything(), render_mode=mode) for mode in (None, "rgb_array"))
    for action in (2, 1, 2, 6):
        frame = showing.step(action)[0]
        np.testing.assert_array_equal(frame, showing.render())
        assert silent.step(action)[0] is None
    np.testing.assert_array_equal(silent.render(), frame)
    assert silent.reset()[0] is None
    np.testing.assert_array_equal(silent.render(), showing.reset()[0])


@on_all
def test_a_picture_belongs_to_the_caller(make: Make) -> None:
    backend = ready(make, everything())
    first = backend.render()
    kept = first.copy()
    first[:] = 7
    np.testing.assert_array_equal(backend.render(), kept)
    second, _, _, _, _, _ = backend.step(6)
    np.testing.assert_array_equal(second, kept)
    backend.step(1)
    np.testing.assert_array_equal(second, kept)
