"""``multinet plugins check`` names what is wrong with plugins that cannot work, of each kind."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import attrs
import pytest

from gridworld.plugins.catalog import KINDS
from gridworld.testing.installed import KITS
from multinet_eval.cli.plugins.kits import FURTHER_KITS
from support.plugins import write_distribution
from support.programs import run

HEAD = """
import random
from gridworld.hookspecs import *
from gridworld.hookspecs import hookimpl
from gridworld.errors import ArgumentError
from gridworld.generation.generator import Generator
from gridworld.generation.importer import Importer
from gridworld.model_interface import ModelInterface, ModelOutput, ReplyForm
from gridworld.task_spec import *
from multinet_eval import metric
from multinet_eval.analysis.metrics.aggregation import MEAN
from multinet_eval.play.observers import RunObserver
from multinet_eval.probing.probe import Grade, Probe, ProbeQuestion, verdict
from multinet_eval.settings.asking import Protocol, StepByStep
"""
INFO = """
@hookimpl
def gridworld_{kind}s():
    return [{info}("{name}", "A defect.", {target!r})]
"""
DESCRIPTORS = {kind.name: kind.descriptor.__name__ for kind in KINDS}


@attrs.frozen
class Defect:
    """A plugin that cannot work."""

    name: str
    kind: str
    source: str
    """The module of the target, which is named ``Target``."""
    wrong: str
    """Part of what is said of it."""
    target: str | None = None
    """Import string, in place of that of ``Target``."""
    live: bool = False
    """Whether it shows only when it is used."""

    @property
    def module(self) -> str:
        """The name of its module."""
        return f"planted_{self.name.replace('-', '_')}"


TARGETED = (
    "backend",
    "model",
    "tiling",
    "observer",
    "protocol",
    "generator",
    "importer",
    "probe",
    "metric",
    "observation",
)
"""The kinds whose descriptors have an import string."""
BASES = {
    "observer": "RunObserver",
    "protocol": "Protocol",
    "generator": "Generator",
    "importer": "Importer",
    "probe": "Probe",
    "model": "ModelInterface",
}
"""Kind to the class that its targets are derived from."""

QUESTIONS = """
class Target(Probe):
    name = "planted"
    def questions(self, scene, dice):
        yield ProbeQuestion("Where?", {"cell": list(scene.agent)})
    def read(self, question, said):
        return tuple(said["cell"])
    def grade(self, question, truth, answer):
        return Grade({"right": verdict(truth == answer)})
"""
SPEC = """
import attrs
@attrs.frozen
class Spec:
    id: str
    position: Position = attrs.field(converter=to_position)
def glyph(spec, value):
    return Glyph(())
def traits(spec, value):
    return Trait.NONE
"""

SIMULATOR = Path(__file__).parents[3] / "gridworld_core" / "testing" / "test_backend_kit_on_foreign_simulators.py"
"""Module with the sound backend `Walker`."""


def walking(source: str) -> str:
    """The source of a backend derived from `Walker`."""
    walker = SIMULATOR.read_text(encoding="utf-8").partition("class Walker")[2].partition("def test_")[0]
    imports = """
from typing import Any
import attrs, numpy as np
from gridworld.actions import ACTION_SPACE
from gridworld.backends.base import AbstractGridBackend, GridState
from gridworld.errors import EpisodeOver, InvalidAction, InvalidTaskError, NotResetError, Problem
AHEAD = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""
    return f"{imports}class Walker{walker}\nclass Target(Walker):\n{source}"


def lamp(name: str, **options: str) -> str:
    """The source of a mechanism that does nothing, with further arguments."""
    given = "".join(f", {option}={text}" for option, text in options.items())
    fixed = "noun='lamp', summary='A lamp.', spec=Spec, traits=traits, glyph=glyph"
    return SPEC + f"Target = MechanismType(name={name!r}, {fixed}{given})"


