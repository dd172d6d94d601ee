"""Plugins in a fresh interpreter, where nothing has been imported."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.plugins import models_module, run_python, write_distribution

HEAVY_LIBRARIES = ("numpy", "minigrid", "gymnasium", "PIL", "cattrs")

REPORT = """
import json, sys
from gridworld.plugins import load_registry

registry = load_registry()
json.dump({
    "plugins": {
        record.qualified_name: [record.version, record.status, record.failure and record.failure.phase]
        for record in registry.plugins
    },
    "models": registry.models.names(),
    "mechanisms": registry.mechanisms.names(),
    "imported": sorted(sys.modules),
}, sys.stdout)
"""

HOOKS = "from gridworld.hookspecs import ModelInfo, hookimpl\n"

BROKEN = {
    "raising": ("import", "raise RuntimeError('out of order')"),
    "exiting": ("import", "import sys; sys.exit(3)"),
    "needing": ("import", "import library_that_nobody_has"),
    "hook-raising": ("gridworld_models", HOOKS + "@hookimpl\ndef gridworld_models():\n    raise OSError"),
    "hook-exiting": ("gridworld_models", HOOKS + "@hookimpl\ndef gridworld_models():\n    raise SystemExit(3)"),
    "hook-lying": ("gridworld_models", HOOKS + "@hookimpl\ndef gridworld_models():\n    return ['still']"),
    "misspelt": ("register", HOOKS + "@hookimpl\ndef gridworld_modles():\n    return []"),
}


def report(*path: Path, variables: Mapping[str, str] | None = None) -> Any:
    finished = run_python(REPORT, path, variables)
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def write_models(folder: Path, distribution: str, module: str, *names: str) -> None:
    write_distribution(folder, distribution, "1.0", {"models": module}, {f"{module}.py": models_module(*names)})


def test_prints_of_a_loading_plugin_go_to_standard_error(tmp_path: Path) -> None:
    goals = "\n@hookimpl\ndef gridworld_goals():\n    print('hi')\n    return []"
    source = "print('hello')\n" + models_module("still") + goals
    write_distribution(tmp_path, "talking", "1.0", {"models": "talking"}, {"talking.py": source})
    finished = run_python(REPORT, (tmp_path,))
    assert "still" in json.loads(finished.stdout)["models"]
    assert finished.stderr.split() == ["hello", "hi"]


def test_all_ways_to_fail_at_once_leave_the_sane_plugins_working(tmp_path: Path) -> None:
    write_models(tmp_path, "a-sane-one", "first_models", "first")
    for name, (_, source) in BROKEN.items():
        module = name.replace("-", "_") + "_plugin"
        write_distribution(tmp_path, name, "0.3", {"entry": module}, {f"{module}.py": source})
    write_models(tmp_path, "z-sane-one", "last_models", "last")

    found = report(tmp_path)

    assert {f"{name}/entry": ["0.3", "failed", phase] for name, (phase, _) in BROKEN.items()}.items() <= (
        found["plugins"].items()
    )
    assert found["plugins"]["gridworld-core/builtin"][1] == "loaded"
    assert {"first", "last", "random", "optimal"} <= set(found["models"])
    assert "keys" in found["mechanisms"]


def test_a_strict_loading_stops_the_program_with_the_plugins_name(tmp_path: Path) -> None:
    write_distribution(tmp_path, "a-broken-one", "0.3", {"entry": "broken"}, {"broken.py": "raise RuntimeError"})

    finished = run_python("from gridworld.plugins import load_registry; load_registry(strict=True)", [tmp_path])

    assert finished.returncode == 1
    assert "PluginFault: plugin a-broken-one/entry failed in phase 'import': RuntimeError" in finished.stderr


@pytest.mark.parametrize("variable", ["My_Plugin", "my-plugin/entry"])
def test_a_plugin_disabled_by_the_environment_runs_none_of_its_code(tmp_path: Path, variable: str) -> None:
    trace = tmp_path / "was-imported"
    source = f"from pathlib import Path\nPath({str(trace)!r}).write_text('yes')\n" + models_module("still")
    write_distribution(tmp_path, "My_Plugin", "1.0", {"entry": "tracing_plugin"}, {"tracing_plugin.py": source})

    disabled = report(tmp_path, variables={"GRIDWORLD_DISABLE_PLUGINS": variable})
    assert not trace.exists()
    enabled = report(tmp_path)

    assert trace.exists()
    assert disabled["plugins"]["my-plugin/entry"] == ["1.0", "disabled", None]
    assert enabled["plugins"]["my-plugin/entry"] == ["1.0", "loaded", None]
    assert "still" in enabled["models"]


def test_the_order_is_the_same_whichever_way_round_the_path_is(tmp_path: Path) -> None:
    write_models(tmp_path / "one", "zebra", "zebra_models", "same")
    write_models(tmp_path / "two", "aardvark", "aardvark_models", "same")

    forwards = report(tmp_path / "one", tmp_path / "two")
    backwards = report(tmp_path / "two", tmp_path / "one")

    assert list(forwards["plugins"]) == list(backwards["plugins"]) == sorted(forwards["plugins"])


def test_listing_the_plugins_imports_nothing_heavy() -> None:
    assert not set(HEAVY_LIBRARIES) & set(report()["imported"])


def test_no_built_in_mechanism_goal_or_model_imports_anything_heavy() -> None:
    code = """
import sys
from gridworld.support.import_strings import load_object
from gridworld.plugins import load_registry

registry = load_registry()
for provided in registry.models:
    if provided.distribution == "gridworld-core":
        load_object(provided.item.target)
print(*sys.modules)
"""
    finished = run_python(code, [])

    assert "gridworld.solver.optimal_model" in finished.stdout.split()
    solver_needs = {"numpy"}
    assert not (set(HEAVY_LIBRARIES) - solver_needs) & set(finished.stdout.split())


def test_importing_the_core_or_its_plugin_seam_loads_no_plugin(tmp_path: Path) -> None:
    write_models(tmp_path, "third-party", "third_models", "still")
    code = "import sys, gridworld, gridworld.hookspecs, gridworld.plugins, gridworld.task_spec, gridworld.world\n"

    finished = run_python(code + "print(*sys.modules)", [tmp_path])

    assert "gridworld.hookspecs" in finished.stdout.split()
    assert "third_models" not in finished.stdout.split()
    assert "gridworld.builtin" not in finished.stdout.split()


def test_a_task_finds_the_plugins_without_being_told_to_load_them(tmp_path: Path) -> None:
    write_models(tmp_path, "third-party", "third_models", "still")
    code = """
import sys
from gridworld.task_spec import MechanismSet, TaskSpecification
print(MechanismSet().doors, "third_models" in sys.modules)
try:
    TaskSpecification.from_dict({})
except Exception:
    print("third_models" in sys.modules)
"""
    assert run_python(code, [tmp_path]).stdout == "() False\nTrue\n"


def test_no_hook_is_called_again_because_it_needs_the_registry_itself(tmp_path: Path) -> None:
    source = """
from gridworld.hookspecs import ModelInfo, hookimpl

calls = []

@hookimpl
def gridworld_models():
    calls.append("call")
    from gridworld.task_spec import TaskSpecification

    try:
        TaskSpecification.from_dict({})
    except Exception:
        pass
    return [ModelInfo("still", "A model.", "nowhere:Still")]
"""
    write_distribution(tmp_path, "third-party", "1.0", {"m": "reentrant"}, {"reentrant.py": source})
    code = "from gridworld.plugins import get_registry; get_registry(); import reentrant; print(len(reentrant.calls))"

    assert run_python(code, [tmp_path]).stdout == "1\n"
