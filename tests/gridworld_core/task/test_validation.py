"""What makes a well-formed task one that can be: each kind of check, by the place that it names."""

from typing import Any

import pytest

from gridworld.plugins import get_registry, using_registry
from gridworld.task.validation import find_problems
from gridworld.task_spec import TaskSpecification
from support.worlds import block, corridor, describe, door, draw, gate, key, switch

Data = dict[str, Any]


def problems_of(data: Data) -> list[str]:
    """What `validate` says of the contents of a task file."""
    task = TaskSpecification.from_dict(data)
    valid, problems = task.validate()
    assert valid == (not problems)
    assert problems == [str(problem) for problem in find_problems(task, get_registry())]
    return problems


def test_a_valid_task_has_no_problems(full: Data) -> None:
    assert problems_of(full) == []


def test_all_problems_are_reported_together(full: Data) -> None:
    full["max_steps"] = -1
    full["rules"]["view_size"] = 2
    full["mechanisms"]["keys"][0]["color"] = "blue"
    full["mechanisms"]["switches"][0]["controls"] = ["gate"]
    full["distractors"][0]["element_id"] = "c"
    assert {problem.split(": ")[0] for problem in problems_of(full)} == {
        "max_steps",
        "rules.view_size",
        "mechanisms.doors[0].requires_key",
        "mechanisms.switches[0].controls[0]",
        "distractors[0].element_id",
    }


# --- 1: bounds -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("position", [[9, 1], [1, 5], [-1, 1], [1, -1], [100, 100]])
@pytest.mark.parametrize("field", ["start", "goal"])
def test_start_and_goal_outside_the_maze_are_refused(full: Data, field: str, position: list[int]) -> None:
    full["maze"][field] = position
    full["goal"] = {"type": "survive_steps"}
    assert problems_of(full) == [f"maze.{field}: {position} is outside the maze of 9 x 5 cells"]


def test_walls_outside_the_maze_are_refused(plain: Data) -> None:
    plain["maze"]["walls"] = [[0, 0], [5, 1]]
    assert problems_of(plain) == ["maze.walls[1]: [5, 1] is outside the maze of 5 x 3 cells"]


def test_floor_outside_the_maze_is_refused(plain: Data) -> None:
    plain["maze"]["walls"] = []
    plain["maze"]["floor"] = [[1, 1], [2, 1], [3, 1], [3, 7]]
    assert problems_of(plain) == ["maze.floor[3]: [3, 7] is outside the maze of 5 x 3 cells"]


@pytest.mark.parametrize("kind", ["keys", "doors", "switches", "gates", "blocks", "hazards"])
def test_mechanisms_outside_the_maze_are_refused(full: Data, kind: str) -> None:
    full["mechanisms"][kind][0]["position"] = [9, 2]
    assert problems_of(full) == [f"mechanisms.{kind}[0].position: [9, 2] is outside the maze of 9 x 5 cells"]


@pytest.mark.parametrize("end", ["position_a", "position_b"])
def test_teleporter_ends_outside_the_maze_are_refused(full: Data, end: str) -> None:
    full["mechanisms"]["teleporters"][0][end] = [9, 2]
    assert problems_of(full) == [f"mechanisms.teleporters[0].{end}: [9, 2] is outside the maze of 9 x 5 cells"]


@pytest.mark.parametrize(("dimensions", "index", "side"), [([2, 5], 0, 2), ([5, 0], 1, 0), ([5, -3], 1, -3)])
def test_a_maze_without_room_inside_its_border_is_refused(
    plain: Data, dimensions: list[int], index: int, side: int
) -> None:
    plain["maze"]["dimensions"] = dimensions
    assert f"maze.dimensions[{index}]: must be at least 3 and at most 512, got {side}" in problems_of(plain)


