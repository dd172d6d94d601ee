"""Faults and wrong results of plugins are reported with the file and line of their author."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gridworld.plugins import load_registry, using_registry
from support.commands import Finished, multinet, run_eval
from support.plugins import write_distribution

FILE = "faulty_parts.py"
TASK: dict[str, Any] = {
    "task_id": "plain",
    "seed": 1,
    "difficulty_tier": 1,
    "maze": {"dimensions": [5, 3], "walls": [], "start": [1, 1], "goal": [3, 1]},
    "goal": {"type": "odd"},
    "max_steps": 4,
}
GOAL = """
from gridworld.hookspecs import Glyph, GoalType, MechanismType, Problem, Trait, hookimpl
from gridworld.mechanisms.keys import KeySpec

{source}

parts = dict(
    name="odd", summary="Odd.", reached=lambda world: lambda state: False,
    mission=lambda world: "wait", validate=lambda task, entries: (),
)
ODD = GoalType(**(parts | dict({given})))


@hookimpl
def gridworld_goals():
    return [ODD]
"""


@contextmanager
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plugin: str, parts: str = "") -> Iterator[None]:
    """Install a plugin of one module, or of two, the second for targets of import strings."""
    folder = tmp_path / "site"
    modules = {FILE: plugin} if not parts else {"faulty_plugin.py": plugin, FILE: parts}
    write_distribution(folder, "faulty", "1.0", {"entry": next(iter(modules)).removesuffix(".py")}, modules)
    monkeypatch.syspath_prepend(folder)
    for module in ("faulty_plugin", "faulty_parts"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with using_registry(load_registry()):
        yield
    for module in ("faulty_plugin", "faulty_parts"):
        sys.modules.pop(module, None)


def line_of(text: str, tmp_path: Path) -> int:
    """Number of the only line of the author's file that contains a text."""
    lines = (tmp_path / "site" / FILE).read_text().splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if text in line]
    return number


def tasks(tmp_path: Path, **parts: Any) -> Path:
    folder = tmp_path / "tasks"
    folder.mkdir()
    (folder / "plain.json").write_text(json.dumps({**TASK, **parts}))
    return folder


def played(tmp_path: Path, *options: object, **parts: Any) -> Finished:
    return run_eval("--benchmark", "directory", "--task-dir", tasks(tmp_path, **parts), "--model", "random", *options)


GOALS = {
    "a generator": (
        "def check(task, entries):\n    yield Problem('', 'x')\n    1 / 0  # here",
        "validate=check",
        "# here",
    ),
    "a function that is called late": (
        "def reach(world):\n    return lambda state: state.nothing  # here",
        "reached=reach",
        "# here",
    ),
    "an object": (
        "class Say:\n    def __call__(self, world):\n        return world.nothing  # here",
        "mission=Say()",
        "# here",
    ),
}


