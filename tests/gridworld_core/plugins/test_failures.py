"""Failing plugins are recorded with phase, error and place, and affect no other."""

import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from gridworld._version import __version__
from gridworld.errors import PluginFault, UnknownNameError
from gridworld.plugins import PluginFailure, PluginRecord, Registry, load_registry
from support.plugins import Install, models_module, record_of

HOOKS = "from gridworld.hookspecs import ModelInfo, hookimpl\n"


@pytest.fixture(autouse=True)
def _sane_plugin(install: Install) -> None:
    """Comes after all broken ones in the order of loading."""
    install("sane", {"models": "sane_models"}, {"sane_models.py": models_module("still")})


def failure_of_broken(registry: Registry) -> PluginFailure:
    record = record_of(registry, "broken")
    assert record.status == "failed"
    assert record.failure is not None
    return record.failure


def load_with_broken(
    install: Install, source: str, *, value: str = "broken_plugin", requires: tuple[str, ...] = ()
) -> Registry:
    install("broken", {"entry": value}, {"broken_plugin.py": source}, version="2.5", requires=requires)
    return load_registry()


def assert_failed_alone(registry: Registry, phase: str, error: str, value: str = "broken_plugin") -> None:
    expected = PluginRecord("broken", "2.5", "entry", value, "failed", PluginFailure(phase, error))
    assert [record for record in registry.plugins if record.distribution == "broken"] == [expected]
    assert expected in registry.failures
    assert "broken" not in [provided.distribution for catalog in registry.catalogs for provided in catalog]
    assert_everything_else_works(registry)


def assert_everything_else_works(registry: Registry) -> None:
    assert registry.models.provider("still").distribution == "sane"
    assert {"random", "optimal"} <= set(registry.models.names())
    assert {"keys", "doors"} <= set(registry.mechanisms.names())
    assert "reach_position" in registry.goals.names()


def hook(name: str, *lines: str) -> str:
    """A module with one hook."""
    return "\n    ".join([f"{HOOKS}@hookimpl\ndef gridworld_{name}():", *lines])


@pytest.mark.parametrize(
    ("source", "phase", "error"),
    [
        ("raise RuntimeError('out of order')", "import", "RuntimeError: out of order"),
        ("import sys\nsys.exit('no licence')", "import", "SystemExit: no licence"),
        ("def :", "import", "SyntaxError: invalid syntax (broken_plugin.py, line 1)"),
        (
            "import library_that_nobody_has",
            "import",
            "ModuleNotFoundError: No module named 'library_that_nobody_has'",
        ),
        (hook("models", "raise OSError('disk on fire')"), "gridworld_models", "OSError: disk on fire"),
        (hook("goals", "raise SystemExit(3)"), "gridworld_goals", "SystemExit: 3"),
        (
            hook("models", "yield ModelInfo('half', 'A model.', 'x:y')", "raise ValueError('no more')"),
            "gridworld_models",
            "ValueError: no more",
        ),
        (
            models_module("lost") + "@hookimpl\ndef gridworld_benchmarks():\n    raise ValueError('no more')",
            "gridworld_benchmarks",
            "ValueError: no more",
        ),
        *(
            (hook("models", f"return {result}"), "gridworld_models", error)
            for result, error in (
                ("['still']", "expected ModelInfo for each model, got 'still'"),
                ("'still'", "expected ModelInfo for each model, got 's'"),
                ("[ModelInfo]", "expected ModelInfo for each model, got <class 'gridworld.hookspecs.ModelInfo'>"),
                ("None", "returned None, expected a list of ModelInfo"),
                ("ModelInfo('x', 'y', 'z')", "returned the model 'x' alone, expected a list of ModelInfo"),
            )
        ),
        (
            hook("goals", "return [ModelInfo('x', 'y', 'z')]"),
            "gridworld_goals",
            "expected GoalType for each goal, got "
            "ModelInfo(name='x', summary='y', target='z', circumstances=(), files=None, harmless=())",
        ),
        (
            hook("modles", "return []"),
            "register",
            "unknown hook 'gridworld_modles' (did you mean 'gridworld_models'?)",
        ),
        (
            models_module("lost") + "@hookimpl\ndef gridworld_gaols():\n    return []",
            "register",
            "unknown hook 'gridworld_gaols' (did you mean 'gridworld_goals'?)",
        ),
        (
            HOOKS + "def gridworld_models():\n    return []",
            "register",
            "'gridworld_models' is not marked as a hook: decorate it with @hookimpl",
        ),
    ],
)
def test_a_broken_plugin_fails_alone_and_provides_nothing(
    install: Install, source: str, phase: str, error: str
) -> None:
    assert_failed_alone(load_with_broken(install, source), phase, error)


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("nowhere.to_be_found", "ModuleNotFoundError: No module named 'nowhere'"),
        ("broken_plugin:Plugin", "AttributeError: module 'broken_plugin' has no attribute 'Plugin'"),
    ],
)
def test_a_broken_entry_point_fails_alone(install: Install, value: str, error: str) -> None:
    registry = load_with_broken(install, "", value=value)
    assert_failed_alone(registry, "import", error, value)
    assert failure_of_broken(registry).place == ""