# --- 2: border walls -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("position", [[0, 1], [8, 1], [2, 0], [2, 4], [0, 0]])
def test_a_start_on_the_border_is_refused(full: Data, position: list[int]) -> None:
    full["maze"]["start"] = position
    assert problems_of(full) == [f"maze.start: {position} is on the border, where every cell is a wall"]


def test_a_goal_on_the_border_is_refused(full: Data) -> None:
    full["maze"]["goal"] = [8, 2]
    assert problems_of(full) == ["maze.goal: [8, 2] is on the border, where every cell is a wall"]


@pytest.mark.parametrize("kind", ["keys", "doors", "switches", "gates", "blocks", "hazards"])
def test_mechanisms_on_the_border_are_refused(full: Data, kind: str) -> None:
    full["mechanisms"][kind][0]["position"] = [3, 0]
    assert problems_of(full) == [f"mechanisms.{kind}[0].position: [3, 0] is on the border, where every cell is a wall"]


@pytest.mark.parametrize("end", ["position_a", "position_b"])
def test_teleporter_ends_on_the_border_are_refused(full: Data, end: str) -> None:
    full["mechanisms"]["teleporters"][0][end] = [3, 0]
    assert problems_of(full) == [
        f"mechanisms.teleporters[0].{end}: [3, 0] is on the border, where every cell is a wall"
    ]


@pytest.mark.parametrize("walls", [[], [[0, 0], [4, 2], [2, 0]]])
def test_border_walls_may_be_listed_or_not(plain: Data, walls: list[list[int]]) -> None:
    plain["maze"]["walls"] = walls
    assert problems_of(plain) == []


# --- 3: duplicate ids ------------------------------------------------------------------------------------------


def test_two_mechanisms_of_one_type_with_one_id_are_refused() -> None:
    data = describe("#####\n#@k.#\n#l.G#\n#####", k=key(), l=key())
    data["mechanisms"]["keys"][1]["id"] = "k"
    assert problems_of(data) == ["mechanisms.keys[1].id: 'k' is already the id of mechanisms.keys[0]"]


def test_two_mechanisms_of_different_types_with_one_id_are_refused(full: Data) -> None:
    full["mechanisms"]["hazards"][0]["id"] = "b"
    assert problems_of(full) == ["mechanisms.hazards[0].id: 'b' is already the id of mechanisms.blocks[0]"]


# --- 4: overlaps -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["keys", "doors", "switches", "gates", "blocks", "hazards"])
@pytest.mark.parametrize(("position", "taken_by"), [([1, 1], "maze.start"), ([7, 3], "maze.goal")])
def test_mechanisms_on_the_start_or_the_goal_are_refused(
    full: Data, kind: str, position: list[int], taken_by: str
) -> None:
    full["mechanisms"][kind][0]["position"] = position
    assert problems_of(full) == [f"mechanisms.{kind}[0].position: {position} is already taken by {taken_by}"]


def test_two_mechanisms_on_one_cell_are_refused(full: Data) -> None:
    full["mechanisms"]["keys"][0]["position"] = full["mechanisms"]["blocks"][0]["position"]
    assert problems_of(full) == [
        "mechanisms.keys[0].position: [2, 2] is already taken by mechanisms.blocks[0].position"
    ]


@pytest.mark.parametrize("end", ["position_a", "position_b"])
def test_a_teleporter_end_on_another_mechanism_is_refused(full: Data, end: str) -> None:
    full["mechanisms"]["teleporters"][0][end] = [2, 2]
    assert problems_of(full) == [
        f"mechanisms.teleporters[0].{end}: [2, 2] is already taken by mechanisms.blocks[0].position"
    ]


def test_a_teleporter_with_both_ends_on_one_cell_is_refused(full: Data) -> None:
    full["mechanisms"]["teleporters"][0]["position_b"] = [1, 3]
    assert problems_of(full) == [
        "mechanisms.teleporters[0].position_b: [1, 3] is already taken by mechanisms.teleporters[0].position_a"
    ]


