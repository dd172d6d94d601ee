"""Kinds of descriptors, and the few places that a new kind needs."""

import json
import shutil
from inspect import get_annotations
from pathlib import Path

import pytest

import gridworld
from gridworld import hookspecs, testing
from gridworld.plugins import Registry
from gridworld.plugins.catalog import KINDS, PLUGIN_HOOKS
from multinet_eval.cli.plugins.new import TRY_OUT
from support.plugins import run_python, write_distribution
from support.programs import run_anew

SOURCE = Path(gridworld.__file__).parent
DOCS = Path(__file__).parents[3] / "docs"

NEEDED = (
    (
        "hookspecs.py",
        "@attrs.frozen\nclass BenchmarkInfo(",
        '@attrs.frozen\nclass RecipeInfo(TargetInfo):\n    """Descriptor of a recipe."""\n\n\n',
    ),
    ("hookspecs.py", "@hookspec\ndef gridworld_tilings(", "@hookspec\ndef gridworld_recipes():\n    return ()\n\n\n"),
    ("plugins/catalog.py", '    PluginKind("tiling",', '    PluginKind("recipe", RecipeInfo),\n'),
    ("plugins/catalog.py", "    tilings: Catalog[TilingInfo]", "    recipes: Catalog[RecipeInfo]\n"),
)
"""All that a new kind needs: a file, what its text stands before, and the text."""

PLUGIN = """
from gridworld.hookspecs import RecipeInfo, hookimpl

@hookimpl
def gridworld_recipes():
    return [RecipeInfo("omelette", "Break some eggs.", "eggs:break_them")]
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Folders that hold a core with one more kind, and a plugin that provides something of it."""
    folder = tmp_path_factory.mktemp("another-kind")
    shutil.copytree(SOURCE, folder / "gridworld", ignore=shutil.ignore_patterns("__pycache__"))
    for name, following, text in NEEDED:
        file = folder / "gridworld" / name
        source = file.read_text(encoding="utf-8")
        assert source.count(following) == 1
        source = source.replace(following, text + following).replace(
            "    TilingInfo,\n", "    RecipeInfo,\n    TilingInfo,\n"
        )
        file.write_text(source, encoding="utf-8")
    write_distribution(folder, "kitchen", "1.0", {"food": "kitchen_plugin"}, {"kitchen_plugin.py": PLUGIN})
    return [folder]


def test_a_new_kind_is_a_descriptor_a_hook_a_line_and_an_annotation(path: list[Path]) -> None:
    code = """
from gridworld.plugins import get_registry
registry = get_registry()
print(registry.recipes.get("kitchen/omelette").target, registry.recipes.kind, len(registry.failures))
"""
    finished = run_python(code, path)
    assert (finished.stdout, finished.stderr) == ("eggs:break_them recipe 0\n", "")


@pytest.mark.more
def test_the_command_line_lists_shows_and_checks_it(path: list[Path]) -> None:
    listed = json.loads(run_anew("multinet", "plugins", "list", "--json", path=path).stdout)
    (kitchen,) = (each for each in listed["plugins"] if each["distribution"] == "kitchen")
    assert (kitchen["status"], kitchen["provides"]) == ("loaded", [{"kind": "recipe", "name": "omelette"}])

    shown = json.loads(run_anew("multinet", "plugins", "show", "omelette", "--json", path=path).stdout)
    (recipe,) = shown["provided"]
    assert (recipe["kind"], recipe["target"]) == ("recipe", "eggs:break_them")

    checked = run_anew("multinet", "plugins", "check", "kitchen", "--json", path=path)
    assert checked.returncode == 0, checked.stderr  # there is no kit for it
    verdicts = {(each["kind"], each["verdict"]) for each in json.loads(checked.stdout)}
    assert verdicts == {("plugin", "passed"), ("recipe", "skipped")}


def test_each_kind_has_a_hook_specification_and_a_catalog() -> None:
    specified = {name for name in vars(hookspecs) if name.startswith("gridworld_")}
    assert specified == set(PLUGIN_HOOKS)
    assert specified & set(hookspecs.__all__) == {kind.hook for kind in KINDS if kind.public}
    annotated = [name for name, of in get_annotations(Registry).items() if of.startswith("Catalog[")]
    assert annotated == [kind.plural for kind in KINDS]
    registry = Registry((), {})
    for kind in KINDS:
        assert getattr(registry, kind.plural) is registry.catalog(kind.name)


def test_kits_and_templates_are_of_kinds_that_there_are() -> None:
    kinds = {kind.name for kind in KINDS if kind.public}
    assert {getattr(testing, kit).kind for kit in testing.__all__} <= kinds | {"plugin_module"}
    assert set(TRY_OUT) == kinds


def test_the_documentation_has_each_public_kind() -> None:
    index = (DOCS / "how-to" / "plugins" / "index.md").read_text(encoding="utf-8")
    assert [kind.hook for kind in KINDS if (f"`{kind.hook}`" in index) != kind.public] == []
