"""Imports of the programs with many plugins, in the environment of the benchmark of their start."""

from pathlib import Path
from types import ModuleType

import pytest

from gridworld.plugins.records import HEAVY_LIBRARIES
from support.plugins import EXAMPLES, run_python
from support.programs import run_anew
from support.sources import load_benchmark

PROGRAM = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
sys.argv[1:] = {arguments}
from multinet_eval.cli import {entry}
{entry}()
"""


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    """The benchmark as a module."""
    return load_benchmark("plugin_site")


@pytest.fixture(scope="module")
def site(benchmark: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the plugins that the benchmark installs."""
    folder = tmp_path_factory.mktemp("site")
    benchmark.install_plugins(folder)
    return folder


def imported_by(entry: str, arguments: list[str], site: Path) -> set[str]:
    """The top-level packages that a program has imported when it ends."""
    finished = run_python(PROGRAM.format(entry=entry, arguments=arguments), [site])
    assert finished.returncode == 0
    return {module.split(".")[0] for module in finished.stderr.split()}


def test_all_the_plugins_are_there(site: Path) -> None:
    listed = run_anew("multinet", "plugins", "list", path=[site]).stdout
    assert "slow to load" not in listed
    assert "failed" not in listed
    assert listed.count("synthetic-") == 2 * 20
    assert listed.count("gridworld-example-") == len(EXAMPLES)


@pytest.mark.parametrize(
    ("entry", "arguments"),
    [("run_eval", ["--help"]), ("main", ["plugins", "list"])],
    ids=["multinet-run-eval", "multinet"],
)
def test_help_and_the_listing_import_no_heavy_library(entry: str, arguments: list[str], site: Path) -> None:
    imported = imported_by(entry, arguments, site)
    assert not {"numpy", "PIL", "gymnasium", "requests", "minigrid", "cattrs", *HEAVY_LIBRARIES} & imported
    assert not [package for package in imported if package.startswith("synthetic") and package.endswith("_model")]
    assert ("synthetic_0_plugin" in imported) == (arguments == ["plugins", "list"])


def test_the_listing_does_not_import_what_typer_reads_options_with(site: Path) -> None:
    """It takes as long to import as the core does."""
    finished = run_python(PROGRAM.format(entry="main", arguments=["plugins", "list"]), [site])
    assert finished.returncode == 0
    assert "pydantic" not in finished.stderr.split()


def test_a_model_behind_an_import_string_is_heavy_all_the_same(site: Path) -> None:
    """So that the tests above would notice."""
    finished = run_python("import sys, synthetic_3_model; print(*sys.modules)", [site])
    assert {"numpy", "PIL", "gymnasium", "requests"} <= set(finished.stdout.split())
