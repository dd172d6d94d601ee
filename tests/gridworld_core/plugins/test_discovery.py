"""Discovery of installed plugins and their descriptors, in a fixed order."""

from pathlib import Path

import pytest

from gridworld.errors import UnknownNameError
from gridworld.plugins import (
    PluginRecord,
    get_registry,
    load_registry,
    set_registry,
    using_registry,
)
from gridworld.plugins.catalog import KINDS
from support.plugins import Install, models_module, record_of, write_distribution

SEVERAL = """
from gridworld.hookspecs import BackendInfo, BenchmarkInfo, ModelInfo, hookimpl

@hookimpl
def gridworld_backends():
    return [BackendInfo("text", "Draws with letters.", "everything:TextBackend")]

@hookimpl
def gridworld_models():
    yield ModelInfo("still", "Never moves.", "everything:StillModel")
    yield ModelInfo("spinning", "Turns for ever.", "everything:SpinningModel")

@hookimpl
def gridworld_benchmarks():
    return (BenchmarkInfo("mazes", "Forty mazes.", package="everything", folder="mazes"),)
"""


def test_a_record_has_the_version_and_all_descriptors(install: Install) -> None:
    install("third-party", {"all": "everything"}, {"everything.py": SEVERAL}, version="2.5.1")

    assert record_of(load_registry(), "third-party") == PluginRecord(
        distribution="third-party",
        version="2.5.1",
        entry_point="all",
        module="everything",
        status="loaded",
        failure=None,
        provides=(
            ("backend", "text"),
            ("model", "still"),
            ("model", "spinning"),
            ("benchmark", "mazes"),
        ),
    )


def test_an_entry_point_can_name_an_object_with_hooks_instead_of_a_module(install: Install) -> None:
    source = """
from gridworld.hookspecs import ModelInfo, hookimpl

class Plugin:
    @hookimpl
    def gridworld_models(self):
        return [ModelInfo("still", "Never moves.", "nowhere:Still")]

plugin = Plugin()
"""
    install("third-party", {"models": "with_object:plugin"}, {"with_object.py": source})

    assert load_registry().models.provider("still").distribution == "third-party"


DESCRIPTORS = """
from gridworld.hookspecs import (
    BackendInfo, BenchmarkInfo, CommandInfo, ExecutorInfo, GeneratorInfo, Glyph, GoalType, ImporterInfo, MechanismType,
    MetricInfo, ModelInfo, ObservationInfo, ObserverInfo, PageInfo, ProbeInfo, ProtocolInfo, RendererInfo, TilingInfo,
    Trait,
)
from gridworld.mechanisms.keys import KeySpec

mechanism = MechanismType(
    name="mine", noun="pebble", summary="Lies about.", spec=KeySpec,
    traits=lambda spec, value: Trait.NONE, glyph=lambda spec, value: Glyph(()),
)
goal = GoalType(
    name="mine", summary="Is never reached.",
    reached=lambda world: lambda state: False, mission=lambda world: "wait", validate=lambda task, entries: (),
)
benchmark = BenchmarkInfo("mine", "Forty mazes.", package="everything", folder="mazes")
named = {
    "backend": BackendInfo, "model": ModelInfo, "tiling": TilingInfo, "executor": ExecutorInfo,
    "observer": ObserverInfo, "protocol": ProtocolInfo, "generator": GeneratorInfo, "importer": ImporterInfo,
    "probe": ProbeInfo, "metric": MetricInfo, "observation": ObservationInfo, "command": CommandInfo, "page": PageInfo,
    "renderer": RendererInfo,
}
globals().update((kind, info("mine", "Named by an import string.", "nowhere:Mine")) for kind, info in named.items())
"""


def test_an_entry_point_can_name_a_descriptor_of_any_kind(install: Install) -> None:
    entries = {kind.name: f"descriptors:{kind.name}" for kind in KINDS}
    install("third-party", entries, {"descriptors.py": DESCRIPTORS})

    registry = load_registry()

    provided = [
        (record.entry_point, record.provides) for record in registry.plugins if record.module in entries.values()
    ]
    assert provided == [(kind, ((kind, "mine"),)) for kind in sorted(entries)]
    assert {each.kind for each in registry.catalogs if each.get("third-party/mine")} == set(entries)