@pytest.mark.parametrize("case", GOALS)
def test_a_goal_that_fails_is_named_with_the_line(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, given, place = GOALS[case]
    with installed(tmp_path, monkeypatch, GOAL.format(source=source, given=given)):
        run = played(tmp_path)

    assert run.exit_code != 0
    assert f"({FILE}, line {line_of(place, tmp_path)}, in " in run.stderr
    assert "goal 'odd' (faulty/entry) failed in " in run.stderr


def test_a_goal_with_a_wrong_signature_is_refused_with_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "class Say:\n    def __call__(self):  # here\n        return 'wait'"
    with installed(tmp_path, monkeypatch, GOAL.format(source=source, given="mission=Say()")):
        listed = multinet("plugins")

    assert listed.exit_code == 0
    assert "goal 'odd': its mission takes (" in listed.stdout
    assert f"({FILE}, line {line_of('# here', tmp_path)}, in " in listed.stdout


def test_a_glyph_that_fails_while_a_backend_draws_is_named_with_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin = (
        GOAL.format(source="def look(spec, value):\n    return Glyph(spec.nothing)  # here", given="")
        + """

STONES = MechanismType(
    name="stones", noun="stone", summary="Heavy.", spec=KeySpec, traits=lambda spec, value: Trait.NONE, glyph=look
)


@hookimpl
def gridworld_mechanisms():
    return [STONES]
"""
    )
    stones = {"stones": [{"id": "s", "position": [2, 1], "color": "red"}]}
    with installed(tmp_path, monkeypatch, plugin):
        folder = tasks(tmp_path, mechanisms=stones)
        drawn = multinet("tasks", "render", folder / "plain.json", "-o", tmp_path / "plain.png")

    assert drawn.exit_code == 1
    assert f"({FILE}, line {line_of('# here', tmp_path)}, in look)" in drawn.stderr


MODELS = """
from gridworld.hookspecs import ModelInfo, hookimpl


@hookimpl
def gridworld_models():
    return [ModelInfo("odd", "Odd.", "faulty_parts:Odd")]
"""


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("import gridworld\n1 / 0  # here\n", ", in <module>)"),
        (
            "from gridworld.model_interface import ModelInterface\n\n\nclass Odd(ModelInterface):\n"
            "    model_name = 'odd'\n\n    def predict(self):  # here\n        return 0\n",
            ", in predict)",
        ),
        (
            "from multinet_adapters.openai_compatible import OpenAICompatibleAdapter\n\n\n"
            "class Odd(OpenAICompatibleAdapter):\n    provider = 'odd'\n\n"
            "    def __init__(self):\n        super().__init__('m', base_url='http://127.0.0.1:9')\n\n"
            "    def check_ready(self):\n        return\n\n"
            "    def exchange(self, body, deadline):\n        return body['nothing']  # here\n",
            ", in exchange)",
        ),
    ],
    ids=["its import", "a wrong signature", "an overridden method of an adapter"],
)
def test_a_model_that_fails_is_named_with_the_line(
    source: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with installed(tmp_path, monkeypatch, MODELS, source):
        run = played(tmp_path, "--model", "odd", goal={"type": "reach_position"})

    assert run.exit_code != 0
    assert f"({FILE}, line {line_of('# here', tmp_path)}{place}" in run.stderr


IMPORTERS = """
from gridworld.hookspecs import ImporterInfo, hookimpl


@hookimpl
def gridworld_importers():
    return [ImporterInfo("odd", "Odd.", "faulty_parts:Odd")]
"""


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "yield 'a maze'",
            "failed in levels when it read 'here': yielded 'a maze', expected a TaskSpecification, Inexpressible",
        ),
        ("return None", "failed in levels when it read 'here': returned None, expected an iterable of levels"),
        ("yield source.nothing", "failed in levels when it read 'here': AttributeError: "),
    ],
)
def test_an_importer_of_what_are_no_levels_is_named_with_the_line(
    body: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (
        "from gridworld.generation.importer import Importer\n\n\nclass Odd(Importer):\n"
        f"    def levels(self, source):\n        {body}\n"
    )
    with installed(tmp_path, monkeypatch, IMPORTERS, source):
        imported = multinet("tasks", "import", "odd", "here", "-o", tmp_path / "imported")

    assert imported.exit_code == 1
    assert f"error: importer 'odd' (faulty/entry) {message}" in imported.stderr
    line = line_of("nothing" if "nothing" in body else "def levels", tmp_path)
    assert f"({FILE}, line {line}, in levels)" in imported.stderr


@pytest.mark.parametrize(
    "source",
    [
        "@hookimpl  # here\ndef gridworld_models():\n    return [3]",
        "@hookimpl  # here\ndef gridworld_models():\n    return None",
        "def gridworld_models():  # here\n    return ()",
        "@hookimpl  # here\ndef gridworld_modells():\n    return ()",
        "@hookimpl\ndef gridworld_models():\n    yield 1 / 0  # here",
    ],
    ids=["no descriptor", "nothing", "no mark", "no such hook", "a generator that raises"],
)
def test_a_plugin_that_cannot_be_loaded_is_listed_with_the_line(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with installed(tmp_path, monkeypatch, f"from gridworld.hookspecs import hookimpl\n\n\n{source}\n"):
        listed = json.loads(multinet("plugins", "list", "--json").stdout)

    (failed,) = [each for each in listed["plugins"] if each["distribution"] == "faulty"]
    line = line_of("# here", tmp_path)
    assert failed["failure"]["place"] in (
        f"{tmp_path / 'site' / FILE}:{line}",
        f"{tmp_path / 'site' / FILE}:{line - 1}",
    )
