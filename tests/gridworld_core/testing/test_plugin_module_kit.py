"""The kit for the modules that entry points name passes sound ones, and each of its checks catches a broken one."""

from pathlib import Path

import pytest

from gridworld.testing import PluginModuleConformance
from support.plugins import models_module
from support.sample_plugins import assert_caught, assert_conforms, assert_has_broken_ones

HOOK = """
from gridworld.hookspecs import ModelInfo, hookimpl

{above}

@hookimpl
def gridworld_models():
    {inside}
    return [ModelInfo(f"still-{{number}}", "A model.", "nowhere:Still") for number in {numbers}]
"""
LIGHT = "importing_it_and_calling_its_hooks_imports_no_heavy_library"
SAME = "its_hooks_return_the_same_each_time"

BROKEN = {
    "heavy_at_import": (LIGHT, "import numpy", "pass", "(1, 2)"),
    "heavy_in_a_hook": (LIGHT, "", "import numpy", "(1, 2)"),
    "growing": (SAME, "numbers = []", "numbers.append(len(numbers))", "numbers"),
    "raising": (SAME, "", "raise OSError('no disk')", "()"),
}


def test_a_sound_module_conforms_and_may_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "talking_plugin.py").write_text("print('hello')\n" + models_module("still"), encoding="utf-8")
    assert_conforms(PluginModuleConformance, plugin_module="talking_plugin")


@pytest.mark.parametrize("module", BROKEN)
def test_a_broken_module_is_caught(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    check, above, inside, numbers = BROKEN[module]
    source = HOOK.format(above=above, inside=inside, numbers=numbers)
    (tmp_path / f"{module}.py").write_text(source, encoding="utf-8")
    assert_caught(PluginModuleConformance, check, plugin_module=module)


def test_every_check_has_a_broken_module() -> None:
    assert_has_broken_ones(PluginModuleConformance, [check for check, *_ in BROKEN.values()])