@pytest.mark.parametrize("field", ["start", "goal"])
def test_a_start_or_goal_on_a_wall_is_refused(full: Data, field: str) -> None:
    full["goal"] = {"type": "survive_steps"}
    position = full["maze"][field]
    full["maze"]["walls"].append(position)
    assert problems_of(full) == [f"maze.{field}: {position} is a wall"]


def test_a_mechanism_on_a_wall_is_refused(full: Data) -> None:
    full["maze"]["walls"].append([2, 2])
    assert problems_of(full) == ["mechanisms.blocks[0].position: [2, 2] is a wall"]


def test_a_mechanism_on_a_cell_that_the_floor_list_leaves_out_is_refused() -> None:
    data = describe("#####\n#@kG#\n#####", k=key())
    data["maze"]["floor"] = [[1, 1], [3, 1]]
    assert problems_of(data) == ["mechanisms.keys[0].position: [2, 1] is not listed in maze.floor"]


def test_a_cell_that_is_listed_as_wall_and_as_floor_is_refused(plain: Data) -> None:
    plain["maze"]["walls"] = [[2, 1]]
    plain["maze"]["floor"] = [[1, 1], [2, 1], [3, 1]]
    assert problems_of(plain) == ["maze.floor[1]: [2, 1] is also listed in maze.walls"]


# --- 5: keys of doors ------------------------------------------------------------------------------------------


def test_a_locked_door_without_a_key_of_its_colour_is_refused() -> None:
    things: dict[str, Any] = {"k": key("blue"), "l": key("green"), "d": door("blue"), "e": door("red")}
    data = describe("########\n#@kdelG#\n########", **things)
    assert problems_of(data) == [
        "mechanisms.doors[1].requires_key: no key is red; colours of the task's keys: blue, green"
    ]


def test_a_locked_door_in_a_task_without_keys_is_refused() -> None:
    data = describe("#####\n#@dG#\n#####", d=door("red"))
    assert problems_of(data) == ["mechanisms.doors[0].requires_key: no key is red; colours of the task's keys: none"]


def test_a_locked_door_that_names_no_colour_is_refused() -> None:
    data = describe("######\n#@kdG#\n######", k=key(), d=door())
    assert problems_of(data) == ["mechanisms.doors[0].requires_key: a locked door needs the colour of its key"]


@pytest.mark.parametrize("initial_state", ["closed", "open"])
@pytest.mark.parametrize("color", ["red", None])
def test_a_door_that_is_not_locked_needs_no_key(initial_state: str, color: str | None) -> None:
    assert corridor("@dG", d=door(color, initial_state)).validate() == (True, [])


# --- 6: what switches control --------------------------------------------------------------------------------------


def test_a_switch_that_controls_no_gate_of_the_task_is_refused_with_the_nearest_one() -> None:
    data = describe("########\n#@sgh.G#\n########", s=switch("g", "gate1"), g=gate(), h=gate())
    data["mechanisms"]["gates"][1]["id"] = "gate_1"
    assert problems_of(data) == [
        "mechanisms.switches[0].controls[1]: nothing that can be controlled has the id 'gate1' (did you mean 'gate_1'?)"
    ]


def test_a_switch_that_controls_something_else_than_a_gate_is_refused() -> None:
    task = corridor("@sdG", s=switch("d"), d=door(initial_state="closed"))
    assert task.validate() == (
        False,
        ["mechanisms.switches[0].controls[0]: 'd' is one of the doors, which nothing can control"],
    )


def test_a_switch_may_control_nothing() -> None:
    assert corridor("@sG", s=switch()).validate() == (True, [])


# --- 7: hidden mechanisms --------------------------------------------------------------------------------------


def test_a_hidden_mechanism_that_is_not_there_is_refused_with_the_nearest_one(full: Data) -> None:
    full["mechanisms"]["keys"][0]["id"] = "key_red"
    full["dependency_chain"] = None
    full["rules"]["hidden_mechanisms"] = ["s", "key_rad"]
    assert problems_of(full) == [
        "rules.hidden_mechanisms[1]: no mechanism has the id 'key_rad' (did you mean 'key_red'?)"
    ]


