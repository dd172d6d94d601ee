"""The letters on pictures are those of the character map, on every tiling."""

import random

from hypothesis import given
from hypothesis import strategies as st

from gridworld.observations.labels import Lettering
from gridworld.task_spec import Position, TaskSpecification
from gridworld.text import text_view
from gridworld.world import Episode
from support.thoroughness import bounded, in_turn
from support.tilings import TILINGS, start_on
from support.twins import with_rules
from support.worlds import block, draw, key, roaming_action, tasks

NO_THING = "#.,?<>^v"


def letters_of(episode: Episode, lettering: Lettering) -> dict[Position, str]:
    """Lattice cell to the letter on its anchor."""
    topology = episode.world.topology
    found = {position: lettering.on(topology.anchor(position)) for position in topology.patches}
    return {position: letter for position, letter in found.items() if letter}


def letters_on_map(episode: Episode) -> dict[Position, str]:
    rows = text_view(episode).rows
    return {Position(x, y): each for y, row in enumerate(rows) for x, each in enumerate(row) if each not in NO_THING}


@in_turn("name, mode", TILINGS, ["full", "view_cone", "fog_of_war"])
@bounded(4)
@given(task=tasks(max_side=7), seed=st.integers(0, 10_000))
def test_a_thing_has_the_letter_that_it_has_on_the_map(
    name: str, mode: str, task: TaskSpecification, seed: int
) -> None:
    episode, rng = start_on(name, with_rules(task, observability=mode)), random.Random(seed)
    lettering = Lettering(episode)
    lettering.update()
    while not episode.world.is_over(episode.state) and episode.state.steps < 15:
        assert letters_of(episode, lettering) == letters_on_map(episode)
        former = {cell: lettering.on(cell) for cell in range(episode.world.topology.cell_count)}
        episode.step(roaming_action(episode.world, episode.state, rng))
        changed = lettering.update()
        assert changed == {cell for cell, letter in former.items() if letter != lettering.on(cell)}


def test_where_the_agent_is_there_is_no_letter() -> None:
    episode = start_on("square", draw("#####\n#.@G#\n#####"))
    lettering = Lettering(episode)
    lettering.update()
    assert letters_of(episode, lettering) == {Position(3, 1): "G"}
    episode.step(2)
    lettering.update()
    assert letters_of(episode, lettering) == {}


def test_what_lies_on_a_target_hides_its_letter() -> None:
    goal = {"type": "push_block_to", "target_ids": ["b"], "target_positions": ["m"]}
    episode = start_on("square", draw("#######\n#@bmkG#\n#######", b=block(), k=key(), goal=goal))
    lettering = Lettering(episode)
    lettering.update()
    assert letters_of(episode, lettering) == {Position(2, 1): "A", Position(3, 1): "B", Position(4, 1): "C"}
    episode.step(2)
    lettering.update()
    assert letters_of(episode, lettering) == letters_on_map(episode) == {Position(3, 1): "B", Position(4, 1): "C"}
