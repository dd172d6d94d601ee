"""`gridworld_multigrid.agent.Action`: the native actions, and how `MultiGridBackend` translates the external ones."""

import pytest

from gridworld.actions import ACTION_SPACE
from gridworld.backends.base import AbstractGridBackend
from gridworld.world.events import Event
from gridworld_multigrid import MultiGridBackend, MultiGridEnv
from gridworld_multigrid.agent import Action
from support.worlds import corridor, key

NATIVE = {
    "FORWARD": 0,
    "BACKWARD": 1,
    "TURN_LEFT": 2,
    "TURN_RIGHT": 3,
    "PICKUP": 4,
    "DROP": 5,
    "TOGGLE": 6,
    "PUSH": 7,
    "WAIT": 8,
}
TRANSLATION = {0: 2, 1: 3, 2: 0, 3: 4, 4: 5, 5: 6, 6: 8}


def test_the_native_actions() -> None:
    assert {action.name: action.value for action in Action} == NATIVE


@pytest.mark.parametrize("tiling", ["square", "hex", "triangle", "488", "3464"])
@pytest.mark.parametrize("external", ACTION_SPACE)
def test_an_external_action_does_what_the_native_one_does(external: int, tiling: str) -> None:
    """In a place where each of the seven does something of its own."""

    def played(last: int | None) -> tuple[tuple[Event, ...], object]:
        task = corridor("@k.G", k=key())
        backend, env = (
            MultiGridBackend(tiling=tiling, render_mode=None),
            MultiGridEnv(task, tiling=tiling, actions="native"),
        )
        backend.configure(task)
        backend.reset(), env.reset()
        for action in (3, 1):
            backend.step(action), env.step(TRANSLATION[action])
        events = backend.step(external)[5]["events"] if last is None else env.step(last)[4]["events"]
        return events, backend.episode.state if last is None else env.episode.state

    assert played(None) == played(TRANSLATION[external])


def test_the_backend_has_the_calls_of_every_backend() -> None:
    backend: AbstractGridBackend = MultiGridBackend(tiling="hex")
    backend.configure(corridor("@.G", max_steps=10))
    obs, state, info = backend.reset(seed=None)
    obs, reward, terminated, truncated, state, info = backend.step(6)
    assert (reward, terminated, truncated) == (0, False, False)
    assert (backend.render() == obs).all()
    assert backend.get_state() == state
    assert isinstance(info, dict)
    assert backend.get_mission_text() == "reach the goal"
    backend.close()
