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


def test_nothing_is_disabled_unless_asked_for() -> None:
    assert statuses(load_registry()) == {"slow": "loaded", "fast": "loaded"}
    assert imported() == {"tortoises", "hares"}


@pytest.mark.parametrize("name", ["big-zoo", "Big_Zoo", "BIG.ZOO", " big-zoo "])
def test_a_distribution_can_be_disabled_by_any_spelling_of_its_name(name: str) -> None:
    registry = load_registry(disabled=[name])

    assert statuses(registry) == {"slow": "disabled", "fast": "disabled"}
    assert imported() == set()


@pytest.mark.parametrize("name", ["big-zoo/slow", "Big_Zoo/slow"])
def test_one_entry_point_of_a_distribution_can_be_disabled_alone(name: str) -> None:
    registry = load_registry(disabled=[name])

    assert statuses(registry) == {"slow": "disabled", "fast": "loaded"}
    assert imported() == {"hares"}
    assert "hare" in registry.models.names()
    assert "tortoise" not in registry.models.names()


@pytest.mark.parametrize(
    ("variable", "expected"),
    [
        ("Big_Zoo", set()),
        ("big-zoo/fast", {"tortoises"}),
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


def test_a_disabled_plugin_is_recorded_without_failure_and_provides_nothing() -> None:
    registry = load_registry(disabled=["big-zoo/fast"])

    (record,) = [record for record in registry.plugins if record.qualified_name == "big-zoo/fast"]
    assert record == PluginRecord("big-zoo", "1.0", "fast", "hares", "disabled", failure=None, provides=())
    assert record not in registry.failures


def test_a_broken_plugin_can_be_disabled(install: Install) -> None:
    install("broken", {"entry": "broken_plugin"}, {"broken_plugin.py": "raise RuntimeError('out of order')"})

    assert record_of(load_registry(), "broken").status == "failed"
    assert record_of(load_registry(disabled=["broken"]), "broken").status == "disabled"


def test_disabling_comes_before_the_check_of_the_core_version(install: Install) -> None:
    install("future", {"entry": "future_plugin"}, {"future_plugin.py": ""}, requires=["gridworld-core>=99"])

    assert record_of(load_registry(disabled=["future"]), "future").status == "disabled"


def test_the_cores_own_plugin_can_be_disabled_as_any_other() -> None:
    registry = load_registry(disabled=["gridworld-core"])

    assert record_of(registry, "gridworld-core").status == "disabled"
    assert "keys" not in registry.mechanisms.names()
    assert "hare" in registry.models.names()


@pytest.mark.parametrize("name", ["big-zo", "Bigzoo", "big-zoo/slowly", "big-zoo/", "hare"])
def test_an_unknown_plugin_to_disable_is_refused_before_any_import(name: str) -> None:
    with pytest.raises(UnknownNameError, match=f"unknown plugin '{name}'"):
        load_registry(disabled=[name])

    assert imported() == set()


@pytest.mark.parametrize("name", ["big-zo", "Bigzoo", "BIG_ZOU"])
def test_an_unknown_distribution_to_disable_is_refused_with_the_nearest_one(name: str) -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean 'big-zoo'\?\); installed: .*gridworld-core"):
        load_registry(disabled=[name])


def test_an_unknown_entry_point_to_disable_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean 'big-zoo/slow'\?"):
        load_registry(disabled=["big-zoo/slw"])


def test_the_variable_may_name_a_missing_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DISABLE_VARIABLE, "installed-elsewhere,big-zoo")

    with pytest.warns(PluginWarning, match=f"{DISABLE_VARIABLE}: unknown plugin 'installed-elsewhere'"):
        assert statuses(load_registry()) == {"slow": "disabled", "fast": "disabled"}


def test_a_misspelt_name_in_the_variable_causes_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(DISABLE_VARIABLE, "big-zoo/fast,big-zo")

    with pytest.warns(PluginWarning, match=r"unknown plugin 'big-zo' \(did you mean 'big-zoo'\?\)|big-zo.*big-zoo"):
        assert statuses(load_registry()) == {"slow": "loaded", "fast": "disabled"}
