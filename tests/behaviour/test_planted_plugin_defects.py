"""Planted defects in a plugin's file: `multinet plugins check` names each with its line, and blames nobody else."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from support.commands import Finished, multinet

FILE = "planted.py"
HERE = "# here"
MECHANISM = '''
@attrs.frozen
class Sheet(Placed):
    """A sheet in a task file."""

    opens: tuple[str, ...] = references_field()

SOUND = dict(
    name="sheets",
    noun="sheet",
    summary="It is slippery.",
    spec=Placed,
    values=("whole", "cracked"),
    traits=Trait.NONE,
    glyph=Glyph((Rectangle(0, 0, 1, 1, "lightblue"),)),
)
'''
GOAL = """
SOUND = dict(
    name="corner",
    summary="Be in the corner.",
    reached=lambda world: lambda state: state.cell in world.topology.patches[Position(6, 4)],
    mission="go to the corner",
)
"""
KINDS = {"mechanism": ("MechanismType", MECHANISM), "goal": ("GoalType", GOAL)}


@attrs.frozen
class Defect:
    """A defect in the descriptor of a mechanism or goal, or in a whole file; its line ends with ``# here``."""

    kind: str
    given: str
    """Fields of the descriptor; for ``file``, the contents of the file."""
    told: str
    """Words of the message."""
    before: str = ""
    """Code before the descriptor, with the line if it is not the descriptor's."""

    @property
    def source(self) -> str:
        """Contents of the file."""
        first = "import attrs\nfrom gridworld.hookspecs import *\n"
        if self.kind == "file":
            return first + self.given
        made, parts = KINDS[self.kind]
        end = "" if HERE in self.before else f"  {HERE}"
        return f"{first}{parts}\n{self.before}\nPLANTED = {made}(**(SOUND | dict({self.given}))){end}\n"

    @property
    def line(self) -> int:
        """Number of the defective line."""
        (number,) = (number for number, text in enumerate(self.source.splitlines(), 1) if HERE in text)
        return number


def mechanism(given: str, told: str, before: str = "") -> Defect:
    return Defect("mechanism", given, told, before)


def goal(given: str, told: str, before: str = "") -> Defect:
    return Defect("goal", given, told, before)


def function(call: str, body: str, told: str, further: str = "") -> Defect:
    """A mechanism with a defective function, given as its call: ``on_enter(world, state, sheet)``."""
    return mechanism(f"{call.partition('(')[0]}=planted{further}", told, _defined(call, body))


def made(call: str, body: str, told: str) -> Defect:
    """A goal with a defective function, given as its call."""
    return goal(f"{call.partition('(')[0]}=planted", told, _defined(call, body))


def _defined(call: str, body: str) -> str:
    return f"def planted({call.partition('(')[2]}:  {HERE}\n    {body}\n"


ACT = "(world, state, sheet)"
SOLID = ", traits=Trait.SOLID"
LATE = f"def planted(world):\n    return lambda: True  {HERE}\n"
LONE = f"@hookimpl  {HERE}\ndef gridworld_models():\n    return ModelInfo('mine', 'My own.', 'x:X')\n"
MISSPELT = f"@hookimpl  {HERE}\ndef gridworld_mechanism():\n    return []\n"
BROKEN_EVENT = "return state, (Changed(sheet.id, sheet.cells, 'broken'),)"
CORNER = "int(state.cell in world.topology.patches[Position(6, 4)])"

