"""`TaskSpecification`: its fields, what their values do, and what `validate` finds."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from minigrid.core.constants import COLOR_NAMES

from gridworld.backends.base import GridState
from gridworld.errors import TaskFormatError
from gridworld.task_spec import GoalSpec, MazeLayout, MechanismSet, Rules, TaskSpecification
from gridworld_minigrid import MiniGridBackend
from support.task_files import put
from support.worlds import block, corridor, describe, door, draw, gate, hazard, key, switch, teleporter

Data = dict[str, Any]
Played = Callable[[TaskSpecification, str], GridState]

COLORS = ("red", "green", "blue", "purple", "yellow", "grey")

MINIMAL: Data = {
    "task_id": "minimal",
    "seed": 7,
    "difficulty_tier": 1,
    "maze": {"dimensions": [5, 3], "walls": [], "start": [1, 1], "goal": [3, 1]},
    "goal": {"type": "reach_position"},
    "max_steps": 20,
}


def parsed(data: Data, **changes: Any) -> TaskSpecification:
    return TaskSpecification.from_dict({**data, **changes})


def assert_refused(data: Data, path: str) -> None:
    with pytest.raises(TaskFormatError) as refusal:
        TaskSpecification.from_dict(data)
    assert [problem.path for problem in refusal.value.problems] == [path]


# --- reading and writing ---------------------------------------------------------------------------------------


def test_a_task_is_read_from_a_dictionary_and_from_a_file(full: Data, tmp_path: Path) -> None:
    path = tmp_path / "task.json"
    path.write_text(json.dumps(full), encoding="utf-8")
    assert TaskSpecification.from_json(path) == TaskSpecification.from_json(str(path)) == parsed(full)


def test_to_dict_is_the_inverse_of_from_dict_even_through_json(full: Data) -> None:
    task = parsed(full)
    assert TaskSpecification.from_dict(task.to_dict()) == task
    assert TaskSpecification.from_dict(json.loads(json.dumps(task.to_dict()))) == task


def test_to_dict_gives_back_every_field_of_the_file(full: Data) -> None:
    written = json.loads(json.dumps(parsed(full).to_dict()))
    written["maze"] = {name: value for name, value in written["maze"].items() if name in full["maze"]}
    written["goal"] = {name: value for name, value in written["goal"].items() if name in full["goal"]}
    assert written == full


def test_to_json_is_the_inverse_of_from_json(full: Data, tmp_path: Path) -> None:
    path = tmp_path / "task.json"
    parsed(full).to_json(path)
    assert TaskSpecification.from_json(path) == parsed(full)


# --- top-level fields ------------------------------------------------------------------------------------------


def test_the_required_fields_are_enough_for_a_task() -> None:
    task = parsed(MINIMAL)
    assert (task.task_id, task.seed, task.difficulty_tier, task.max_steps) == ("minimal", 7, 1, 20)
    assert isinstance(task.maze, MazeLayout)
    assert isinstance(task.goal, GoalSpec)
    assert task.validate() == (True, [])


def test_a_task_can_be_made_of_the_required_fields_by_keyword() -> None:
    maze = MazeLayout(dimensions=(5, 3), walls=[], start=(1, 1), goal=(3, 1), floor=None)
    task = TaskSpecification(
        task_id="minimal",
        seed=7,
        difficulty_tier=1,
        maze=maze,
        goal=GoalSpec(type="reach_position"),
        max_steps=20,
    )
    assert task == parsed(MINIMAL)


@pytest.mark.parametrize("field", ["task_id", "seed", "difficulty_tier", "maze", "goal", "max_steps"])
def test_a_required_field_cannot_be_left_out(field: str) -> None:
    assert_refused({name: value for name, value in MINIMAL.items() if name != field}, field)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("task_id", 3),
        ("seed", "3"),
        ("seed", 1.5),
        ("difficulty_tier", "1"),
        ("maze", []),
        ("goal", "reach_position"),
        ("max_steps", 2.5),
        ("version", 1.0),
        ("description", None),
        ("mechanisms", []),
        ("rules", []),
    ],
)
def test_a_field_of_another_type_is_refused(field: str, value: Any) -> None:
    assert_refused({**MINIMAL, field: value}, field)


def test_the_optional_fields_have_their_defaults() -> None:
    task = parsed(MINIMAL)
    assert (task.version, task.description) == ("1.0", "")
    assert task == parsed(MINIMAL, mechanisms={}, rules={})
    assert isinstance(task.mechanisms, MechanismSet)
    assert len(task.mechanisms) == 0
    assert task.rules == Rules()
    assert not task.dependency_chain
    assert not task.distractors
    assert not task.metadata


def test_the_optional_fields_are_kept(full: Data) -> None:
    task = parsed(full)
    assert full["description"]
    assert full["metadata"]
    assert (task.version, task.description, task.metadata) == ("2.0", full["description"], full["metadata"])
    assert len(task.mechanisms) == 7
    assert task.rules != Rules()
    assert task.dependency_chain is not None
    assert [(step.element, step.unlocks) for step in task.dependency_chain.sequence] == [("k", "d")]
    assert [distractor.element_id for distractor in task.distractors] == ["b"]


def test_max_steps_is_the_number_of_actions_after_which_an_episode_is_truncated(played: Played) -> None:
    task = parsed(MINIMAL, max_steps=3)
    assert not played(task, "WW").truncated
    assert played(task, "WWW").truncated


# --- the maze --------------------------------------------------------------------------------------------------


def test_a_maze_has_dimensions_walls_start_goal_and_floor() -> None:
    walls, floor = [[2, 2], [0, 0]], [[1, 1], [2, 1], [1, 2], [3, 2]]
    maze = parsed(MINIMAL, maze={"dimensions": [5, 4], "walls": walls, "start": [1, 1], "goal": [3, 2], "floor": floor})
    assert maze.maze.dimensions == (5, 4)
    assert maze.maze.walls == ((2, 2), (0, 0))
    assert (maze.maze.start, maze.maze.goal) == ((1, 1), (3, 2))
    assert maze.maze.floor == ((1, 1), (2, 1), (1, 2), (3, 2))


def test_dimensions_are_width_and_height() -> None:
    assert (parsed(MINIMAL).maze.width, parsed(MINIMAL).maze.height) == (5, 3)


def test_floor_may_be_null() -> None:
    assert parsed(MINIMAL, maze={**MINIMAL["maze"], "floor": None}) == parsed(MINIMAL)


def test_where_floor_is_a_list_all_other_cells_are_walls(played: Played) -> None:
    open_maze = {"dimensions": [6, 3], "walls": [], "start": [1, 1], "goal": [2, 1]}
    listed = {**open_maze, "floor": [[1, 1], [2, 1], [4, 1]]}
    goal = {"type": "survive_steps"}
    assert played(parsed(MINIMAL, maze=open_maze, goal=goal), "FFF").agent_position == (4, 1)
    assert played(parsed(MINIMAL, maze=listed, goal=goal), "FFF").agent_position == (2, 1)


def test_a_wall_stops_the_agent(played: Played) -> None:
    maze = {"dimensions": [6, 3], "walls": [[3, 1]], "start": [1, 1], "goal": [4, 1]}
    assert played(parsed(MINIMAL, maze=maze), "FFF").agent_position == (2, 1)


@pytest.mark.parametrize("walls", [[], [[x, y] for x in range(4) for y in range(4) if x in (0, 3) or y in (0, 3)]])
@pytest.mark.parametrize(("letters", "last"), [("FFF", (2, 1)), ("RFFF", (1, 2)), ("RRFFF", (1, 1)), ("LFFF", (1, 1))])
def test_border_cells_are_walls_whether_or_not_they_are_listed(
    played: Played, walls: list[list[int]], letters: str, last: tuple[int, int]
) -> None:
    task = parsed(MINIMAL, maze={"dimensions": [4, 4], "walls": walls, "start": [1, 1], "goal": [2, 2]})
    assert task.validate() == (True, [])
    assert played(task, letters).agent_position == last


def test_the_first_cell_is_the_top_left_one_and_y_grows_downwards(played: Played) -> None:
    task = draw("#####\n#@..#\n#..G#\n#####")
    assert task.maze.start == (1, 1)
    assert played(task, "F").agent_position == (2, 1)
    assert played(task, "RF").agent_position == (1, 2)
    backend = MiniGridBackend(tile_size=8)
    backend.configure(task)
    picture = backend.reset()[0]
    tiles = {(x, y): picture[y * 8 : y * 8 + 8, x * 8 : x * 8 + 8] for x in range(5) for y in range(4)}
    green = [cell for cell, tile in tiles.items() if (tile[1:, 1:] == (0, 255, 0)).all()]
    assert green == [(3, 2)]


# --- mechanisms ------------------------------------------------------------------------------------------------

FIELDS: dict[str, list[Data]] = {
    "keys": [{"id": "x", "position": [2, 1], "color": "blue"}],
    "doors": [
        {"id": "x", "position": [2, 1], "requires_key": "red", "initial_state": "closed"},
        {"id": "x", "position": [2, 1], "requires_key": None, "initial_state": "open"},
    ],
    "switches": [
        {
            "id": "x",
            "position": [2, 1],
            "controls": ["g", "h"],
            "color": "purple",
            "switch_type": "hold",
            "initial_state": "on",
        }
    ],
    "gates": [{"id": "x", "position": [2, 1], "initial_state": "open"}],
    "blocks": [
        {"id": "x", "position": [2, 1], "pushable": False, "color": "green"},
        {"id": "x", "position": [2, 1], "pushable": True, "color": "red"},
    ],
    "teleporters": [
        {"id": "x", "position_a": [2, 1], "position_b": [3, 2], "bidirectional": False},
        {"id": "x", "position_a": [2, 1], "position_b": [3, 2], "bidirectional": True},
    ],
    "hazards": [{"id": "x", "position": [2, 1], "hazard_type": "pit"}],
}
MECHANISMS = [(kind, entry) for kind, entries in FIELDS.items() for entry in entries]


@pytest.mark.parametrize(("kind", "entry"), MECHANISMS)
def test_a_mechanism_has_the_fields_of_its_kind(kind: str, entry: Data) -> None:
    task = parsed(MINIMAL, mechanisms={kind: [entry]})
    (spec,) = getattr(task.mechanisms, kind)
    read = {name: getattr(spec, name) for name in entry}
    assert json.loads(json.dumps(read)) == entry
    assert task.to_dict()["mechanisms"] == {kind: [entry]}


@pytest.mark.parametrize(("kind", "entry"), MECHANISMS)
def test_a_mechanism_has_to_have_an_id_and_a_place(kind: str, entry: Data) -> None:
    for field in ("id", *(name for name in entry if name.startswith("position"))):
        incomplete = {name: value for name, value in entry.items() if name != field}
        assert_refused({**MINIMAL, "mechanisms": {kind: [incomplete]}}, f"mechanisms.{kind}[0].{field}")


WORDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("keys", "color"): COLORS,
    ("doors", "requires_key"): COLORS,
    ("doors", "initial_state"): ("locked", "closed", "open"),
    ("switches", "initial_state"): ("on", "off"),
    ("switches", "switch_type"): ("toggle", "hold", "one_shot"),
    ("gates", "initial_state"): ("open", "closed"),
    ("hazards", "hazard_type"): ("lava", "pit", "spike"),
}
"""(mechanism, field) to the values that it may have."""


@pytest.mark.parametrize(("kind", "field", "value"), [(*place, value) for place in WORDS for value in WORDS[place]])
def test_a_field_accepts_each_of_its_values(kind: str, field: str, value: str) -> None:
    task = parsed(MINIMAL, mechanisms={kind: [{**FIELDS[kind][0], field: value}]})
    assert getattr(getattr(task.mechanisms, kind)[0], field) == value


@pytest.mark.parametrize(("kind", "field"), WORDS)
@pytest.mark.parametrize("value", ["orange", "ajar", "", 1, True])
def test_a_field_accepts_no_other_value(kind: str, field: str, value: Any) -> None:
    entry = {**FIELDS[kind][0], field: value}
    assert_refused({**MINIMAL, "mechanisms": {kind: [entry]}}, f"mechanisms.{kind}[0].{field}")


@pytest.mark.parametrize(("kind", "field"), [place for place, words in WORDS.items() if words == COLORS])
def test_gray_is_read_as_grey(kind: str, field: str) -> None:
    task = parsed(MINIMAL, mechanisms={kind: [{**FIELDS[kind][0], field: "gray"}]})
    assert getattr(getattr(task.mechanisms, kind)[0], field) == "grey"
    assert task.to_dict()["mechanisms"][kind][0][field] == "grey"


@pytest.mark.parametrize("kind", ["switches", "gates", "blocks"])
@pytest.mark.parametrize("color", [*COLORS, "white", "black", "orange", "rebeccapurple", "lightgoldenrodyellow"])
def test_switches_gates_and_blocks_may_have_any_colour_of_css(kind: str, color: str) -> None:
    task = parsed(MINIMAL, mechanisms={kind: [{**FIELDS[kind][0], "color": color}]})
    assert getattr(task.mechanisms, kind)[0].color == color
    assert TaskSpecification.from_dict(task.to_dict()) == task


@pytest.mark.parametrize("kind", ["switches", "gates", "blocks"])
@pytest.mark.parametrize("color", ["ajar", "", "#ff0000", 1, True])
def test_a_colour_that_css_does_not_have_is_refused(kind: str, color: Any) -> None:
    entry = {**FIELDS[kind][0], "color": color}
    assert_refused({**MINIMAL, "mechanisms": {kind: [entry]}}, f"mechanisms.{kind}[0].color")


def test_a_position_is_a_pair() -> None:
    start = parsed(MINIMAL).maze.start
    assert start.to_tuple() == (1, 1)
    assert type(start.to_tuple()) is tuple


def test_a_goal_has_its_type_by_its_older_name() -> None:
    assert parsed(MINIMAL).goal.goal_type == parsed(MINIMAL).goal.type == "reach_position"


def test_keys_are_used_up_where_a_file_says_nothing(played: Played) -> None:
    assert parsed(MINIMAL).rules.key_consumption is True
    assert played(corridor("@kD.G", k=key(), D=door("red")), "PFT").agent_carrying is None


def test_the_colours_are_minigrids_six() -> None:
    assert set(COLORS) == set(COLOR_NAMES)


def test_the_six_colours_look_different() -> None:
    looks = set()
    for color in COLORS:
        backend = MiniGridBackend(tile_size=16)
        backend.configure(corridor("@kG", k=key(color)))
        looks.add(backend.reset()[0].tobytes())
    assert len(looks) == 6


@pytest.mark.parametrize("color", [*COLORS, "gray"])
def test_a_key_opens_the_doors_of_its_colour(played: Played, color: str) -> None:
    task = corridor("@kD.G", k=key(color), D=door("grey" if color == "gray" else color))
    assert played(task, "PFT").open_doors == {"D"}


def test_a_key_does_not_open_doors_of_another_colour(played: Played) -> None:
    task = draw("######\n#@kDG#\n#..l.#\n######", k=key("red"), D=door("blue"), l=key("blue"))
    assert played(task, "PFT").open_doors == set()


def test_a_locked_door_opens_only_to_its_key(played: Played) -> None:
    task = draw("######\n#k@DG#\n######", k=key("red"), D=door("red", "locked"))
    assert played(task, "TF").agent_position == (2, 1)
    opened = played(task, "LLP RR TF")
    assert (opened.open_doors, opened.agent_position) == ({"D"}, (3, 1))


def test_a_closed_door_opens_without_a_key(played: Played) -> None:
    task = corridor("@DG", D=door("red", "closed"))
    assert played(task, "").open_doors == set()
    assert played(task, "F").agent_position == (1, 1)
    assert played(task, "TF").agent_position == (2, 1)


def test_an_open_door_is_open_from_the_start(played: Played) -> None:
    task = corridor("@DG", D=door("red", "open"))
    assert played(task, "").open_doors == {"D"}
    assert played(task, "F").agent_position == (2, 1)


@pytest.mark.parametrize(("initial_state", "active"), [("off", set()), ("on", {"s"})])
def test_a_switch_starts_on_or_off_and_so_do_the_gates_that_it_controls(
    played: Played, initial_state: str, active: set[str]
) -> None:
    task = corridor("@.sghG", s=switch("g", initial_state=initial_state), g=gate(), h=gate())
    state = played(task, "")
    assert state.active_switches == active
    assert state.open_gates == ({"g"} if active else set())


def test_a_switch_controls_the_gates_that_it_lists(played: Played) -> None:
    task = corridor("@sghiG", s=switch("g", "i"), g=gate(), h=gate(), i=gate())
    assert played(task, "T").open_gates == {"g", "i"}


SWITCH_TYPES = [
    pytest.param("toggle", [False, True, False, False], id="toggle flips at each use"),
    pytest.param("one_shot", [False, True, True, False], id="one_shot goes on once and stays"),
    pytest.param("hold", [False, False, False, True], id="hold is on while the agent stands on it"),
]


@pytest.mark.parametrize(("switch_type", "is_on"), SWITCH_TYPES)
@pytest.mark.parametrize("named_by", ["the switch", "the rules"])
def test_each_type_of_switch(played: Played, switch_type: str, is_on: list[bool], named_by: str) -> None:
    if named_by == "the switch":
        other = "hold" if switch_type == "toggle" else "toggle"
        task = corridor("@s.gG", s=switch("g", switch_type=switch_type), g=gate(), rules={"switch_type": other})
    else:
        task = corridor("@s.gG", s=switch("g"), g=gate(), rules={"switch_type": switch_type})
    states = [played(task, letters) for letters in ("", "T", "TT", "F")]
    assert [state.active_switches == {"s"} for state in states] == is_on
    assert [state.open_gates == {"g"} for state in states] == is_on


def test_a_hold_switch_is_off_again_once_it_is_left_and_stays_on_under_a_block(played: Played) -> None:
    left = corridor("@s..gG", s=switch("g", switch_type="hold"), g=gate())
    assert played(left, "F").active_switches == {"s"}
    assert played(left, "FF").active_switches == set()
    assert played(corridor("@bs.G", b=block(), s=switch(switch_type="hold")), "F").active_switches == {"s"}


@pytest.mark.parametrize(("initial_state", "x"), [("open", 3), ("closed", 1)])
def test_a_gate_starts_open_or_closed_and_toggling_it_does_nothing(played: Played, initial_state: str, x: int) -> None:
    task = corridor("@g..G", g=gate(initial_state))
    state = played(task, "TFF")
    assert (state.agent_position, state.open_gates) == ((x, 1), {"g"} if x == 3 else set())


@pytest.mark.parametrize(("pushable", "agent", "place"), [(True, (2, 1), (3, 1)), (False, (1, 1), (2, 1))])
def test_a_block_is_pushed_only_if_it_is_pushable(
    played: Played, pushable: bool, agent: tuple[int, int], place: tuple[int, int]
) -> None:
    state = played(corridor("@b..G", b=block(pushable=pushable)), "F")
    assert (state.agent_position, state.block_positions) == (agent, {"b": place})


@pytest.mark.parametrize(("bidirectional", "back"), [(True, (2, 1)), (False, (5, 1))])
def test_a_teleporter_leads_from_a_to_b_and_back_only_if_it_is_bidirectional(
    played: Played, bidirectional: bool, back: tuple[int, int]
) -> None:
    task = corridor("@a..b.G", ab=teleporter(bidirectional))
    assert played(task, "F").agent_position == (5, 1)
    assert played(task, "FF LL F").agent_position == back


@pytest.mark.parametrize("hazard_type", ["lava", "pit", "spike"])
def test_a_hazard_ends_the_episode_without_success(played: Played, hazard_type: str) -> None:
    state = played(corridor("@hG", h=hazard(hazard_type)), "F")
    assert (state.terminated, state.truncated, state.goal_reached, state.reward) == (True, False, False, 0)


# --- rules -----------------------------------------------------------------------------------------------------

RULES: dict[str, tuple[Any, ...]] = {
    "key_consumption": (True, False),
    "switch_type": ("toggle", "hold", "one_shot"),
    "hidden_mechanisms": ([], ["k"], ["k", "d"]),
    "observability": ("full", "view_cone", "fog_of_war"),
    "view_size": (3, 5, 7, 9),
}


@pytest.mark.parametrize(("field", "value"), [(field, value) for field in RULES for value in RULES[field]])
def test_a_rule_accepts_each_of_its_values(full: Data, field: str, value: Any) -> None:
    task = parsed({**full, "rules": {field: value}})
    read = getattr(task.rules, field)
    assert (list(read) if isinstance(value, list) else read) == value
    assert task.to_dict()["rules"][field] == value
    assert task.validate() == (True, [])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("key_consumption", "yes"),
        ("key_consumption", 1),
        ("switch_type", "lever"),
        ("hidden_mechanisms", "k"),
        ("observability", "none"),
        ("view_size", "7"),
        ("view_size", 5.0),
    ],
)
def test_a_rule_accepts_nothing_else(field: str, value: Any) -> None:
    assert_refused({**MINIMAL, "rules": {field: value}}, f"rules.{field}")


@pytest.mark.parametrize(("key_consumption", "carried"), [(True, None), (False, "k")])
def test_key_consumption_uses_up_the_key_that_opens_a_door(
    played: Played, key_consumption: bool, carried: str | None
) -> None:
    task = corridor("@kD.G", k=key(), D=door("red"), rules={"key_consumption": key_consumption})
    state = played(task, "PFT")
    assert (state.open_doors, state.agent_carrying, state.collected_keys) == ({"D"}, carried, {"k"})


def picture_of(task: TaskSpecification, letters: str = "") -> bytes:
    backend = MiniGridBackend(tile_size=16)
    backend.configure(task)
    picture = backend.reset()[0]
    for _ in letters:
        picture = backend.step(2)[0]
    return bytes(picture.tobytes())


def test_hidden_mechanisms_are_not_drawn_until_they_are_discovered() -> None:
    hidden = corridor("@.t.G", t=switch(), rules={"hidden_mechanisms": ["t"]})
    assert picture_of(hidden) == picture_of(corridor("@...G"))
    assert picture_of(corridor("@.t.G", t=switch())) != picture_of(corridor("@...G"))
    assert picture_of(hidden, "FFF") == picture_of(corridor("@.t.G", t=switch()), "FFF")


def test_hidden_mechanisms_work_all_the_same(played: Played) -> None:
    task = corridor("@hG", h=hazard(), rules={"hidden_mechanisms": ["h"]})
    assert played(task, "F").terminated


ROOM = """
    ###########
    #.........#
    #...@....G#
    #.........#
    ###########
