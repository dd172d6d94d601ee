"""Validation of tasks: each check, by the path that it reports."""

from typing import Any

import pytest

from gridworld.plugins import get_registry, using_registry
from gridworld.task.validation import find_problems
from gridworld.task_spec import TaskSpecification
from support.task_files import put
from support.worlds import corridor, describe, door, draw, gate, key, switch

Data = dict[str, Any]
PLACED = [f"{kind}[0].position" for kind in ("keys", "doors", "switches", "gates", "blocks", "hazards")]
PLACES = [f"mechanisms.{each}" for each in (*PLACED, "teleporters[0].position_a", "teleporters[0].position_b")]
BLOCK_PLACE = "mechanisms.blocks[0].position"
PUSH = {"type": "push_block_to"}


def problems_of(data: Data) -> list[str]:
    """Problems that `validate` reports for the contents of a task file."""
    task = TaskSpecification.from_dict(data)
    valid, problems = task.validate()
    assert valid == (not problems)
    assert problems == [str(problem) for problem in find_problems(task, get_registry())]
    return problems


def test_a_valid_task_has_no_problems(full: Data) -> None:
    assert problems_of(full) == []


BROKEN: dict[str, Any] = {
    "max_steps": -1,
    "rules.view_size": 2,
    "mechanisms.doors[0].requires_key": "green",
    "mechanisms.switches[0].controls[0]": "gate",
    "distractors[0].element_id": "c",
}


def test_all_problems_are_reported_together(full: Data) -> None:
    full["mechanisms"]["switches"][0]["controls"] = [""]
    for path, value in BROKEN.items():
        put(full, path, value)
    assert {problem.split(": ")[0] for problem in problems_of(full)} == {*BROKEN}


def outside(path: str, position: list[int]) -> tuple[Data, str]:
    return {path: position}, f"{path}: {position} is outside the maze of 9 x 5 cells"


def on_border(path: str, position: list[int]) -> tuple[Data, str]:
    return {path: position}, f"{path}: {position} is on the border, where every cell is a wall"


def taken(path: str, position: list[int], by: str) -> tuple[Data, str]:
    return {path: position}, f"{path}: {position} is already taken by {by}"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        *(
            (
                {**outside(f"maze.{field}", position)[0], "goal": {"type": "survive_steps"}},
                outside(f"maze.{field}", position)[1],
            )
            for field in ("start", "goal")
            for position in ([9, 1], [1, 5], [-1, 1], [1, -1], [100, 100])
        ),
        *(outside(place, [9, 2]) for place in PLACES),
        *(on_border("maze.start", position) for position in ([0, 1], [8, 1], [2, 0], [2, 4], [0, 0])),
        on_border("maze.goal", [8, 2]),
        *(on_border(place, [3, 0]) for place in PLACES),
        *(
            taken(f"mechanisms.{place}", position, by)
            for place in PLACED
            for position, by in (([1, 1], "maze.start"), ([7, 3], "maze.goal"))
        ),
        taken("mechanisms.keys[0].position", [2, 2], BLOCK_PLACE),
        taken("mechanisms.teleporters[0].position_a", [2, 2], BLOCK_PLACE),
        taken("mechanisms.teleporters[0].position_b", [2, 2], BLOCK_PLACE),
        taken("mechanisms.teleporters[0].position_b", [1, 3], "mechanisms.teleporters[0].position_a"),
        (
            {"mechanisms.hazards[0].id": "b"},
            "mechanisms.hazards[0].id: 'b' is already the id of mechanisms.blocks[0]",
        ),
        *(
            (
                {f"dependency_chain.sequence[0].{field}": "nothing"},
                f"dependency_chain.sequence[0].{field}: no mechanism has the id 'nothing'",
            )
            for field in ("element", "unlocks")
        ),
        ({"dependency_chain.depth": -1}, "dependency_chain.depth: must not be negative, got -1"),
        ({"distractors[0].element_id": "nothing"}, "distractors[0].element_id: no mechanism has the id 'nothing'"),
        (
            {"goal": PUSH | {"target_ids": ["k"], "target_positions": [[5, 2]]}},
            "goal.target_ids[0]: no pushable block has the id 'k'",
        ),
        *(
            (
                {"goal": PUSH | {"target_ids": ["b"], "target_positions": [position]}},
                f"goal.target_positions[0]: {position} is a wall or outside the maze",
            )
            for position in ([0, 2], [9, 9])
        ),
        (
            {
                "mechanisms.keys[0].id": "key_red",
                "dependency_chain": None,
                "rules.hidden_mechanisms": ["s", "key_rad"],
            },
            "rules.hidden_mechanisms[1]: no mechanism has the id 'key_rad' (did you mean 'key_red'?)",
        ),
        (
            {
                "mechanisms.keys[0].id": "key_red",
                "dependency_chain": None,
                "goal": {"type": "collect_all", "target_ids": ["s", "key_rad"]},
            },
            "goal.target_ids[1]: nothing that can be collected has the id 'key_rad' (did you mean 'key_red'?)",
        ),
    ],
)
def test_a_problem_of_a_full_task_is_reported(full: Data, changes: Data, problem: str) -> None:
    for path, value in changes.items():
        put(full, path, value)
    assert problems_of(full) == [problem]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"maze.walls": [[0, 0], [5, 1]]}, "maze.walls[1]: [5, 1] is outside the maze of 5 x 3 cells"),
        (
            {"maze.walls": [], "maze.floor": [[1, 1], [2, 1], [3, 1], [3, 7]]},
            "maze.floor[3]: [3, 7] is outside the maze of 5 x 3 cells",
        ),
        (
            {"maze.walls": [[2, 1]], "maze.floor": [[1, 1], [2, 1], [3, 1]]},
            "maze.floor[1]: [2, 1] is also listed in maze.walls",
        ),
        *(
            ({"maze.dimensions": sides}, f"maze.dimensions[{index}]: must be at least 3 and at most 512, got {side}")
            for sides, index, side in (([2, 5], 0, 2), ([5, 0], 1, 0), ([5, -3], 1, -3))
        ),
        *(
            ({"goal.target": target}, f"goal.target: {target} is a wall or outside the maze")
            for target in ([0, 1], [4, 1], [2, 0], [9, 9], [-1, 1])
        ),
        ({"goal.target": [1, 1]}, "goal.target: [1, 1] is where the agent starts"),
        ({"maze.goal": [1, 1]}, "goal.target: [1, 1] is where the agent starts"),
        *(({"max_steps": number}, f"max_steps: must be at least 1, got {number}") for number in (0, -1, -100)),
        ({"max_steps": 10**30}, f"max_steps: must be at most 1000000, got {10**30}"),
        *(
            ({"rules.view_size": size}, f"rules.view_size: must be odd, at least 3 and at most 1023, got {size}")
            for size in (-3, 0, 1, 2, 4, 8)
        ),
        *(({"difficulty_tier": tier}, f"difficulty_tier: must be at least 1, got {tier}") for tier in (0, -1)),
        *(({"task_id": name}, "task_id: must not be empty") for name in ("", "  \n")),
    ],
)
def test_a_problem_of_a_plain_task_is_reported(plain: Data, changes: Data, problem: str) -> None:
    for path, value in changes.items():
        put(plain, path, value)
    assert problems_of(plain) == [problem]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("maze.walls", []),
        ("maze.walls", [[0, 0], [4, 2], [2, 0]]),
        ("max_steps", 1_000_000),
        *(("rules.view_size", size) for size in (3, 5, 7, 9)),
    ],
)
def test_a_plain_task_may_have_border_walls_and_extreme_numbers(plain: Data, path: str, value: Any) -> None:
    put(plain, path, value)
    assert problems_of(plain) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        *(("dependency_chain.sequence[0].unlocks", goal) for goal in ("goal", "G", "GOAL")),
        ("distractors[0]", {"type": "distractor_chain", "element_id": "the whole upper branch"}),
    ],
)
def test_a_dependency_may_unlock_the_goal_and_a_branch_needs_no_id(full: Data, path: str, value: Any) -> None:
    put(full, path, value)
    assert problems_of(full) == []