@pytest.mark.parametrize(
    ("target", "error"),
    [
        (
            "NOTHING",
            "the entry point names 'ice', expected a module with hooks, or a descriptor such as a MechanismType",
        ),
        ("SLASHED", "a name must be a string without '/', got 'a/b' for a model"),
    ],
)
def test_an_entry_point_that_names_something_else_is_refused(install: Install, target: str, error: str) -> None:
    source = """
from gridworld.hookspecs import ModelInfo
NOTHING = "ice"
SLASHED = ModelInfo("a/b", "A model.", "nowhere:Model")
"""
    install("third-party", {"entry": f"no_plugin:{target}"}, {"no_plugin.py": source})

    failure = record_of(load_registry(), "third-party").failure

    assert failure is not None
    assert failure.error == error


def test_entry_points_of_other_groups_are_ignored(install: Install, site: Path) -> None:
    install("third-party", {}, {"unrelated.py": "raise RuntimeError('not to be imported')"})
    (site / "third_party-1.0.dist-info" / "entry_points.txt").write_text("[console_scripts]\nx = unrelated:main\n")

    assert "third-party" not in [record.distribution for record in load_registry().plugins]


def test_a_distribution_is_known_by_its_canonical_name_and_may_be_spelt_as_its_author_does(install: Install) -> None:
    install("My_Plugin", {"models": "my_models"}, {"my_models.py": models_module("still")})

    registry = load_registry()

    assert record_of(registry, "my-plugin").qualified_name == "my-plugin/models"
    for name in ("my-plugin/still", "My_Plugin/still"):
        assert registry.models.get(name) == registry.models.get("still")


def test_plugins_are_in_order_of_distribution_and_then_of_entry_point(install: Install) -> None:
    for distribution in ("zebra", "Aardvark", "monkey"):
        modules = {f"{distribution}_{entry}.py": models_module(f"{distribution}-{entry}") for entry in ("b", "a")}
        install(distribution, {entry: f"{distribution}_{entry}" for entry in ("b", "a")}, modules)

    registry = load_registry()

    ours = [record for record in registry.plugins if record.distribution in ("aardvark", "monkey", "zebra")]
    assert [record.qualified_name for record in ours] == [
        "aardvark/a",
        "aardvark/b",
        "monkey/a",
        "monkey/b",
        "zebra/a",
        "zebra/b",
    ]
    keys = [(record.distribution, record.entry_point) for record in registry.plugins]
    assert keys == sorted(keys)
    assert [provided.item.name for provided in registry.models if provided.distribution == "zebra"] == [
        "zebra-a",
        "zebra-b",
    ]


def test_the_order_does_not_depend_on_the_order_of_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [tmp_path / name for name in ("first", "second")]
    write_distribution(folders[0], "zebra", "1.0", {"a": "zebra_order"}, {"zebra_order.py": models_module("same")})
    write_distribution(folders[1], "aardvark", "1.0", {"z": "aard_order"}, {"aard_order.py": models_module("same")})

    def loaded(path: list[Path]) -> tuple[tuple[PluginRecord, ...], list[str]]:
        with monkeypatch.context() as patch:
            for folder in path:
                patch.syspath_prepend(folder)
            registry = load_registry()
        return registry.plugins, registry.models.conflicts()["same"]

    forwards, backwards = loaded(folders), loaded(folders[::-1])

    assert forwards == backwards
    assert forwards[1] == ["aardvark/same", "zebra/same"]


def test_a_distribution_found_twice_on_the_path_counts_once_as_the_first(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry_points, files = {"models": "shadowed_models"}, {"shadowed_models.py": models_module("still")}
    install("third-party", entry_points, files, version="1.0")
    nearer = tmp_path / "nearer"
    write_distribution(nearer, "Third_Party", "2.0", entry_points, files)
    monkeypatch.syspath_prepend(nearer)

    assert record_of(load_registry(), "third-party").version == "2.0"


def test_an_unknown_name_is_refused_with_the_nearest_and_installed_ones(install: Install) -> None:
    install("third-party", {"models": "third_models"}, {"third_models.py": models_module("tortoise")})

    with pytest.raises(UnknownNameError) as caught:
        load_registry().models.get("tortose")

    message = str(caught.value)
    assert "unknown model 'tortose' (did you mean 'tortoise'?)" in message
    assert "random" in message
    assert "multinet plugins list" in message


def test_another_registry_is_in_use_inside_a_with_block_and_only_there() -> None:
    before, other = get_registry(), load_registry()

    with using_registry(other) as used:
        assert used is get_registry() is other
    assert get_registry() is before

    with pytest.raises(ZeroDivisionError), using_registry(other):
        _ = 1 / 0
    assert get_registry() is before

    set_registry(other)
    assert get_registry() is other