"""
EVERYWHERE = {(x, y) for x in range(11) for y in range(5)}


def test_full_observability_shows_everything_always(played: Played) -> None:
    assert played(draw(ROOM, rules={"observability": "full"}), "").visible_cells == EVERYWHERE


@pytest.mark.parametrize("observability", ["view_cone", "fog_of_war"])
@pytest.mark.parametrize(
    ("view_size", "columns", "rows"),
    [(3, range(4, 7), range(1, 4)), (5, range(4, 9), range(5)), (9, range(4, 11), range(5))],
)
def test_otherwise_only_what_is_in_a_view_of_view_size_is_visible(
    played: Played, observability: str, view_size: int, columns: range, rows: range
) -> None:
    state = played(draw(ROOM, rules={"observability": observability, "view_size": view_size}), "")
    assert state.visible_cells == {(x, y) for x in columns for y in rows}


@pytest.mark.parametrize(("observability", "still_drawn"), [("full", True), ("fog_of_war", True), ("view_cone", False)])
def test_what_has_been_seen_stays_drawn_in_fog_of_war_but_not_with_a_view_cone(
    observability: str, still_drawn: bool
) -> None:
    backend = MiniGridBackend(tile_size=8)
    backend.configure(draw(ROOM, rules={"observability": observability, "view_size": 3}))
    backend.reset()
    backend.step(1)
    picture = backend.step(1)[0]
    seen_before, wall_never_seen = picture[16:24, 40:48], picture[16:24, 80:88]
    goal_never_seen = picture[16:24, 72:80]
    assert (seen_before != wall_never_seen).any() == still_drawn
    assert (goal_never_seen != wall_never_seen).any() == (observability == "full")


# --- goals -----------------------------------------------------------------------------------------------------


def test_reach_position_is_reached_on_its_target(played: Played) -> None:
    task = draw("######\n#@..G#\n######", goal={"type": "reach_position", "target": [3, 1]})
    assert not played(task, "F").goal_reached
    state = played(task, "FF")
    assert (state.goal_reached, state.terminated, state.truncated) == (True, True, False)
    assert state.reward > 0


def test_reach_position_without_a_target_is_reached_on_the_goal_of_the_maze(played: Played) -> None:
    task = corridor("@.G", goal={"type": "reach_position"})
    assert not played(task, "F").goal_reached
    assert played(task, "FF").goal_reached


def test_collect_all_is_reached_once_all_targets_are_collected(played: Played) -> None:
    goal = {"type": "collect_all", "target_ids": ["k", "s"]}
    task = draw("#####\n#@k.#\n#s.G#\n#####", k=key(), s=switch(), goal=goal)
    assert not played(task, "P").goal_reached
    assert not played(task, "RT").goal_reached
    assert played(task, "PRT").goal_reached


def test_push_block_to_is_reached_once_all_blocks_are_on_their_targets(played: Played) -> None:
    goal = {"type": "push_block_to", "target_ids": ["b", "c"], "target_positions": [[3, 1], [1, 3]]}
    task = draw("######\n#@b..#\n#c..G#\n#....#\n######", b=block(), c=block(), goal=goal)
    assert not played(task, "F").goal_reached
    assert played(task, "F LL F L F").goal_reached


def test_survive_steps_is_reached_alive_at_the_last_step(played: Played) -> None:
    task = draw("#####\n#@hG#\n#####", h=hazard(), goal={"type": "survive_steps"}, max_steps=3)
    assert not played(task, "WW").terminated
    state = played(task, "WWW")
    assert (state.goal_reached, state.terminated) == (True, True)
    assert not played(task, "F").goal_reached


def test_only_the_tasks_own_goal_ends_an_episode(played: Played) -> None:
    task = corridor("@Gk", k=key(), goal={"type": "collect_all", "target_ids": ["k"]})
    assert not played(task, "F").terminated


# --- validation ------------------------------------------------------------------------------------------------


def test_a_valid_task_has_no_errors(full: Data) -> None:
    assert parsed(full).validate() == (True, [])


def errors_of(data: Data) -> list[str]:
    """Problems that `validate` reports for an invalid task."""
    is_valid, errors = parsed(data).validate()
    assert is_valid is False
    assert all(isinstance(error, str) for error in errors)
    return errors


def assert_found(data: Data, *paths: str) -> None:
    """Nothing but these places is wrong, and there is something to say of each."""
    errors = [error.split(": ", 1) for error in errors_of(data)]
    assert sorted(path for path, _ in errors) == sorted(paths)
    assert all(message.strip() for _, message in errors)


PLACES = [
    *((f"mechanisms.{kind}[0].position") for kind in ("keys", "doors", "switches", "gates", "blocks", "hazards")),
    "mechanisms.teleporters[0].position_a",
    "mechanisms.teleporters[0].position_b",
    "maze.start",
    "maze.goal",
]


@pytest.mark.parametrize("path", PLACES)
@pytest.mark.parametrize("position", [[9, 2], [2, 5], [-1, 2], [2, -1]])
def test_validate_checks_bounds(full: Data, path: str, position: list[int]) -> None:
    full["goal"] = {"type": "survive_steps"}
    put(full, path, position)
    assert_found(full, path)


def test_validate_checks_the_bounds_of_walls_and_floor() -> None:
    assert_found({**MINIMAL, "maze": {**MINIMAL["maze"], "walls": [[0, 0], [5, 1]]}}, "maze.walls[1]")
    floor = [[1, 1], [2, 1], [3, 1], [1, 3]]
    assert_found({**MINIMAL, "maze": {**MINIMAL["maze"], "floor": floor}}, "maze.floor[3]")


@pytest.mark.parametrize("path", PLACES)
@pytest.mark.parametrize("position", [[0, 2], [8, 2], [2, 0], [2, 4]])
def test_validate_checks_conflicts_with_border_walls(full: Data, path: str, position: list[int]) -> None:
    full["goal"] = {"type": "survive_steps"}
    put(full, path, position)
    assert_found(full, path)


@pytest.mark.parametrize("kind", ["doors", "switches", "gates", "blocks", "teleporters", "hazards"])
def test_validate_checks_duplicate_mechanism_ids(kind: str) -> None:
    places = {"position_a": [2, 1], "position_b": [3, 2]} if kind == "teleporters" else {}
    entry = {**FIELDS[kind][-1], **places, "id": "same"}
    entry.pop("controls", None)
    maze = {"dimensions": [6, 4], "walls": [], "start": [1, 1], "goal": [4, 2]}
    first = {"id": "same", "position": [4, 1], "color": "red"}
    is_valid, errors = parsed(MINIMAL, maze=maze, mechanisms={"keys": [first], kind: [entry]}).validate()
    assert is_valid is False
    assert len(errors) == 1
    assert "'same'" in errors[0]


def test_validate_checks_duplicate_ids_within_one_kind() -> None:
    data = describe("######\n#@klG#\n######", k=key(), l=key())
    data["mechanisms"]["keys"][1]["id"] = "k"
    assert_found(data, "mechanisms.keys[1].id")


@pytest.mark.parametrize(
    ("path", "position"),
    [
        *((place, [1, 1]) for place in PLACES[:8]),
        *((place, [7, 3]) for place in PLACES[:8]),
        ("mechanisms.keys[0].position", [2, 2]),
        ("mechanisms.hazards[0].position", [1, 3]),
    ],
)
def test_validate_checks_that_no_position_is_taken_twice(full: Data, path: str, position: list[int]) -> None:
    put(full, path, position)
    (error,) = errors_of(full)
    assert str(position) in error


@pytest.mark.parametrize("path", [path for path in PLACES if "doors" not in path and "gates" not in path])
def test_validate_checks_that_nothing_stands_in_a_wall(full: Data, path: str) -> None:
    full["maze"]["walls"].append([6, 2])
    full["goal"] = {"type": "survive_steps"}
    put(full, path, [6, 2])
    assert_found(full, path)


@pytest.mark.parametrize("kind", ["doors", "gates"])
@pytest.mark.parametrize("wall", [[6, 2], {"x": 6, "y": 2}])
def test_a_door_or_gate_takes_the_place_of_a_wall(full: Data, kind: str, wall: Any) -> None:
    full["goal"] = {"type": "survive_steps"}
    put(full, f"mechanisms.{kind}[0].position", [6, 2])
    open_cell = parsed(full)
    full["maze"]["walls"].append(wall)
    assert parsed(full) == open_cell
    assert open_cell.validate() == (True, [])


def test_validate_checks_the_key_colours_of_doors(full: Data) -> None:
    full["mechanisms"]["doors"][0]["requires_key"] = "green"
    assert_found(full, "mechanisms.doors[0].requires_key")


def test_validate_checks_the_gates_of_switches(full: Data) -> None:
    full["mechanisms"]["switches"][0]["controls"] = ["g", "absent", "d"]
    assert_found(full, "mechanisms.switches[0].controls[1]", "mechanisms.switches[0].controls[2]")


def test_validate_checks_hidden_mechanisms(full: Data) -> None:
    full["rules"]["hidden_mechanisms"] = ["s", "absent"]
    assert_found(full, "rules.hidden_mechanisms[1]")


@pytest.mark.parametrize("field", ["element", "unlocks"])
def test_validate_checks_the_dependency_chain(full: Data, field: str) -> None:
    full["dependency_chain"]["sequence"][0][field] = "absent"
    assert_found(full, f"dependency_chain.sequence[0].{field}")


def test_validate_checks_distractors(full: Data) -> None:
    full["distractors"][0]["element_id"] = "absent"
    assert_found(full, "distractors[0].element_id")


@pytest.mark.parametrize(
    ("goal", "path"),
    [
        ({"type": "reach_position", "target": [8, 1]}, "goal.target"),
        ({"type": "reach_position", "target": [20, 1]}, "goal.target"),
        ({"type": "collect_all", "target_ids": ["k", "absent"]}, "goal.target_ids[1]"),
        ({"type": "collect_all", "target_ids": ["k", "b"]}, "goal.target_ids[1]"),
        ({"type": "push_block_to", "target_ids": ["absent"], "target_positions": [[6, 2]]}, "goal.target_ids[0]"),
        ({"type": "push_block_to", "target_ids": ["k"], "target_positions": [[6, 2]]}, "goal.target_ids[0]"),
        ({"type": "push_block_to", "target_ids": ["b"], "target_positions": [[8, 2]]}, "goal.target_positions[0]"),
        ({"type": "push_block_to", "target_ids": ["b"], "target_positions": []}, "goal.target_positions"),
        ({"type": "win"}, "goal.type"),
    ],
)
def test_validate_checks_what_the_goal_refers_to(full: Data, goal: Data, path: str) -> None:
    assert_found({**full, "goal": goal}, path)


@pytest.mark.parametrize(
    "goal",
    [
        {"type": "reach_position", "target": [6, 2]},
        {"type": "collect_all", "target_ids": ["k", "s"]},
        {"type": "push_block_to", "target_ids": ["b"], "target_positions": [[6, 2]]},
        {"type": "survive_steps"},
    ],
)
def test_validate_accepts_each_type_of_goal(full: Data, goal: Data) -> None:
    assert parsed({**full, "goal": goal}).validate() == (True, [])


@pytest.mark.parametrize("max_steps", [0, -1])
def test_validate_checks_max_steps(full: Data, max_steps: int) -> None:
    assert_found({**full, "max_steps": max_steps}, "max_steps")


@pytest.mark.parametrize("view_size", [-3, 0, 1, 2, 4, 6])
def test_validate_checks_that_view_size_is_odd_and_at_least_3(full: Data, view_size: int) -> None:
    full["rules"]["view_size"] = view_size
    assert_found(full, "rules.view_size")


def test_validate_reports_all_errors_together(full: Data) -> None:
    full["max_steps"] = 0
    full["rules"]["view_size"] = 4
    full["distractors"][0]["element_id"] = "absent"
    assert_found(full, "max_steps", "rules.view_size", "distractors[0].element_id")
