"""A plugin that fails is recorded with where and why, and takes nothing else down with it."""

import importlib
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


def test_a_plugin_that_raises_on_import_fails_alone(install: Install) -> None:
    registry = load_with_broken(install, "raise RuntimeError('out of order')")

    assert_failed_alone(registry, "import", "RuntimeError: out of order")


def test_a_plugin_that_exits_on_import_fails_alone(install: Install) -> None:
    registry = load_with_broken(install, "import sys\nsys.exit('no licence')")

    assert_failed_alone(registry, "import", "SystemExit: no licence")


def test_a_plugin_with_a_syntax_error_fails_alone(install: Install) -> None:
    registry = load_with_broken(install, "def :")

    assert_failed_alone(registry, "import", "SyntaxError: invalid syntax (broken_plugin.py, line 1)")


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


def test_there_is_no_place_where_nothing_of_the_plugin_was_running(install: Install) -> None:
    assert failure_of_broken(load_with_broken(install, "", value="nowhere.to_be_found")).place == ""


def test_a_plugin_whose_module_is_missing_fails_alone(install: Install) -> None:
    registry = load_with_broken(install, "", value="nowhere.to_be_found")

    assert_failed_alone(registry, "import", "ModuleNotFoundError: No module named 'nowhere'", "nowhere.to_be_found")


def test_a_plugin_that_needs_a_missing_library_fails_alone(install: Install) -> None:
    registry = load_with_broken(install, "import library_that_nobody_has")

    assert_failed_alone(registry, "import", "ModuleNotFoundError: No module named 'library_that_nobody_has'")


def test_a_plugin_whose_entry_point_names_a_missing_attribute_fails_alone(install: Install) -> None:
    registry = load_with_broken(install, "", value="broken_plugin:Plugin")

    error = "AttributeError: module 'broken_plugin' has no attribute 'Plugin'"
    assert_failed_alone(registry, "import", error, "broken_plugin:Plugin")


def test_a_plugin_whose_entry_point_is_not_even_a_module_name_fails_alone(install: Install) -> None:
    registry = load_with_broken(install, "", value="not a module!")

    assert failure_of_broken(registry).phase == "import"
    assert record_of(registry, "broken").module == "not a module!"
    assert_everything_else_works(registry)


def test_a_plugin_whose_hook_raises_fails_alone(install: Install) -> None:
    source = HOOKS + "@hookimpl\ndef gridworld_models():\n    raise OSError('disk on fire')"

    assert_failed_alone(load_with_broken(install, source), "gridworld_models", "OSError: disk on fire")


def test_a_plugin_whose_hook_exits_fails_alone(install: Install) -> None:
    source = HOOKS + "@hookimpl\ndef gridworld_goals():\n    raise SystemExit(3)"

    assert_failed_alone(load_with_broken(install, source), "gridworld_goals", "SystemExit: 3")


def test_a_plugin_whose_hook_raises_half_way_through_provides_nothing_at_all(install: Install) -> None:
    yields = "    yield ModelInfo('half', 'A model.', 'x:y')\n    raise ValueError('no more')"
    source = HOOKS + "@hookimpl\ndef gridworld_models():\n" + yields

    assert_failed_alone(load_with_broken(install, source), "gridworld_models", "ValueError: no more")


def test_a_plugin_with_one_sane_and_one_broken_hook_provides_nothing_at_all(install: Install) -> None:
    source = models_module("lost") + "@hookimpl\ndef gridworld_benchmarks():\n    raise ValueError('no more')"

    registry = load_with_broken(install, source)

    assert_failed_alone(registry, "gridworld_benchmarks", "ValueError: no more")
    assert "lost" not in registry.models.names()


@pytest.mark.parametrize(
    ("result", "error"),
    [
        ("['still']", "expected ModelInfo for each model, got 'still'"),
        ("'still'", "expected ModelInfo for each model, got 's'"),
        ("[ModelInfo]", "expected ModelInfo for each model, got <class 'gridworld.hookspecs.ModelInfo'>"),
        ("None", "TypeError: 'NoneType' object is not iterable"),
        ("ModelInfo('x', 'y', 'z')", "TypeError: 'ModelInfo' object is not iterable"),
    ],
    ids=["strings", "a string", "a class", "nothing", "one descriptor outside a list"],
)
def test_a_plugin_whose_hook_returns_a_wrong_type_fails_alone(install: Install, result: str, error: str) -> None:
    source = HOOKS + f"@hookimpl\ndef gridworld_models():\n    return {result}"

    assert_failed_alone(load_with_broken(install, source), "gridworld_models", error)