@pytest.mark.parametrize(
    ("source", "value", "requires", "phase"),
    [
        ("", "not a module!", (), "discovery"),
        (hook("models", "return [ModelInfo(None, 'A model.', 'x:y')]"), "broken_plugin", (), "gridworld_models"),
        (models_module("odd"), "broken_plugin", ("gridworld-core >>> 1",), "requirement"),
        (
            "class Mute(Exception):\n    def __str__(self):\n        raise ValueError('mute')\nraise Mute",
            "broken_plugin",
            (),
            "import",
        ),
        (
            "class Mute:\n    def __repr__(self):\n        raise ValueError('mute')\n"
            + hook("models", "return [Mute()]"),
            "broken_plugin",
            (),
            "gridworld_models",
        ),
    ],
    ids=["no module name", "a nameless descriptor", "a malformed requirement", "a mute error", "a mute result"],
)
def test_an_odd_plugin_harms_no_other(
    install: Install, source: str, value: str, requires: tuple[str, ...], phase: str
) -> None:
    registry = load_with_broken(install, source, value=value, requires=requires)
    assert failure_of_broken(registry).phase == phase
    assert record_of(registry, "broken").module == value
    assert_everything_else_works(registry)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("\nraise RuntimeError('out of order')", 2),
        ("\n\ndef :", 3),
        ("import ast\nast.literal_eval('1 +')", 2),
        ("import json\ndef read():\n    return json.loads('{')\nread()", 3),
        (HOOKS + "@hookimpl\ndef gridworld_models():\n    return [ModelInfo()]", 4),
    ],
    ids=["raises", "cannot be parsed", "reads what cannot be parsed", "in a library that it calls", "in a hook"],
)
def test_the_place_in_the_plugin_is_recorded(install: Install, site: Path, source: str, line: int) -> None:
    assert failure_of_broken(load_with_broken(install, source)).place == f"{site / 'broken_plugin.py'}:{line}"


UNREADABLE = """
from dataclasses import dataclass
import attrs
from gridworld.hookspecs import Glyph, GoalType, MechanismType, Trait, hookimpl

@dataclass
class Data:
    id: str

@attrs.frozen
class Nameless:
    size: int

def mechanism(spec):
    looks = {"traits": lambda spec, value: Trait.NONE, "glyph": lambda spec, value: Glyph(())}
    return MechanismType(name="rugs", noun="rug", summary="Soft.", spec=spec, **looks)

def goal(parameters):
    hooks = {"reached": lambda world: bool, "mission": lambda world: "go", "validate": lambda task, entries: ()}
    return GoalType(name="rest", summary="Rest.", parameters=parameters, **hooks)
"""


@pytest.mark.parametrize(
    ("kind", "made", "error"),
    [
        (
            "mechanism",
            "Data",
            "its spec <class 'broken_plugin.Data'> is not an attrs class: decorate it with @attrs.frozen",
        ),
        ("mechanism", "Nameless", "its spec <class 'broken_plugin.Nameless'> has no field 'id': add 'id: str'"),
        ("goal", "Data", "its parameters <class 'broken_plugin.Data'> are not an attrs class: decorate it with @attrs"),
    ],
)
def test_a_type_with_a_wrong_class_of_entries_is_refused(install: Install, kind: str, made: str, error: str) -> None:
    source = f"{UNREADABLE}\n@hookimpl\ndef gridworld_{kind}s():\n    return [{kind}({made})]"

    registry = load_with_broken(install, source)

    assert failure_of_broken(registry).phase == f"gridworld_{kind}s"
    assert error in failure_of_broken(registry).error
    assert_everything_else_works(registry)


