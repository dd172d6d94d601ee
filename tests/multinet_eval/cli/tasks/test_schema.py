"""``multinet tasks schema``: the JSON Schema of task files, with what is installed."""

import json
from pathlib import Path

from jsonschema import Draft202012Validator

from gridworld.plugins import load_registry
from gridworld.task.schema import task_schema
from support.commands import run
from support.plugins import write_distribution
from support.programs import json_of
from support.runs import write_corridor

PUDDLE = """
import attrs
from gridworld.drawing.glyphs import Glyph
from gridworld.hookspecs import MechanismType, hookimpl
from gridworld.task_spec import Position, to_position
from gridworld.world.mechanism_type import Trait

@attrs.frozen
class Puddle:
    id: str
    position: Position = attrs.field(converter=to_position)
    depth: float = 0.5

@hookimpl
def gridworld_mechanisms():
    return [MechanismType(
        name="puddles", noun="puddle", summary="Wet.", spec=Puddle,
        traits=lambda puddle, value: Trait.NONE, glyph=lambda puddle, value: Glyph(()),
    )]
"""


def test_it_prints_the_schema_of_what_is_installed() -> None:
    assert json_of(run("multinet", "tasks", "schema")) == task_schema(load_registry())


def test_the_schema_accepts_a_task_file(tmp_path: Path) -> None:
    write_corridor(tmp_path, "short")
    validator = Draft202012Validator(json.loads(run("multinet", "tasks", "schema").stdout))
    assert validator.is_valid(json.loads((tmp_path / "short.json").read_text()))
    assert not validator.is_valid({"task_id": "short"})


def test_it_writes_the_same_to_a_file(tmp_path: Path) -> None:
    finished = run("multinet", "tasks", "schema", "-o", tmp_path / "task.schema.json")
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")
    written = (tmp_path / "task.schema.json").read_text(encoding="utf-8")
    assert written == run("multinet", "tasks", "schema").stdout


def test_the_schema_has_third_party_mechanisms_unless_disabled(tmp_path: Path) -> None:
    write_distribution(tmp_path, "puddles", "1.0", {"water": "puddles"}, {"puddles.py": PUDDLE})
    with_it = json.loads(run("multinet", "tasks", "schema", path=[tmp_path]).stdout)
    without_it = run("multinet", "tasks", "schema", "--disable-plugin", "puddles", path=[tmp_path]).stdout
    assert with_it["$defs"]["mechanisms"]["properties"]["puddles"]["description"] == "Wet."
    assert with_it["$defs"]["puddles.Puddle"]["properties"]["depth"] == {"type": "number"}
    assert "puddle" not in without_it