def test_a_descriptor_of_another_kind_is_a_wrong_type(install: Install) -> None:
    source = HOOKS + "@hookimpl\ndef gridworld_goals():\n    return [ModelInfo('x', 'y', 'z')]"

    found = "ModelInfo(name='x', summary='y', target='z', circumstances=(), files=None)"
    error = f"expected GoalType for each goal, got {found}"
    assert_failed_alone(load_with_broken(install, source), "gridworld_goals", error)


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
def test_a_type_whose_entries_cannot_be_read_is_refused(install: Install, kind: str, made: str, error: str) -> None:
    source = f"{UNREADABLE}\n@hookimpl\ndef gridworld_{kind}s():\n    return [{kind}({made})]"

    registry = load_with_broken(install, source)

    assert failure_of_broken(registry).phase == f"gridworld_{kind}s"
    assert error in failure_of_broken(registry).error
    assert_everything_else_works(registry)


def test_an_unknown_hook_is_refused_with_the_nearest_one(install: Install) -> None:
    source = HOOKS + "@hookimpl\ndef gridworld_modles():\n    return []"

    error = "unknown hook 'gridworld_modles' (did you mean 'gridworld_models'?)"
    assert_failed_alone(load_with_broken(install, source), "register", error)


def test_a_plugin_with_an_unknown_hook_beside_a_sane_one_provides_nothing_at_all(install: Install) -> None:
    source = models_module("lost") + "@hookimpl\ndef gridworld_gaols():\n    return []"

    error = "unknown hook 'gridworld_gaols' (did you mean 'gridworld_goals'?)"
    assert_failed_alone(load_with_broken(install, source), "register", error)


def test_a_function_named_like_a_hook_that_is_not_marked_as_one_is_refused(install: Install) -> None:
    source = HOOKS + "def gridworld_models():\n    return []"

    error = "'gridworld_models' is not marked as a hook: decorate it with @hookimpl"
    assert_failed_alone(load_with_broken(install, source), "register", error)


def test_the_specifications_of_hooks_that_come_with_a_star_import_are_no_hooks(install: Install) -> None:
    install("starred", {"m": "starred"}, {"starred.py": "from gridworld.hookspecs import *\n" + models_module("star")})

    assert load_registry().models.provider("star").distribution == "starred"


def test_a_hook_that_asks_for_arguments_is_refused_by_its_signature(install: Install) -> None:
    registry = load_with_broken(install, HOOKS + "@hookimpl\ndef gridworld_models(catalog):\n    return []")

    failure = failure_of_broken(registry)
    assert failure.phase == "register"
    assert "gridworld_models(catalog)" in failure.error
    assert_everything_else_works(registry)


def test_a_plugin_built_for_another_core_version_is_not_imported_at_all(install: Install) -> None:
    registry = load_with_broken(install, models_module("future"), requires=("gridworld-core>=99",))

    error = f"it needs gridworld-core>=99, but {__version__} is installed"
    assert_failed_alone(registry, "requirement", error)
    assert "broken_plugin" not in sys.modules


@pytest.mark.parametrize("requirement", ["Gridworld_Core>=99", "gridworld.core >= 99", "gridworld-core[extra]>=99"])
def test_the_requirement_on_the_core_is_recognized_however_it_is_spelled(install: Install, requirement: str) -> None:
    registry = load_with_broken(install, models_module("future"), requires=("attrs", requirement))

    assert_failed_alone(registry, "requirement", f"it needs gridworld-core>=99, but {__version__} is installed")


@pytest.mark.parametrize(
    "name",
    ["gridworld-generators", "gridworld-minigrid", "Gridworld_Multigrid", "multinet-adapters", "multinet-eval"],
)
def test_requirements_on_all_distributions_of_the_toolkit_are_checked_before_the_import(
    install: Install, name: str
) -> None:
    registry = load_with_broken(install, "raise AssertionError", requires=(f"{name}>=99",))

    known = canonicalize_name(name)
    assert_failed_alone(registry, "requirement", f"it needs {known}>=99, but {version(known)} is installed")
    assert "broken_plugin" not in sys.modules