DEFECTS = (
    Defect(
        "unmoved-backend",
        "backend",
        walking("    def step(self, action):\n        return super().step(5 if action == 2 else action)"),
        "expected (2, 1)",
    ),
    Defect(
        "swapped-backend",
        "backend",
        walking("    def step(self, action):\n        return super().step(1 - action if action in (0, 1) else action)"),
        "after 1 times TURN_LEFT, expected 3",
    ),
    Defect(
        "turned-backend",
        "backend",
        walking(
            """
    def reset(self, seed=None):
        super().reset(seed)
        self._state = attrs.evolve(self.present(), agent_direction=1)
        return self.render(), self.get_state(), {}
"""
        ),
        "after 0 times TURN_LEFT, expected 0",
    ),
    Defect(
        "placed_lamps",
        "mechanism",
        lamp("placed_lamps", explains="lambda spec, rules: Explained('The one at (3, 4) is broken.')"),
        "names a place",
    ),
    Defect(
        "dimmed_lamps",
        "mechanism",
        lamp(
            "dimmed_lamps",
            values="tuple(f'dim-{n}' for n in range(10))",
            adjective="lambda spec, value: value",
            explains="lambda spec, rules: Explained('It glows.')",
        ),
        "it has 10 states with different names, the legend tells 9",
    ),
    Defect(
        "random_lamps",
        "mechanism",
        lamp("random_lamps", values="('off', 'on')", tick="lambda *told: (random.randrange(2), ())"),
        "for the same state",
    ),
    Defect(
        "goal-observation",
        "observation",
        "def Target(episode):\n    return str(episode.world.task.maze.goal)",
        "where the goal is",
    ),
    Defect(
        "planted_tour",
        "goal",
        """
Target = GoalType(
    name="planted_tour",
    summary="A tour.",
    reached=lambda world: (lambda state: state.cell == 9),
    mission=lambda world: "walk about",
    validate=lambda task, entries: (),
    explains=Explained("Reached in row 3."),
)
""",
        "names a place",
    ),
    Defect("no-suite", "benchmark", "", "no_such_package", "no_such_package"),
    *(Defect(f"missing-module-{kind}", kind, "", "cannot load", "no_such_module:Target") for kind in TARGETED),
    *(Defect(f"missing-name-{kind}", kind, "", "cannot load", "math:Target") for kind in ("probe", "metric")),
    Defect("no-import-string", "metric", "", "no import string", "nowhere"),
    *(
        Defect(f"wrong-base-{kind}", kind, "class Target:\n    pass", f"no {base}")
        for kind, base in BASES.items()
        if kind != "generator"
    ),
    *(
        Defect(f"abstract-{kind}", kind, f"class Target({base}):\n    pass", "is abstract")
        for kind, base in BASES.items()
        if kind not in ("observer", "generator")
    ),
    Defect("wrong-base-generator", "generator", "class Target:\n    'Doc.'", "is not a generator"),
    Defect("abstract-generator", "generator", "class Target(Generator):\n    'Doc.'", "abstract"),
    Defect(
        "signature-observer",
        "observer",
        "class Target(RunObserver):\n    def step_taken(self, step):\n        pass",
        "step_taken(self, step) cannot be called like",
    ),
    Defect(
        "signature-importer",
        "importer",
        "class Target(Importer):\n    def levels(self):\n        return []",
        "levels(self) cannot be called like",
    ),
    Defect(
        "signature-model",
        "model",
        "class Target(ModelInterface):\n    model_name = 'm'\n    def predict(self):\n        return ModelOutput(2)",
        "predict(self) cannot be called like",
    ),
    Defect(
        "raising-observer",
        "observer",
        "class Target(RunObserver):\n    def __init__(self):\n        raise OSError('no disk')",
        "no disk",
    ),
    Defect(
        "dropped-observer",
        "observer",
        "class Target(RunObserver):\n    def step_taken(self, *told):\n        raise OSError('no disk')",
        "no disk",
        live=True,
    ),
    Defect(
        "mute-protocol",
        "protocol",
        "class Target(StepByStep):\n    reply = None",
        "its reply is",
    ),
    Defect(
        "vague-protocol",
        "protocol",
        "class Target(StepByStep):\n    def goes_on(self, after, came_into_view):\n        return 'maybe'",
        "goes_on returns",
    ),
    Defect(
        "talking-importer",
        "importer",
        "class Target(Importer):\n    def levels(self, source):\n        yield 'a level'",
        "levels yields",
    ),
    Defect(
        "none-importer",
        "importer",
        "class Target(Importer):\n    def levels(self, source):\n        return None",
        "levels returns",
    ),
    Defect(
        "raising-importer",
        "importer",
        "class Target(Importer):\n    def levels(self, source):\n        return [1 / len(open(source).read())]",
        "levels of a file that is missing",
    ),
    Defect("own-answer-probe", "probe", QUESTIONS.replace("truth == answer", "False"), "is graded 0"),
    Defect("random-probe", "probe", QUESTIONS.replace('"Where?"', "str(random.random())"), "asks other things"),
    Defect("silent-probe", "probe", QUESTIONS.replace("yield ", "return []; yield "), "asks nothing"),
    Defect("text-probe", "probe", QUESTIONS.replace("yield ", "yield 'Where?'; yield "), "it asks"),
    Defect("plain-metric", "metric", "def Target(episode):\n    'Doc.'\n    return 1.0", "no metric"),
    Defect(
        "raising-metric", "metric", "@metric(MEAN)\ndef Target(episode):\n    'Doc.'\n    return episode.turns", "turns"
    ),
    Defect("word-metric", "metric", "@metric(MEAN)\ndef Target(episode):\n    'Doc.'\n    return 'far'", "'far'"),
    Defect("silent-observation", "observation", "def Target(episode):\n    return None", "it gives None"),
    Defect(
        "random-observation", "observation", "def Target(episode):\n    return str(random.random())", "another text"
    ),
    Defect("no-topology", "tiling", "def Target(width, height):\n    return (width, height)", "it makes (3, 3)"),
    Defect("signature-tiling", "tiling", "def Target(width):\n    return square_topology(width, width)", "Target()"),
)


