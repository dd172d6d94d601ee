"""Kinds of descriptors, and the few places that a new kind needs."""

from inspect import get_annotations
from pathlib import Path

from gridworld import hookspecs, testing
from gridworld.plugins import Registry
from gridworld.plugins.catalog import KINDS, PLUGIN_HOOKS
from multinet_eval.cli.plugins.new import TRY_OUT

DOCS = Path(__file__).parents[3] / "docs"


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