def test_a_distribution_of_the_toolkit_that_is_required_and_not_installed_is_named(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
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
def test_a_requirement_that_is_met_or_does_not_apply_is_no_hindrance(install: Install, requirement: str) -> None:
    install("fitting", {"m": "fitting_models"}, {"fitting_models.py": models_module("fit")}, requires=[requirement])

    assert load_registry().models.provider("fit").distribution == "fitting"


def test_a_requirement_whose_marker_applies_counts(install: Install) -> None:
    requires = ("gridworld-core>=99; python_version >= '3'",)

    registry = load_with_broken(install, models_module("future"), requires=requires)

    assert_failed_alone(registry, "requirement", f"it needs gridworld-core>=99, but {__version__} is installed")


def test_a_pre_release_of_the_core_meets_a_requirement_on_the_release_before_it(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(
        "fitting", {"m": "fitting_models"}, {"fitting_models.py": models_module("fit")}, requires=["gridworld-core>=1"]
    )
    monkeypatch.setattr("gridworld.plugins.loading.__version__", "1.1rc1")

    assert record_of(load_registry(), "fitting").status == "loaded"


def test_a_plugin_with_a_malformed_requirement_fails_alone(install: Install) -> None:
    registry = load_with_broken(install, models_module("odd"), requires=("gridworld-core >>> 1",))

    assert failure_of_broken(registry).phase == "requirement"
    assert_everything_else_works(registry)


@pytest.mark.parametrize(
    "metadata", [None, "", "Metadata-Version: 2.1\nVersion: 2.5\n"], ids=["none", "empty", "no name"]
)
def test_a_distribution_without_a_name_in_its_metadata_takes_nothing_down(
    install: Install, site: Path, metadata: str | None
) -> None:
    install("broken", {"entry": "broken_plugin"}, {"broken_plugin.py": models_module("nameless")}, version="2.5")
    file = site / "broken-2.5.dist-info" / "METADATA"
    file.unlink() if metadata is None else file.write_text(metadata)
    importlib.invalidate_caches()

    assert_everything_else_works(load_registry())


def test_a_plugin_whose_descriptor_has_no_proper_name_takes_nothing_down(install: Install) -> None:
    source = HOOKS + "@hookimpl\ndef gridworld_models():\n    return [ModelInfo(None, 'A model.', 'x:y')]"

    registry = load_with_broken(install, source)

    assert failure_of_broken(registry).phase == "gridworld_models"
    assert_everything_else_works(registry)


@pytest.mark.parametrize(
    "source",
    [
        "class Mute(Exception):\n    def __str__(self):\n        raise ValueError('mute')\nraise Mute",
        HOOKS
        + "class Mute:\n    def __repr__(self):\n        raise ValueError('mute')\n"
        + "@hookimpl\ndef gridworld_models():\n    return [Mute()]",
    ],
    ids=["an error", "a result"],
)
def test_a_plugin_with_what_cannot_even_be_shown_takes_nothing_down(install: Install, source: str) -> None:
    registry = load_with_broken(install, source)

    assert record_of(registry, "broken").status == "failed"
    assert_everything_else_works(registry)


def test_two_plugins_of_one_distribution_fail_and_load_each_on_its_own(install: Install) -> None:
    modules = {"good_half.py": models_module("half"), "bad_half.py": "raise RuntimeError('other half')"}
    install("halves", {"bad": "bad_half", "good": "good_half"}, modules)

    registry = load_registry()

    assert [record.status for record in registry.plugins if record.distribution == "halves"] == ["failed", "loaded"]
    assert registry.models.provider("half").entry_point == "good"


def test_what_a_failed_plugin_would_have_provided_is_unknown(install: Install) -> None:
    source = models_module("lost") + "@hookimpl\ndef gridworld_goals():\n    raise ValueError('no goals')"
    registry = load_with_broken(install, source)

    with pytest.raises(
        UnknownNameError, match=r"A plugin that failed to load may provide it \(broken/entry\): see 'multinet plugins'"
    ):
        registry.models.get("lost")


def test_an_interrupt_by_the_user_is_no_failure_of_a_plugin(install: Install) -> None:
    with pytest.raises(KeyboardInterrupt):
        load_with_broken(install, "raise KeyboardInterrupt")


def test_strict_makes_the_first_failure_fatal_and_names_plugin_phase_and_error(install: Install) -> None:
    install("also-broken", {"entry": "also_broken"}, {"also_broken.py": "raise RuntimeError('first')"})
    install("broken", {"entry": "broken_plugin"}, {"broken_plugin.py": "raise RuntimeError('second')"})

    with pytest.raises(PluginFault, match="plugin also-broken/entry failed in phase 'import': RuntimeError: first"):
        load_registry(strict=True)


def test_strict_loads_a_sane_installation_as_usual(install: Install) -> None:
    install("third-party", {"m": "third_models"}, {"third_models.py": models_module("tortoise")})

    assert load_registry(strict=True).models.provider("tortoise").distribution == "third-party"


def test_strict_does_not_mind_a_broken_plugin_that_is_disabled(install: Install) -> None:
    install("broken", {"entry": "broken_plugin"}, {"broken_plugin.py": "raise RuntimeError('out of order')"})

    registry = load_registry(disabled=["broken"], strict=True)

    assert registry.failures == ()
    assert_everything_else_works(registry)
