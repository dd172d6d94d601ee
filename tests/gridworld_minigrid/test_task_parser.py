"""`TaskParser` makes populated environments from specifications, dictionaries and files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gridworld.errors import InvalidTaskError, TaskFormatError
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import TaskParser
from gridworld_minigrid.env import CustomMiniGridEnv, make_environment
from support.worlds import describe, key

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


@pytest.mark.parametrize(
    ("parse", "steps", "error"),
    [(name, 0, InvalidTaskError) for name in PARSE]
    + [(name, "many", TaskFormatError) for name in ("parse_dict", "parse_file")],
)
def test_an_invalid_task_is_refused(parse: str, steps: Any, error: type[Exception], tmp_path: Path) -> None:
    with pytest.raises(error, match="max_steps"):
        PARSE[parse](TaskParser(), {**DATA, "max_steps": steps}, tmp_path)


def test_make_environment_leaves_the_first_reset_to_gymnasium() -> None:
    assert make_environment(DATA).agent_pos is None
