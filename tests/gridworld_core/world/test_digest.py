"""Digests of snapshots: the same on every machine, made of ids and names, and different where anything differs."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode
from gridworld.world.digest import digest
from support.tilings import everything
from support.twins import with_rules
from support.worlds import begin, corridor, door, key, play, roaming_action, tasks


def walk(task: TaskSpecification, seed: int, length: int) -> list[tuple[object, str]]:
    """The snapshots of a random walk with their digests."""
    episode, rng = begin(task), random.Random(seed)
    found = [(episode.snapshot, digest(episode.world, episode.snapshot))]
    while len(found) < length and not episode.world.is_over(episode.state):
        episode.step(roaming_action(episode.world, episode.state, rng))
        found.append((episode.snapshot, digest(episode.world, episode.snapshot)))
    return found


def of(episode: Episode) -> str:
    return digest(episode.world, episode.snapshot)


@given(tasks(), st.integers(0, 10**6), st.sampled_from(("full", "view_cone", "fog_of_war")))
def test_digests_are_equal_only_for_equal_snapshots(task: TaskSpecification, seed: int, mode: str) -> None:
    found = walk(with_rules(task, observability=mode), seed, 40)
    assert walk(with_rules(task, observability=mode), seed, 40) == found
    for snapshot, told in found:
        assert len(told) == 16
        for other, again in found:
            assert (snapshot == other) == (told == again)


def test_digests_of_time_hand_and_knowledge() -> None:
    task = corridor("@k.D.G", k=key(), D=door("red"))
    one, other = begin(task), begin(task)
    play(one, "W")
    assert of(one) != of(other)
    play(other, "P")
    assert of(one) != of(other)
    foggy = with_rules(corridor("@.G"), observability="fog_of_war", view_size=3)
    looked, still = begin(foggy), begin(foggy)
    play(looked, "LLRR")
    play(still, "WWWW")
    assert looked.state == still.state
    assert of(looked) != of(still)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("full", ("24f30e2c5f287bb1", "c51ab8cf278c3b6c")),
        ("fog_of_war", ("a56a381d011acf8a", "672cca1f8b67c773")),
    ],
)
def test_digests_are_stable(mode: str, expected: tuple[str, str]) -> None:
    episode = begin(everything(mode))
    start = of(episode)
    for action in (2, 2, 3, 1, 2, 2, 5, 0, 2, 2):
        episode.step(action)
    assert (start, of(episode)) == expected
