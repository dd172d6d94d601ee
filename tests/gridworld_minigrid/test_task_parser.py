"""`TaskParser` makes populated environments from specifications, dictionaries and files."""

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


def _parse_file(parser: TaskParser, data: dict[str, Any], folder: Path) -> CustomMiniGridEnv:
    path = folder / "task.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return parser.parse_file(path)


PARSE: dict[str, Parse] = {
    "parse": lambda parser, data, folder: parser.parse(TaskSpecification.from_dict(data)),
    "parse_dict": lambda parser, data, folder: parser.parse_dict(data),
    "parse_file": _parse_file,
}
DATA = describe("#####\n#@kG#\n#####", k=key("purple"))


@pytest.mark.parametrize("parse", PARSE.values(), ids=PARSE)
def test_an_environment_is_populated_reset_and_playable(parse: Parse, tmp_path: Path) -> None:
    env, other = (parse(TaskParser(), DATA, tmp_path) for _ in range(2))
    assert env.task == TaskSpecification.from_dict(DATA)
    assert [getattr(env.grid.get(x, 1), "type", None) for x in range(5)] == ["wall", None, "key", "goal", "wall"]
    assert (env.agent_pos, env.agent_dir, env.step_count) == ((1, 1), 0, 0)
    before = env.grid.encode()
    env.step(3)
    assert env.carrying.color == "purple"
    assert other.carrying is None
    assert other.grid.get(2, 1) is not None
    env.reset()
    np.testing.assert_array_equal(env.grid.encode(), before)


@pytest.mark.parametrize(
    ("parse", "steps", "error"),
    [(name, 0, InvalidTaskError) for name in PARSE]
    + [(name, "many", TaskFormatError) for name in ("parse_dict", "parse_file")],
)
def test_an_invalid_task_is_refused(parse: str, steps: Any, error: type[Exception], tmp_path: Path) -> None:
    with pytest.raises(error, match="max_steps"):
        PARSE[parse](TaskParser(), {**DATA, "max_steps": steps}, tmp_path)


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        TaskParser().parse_file(tmp_path / "absent.json")


def test_fields_are_options_of_the_environments() -> None:
    env = TaskParser(render_mode="rgb_array", tile_size=16, highlight=False).parse(corridor("@.G"))
    assert env.render_mode == "rgb_array"
    np.testing.assert_array_equal(env.render(), env.get_full_render(False, 16))


def test_the_default_seed_is_the_tasks() -> None:
    task = corridor("@.G")
    seeds = [TaskParser().parse(task, seed=seed).np_random_seed for seed in (None, 12, 0)]
    assert seeds == [task.seed, 12, 0]


def test_make_environment_leaves_the_first_reset_to_gymnasium() -> None:
    assert make_environment(DATA).agent_pos is None