# --- 8: dependency chain ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["element", "unlocks"])
def test_a_dependency_on_a_mechanism_that_is_not_there_is_refused(full: Data, field: str) -> None:
    full["dependency_chain"]["sequence"][0][field] = "nothing"
    assert problems_of(full) == [f"dependency_chain.sequence[0].{field}: no mechanism has the id 'nothing'"]


@pytest.mark.parametrize("goal", ["goal", "G", "GOAL"])
def test_a_dependency_may_unlock_the_goal(full: Data, goal: str) -> None:
    full["dependency_chain"]["sequence"][0]["unlocks"] = goal
    assert problems_of(full) == []


def test_a_dependency_chain_of_negative_depth_is_refused(full: Data) -> None:
    full["dependency_chain"]["depth"] = -1
    assert problems_of(full) == ["dependency_chain.depth: must not be negative, got -1"]


# --- 9: distractors --------------------------------------------------------------------------------------------


def test_a_distractor_that_is_not_there_is_refused(full: Data) -> None:
    full["distractors"].append({"type": "useless_key", "element_id": "nothing"})
    assert problems_of(full) == ["distractors[1].element_id: no mechanism has the id 'nothing'"]


def test_the_label_of_a_distractor_chain_need_not_be_a_mechanism(full: Data) -> None:
    full["distractors"].append({"type": "distractor_chain", "element_id": "the whole upper branch"})
    assert problems_of(full) == []


# --- 10: goals -------------------------------------------------------------------------------------------------


def test_an_unknown_goal_type_is_refused_with_the_nearest_one(plain: Data) -> None:
    plain["goal"] = {"type": "reach_goal"}
    (problem,) = problems_of(plain)
    assert problem.startswith("goal.type: unknown goal 'reach_goal' (did you mean 'reach_position'?); installed: ")


@pytest.mark.parametrize("target", [[0, 1], [4, 1], [2, 0], [9, 9], [-1, 1]])
def test_a_target_on_a_wall_or_outside_is_refused(plain: Data, target: list[int]) -> None:
    plain["goal"]["target"] = target
    assert problems_of(plain) == [f"goal.target: {target} is a wall or outside the maze"]


def test_a_target_on_the_start_is_refused(plain: Data) -> None:
    plain["goal"]["target"] = [1, 1]
    assert problems_of(plain) == ["goal.target: [1, 1] is where the agent starts"]


def test_a_goal_on_the_start_is_refused(plain: Data) -> None:
    plain["maze"]["goal"] = [1, 1]
    assert len(problems_of(plain)) == 1


def test_a_target_to_collect_that_is_not_there_is_refused_with_the_nearest_one(full: Data) -> None:
    full["mechanisms"]["keys"][0]["id"] = "key_red"
    full["dependency_chain"] = None
    full["goal"] = {"type": "collect_all", "target_ids": ["s", "key_rad"]}
    assert problems_of(full) == [
        "goal.target_ids[1]: nothing that can be collected has the id 'key_rad' (did you mean 'key_red'?)"
    ]


def test_a_block_to_push_that_is_not_there_is_refused(full: Data) -> None:
    full["goal"] = {"type": "push_block_to", "target_ids": ["k"], "target_positions": [[5, 2]]}
    assert problems_of(full) == ["goal.target_ids[0]: no pushable block has the id 'k'"]


@pytest.mark.parametrize("position", [[0, 2], [9, 9]])
def test_a_place_to_push_to_on_a_wall_or_outside_is_refused(full: Data, position: list[int]) -> None:
    full["goal"] = {"type": "push_block_to", "target_ids": ["b"], "target_positions": [position]}
    assert problems_of(full) == [f"goal.target_positions[0]: {position} is a wall or outside the maze"]


