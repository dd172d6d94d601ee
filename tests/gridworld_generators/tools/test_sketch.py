"""Sketches: what is placed is what the task holds."""

import pytest

from gridworld.mechanisms.hazards import HazardSpec
from gridworld.task_spec import Position, TaskSpecification
from gridworld_generators.tools.sketch import Sketch, tier_of


def room() -> Sketch:
    """Five by three cells, with the start in one corner and the goal in another."""
    sketch = Sketch(7, 5, start=Position(1, 1), goal=Position(5, 3))
    sketch.dig(sketch.inner_cells)
    return sketch


def finish(sketch: Sketch) -> TaskSpecification:
    return sketch.to_task(task_id="sketch", seed=1, max_steps=50)


def test_a_task_holds_what_was_placed() -> None:
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


def test_free_cells_are_floor_with_nothing_on_it() -> None:
    sketch = room()
    sketch.wall_up([Position(3, 1)])
    sketch.place_switch(Position(2, 2), "yellow", "toggle")
    taken = {Position(1, 1), Position(5, 3), Position(3, 1), Position(2, 2)}
    assert sketch.free_cells() == [cell for cell in sketch.inner_cells if cell not in taken]


def test_ids_are_new_and_colours_are_those_that_are_left() -> None:
    sketch = room()
    names = [sketch.place_key(Position(x, 3), "red") for x in (1, 2)]
    assert names == ["key_red", "key_red_2"]
    sketch.place_switch(Position(4, 1), "yellow", "hold", sketch.place_gate(Position(4, 2), "yellow"))
    assert "red" not in sketch.key_colors_left()
    assert "yellow" not in sketch.switch_colors_left()


def test_a_copy_has_nothing_of_what_comes_later() -> None:
    sketch = room()
    copy, before = sketch.copy(), finish(sketch)
    sketch.place_key(Position(2, 2), "red")
    sketch.wall_up([Position(3, 3)])
    assert finish(copy) == before
    assert copy.is_free(Position(2, 2))


def test_mechanisms_of_any_type_can_be_placed() -> None:
    sketch = room()
    sketch.place("hazards", HazardSpec("lava", Position(3, 2), "lava"), Position(3, 2))
    assert finish(sketch).difficulty_tier == 4


def test_a_tier_holds_all_of_the_tiers_before_it() -> None:
    sketch = room()
    assert tier_of(sketch.mechanisms(), sketch.rules) == 1
    sketch.place_key(Position(2, 1), "red")
    assert tier_of(sketch.mechanisms(), sketch.rules) == 2
    sketch.place_switch(Position(2, 2), "cyan", "one_shot")
    assert tier_of(sketch.mechanisms(), sketch.rules) == 3
    sketch.hide(["button_cyan"])
    assert tier_of(sketch.mechanisms(), sketch.rules) == 5


def test_a_task_without_a_start_is_none() -> None:
    with pytest.raises(ValueError, match="start"):
        finish(Sketch(5, 5))
