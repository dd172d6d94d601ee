"""The kit for the modules that entry points name."""

from pathlib import Path

import pytest

from gridworld.testing import PluginModuleConformance
from support.plugins import models_module
from support.sample_plugins import assert_caught, assert_conforms

HOOK = """
from gridworld.hookspecs import ModelInfo, hookimpl

{above}

@hookimpl
def gridworld_models():
    {inside}
    return [ModelInfo(f"still-{{number}}", "A model.", "nowhere:Still") for number in {numbers}]
"""

BROKEN = {
    "heavy_at_import": ("import numpy", "pass", "(1, 2)"),
    "heavy_in_a_hook": ("", "import numpy", "(1, 2)"),
    "growing": ("numbers = []", "numbers.append(len(numbers))", "numbers"),
    "raising": ("", "raise OSError('no disk')", "()"),
}


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path with the modules of `BROKEN` and a sound one, ``sound_plugin``."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "sound_plugin.py").write_text(models_module("still"), encoding="utf-8")
    for name, (above, inside, numbers) in BROKEN.items():
        source = HOOK.format(above=above, inside=inside, numbers=numbers)
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("written")
def test_a_sound_module_conforms() -> None:
    assert_conforms(PluginModuleConformance, plugin_module="sound_plugin")


def test_a_sound_module_may_print(written: Path) -> None:
    (written / "talking_plugin.py").write_text("print('hello')\n" + models_module("still"), encoding="utf-8")
    assert_conforms(PluginModuleConformance, plugin_module="talking_plugin")


@pytest.mark.usefixtures("written")
@pytest.mark.parametrize(
    ("module", "check", "wrong", "remedy"),
    [
        ("heavy_at_import", "importing_it_and_calling_its_hooks_imports_no_heavy_library", "numpy", "an import string"),
        ("heavy_in_a_hook", "importing_it_and_calling_its_hooks_imports_no_heavy_library", "numpy", "an import string"),
        ("growing", "its_hooks_return_the_same_each_time", "and then ['still-0', 'still-1']", "the same list"),
        ("raising", "its_hooks_return_the_same_each_time", "OSError: no disk", "must not raise"),
    ],
)
def test_a_broken_module_is_caught(module: str, check: str, wrong: str, remedy: str) -> None:
    assert_caught(PluginModuleConformance, check, wrong, remedy, plugin_module=module)
