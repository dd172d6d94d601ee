"""Disabled plugins are recorded and not imported."""

import sys

import pytest

from gridworld.errors import PluginWarning, UnknownNameError
from gridworld.plugins import DISABLE_VARIABLE, PluginRecord, Registry, load_registry
from support.plugins import Install, models_module, record_of


@pytest.fixture(autouse=True)
def _zoo(install: Install) -> None:
    """One distribution with two plugins."""
    modules = {"tortoises.py": models_module("tortoise"), "hares.py": models_module("hare")}
    install("Big_Zoo", {"slow": "tortoises", "fast": "hares"}, modules)


def imported() -> set[str]:
    return {"tortoises", "hares"} & set(sys.modules)


def statuses(registry: Registry) -> dict[str, str]:
    records = [record for record in registry.plugins if record.distribution == "big-zoo"]
    return {record.entry_point: record.status for record in records}


@pytest.mark.parametrize("name", ["big-zoo", " BIG.ZOO "])
def test_a_distribution_can_be_disabled_by_any_spelling_of_its_name(name: str) -> None:
    registry = load_registry(disabled=[name])

    assert statuses(registry) == {"slow": "disabled", "fast": "disabled"}
    assert imported() == set()


def test_one_entry_point_of_a_distribution_can_be_disabled_alone_and_provides_nothing() -> None:
    registry = load_registry(disabled=["Big_Zoo/slow"])

    assert statuses(registry) == {"slow": "disabled", "fast": "loaded"}
    assert imported() == {"hares"}
    assert "hare" in registry.models.names()
    assert "tortoise" not in registry.models.names()
    (record,) = [record for record in registry.plugins if record.qualified_name == "big-zoo/slow"]
    assert record == PluginRecord("big-zoo", "1.0", "slow", "tortoises", "disabled", failure=None, provides=())
    assert record not in registry.failures


@pytest.mark.parametrize(
    ("variable", "expected"),
    [
        ("Big_Zoo", set()),
        ("big-zoo/fast,big-zoo/slow", set()),
        (" , big-zoo/slow , ", {"hares"}),
        ("", {"tortoises", "hares"}),
    ],
)
def test_the_environment_variable_disables_before_the_import(
    monkeypatch: pytest.MonkeyPatch, variable: str, expected: set[str]
) -> None:
    monkeypatch.setenv(DISABLE_VARIABLE, variable)

    load_registry()

    assert imported() == expected


def test_the_argument_and_the_environment_variable_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DISABLE_VARIABLE, "big-zoo/fast")

    registry = load_registry(disabled=["big-zoo/slow"])

    assert statuses(registry) == {"slow": "disabled", "fast": "disabled"}
    assert imported() == set()
    with pytest.raises(
        UnknownNameError, match=r"big-zoo/fast: disabled by GRIDWORLD_DISABLE_PLUGINS.* --disable-plugin"
    ):
        registry.models.get("hare")


def test_a_broken_plugin_can_be_disabled(install: Install) -> None:
    install("broken", {"entry": "broken_plugin"}, {"broken_plugin.py": "raise RuntimeError('out of order')"})

    assert record_of(load_registry(), "broken").status == "failed"
    assert record_of(load_registry(disabled=["broken"]), "broken").status == "disabled"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Bigzoo", r"\(did you mean 'big-zoo'\?\); installed: .*gridworld-core"),
        ("big-zoo/slw", r"\(did you mean 'big-zoo/slow'\?"),
        ("big-zoo/", ""),
        ("hare", ""),
    ],
)
def test_an_unknown_plugin_to_disable_is_refused_before_any_import(name: str, hint: str) -> None:
    with pytest.raises(UnknownNameError, match=f"unknown plugin '{name}' ?{hint}"):
        load_registry(disabled=[name])

    assert imported() == set()


def test_a_misspelt_name_in_the_variable_causes_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(DISABLE_VARIABLE, "big-zoo/fast,big-zo")

    with pytest.warns(PluginWarning, match=r"unknown plugin 'big-zo' \(did you mean 'big-zoo'\?\)|big-zo.*big-zoo"):
        assert statuses(load_registry()) == {"slow": "loaded", "fast": "disabled"}