def test_a_hook_with_arguments_is_refused(install: Install) -> None:
    registry = load_with_broken(install, HOOKS + "@hookimpl\ndef gridworld_models(catalog):\n    return []")

    failure = failure_of_broken(registry)
    assert failure.phase == "register"
    assert "gridworld_models(catalog)" in failure.error
    assert_everything_else_works(registry)


@pytest.mark.parametrize(
    "requirement",
    [
        "Gridworld_Core>=99",
        "gridworld.core >= 99",
        "gridworld-core[extra]>=99",
        "gridworld-core>=99; python_version >= '3'",
    ],
)
def test_a_plugin_for_another_core_version_is_not_imported(install: Install, requirement: str) -> None:
    registry = load_with_broken(install, models_module("future"), requires=("attrs", requirement))
    assert_failed_alone(registry, "requirement", f"it needs gridworld-core>=99, but {__version__} is installed")
    assert "broken_plugin" not in sys.modules


@pytest.mark.parametrize(
    "name",
    ["Gridworld_Multigrid", "multinet-eval"],
)
def test_requirements_on_all_toolkit_distributions_are_checked_before_the_import(install: Install, name: str) -> None:
    registry = load_with_broken(install, "raise AssertionError", requires=(f"{name}>=99",))

    known = canonicalize_name(name)
    assert_failed_alone(registry, "requirement", f"it needs {known}>=99, but {version(known)} is installed")
    assert "broken_plugin" not in sys.modules


def test_a_missing_toolkit_distribution_is_named(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridworld.plugins.loading.TOOLKIT", {"gridworld-core", "gridworld-flying"})

    registry = load_with_broken(install, models_module("bird"), requires=("gridworld-flying>=0.2,<1",))

    assert_failed_alone(registry, "requirement", "it needs gridworld-flying<1,>=0.2, which is not installed")


@pytest.mark.parametrize(
    "requirement",
    [
        f"gridworld-core=={__version__}",
        "multinet-eval>=0.2,<1",
        "gridworld-core",
        "gridworld-core>=0.0.1,<99",
        "attrs>=99",
        "gridworld-core>=99; python_version < '3'",
        "gridworld-core>=99; extra == 'future'",
    ],
)
def test_a_requirement_that_is_met_or_does_not_apply_is_ignored(install: Install, requirement: str) -> None:
    install("fitting", {"m": "fitting_models"}, {"fitting_models.py": models_module("fit")}, requires=[requirement])

    assert load_registry().models.provider("fit").distribution == "fitting"


def test_a_pre_release_meets_a_requirement_on_the_previous_release(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(
        "fitting", {"m": "fitting_models"}, {"fitting_models.py": models_module("fit")}, requires=["gridworld-core>=1"]
    )
    monkeypatch.setattr("gridworld.plugins.loading.__version__", "1.1rc1")

    assert record_of(load_registry(), "fitting").status == "loaded"


def test_an_unknown_name_mentions_the_failed_plugin(install: Install) -> None:
    source = models_module("lost") + "@hookimpl\ndef gridworld_goals():\n    raise ValueError('no goals')"
    registry = load_with_broken(install, source)

    with pytest.raises(UnknownNameError, match=r"may be missing, or unused \(broken/entry: failed to load\)"):
        registry.models.get("lost")


def test_an_interrupt_is_not_caught(install: Install) -> None:
    with pytest.raises(KeyboardInterrupt):
        load_with_broken(install, "raise KeyboardInterrupt")


def test_strict_raises_the_first_failure(install: Install) -> None:
    install("also-broken", {"entry": "also_broken"}, {"also_broken.py": "raise RuntimeError('first')"})
    install("broken", {"entry": "broken_plugin"}, {"broken_plugin.py": "raise RuntimeError('second')"})

    with pytest.raises(PluginFault, match="plugin also-broken/entry failed in phase 'import': RuntimeError: first"):
        load_registry(strict=True)
