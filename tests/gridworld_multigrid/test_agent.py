"""The nine native actions, and how the seven external ones are translated to them."""

from typing import Any

import numpy as np
import pytest

from gridworld.errors import EpisodeOver, InvalidAction, NotResetError
from gridworld.world import Episode
from gridworld.world.events import Bumped, Moved, NoEffect, Pushed
from gridworld_multigrid.agent import ACTION_SETS, Action
from support.worlds import begin, block, compiled, corridor, look

NATIVE, EXTERNAL = ACTION_SETS["native"], ACTION_SETS["external"]


def test_backward_steps_back_without_turning_round() -> None:
    episode = begin(corridor("@..G"))
    episode.perform(NATIVE.act(Action.FORWARD))
    (event,) = episode.perform(NATIVE.act(Action.BACKWARD))
    assert isinstance(event, Moved)
    assert (look(episode).agent_position, look(episode).agent_direction) == ((1, 1), 0)


def test_push_moves_a_block_and_nothing_else() -> None:
    episode = begin(corridor("@b..G", b=block()))
    pushed, moved = episode.perform(NATIVE.act(Action.PUSH))
    assert (type(pushed), type(moved)) == (Pushed, Moved)
    episode = begin(corridor("@..G"))
    assert episode.perform(NATIVE.act(Action.PUSH)) == (NoEffect("there is nothing to push in front"),)
    assert look(episode).agent_position == (1, 1)


def test_forward_pushes_too_and_backward_never() -> None:
    episode = begin(corridor("@b...G", b=block()))
    episode.perform(NATIVE.act(Action.FORWARD))
    assert look(episode).block_positions == {"b": (3, 1)}
    for turn in (Action.TURN_LEFT, Action.TURN_LEFT):
        episode.perform(NATIVE.act(turn))
    assert episode.perform(NATIVE.act(Action.BACKWARD)) == (Bumped("b"),)
    assert look(episode).block_positions == {"b": (3, 1)}


@pytest.mark.parametrize("action", [np.int64(8), np.uint8(8), Action.WAIT, 8])
def test_any_kind_of_integer_is_an_action(action: Any) -> None:
    assert NATIVE.act(action) is NATIVE.act(Action.WAIT)


@pytest.mark.parametrize("action", [9, -1, None, "forward", 1.0], ids=repr)
def test_what_is_none_of_the_nine_is_refused_and_changes_nothing(action: Any) -> None:
    episode = begin(corridor("@..G"))
    before = episode.state
    with pytest.raises(InvalidAction, match="not in the action space"):
        episode.perform(NATIVE.act(action))
    assert episode.state == before


@pytest.mark.parametrize("action", [7, 8, -1, None, "done"], ids=repr)
def test_native_actions_are_not_external_ones(action: Any) -> None:
    with pytest.raises(InvalidAction, match="turn_left"):
        begin(corridor("@..G")).perform(EXTERNAL.act(action))


def test_unready_episodes_are_refused_before_unknown_actions() -> None:
    with pytest.raises(NotResetError):
        Episode(compiled(corridor("@.G"))).perform(NATIVE.act(99))
    over = begin(corridor("@G"))
    over.perform(NATIVE.act(Action.FORWARD))
    with pytest.raises(EpisodeOver):
        over.perform(NATIVE.act(99))
