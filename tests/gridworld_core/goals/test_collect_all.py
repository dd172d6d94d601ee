"""`collect_all`: keys to pick up and switches to turn on."""

from typing import Any

import pytest

from gridworld.goals import COLLECT_ALL
from support.worlds import begin, compiled, corridor, draw, key, play, switch


def collecting(*names: str) -> dict[str, Any]:
    return {"type": "collect_all", "target_ids": list(names)}


def test_it_uses_the_target_ids_alone() -> None:
    assert COLLECT_ALL.fields == ("target_ids",)
    assert not COLLECT_ALL.timed


def test_it_marks_no_cell() -> None:
    assert COLLECT_ALL.markers(corridor("@kG", k=key(), goal=collecting("k"))) == ()


@pytest.mark.parametrize(
    ("names", "mission"),
    [
        (["k"], "pick up the red key"),
        (["k", "l"], "pick up the red key, the blue key"),
        (["s"], "switch on the yellow switch"),
        (["s", "l"], "pick up the blue key and switch on the yellow switch"),
    ],
)
def test_its_mission_names_what_to_collect(names: list[str], mission: str) -> None:
    task = corridor("@klsG", k=key("red"), l=key("blue"), s=switch(), goal=collecting(*names))
    assert COLLECT_ALL.mission(compiled(task)) == mission


@pytest.mark.parametrize("letters", ["PDRP", "RPDLP"])
def test_it_is_reached_in_any_order(letters: str) -> None:
    task = draw("#####\n#@k.#\n#l.G#\n#####", k=key(), l=key("blue"), goal=collecting("k", "l"))
    episode = begin(task)
    assert not play(episode, letters[:-1]).terminated
    assert play(episode, letters[-1]).goal_reached


def test_it_is_reached_with_the_last_key_in_the_hand() -> None:
    state = play(begin(corridor("@k.G", k=key(), goal=collecting("k"))), "P")
    assert state.goal_reached
    assert state.agent_carrying == "k"
    assert state.step_count == 1


def test_a_hold_switch_counts_only_while_it_is_held() -> None:
    task = draw(
        "#####\n#@h.#\n#..s#\n#G..#\n#####",
        h=switch(switch_type="hold"),
        s=switch(switch_type="one_shot"),
        goal=collecting("h", "s"),
    )
    episode = begin(task)
    assert not play(episode, "FFRT").terminated
    assert play(episode, "RF").goal_reached


def test_a_goal_that_names_nothing_is_refused() -> None:
    assert corridor("@kG", k=key(), goal=collecting()).validate() == (
        False,
        ["goal.target_ids: names nothing to collect"],
    )
