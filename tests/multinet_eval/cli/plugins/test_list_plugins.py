"""``multinet plugins list``, and runs where some plugins are broken, built for another core or in conflict."""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from gridworld.plugins import load_registry
from support import programs
from support.commands import run
from support.plugins import models_module, write_distribution
from support.programs import Finished, assert_refused, json_of, output_of, words

LEAVE_A_TRACE = """
import os
if "TRACE" in os.environ:
    with open(os.environ["TRACE"], "a") as trace:
        trace.write(__name__ + chr(10))
"""

BROKEN = {
    "built-for-another": ("3.1", "another_plugin", models_module("lost"), ["gridworld-core==9.*"]),
    "claiming": ("1.0", "claiming_plugin", models_module("random", "claimed"), ["gridworld-core"]),
    "needing": ("0.2", "needing_plugin", "import library_that_nobody_has", []),
    "raising": ("2.5", "raising_plugin", "raise RuntimeError('[/red] :key: out of order')", []),
}


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the distributions of `BROKEN`."""
    folder = tmp_path_factory.mktemp("broken")
    for name, (release, module, source, requires) in BROKEN.items():
        files = {f"{module}.py": LEAVE_A_TRACE + source}
        write_distribution(folder, name, release, {"entry": module}, files, requires)
    return folder


@pytest.fixture(scope="module")
def table(broken: Path) -> Finished:
    finished = run("multinet", "plugins", "list", path=[broken])
    output_of(finished)
    return finished


@pytest.fixture(scope="module")
def listed(broken: Path) -> Any:
    return json_of(run("multinet", "plugins", "list", "--json", path=[broken]))


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """The file in which modules of `broken` write down that they are imported."""
    return tmp_path / "trace"


def record(listed: Any, distribution: str) -> Any:
    (found,) = (plugin for plugin in listed["plugins"] if plugin["distribution"] == distribution)
    return found


def without_times(record: dict[str, Any]) -> dict[str, Any]:
    """A record without what is another at each call."""
    return {name: value for name, value in record.items() if name != "load_ms"}


def test_the_same_is_listed_as_json() -> None:
    listed = json_of(run("multinet", "plugins", "list", "--json"))
    assert listed["conflicts"] == []
    assert [without_times(plugin) for plugin in listed["plugins"]] == [
        {
            "distribution": plugin.distribution,
            "version": plugin.version,
            "entry_point": plugin.entry_point,
            "module": plugin.module,
            "status": "loaded",
            "failure": None,
            "provides": [{"kind": kind, "name": name} for kind, name in plugin.provides],
            "heavy_imports": [],
            "warning": None,
        }
        for plugin in load_registry().plugins
    ]
    assert {"kind": "backend", "name": "minigrid"} in record(listed, "gridworld-minigrid")["provides"]
    assert {"kind": "model", "name": "random"} in record(listed, "gridworld-core")["provides"]
    assert {"kind": "benchmark", "name": "validation_10"} in record(listed, "multinet-eval")["provides"]


@pytest.mark.parametrize(
    ("distribution", "phase", "error", "place"),
    [
        ("raising", "import", "RuntimeError: [/red] :key: out of order", "raising_plugin.py:6"),
        ("needing", "import", "ModuleNotFoundError: No module named 'library_that_nobody_has'", "needing_plugin.py:6"),
        (
            "built-for-another",
            "requirement",
            f"it needs gridworld-core==9.*, but {version('gridworld-core')} is installed",
            "",
        ),
    ],
    ids=["raising", "needing", "built-for-another"],
)
def test_a_failing_plugin_is_shown_with_place_and_advice(
    table: Finished, listed: Any, distribution: str, phase: str, error: str, place: str
) -> None:
    release, module, *_ = BROKEN[distribution]
    found = record(listed, distribution)["failure"]["place"]
    assert Path(found).name == place
    assert without_times(record(listed, distribution)) == {
        "distribution": distribution,
        "version": release,
        "entry_point": "entry",
        "module": module,
        "status": "failed",
        "failure": {"phase": phase, "error": error, "place": found},
        "provides": [],
        "heavy_imports": [],
        "warning": None,
    }
    (row,) = (line for line in table.stdout.splitlines() if line.startswith(f"{distribution} "))
    assert row.split()[:4] == [distribution, release, "entry", "failed"]
    block = words(table.stdout[table.stdout.index(f"failed: {distribution} {release}") :])
    for fragment in (
        f"entry point entry ({module})",
        f"phase: {phase}",
        f"error: {error}",
        *([f"at: {found}"] if found else []),
        f"--disable-plugin {distribution}",
        f"pip uninstall {distribution}",
    ):
        assert fragment in block.split("failed: ")[1]


def test_a_built_in_name_that_a_plugin_takes_is_shown_as_renamed(table: Finished, listed: Any) -> None:
    assert listed["conflicts"] == []
    assert listed["renamed"] == [{"kind": "model", "name": "random", "listed_as": "claiming/random"}]
    assert "renamed: model 'random' of claiming is listed as claiming/random" in table.stdout


def test_a_name_with_two_providers_has_to_be_qualified(tasks: Path, tmp_path: Path) -> None:
    for name in ("claiming", "laying"):
        module = f"{name}_plugin"
        files = {f"{module}.py": models_module("still")}
        write_distribution(tmp_path, name, "1.0", {"entry": module}, files)

    listed = json.loads(run("multinet", "plugins", "list", "--json", path=[tmp_path]).stdout)
    table = run("multinet", "plugins", "list", path=[tmp_path])
    played = run("multinet-run-eval", "-m", "still", "--task-dir", tasks, path=[tmp_path])

    assert listed["conflicts"] == [{"kind": "model", "name": "still", "providers": ["claiming/still", "laying/still"]}]
    assert "conflict: model 'still' is provided by claiming/still and laying/still" in table.stdout
    assert_refused(played, "the model 'still' is provided by", "claiming/still", "laying/still")


@pytest.mark.parametrize(
    "options", [["gridworld-core/random"], ["random"], ["random", "--disable-plugin", "claiming"]], ids=" ".join
)
def test_broken_plugins_do_not_disturb_a_run(broken: Path, tasks: Path, options: list[str]) -> None:
    results = json_of(run("multinet-run-eval", "--task-dir", tasks, "--json", "-m", *options, path=[broken]))
    assert (results["model_name"], results["num_tasks"]) == ("random", 3)


def test_a_disabled_plugin_is_not_imported_at_all(broken: Path, trace: Path) -> None:
    options = ("--disable-plugin", "raising", "--disable-plugin", "Needing/entry")
    finished = run("multinet", "plugins", "list", "--json", *options, path=[broken], variables={"TRACE": str(trace)})

    assert trace.read_text().split() == ["claiming_plugin"]
    listed = json.loads(finished.stdout)
    assert [(record(listed, name)["status"], record(listed, name)["failure"]) for name in ("raising", "needing")] == [
        ("disabled", None),
        ("disabled", None),
    ]


@pytest.mark.parametrize(
    "program",
    [("multinet", "plugins", "list"), ("multinet-run-eval", "--model", "optimal")],
    ids=lambda program: program[0],
)
def test_strict_loading_names_the_failing_plugin(program: tuple[str, ...], broken: Path) -> None:
    finished = run(*program, "--strict-plugins", "--disable-plugin", "built-for-another", path=[broken])
    assert_refused(
        finished, "needing/entry", "ModuleNotFoundError: No module named 'library_that_nobody_has'", exit_code=1
    )


UNUSABLE = """
from gridworld.hookspecs import BenchmarkInfo, ModelInfo, hookimpl