ARITY = [
    mechanism("on_enter=lambda world, state: None", "its on_enter takes (world, state)"),
    mechanism("glyph=lambda sheet: None", "its glyph takes (sheet)"),
    mechanism("traits=lambda: Trait.NONE", "its traits takes ()"),
    mechanism("tick=lambda world, state, sheet, time: None", "its tick takes (world, state, sheet, time)"),
    mechanism("validate=lambda sheet: ()", "its validate takes (sheet)"),
    mechanism("grid_state=GridStateField('open_doors', lambda world: True)", "its grid_state takes (world)"),
    goal("reached=lambda world, state: True", "its reached takes (world, state)"),
    goal("reached=planted", "returned a function that takes ()", LATE),
    goal("reward=lambda steps: 1.0", "its reward takes (steps)"),
    goal("remember=lambda: None", "its remember takes ()"),
]
NAMES = [
    mechanism("on_entr=None", "MechanismType has no field 'on_entr' (did you mean 'on_enter'?)"),
    mechanism("glyph=Glyph((Circle(0.5, 0.5, radios=0.2, color='red'),))", "Circle has no field 'radios'"),
    mechanism("explains=Explained('It is wet.', look='pale')", "Explained has no field 'look'"),
    mechanism("name='keys'", "`name` is 'keys', as of a mechanism of gridworld-core"),
    mechanism("name='ids'", "the name is reserved"),
    mechanism("name='thin ice'", "`name` is 'thin ice', which cannot be a field"),
    goal("mision='go'", "GoalType has no field 'mision' (did you mean 'mission'?)"),
    goal("fields=('taget',)", "`fields` is ('taget',)"),
    Defect("file", MISSPELT, "unknown hook 'gridworld_mechanism' (did you mean 'gridworld_mechanisms'?)"),
    Defect("file", f"MINE = ModelInfo('mine', 'My own.', targt='x:X')  {HERE}\n", "ModelInfo has no field 'targt'"),
]
WITHOUT_EFFECT = [
    function(f"on_pickup{ACT}", "return None", "is never called: no state is `PORTABLE`"),
    function(f"on_enter{ACT}", "return None", "is never called: every state is `SOLID`", SOLID),
    function(f"admits{ACT}", "return True", "is never called: every state is `SOLID`", SOLID),
    function(f"carries{ACT}", "return 0", "carries nothing: every state is `SOLID`", SOLID),
    mechanism("traits=Trait.TOGGLED_UNDERFOOT", "`on_toggle` is missing for `TOGGLED_UNDERFOOT`"),
    mechanism("spec=Sheet", "names nothing: it reads the field `controls`, not opens"),
    mechanism("spec=Sheet, traits=Trait.ACTIVE", "`ACTIVE`: it reads the field `controls`, not opens"),
    mechanism("controllable=True", "`controllable` is True"),
    made("visited(world, memory)", "return ()", "never changes: there is no `remember`"),
]
STATES = [
    function("initial(sheet, rules)", "return 'broken'", "expected one of 'whole', 'cracked'"),
    function(f"on_enter{ACT}", BROKEN_EVENT, "'example' has no state 'broken'"),
    function(f"on_enter{ACT}", "return state.with_value(sheet.index, 7), ()", "has no value 7"),
    function(f"tick{ACT}", "return 2, ()", "has no value 2"),
    mechanism("values=('whole', 'whole')", "`values` is"),
    mechanism("collected=Collected('mend', ('mended',))", "collected as 'mended'"),
    mechanism("explains=Explained('It is wet.', states=('broken',))", "names the states ['broken']"),
]
RETURNS = [
    function(f"on_enter{ACT}", "return state", "return None, or a tuple of the new state and a tuple of events"),
    function(f"tick{ACT}", "return 1", "a tuple of the index of its next value and a tuple of events"),
    function(f"admits{ACT}", "return None", "return True or False"),
    function("validate(sheet, task)", "return Problem('position', 'wet')", "expected tuple of Problem"),
    function("glyph(sheet, value)", "return 'a square'", "expected Glyph"),
    function("controls(sheet)", "return 'stage-gate'", "expected tuple of str"),
    made("markers(task)", "return Marker((6, 4))", "expected tuple of Marker"),
    made("validate(task, entries)", "return None", "returned None, expected tuple of Problem"),
    made("mission(world)", "return 7", "returned 7, expected str"),
    made("reached(world)", f"return lambda state: {CORNER}", "makes a function that returns [0]"),
    made("reward(steps, budget)", "return 2.0", "is 2.0"),
    Defect("file", LONE, "returned the model 'mine' alone, expected a list of ModelInfo"),
]
DEFECTS = [*ARITY, *NAMES, *WITHOUT_EFFECT, *STATES, *RETURNS]


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    """The plugin's file, whose module is forgotten afterwards."""
    yield tmp_path / FILE
    sys.modules.pop(Path(FILE).stem, None)


def checked(defect: Defect, file: Path, *arguments: str) -> Finished:
    """Write the defect to the file, and run `multinet plugins check` on or beside it."""
    file.write_text(defect.source, encoding="utf-8")
    return multinet("plugins", "check", *(arguments or (file,)), *(("--plugin", file) if arguments else ()))


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.given)
def test_a_planted_defect_is_named_with_its_line(defect: Defect, file: Path) -> None:
    finished = checked(defect, file)

    told = finished.stdout + finished.stderr
    assert finished.exit_code != 0
    assert defect.told in told
    assert f"{FILE}, line {defect.line}" in told or f"{FILE}:{defect.line}" in told
    blamed = re.findall(r"\b(?:mechanism|goal) '([^']*)'", told)
    assert all(name in defect.source for name in blamed)


@pytest.mark.more
@pytest.mark.parametrize("other", ["hazards", "reach_position"])
@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.given)
def test_nobody_else_fails_beside_a_planted_defect(defect: Defect, other: str, file: Path) -> None:
    finished = checked(defect, file, other, "--json")

    if finished.stdout:  # a file that cannot be loaded ends the command
        assert [each["verdict"] for each in json.loads(finished.stdout)] == ["passed"]
    else:
        assert f"plugin {file} failed" in finished.stderr
