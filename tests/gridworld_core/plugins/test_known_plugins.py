"""Advice about names that the toolkit's distributions provide, if these are missing or unused."""

from pathlib import Path

import pytest

from gridworld.errors import UnknownNameError
from gridworld.plugins import load_registry
from gridworld.plugins.known_plugins import PROVIDERS, TOOLKIT
from support.programs import run_python

OURS = {path.parent.name for path in (Path(__file__).parents[3] / "packages").glob("*/pyproject.toml")}

ASK_WITHOUT = """
import importlib.metadata

def find(context, find_all=importlib.metadata.MetadataPathFinder.find_distributions):
    return (each for each in find_all(context) if each.name != {provider!r})

importlib.metadata.MetadataPathFinder.find_distributions = staticmethod(find)

from gridworld.errors import UnknownNameError
from gridworld.plugins import get_registry

(catalog,) = (each for each in get_registry().catalogs if each.kind == {kind!r})
try:
    catalog.get({name!r})
except UnknownNameError as error:
    print(error)
"""
"""Asks for a name in an interpreter that does not see one of the installed distributions."""


def test_our_distributions_are_known() -> None:
    assert OURS == TOOLKIT


def test_the_table_has_the_names_of_its_kinds_and_nothing_else() -> None:
    kinds = {"backend", "benchmark", "command", "generator", "importer", "model", "page", "renderer", "tiling"}
    provided = {
        (catalog.kind, each.item.name): each.distribution
        for catalog in load_registry().catalogs
        for each in catalog
        if catalog.kind in kinds and each.distribution in OURS - {"gridworld-core"}
    }
    assert provided == PROVIDERS


@pytest.mark.parametrize(
    ("kind", "name", "provider"),
    [
        ("model", "ollama", "multinet-adapters"),
        pytest.param("backend", "minigrid", "gridworld-minigrid", marks=pytest.mark.more),
        pytest.param("benchmark", "tiers", "multinet-eval", marks=pytest.mark.more),
    ],
)
def test_a_missing_distribution_is_named_with_its_install_command(kind: str, name: str, provider: str) -> None:
    finished = run_python(ASK_WITHOUT.format(provider=provider, kind=kind, name=name), [])
    advice = (
        f"'{name}' is provided by {provider}: pip install {provider} (in a clone: pip install ./packages/{provider})"
    )
    assert advice in finished.stdout
    assert provider in OURS


@pytest.mark.parametrize(("kind", "name"), [("model", "ollama"), ("tiling", "3464")])
def test_a_name_of_a_disabled_plugin_is_not_answered_with_an_installation(kind: str, name: str) -> None:
    provider = PROVIDERS[kind, name]
    catalog = next(each for each in load_registry(disabled=[provider]).catalogs if each.kind == kind)
    advice = f"'{name}' is provided by {provider}, which is installed, but disabled by --disable-plugin"
    with pytest.raises(UnknownNameError, match=advice):
        catalog.get(name)


def test_an_unknown_name_points_to_the_list_of_plugins() -> None:
    with pytest.raises(UnknownNameError, match="A plugin that provides it may be missing: see 'multinet plugins list'"):
        load_registry().models.get("oracle-of-delphi")
