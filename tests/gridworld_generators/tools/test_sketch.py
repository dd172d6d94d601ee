"""Sketches, their tiers, and colours."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.generation.generator import NothingDrawn
from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import Position, TaskSpecification
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.sketch import Sketch, choose_color, colors_of_steps


def room() -> Sketch:
    """Five by three cells, with the start in one corner and the goal in another."""
    sketch = Sketch(7, 5, start=Position(1, 1), goal=Position(5, 3))
    sketch.dig(sketch.inner_cells)
    return sketch


def finish(sketch: Sketch) -> TaskSpecification:
    return sketch.to_task(task_id="sketch", seed=1, max_steps=50)


def test_a_task_has_the_placed_mechanisms() -> None:
    sketch = room()
    sketch.wall_up([Position(3, 1), Position(3, 3)])
    key, door = sketch.place_key(Position(1, 3), "red"), sketch.place_door(Position(3, 2), "red")
    sketch.add_step("key-door", key, door)
    task = finish(sketch)
    assert task.validate() == (True, [])
    assert TaskSpecification.from_dict(task.to_dict()) == task
    assert task.maze.walls == (Position(3, 1), Position(3, 3))
    assert task.dependency_chain is not None
    assert task.dependency_chain.notation == "key_red -> door_red -> G"


def test_free_cells_are_empty_floor() -> None:
    sketch = room()
    sketch.wall_up([Position(3, 1)])
    sketch.place_switch(Position(2, 2), "yellow", "toggle")
    taken = {Position(1, 1), Position(5, 3), Position(3, 1), Position(2, 2)}
    assert sketch.free_cells() == [cell for cell in sketch.inner_cells if cell not in taken]


def test_ids_are_unique_and_colours_are_used_up() -> None:
    sketch = room()
    names = [sketch.place_key(Position(x, 3), "red") for x in (1, 2)]
    assert names == ["key_red", "key_red_2"]
    sketch.place_switch(Position(4, 1), "yellow", "hold", sketch.place_gate(Position(4, 2), "yellow"))
    assert "red" not in sketch.key_colors_left()
    assert "yellow" not in sketch.switch_colors_left()


def test_copies_are_independent() -> None:
    sketch = room()
    copy, before = sketch.copy(), finish(sketch)
    sketch.place_key(Position(2, 2), "red")
    sketch.wall_up([Position(3, 3)])
    assert finish(copy) == before
    assert copy.is_free(Position(2, 2))


def test_a_task_without_a_start_is_refused() -> None:
    with pytest.raises(ValueError, match="start"):
        finish(Sketch(5, 5))


STEPS = st.lists(st.sampled_from(["key", "toggle", "one_shot", "hold"]), max_size=6)
SEEDS = st.integers(0, 2**32)


@given(STEPS, SEEDS)
def test_keys_and_switches_of_a_chain_have_different_colours(kinds: list[str], seed: int) -> None:
    colors = colors_of_steps(Sketch(5, 5), kinds, Dice(seed))
    for is_key in (True, False):
        own = [color for kind, color in zip(kinds, colors, strict=True) if (kind == "key") is is_key]
        assert len({*own}) == len(own)


@given(STEPS, SEEDS)
def test_grey_is_the_last_colour(kinds: list[str], seed: int) -> None:
    colors = colors_of_steps(Sketch(5, 5), kinds, Dice(seed))
    keys = [color for kind, color in zip(kinds, colors, strict=True) if kind == "key"]
    assert ("grey" in keys) == (len(keys) == len(COLOR_NAMES))
    assert choose_color(COLOR_NAMES, Dice(seed)) != "grey"
    assert choose_color(["grey"], Dice(seed)) == "grey"


def test_too_few_colours_refuse_a_chain() -> None:
    sketch = Sketch(5, 5)
    sketch.dig(sketch.inner_cells)
    sketch.place_key(Position(1, 1), "grey")
    with pytest.raises(NothingDrawn, match="not enough colours for a chain"):
        colors_of_steps(sketch, ["key"] * 6, Dice(0))