@pytest.mark.parametrize(
    ("goal", "field"),
    [
        ({"type": "reach_position", "target_ids": ["k"]}, "target_ids"),
        ({"type": "reach_position", "target_positions": [[2, 1]]}, "target_positions"),
        ({"type": "collect_all", "target_ids": ["k"], "target": [0, 0]}, "target"),
        ({"type": "survive_steps", "target": [3, 1]}, "target"),
        ({"type": "survive_steps", "target_ids": ["k"]}, "target_ids"),
    ],
)
def test_a_field_that_the_goal_type_does_not_use_is_refused(goal: Data, field: str) -> None:
    (first, *_) = draw("#####\n#@kG#\n#####", k=key(), goal=goal).validate()[1]
    assert first == f"goal.{field}: a goal of type '{goal['type']}' does not use it"


# --- 11 and 12: numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_steps", [0, -1, -100])
def test_a_budget_of_no_steps_is_refused(plain: Data, max_steps: int) -> None:
    plain["max_steps"] = max_steps
    assert problems_of(plain) == [f"max_steps: must be at least 1, got {max_steps}"]


def test_a_budget_of_more_steps_than_can_be_kept_is_refused(plain: Data) -> None:
    assert problems_of({**plain, "max_steps": 1_000_000}) == []
    assert problems_of({**plain, "max_steps": 10**30}) == [f"max_steps: must be at most 1000000, got {10**30}"]


@pytest.mark.parametrize("view_size", [-3, 0, 1, 2, 4, 8])
def test_a_view_size_that_is_even_or_out_of_range_is_refused(plain: Data, view_size: int) -> None:
    plain["rules"]["view_size"] = view_size
    assert problems_of(plain) == [f"rules.view_size: must be odd, at least 3 and at most 1023, got {view_size}"]


@pytest.mark.parametrize("view_size", [3, 5, 7, 9])
def test_an_odd_view_size_of_at_least_three_is_valid(plain: Data, view_size: int) -> None:
    plain["rules"]["view_size"] = view_size
    assert problems_of(plain) == []


@pytest.mark.parametrize("tier", [0, -1])
def test_a_tier_below_one_is_refused(plain: Data, tier: int) -> None:
    plain["difficulty_tier"] = tier
    assert problems_of(plain) == [f"difficulty_tier: must be at least 1, got {tier}"]


@pytest.mark.parametrize("task_id", ["", "  \n"])
def test_an_empty_task_id_is_refused(plain: Data, task_id: str) -> None:
    plain["task_id"] = task_id
    assert problems_of(plain) == ["task_id: must not be empty"]


# --- Plugins ---------------------------------------------------------------------------------------------------


def test_a_mechanism_whose_plugin_is_no_longer_there_is_refused() -> None:
    task = corridor("@kG", k=key())
    registry = get_registry()
    others = [provided for provided in registry.mechanisms if provided.item.name != "keys"]
    with using_registry(registry.with_provided("mechanism", others)):
        valid, problems = task.validate()
    assert not valid
    (problem,) = problems
    assert problem.startswith("mechanisms.keys: unknown mechanism 'keys'")
    assert "is provided by gridworld-core, which is installed, but disabled or broken" in problem


# --- A task that passes every check can be compiled ------------------------------------------------------------


@pytest.mark.parametrize(
    "task",
    [
        pytest.param(
            corridor("@s.G", s=switch(initial_state="on"), goal={"type": "collect_all", "target_ids": ["s"]}),
            id="switch that is on",
        ),
        pytest.param(
            corridor("@bG", b=block(), goal={"type": "push_block_to", "target_ids": ["b"], "target_positions": ["b"]}),
            id="block on its target",
        ),
    ],
)
def test_a_goal_that_is_reached_at_the_start_is_refused(task: TaskSpecification) -> None:
    valid, problems = task.validate()
    assert not valid
    assert problems[0].startswith("goal")
