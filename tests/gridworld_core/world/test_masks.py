"""Action masks say what could have an effect; that they tell of nothing unseen is in the tests of what is seen."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.actions import Action
from gridworld.errors import NotResetError
from gridworld.task_spec import TaskSpecification
from gridworld.testing.walks import roaming_action
from gridworld.world import Episode, acts
from gridworld.world.acts import Act
from gridworld.world.masks import could_have_effect
from gridworld.world.rules import ACTS
from hypothesis_profiles import bounded
from mosaics import start_on
from tessellations import on_all_tilings
from twins import with_rules
from worlds import begin, block, compiled, corridor, door, draw, gate, key, play, switch, tasks

EVERY_ACT: tuple[Act, ...] = (*ACTS.values(), acts.move_backward, acts.push)
seeds = st.integers(0, 2**32 - 1)


def effects(episode: Episode) -> tuple[bool, ...]:
    """For each act, whether it would have an effect."""
    return tuple(act(episode.world, episode.state)[1][0].effective for act in EVERY_ACT)


def masks(episode: Episode) -> tuple[bool, ...]:
    return could_have_effect(episode.world, episode.snapshot, EVERY_ACT)


def allowed(episode: Episode) -> set[str]:
    """The names of the actions that are not masked."""
    mask = could_have_effect(episode.world, episode.snapshot, ACTS.values())
    return {Action(action).name.lower() for action, could in zip(ACTS, mask, strict=True) if could}


def roam(episode: Episode, seed: int, steps: int = 40) -> None:
    """Take random steps."""
    rng = random.Random(seed)
    for _ in range(steps):
        if episode.world.is_over(episode.state):
            return
        episode.step(roaming_action(episode.world, episode.state, rng))


@on_all_tilings
def test_where_everything_is_shown_masks_are_exact(name: str) -> None:
    @bounded(8)
    @given(tasks(max_side=7), seeds, st.integers(0, 40))
    def check(task: TaskSpecification, seed: int, steps: int) -> None:
        episode = start_on(name, with_rules(task, observability="full", hidden_mechanisms=()))
        roam(episode, seed, steps)
        assert masks(episode) == effects(episode)

    check()


@pytest.mark.parametrize("mode", ["view_cone", "fog_of_war"])
@on_all_tilings
def test_nothing_that_would_have_an_effect_is_masked_where_nothing_is_hidden(name: str, mode: str) -> None:
    @bounded(8)
    @given(tasks(max_side=7), seeds, st.integers(0, 40))
    def check(task: TaskSpecification, seed: int, steps: int) -> None:
        episode = start_on(name, with_rules(task, observability=mode, hidden_mechanisms=()))
        roam(episode, seed, steps)
        assert all(could or not would for could, would in zip(masks(episode), effects(episode), strict=True))

    check()


ALWAYS = {"turn_left", "turn_right", "done"}


@pytest.mark.parametrize(
    ("task", "letters", "further"),
    [
        (corridor("@.G"), "", {"move_forward"}),
        (draw("####\n#@##\n#.G#\n####"), "", set()),
        (corridor("@kG", k=key()), "", {"pickup"}),
        (corridor("@k.G", k=key()), "p", {"move_forward", "drop"}),
        (corridor("@D.kG", D=door("red"), k=key()), "", set()),
        (corridor("@kD.G", D=door("red"), k=key()), "pF", {"toggle"}),
        (corridor("@C.G", C=door("red", "closed")), "", {"toggle"}),
        (corridor("@g.sG", g=gate(), s=switch("g")), "", set()),
        (corridor("@b.G", b=block()), "", {"move_forward"}),
        (corridor("@bc.G", b=block(), c=block()), "", set()),
    ],
    ids=["floor", "wall", "key", "hand", "locked", "with the key", "closed", "gate", "block", "two blocks"],
)
def test_what_is_masked(task: TaskSpecification, letters: str, further: set[str]) -> None:
    episode = begin(task)
    for letter in letters:
        episode.step({"p": Action.PICKUP, "F": Action.MOVE_FORWARD}[letter])
    assert allowed(episode) == ALWAYS | further


def test_what_is_hidden_is_masked_as_what_it_looks_like_until_it_is_discovered() -> None:
    episode = begin(corridor("@C.G", C=door("red", "closed"), rules={"hidden_mechanisms": ["C"]}))
    assert allowed(episode) == ALWAYS
    episode.step(Action.MOVE_FORWARD)
    assert allowed(episode) == ALWAYS | {"toggle"}


def test_behind_the_agent_anything_may_be_where_only_what_is_ahead_is_seen() -> None:
    seen = begin(draw("#####\n#@..#\n#..G#\n#####"))
    unseen = begin(draw("#####\n#@..#\n#..G#\n#####", rules={"observability": "view_cone"}))
    backward = [could_have_effect(each.world, each.snapshot, [acts.move_backward]) for each in (seen, unseen)]
    assert backward == [(False,), (True,)]


def test_there_are_no_masks_before_reset() -> None:
    with pytest.raises(NotResetError):
        masks(Episode(compiled(corridor("@.G"))))


def test_masks_can_be_asked_for_at_the_end_of_an_episode() -> None:
    episode = begin(corridor("@G"))
    play(episode, "F")
    assert len(masks(episode)) == len(EVERY_ACT)