@hookimpl
def gridworld_models():
    return [ModelInfo("absent", "A model.", "module_that_is_not_there:Model")]

@hookimpl
def gridworld_benchmarks():
    return [BenchmarkInfo("homeless", "Tasks.", package="package_that_is_not_there", folder="tasks")]
"""


@pytest.mark.parametrize(
    ("options", "missing"),
    [
        (["-m", "absent"], "module_that_is_not_there"),
        (["-m", "optimal", "-b", "homeless"], "package_that_is_not_there"),
    ],
    ids=["model", "benchmark"],
)
def test_a_missing_target_is_reported_when_it_is_used(tmp_path: Path, options: list[str], missing: str) -> None:
    write_distribution(tmp_path, "unusable", "1.0", {"entry": "unusable"}, {"unusable.py": UNUSABLE})
    finished = run("multinet-run-eval", *options, path=[tmp_path])
    assert_refused(finished, f"No module named '{missing}'", exit_code=1)


HEAVY = {
    "heavy-hook": ("hook_plugin", models_module("hooked").replace("    return", "    import requests\n    return")),
    "heavy-module": ("module_plugin", "import PIL, numpy\n" + models_module("weighty")),
    "heavy-too": ("second_plugin", "import numpy\n" + models_module("second")),
    "light": ("light_plugin", models_module("easy")),
    "sleepy": ("sleepy_plugin", "import time\ntime.sleep(0.3)\n" + models_module("rested")),
}


@pytest.fixture(scope="module")
def heavy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the distributions of `HEAVY`."""
    folder = tmp_path_factory.mktemp("heavy")
    for name, (module, source) in HEAVY.items():
        write_distribution(folder, name, "1.0", {"entry": module}, {f"{module}.py": source})
    return folder