@pytest.mark.parametrize("field", ["start", "goal"])
def test_a_start_or_goal_on_a_wall_is_refused(full: Data, field: str) -> None:
    full["goal"] = {"type": "survive_steps"}
    position = full["maze"][field]
    full["maze"]["walls"].append(position)
    assert problems_of(full) == [f"maze.{field}: {position} is a wall"]


def test_a_mechanism_on_a_wall_or_outside_the_floor_is_refused(full: Data) -> None:
    full["maze"]["walls"].append([2, 2])
    assert problems_of(full) == [f"{BLOCK_PLACE}: [2, 2] is a wall"]
    data = describe("#####\n#@kG#\n#####", k=key())
    data["maze"]["floor"] = [[1, 1], [3, 1]]
    assert problems_of(data) == ["mechanisms.keys[0].position: [2, 1] is not listed in maze.floor"]


@pytest.mark.parametrize(
    ("task", "problem"),
    [
        (
            corridor("@kdelG", k=key("blue"), l=key("green"), d=door("blue"), e=door("red")),
            "doors[1].requires_key: no key is red; colours of the task's keys: blue, green",
        ),
        (
            corridor("@dG", d=door("red")),
            "doors[0].requires_key: no key is red; colours of the task's keys: none",
        ),
        (corridor("@kdG", k=key(), d=door()), "doors[0].requires_key: a locked door needs the colour of its key"),
        (
            corridor("@sdG", s=switch("d"), d=door(initial_state="closed")),
            "switches[0].controls[0]: 'd' is one of the doors, which nothing can control",
        ),
    ],
)
def test_a_door_without_its_key_and_a_switch_for_a_door_are_refused(task: TaskSpecification, problem: str) -> None:
    assert task.validate() == (False, [f"mechanisms.{problem}"])


@pytest.mark.parametrize(
    "task",
    [
        corridor("@sG", s=switch()),
        *(corridor("@dG", d=door(color, state)) for color in ("red", None) for state in ("closed", "open")),
    ],
)
def test_a_switch_may_control_nothing_and_an_unlocked_door_needs_no_key(task: TaskSpecification) -> None:
    assert task.validate() == (True, [])


def test_a_switch_for_an_unknown_gate_is_refused_with_the_nearest_one() -> None:
    data = describe("########\n#@sgh.G#\n########", s=switch("g", "gate1"), g=gate(), h=gate())
    data["mechanisms"]["gates"][1]["id"] = "gate_1"
    assert problems_of(data) == [
        "mechanisms.switches[0].controls[1]: nothing that can be controlled has the id 'gate1' (did you mean 'gate_1'?)"
    ]


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


def test_a_mechanism_whose_plugin_is_missing_is_refused() -> None:
    task = corridor("@kG", k=key())
    registry = get_registry()
    others = [provided for provided in registry.mechanisms if provided.item.name != "keys"]
    with using_registry(registry.with_provided("mechanism", others)):
        valid, (problem,) = task.validate()
    assert not valid
    assert problem.startswith("mechanisms.keys: unknown mechanism 'keys'")