@cache
def checked(kind: str, live: bool) -> dict[str, Any]:
    """Name to what ``multinet plugins check`` says, of the defects of one kind that show that way."""
    planted = [defect for defect in DEFECTS if (defect.kind, defect.live) == (kind, live)]
    distribution = f"planted-{kind}"
    with TemporaryDirectory() as folder:
        write_distribution(
            Path(folder),
            distribution,
            "1.0",
            {each.module: f"{each.module}_plugin" for each in planted},
            files(planted),
        )
        options = ["--live"] if live else []
        finished = run("multinet", "plugins", "check", distribution, "--json", *options, path=[Path(folder)])
    assert finished.returncode == 1, finished.stderr
    return {each["name"]: each for each in json.loads(finished.stdout) if each["kind"] == kind}


def files(planted: list[Defect]) -> dict[str, str]:
    """A module of the target and one of the hook for each."""
    made = {}
    for each in planted:
        made[f"{each.module}.py"] = HEAD + each.source
        target = each.target or f"{each.module}:Target"
        hook = INFO.format(kind=each.kind, info=DESCRIPTORS[each.kind], name=each.name, target=target)
        if each.kind in ("mechanism", "goal"):
            hook = f"from {each.module} import Target\n@hookimpl\ndef gridworld_{each.kind}s():\n    return [Target]\n"
        elif each.kind == "benchmark":
            hook = hook.replace(f"{target!r})", f"{target!r}, 'tasks')")
        made[f"{each.module}_plugin.py"] = (
            "from gridworld.hookspecs import *\nfrom gridworld.hookspecs import hookimpl\n" + hook
        )
    return made


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name)
def test_a_planted_defect_is_named(defect: Defect) -> None:
    found = checked(defect.kind, defect.live)[defect.name]
    assert found["verdict"] == "failed", found
    told = [each["wrong"] for each in found["results"] if each["verdict"] == "failed"]
    assert any(defect.wrong in wrong for wrong in told), told


def test_every_kit_has_planted_defects() -> None:
    assert {defect.kind for defect in DEFECTS} == {*KITS, *FURTHER_KITS}


def test_a_broken_tiling_of_somebody_else_is_named_and_left_out(tmp_path: Path) -> None:
    tilings = "def Target(width, height):\n    return (width, height)"
    formats = "def Target(episode):\n    return 'You are somewhere.'"
    for each in (Defect("bent", "tiling", tilings, ""), Defect("vague", "observation", formats, "")):
        write_distribution(tmp_path, each.name, "1.0", {each.module: f"{each.module}_plugin"}, files([each]))
    finished = run("multinet", "plugins", "check", "vague", path=[tmp_path])
    assert "tiling 'bent' (bent) is left out: it makes" in finished.stderr
    assert "observation vague: " not in finished.stdout