@pytest.fixture(scope="module")
def listed_heavy(heavy: Path) -> Any:
    return json.loads(programs.run("multinet", "plugins", "list", "--json", path=[heavy]).stdout)


def test_heavy_imports_of_a_plugin_are_warned_about(listed_heavy: Any) -> None:
    assert record(listed_heavy, "heavy-hook")["heavy_imports"] == ["requests"]
    assert record(listed_heavy, "heavy-module")["heavy_imports"] == ["PIL", "numpy"]
    for name, libraries in (("heavy-hook", "requests"), ("heavy-module", "PIL, numpy")):
        warning = record(listed_heavy, name)["warning"]
        assert f"importing it imports {libraries}," in warning
        assert "use an import string" in warning
    assert record(listed_heavy, "heavy-too")["heavy_imports"] == []  # another has imported it before
    assert record(listed_heavy, "light")["warning"] is None
    assert record(listed_heavy, "gridworld-core")["warning"] is None


def test_a_slow_plugin_is_warned_about(listed_heavy: Any) -> None:
    assert record(listed_heavy, "sleepy")["load_ms"] >= 300
    assert "loading it takes" in record(listed_heavy, "sleepy")["warning"]
    assert record(listed_heavy, "light")["warning"] is None


# --- Extras ----------------------------------------------------------------------------------------------------------

NEEDY = """
from gridworld.hookspecs import ModelInfo, hookimpl

@hookimpl
def gridworld_models():
    return [ModelInfo("needy", "Needs a library.", "needy_models:Needy", extra="heavy"), ModelInfo("plain", "", "x:X")]
"""


def test_what_lacks_the_libraries_of_its_extra_is_named_with_the_command_that_installs_them(tmp_path: Path) -> None:
    requires = [
        'library-that-nobody-has>=1 ; extra == "heavy"',
        'attrs ; extra == "heavy"',
        'another ; extra == "other"',
    ]
    write_distribution(tmp_path, "needy", "1.0", {"entry": "needy_plugin"}, {"needy_plugin.py": NEEDY}, requires)

    table = run("multinet", "plugins", "list", path=[tmp_path])
    listed = json_of(run("multinet", "plugins", "list", "--json", path=[tmp_path]))
    shown = json_of(run("multinet", "plugins", "show", "needy", "--json", path=[tmp_path]))

    assert "incomplete: model 'needy' needs library-that-nobody-has: pip install 'needy[heavy]'" in table.stdout
    incomplete = {each["name"]: each["missing"] for each in listed["incomplete"]}
    assert incomplete["needy"] == ["library-that-nobody-has"]
    assert "plain" not in incomplete
    assert "pip install 'needy[heavy]'" in next(each for each in shown["provided"] if each["name"] == "needy")["needs"]
