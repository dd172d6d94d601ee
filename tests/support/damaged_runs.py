"""A small recorded run, ways to damage what it keeps, and the data in a page that was written of it."""

import json
import re
import zlib
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from support.commands import run_eval

__all__ = ["SCENE_DAMAGE", "page_data", "record_two_rooms"]

BLOCK = re.compile(r'<script type="application/octet-stream" data-block="([^"]*)">([^<]*)</script>')


def _room(name: str, width: int, rules: dict[str, Any]) -> dict[str, Any]:
    return {
        "task_id": name,
        "seed": 1,
        "difficulty_tier": 1,
        "maze": {"dimensions": [width, 4], "start": [1, 1], "goal": [width - 2, 2]},
        "mechanisms": {"keys": [{"id": "key", "position": [2, 1], "color": "red"}]},
        "rules": rules,
        "goal": {"type": "reach_position"},
        "max_steps": 4,
    }


VIEW_CONE = {"observability": "view_cone", "view_size": 3}


def record_two_rooms(folder: Path, *arguments: object, rules: dict[str, Any] = VIEW_CONE) -> Path:
    """Record a run of a large room, episode 0, and a little one.

    Args:
        folder: an empty folder, for the tasks and for the run.
        arguments: go to ``multinet-run-eval``.
        rules: those of the tasks.
    """
    tasks = folder / "tasks"
    tasks.mkdir()
    for name, width in (("large", 9), ("little", 5)):
        (tasks / f"{name}.json").write_text(json.dumps(_room(name, width, rules)), encoding="utf-8")
    run = folder / "run"
    played = run_eval(
        "--benchmark", "directory", "--task-dir", tasks, "--model", "random", "--run-dir", run, *arguments
    )
    assert played.exit_code == 0, played.stderr
    return run


def page_data(page: Path) -> dict[str, Any]:
    """Name of each block of JSON in a page to its value; fails for what `JSON.parse` of a browser does not take."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    return {
        name: json.loads(zlib.decompress(b64decode(text)), parse_constant=_refuse)
        for name, text in blocks
        if not name.startswith("frame-")
    }


def _refuse(constant: str) -> NoReturn:
    raise AssertionError(f"expected JSON, got {constant}")


def _with(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    def changed(content: bytes) -> bytes:
        scene = json.loads(content)
        change(scene)
        return json.dumps(scene, separators=(",", ":")).encode()

    return changed


SCENE_DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "NaN in place of a coordinate": _with(lambda scene: scene["cells"][0][0].__setitem__(0, float("nan"))),
    "1e308 in place of a coordinate": _with(lambda scene: scene["centres"][0].__setitem__(1, 1e308)),
    "an object in place of a number": _with(lambda scene: scene["cells"][1][0].__setitem__(0, {"x": 1})),
    "a text in place of a number": _with(lambda scene: scene["agent"].__setitem__(0, "2")),
    "a number in place of the looks": _with(lambda scene: scene.__setitem__("looks", 7)),
    "a cell that does not exist": _with(lambda scene: scene["agent"].__setitem__(0, 999)),
    "a glyph that does not exist": _with(lambda scene: scene["looks"][0].__setitem__(2, [99])),
    "no cells": _with(lambda scene: scene.pop("cells")),
    "other colours": _with(lambda scene: scene["glyphs"][0][0].__setitem__("color", "red")),
    "the same in other words": lambda content: content + b"\n",
    "cut off": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
}
"""Ways to change the content of a scene, whose name stays."""
