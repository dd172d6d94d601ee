"""`TaskParser` makes populated environments of specifications, dictionaries and files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gridworld.errors import InvalidTaskError, TaskFormatError
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import TaskParser
from gridworld_minigrid.env import CustomMiniGridEnv, make_environment
from support.worlds import corridor, describe, key

Parse = Callable[[TaskParser, dict[str, Any], Path], CustomMiniGridEnv]


def _parse_spec(parser: TaskParser, data: dict[str, Any], folder: Path) -> CustomMiniGridEnv:
    return parser.parse(TaskSpecification.from_dict(data))


def _parse_dict(parser: TaskParser, data: dict[str, Any], folder: Path) -> CustomMiniGridEnv:
    return parser.parse_dict(data)


def _parse_file(parser: TaskParser, data: dict[str, Any], folder: Path) -> CustomMiniGridEnv:
    path = folder / "task.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return parser.parse_file(path)


PARSE: dict[str, Parse] = {"parse": _parse_spec, "parse_dict": _parse_dict, "parse_file": _parse_file}
each_way = pytest.mark.parametrize("parse", PARSE.values(), ids=PARSE)
DATA = describe("#####\n#@kG#\n#####", k=key("purple"))


@each_way
def test_the_environment_is_populated_and_reset(parse: Parse, tmp_path: Path) -> None:
    env = parse(TaskParser(), DATA, tmp_path)
    assert env.task == TaskSpecification.from_dict(DATA)
    assert [getattr(env.grid.get(x, 1), "type", None) for x in range(5)] == ["wall", None, "key", "goal", "wall"]
    assert (env.agent_pos, env.agent_dir, env.step_count) == ((1, 1), 0, 0)


@each_way
def test_the_environment_can_be_played_at_once(parse: Parse, tmp_path: Path) -> None:
    env = parse(TaskParser(), DATA, tmp_path)
    env.step(3)
    assert env.carrying.color == "purple"


@each_way
def test_a_second_reset_restores_the_objects_of_the_task(parse: Parse, tmp_path: Path) -> None:
    env = parse(TaskParser(), DATA, tmp_path)
    before = env.grid.encode()
    env.step(3)
    env.reset()
    np.testing.assert_array_equal(env.grid.encode(), before)


@each_way
def test_a_task_that_cannot_be_is_refused(parse: Parse, tmp_path: Path) -> None:
    with pytest.raises(InvalidTaskError, match="max_steps"):
        parse(TaskParser(), {**DATA, "max_steps": 0}, tmp_path)


@pytest.mark.parametrize("parse", [_parse_dict, _parse_file])
def test_what_is_no_task_is_refused(parse: Parse, tmp_path: Path) -> None:
    with pytest.raises(TaskFormatError, match="max_steps"):
        parse(TaskParser(), {**DATA, "max_steps": "many"}, tmp_path)


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        TaskParser().parse_file(tmp_path / "absent.json")


def test_a_parsers_fields_are_the_options_of_its_environments() -> None:
    env = TaskParser(render_mode="rgb_array", tile_size=16, highlight=False).parse(corridor("@.G"))
    assert env.render_mode == "rgb_array"
    np.testing.assert_array_equal(env.render(), env.get_full_render(False, 16))


def test_without_a_seed_the_environment_has_the_seed_of_the_task() -> None:
    task = corridor("@.G")
    assert TaskParser().parse(task).np_random_seed == task.seed
    assert TaskParser().parse(task, seed=12).np_random_seed == 12
    assert TaskParser().parse(task, seed=0).np_random_seed == 0


def test_one_parser_makes_environments_that_do_not_disturb_each_other() -> None:
    parser = TaskParser()
    one, other = parser.parse_dict(DATA), parser.parse_dict(DATA)
    one.step(3)
    assert other.carrying is None
    assert other.grid.get(2, 1) is not None


def test_make_environment_leaves_the_first_reset_to_gymnasium() -> None:
    env = make_environment(DATA)
    assert env.agent_pos is None
