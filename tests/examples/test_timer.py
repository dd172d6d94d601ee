"""Timers: their gates are shut for some steps and open for as many, and the solver waits for them."""

from typing import Any

import pytest

from gridworld.errors import TaskFormatError
from gridworld.solver import solve
from gridworld.world.events import Changed, Closed, Opened
from support.plugins import on_every_tiling, win
from support.tilings import compiled_on
from support.worlds import Thing, begin, corridor, gate, look, play, switch

WAIT = 6


def timer(*controls: str, **fields: Any) -> Thing:
    return Thing("timers", {"controls": list(controls), **fields})


@pytest.mark.parametrize("period", [1, 3])
def test_a_gate_is_shut_for_a_period_and_open_for_a_period(period: int) -> None:
    episode = begin(corridor("@.gGt", g=gate(), t=timer("g", period=period), max_steps=100))
    opened = []
    for _ in range(4 * period):
        episode.step(WAIT)
        opened.append("g" in look(episode).open_gates)
    shut, open_ = [False] * period, [True] * period
    assert opened == (shut + open_ + shut + open_ + shut)[1 : 4 * period + 1]


def test_it_tells_when_it_changes_and_the_gate_follows_in_the_same_step() -> None:
    episode = begin(corridor("@.gGt", g=gate(), t=timer("g", period=2)))
    cells = {name: episode.world.by_id[name].cells for name in "gt"}
    told = [episode.step(WAIT)[1:] for _ in range(4)]
    assert told == [
        (),
        (Changed("t", cells["t"], "on-for-2"), Opened("g", cells["g"])),
        (),
        (Changed("t", cells["t"], "off-for-2"), Closed("g", cells["g"])),
    ]


def test_a_gate_with_the_agent_in_it_stays_open_until_it_is_clear() -> None:
    episode = begin(corridor("@g.Gt", g=gate(), t=timer("g", period=1)))
    play(episode, "W F")
    assert look(episode).mechanism_states["timers"] == {"t": "off-for-1"}
    assert look(episode).open_gates == {"g"}
    play(episode, "W W W")
    assert look(episode).open_gates == {"g"}
    play(episode, "F")
    assert look(episode).open_gates == set()


def test_a_gate_may_have_a_switch_as_well() -> None:
    episode = begin(corridor("s@g.Gt", g=gate(), t=timer("g", period=2), s=switch("g")))
    play(episode, "LL T")
    for _ in range(6):
        assert play(episode, "W").open_gates == {"g"}


@on_every_tiling
@pytest.mark.parametrize("period", [1, 4])
def test_the_solver_waits_for_the_gate_and_no_longer_than_it_has_to(tiling: str, period: int) -> None:
    world = compiled_on(tiling, corridor("@gG.t", g=gate(), t=timer("g", period=period)))
    ungated = compiled_on(tiling, corridor("@gG.t", g=gate("open"), t=timer(period=period)))
    fastest, needed = solve(ungated).length, solve(world).length
    assert fastest is not None
    assert needed is not None
    assert fastest <= needed <= fastest + period
    win(world)


@pytest.mark.parametrize("period", [0, 5, "3", True])
def test_a_period_that_has_no_picture_is_refused(period: Any) -> None:
    with pytest.raises(TaskFormatError, match=r"mechanisms\.timers\[0\]\.period"):
        corridor("@gGt", g=gate(), t=timer("g", period=period))


def test_what_it_controls_has_to_be_a_gate() -> None:
    task = corridor("@gG.t", g=gate(), t=timer("t"))
    assert task.validate() == (
        False,
        ["mechanisms.timers[0].controls[0]: 't' is one of the timers, which nothing can control"],
    )
