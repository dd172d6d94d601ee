"""The listing of many plugins, in the environment of the benchmark of the programs' start."""

from pathlib import Path

import pytest

from gridworld.plugins.records import HEAVY_LIBRARIES
from support.plugins import EXAMPLES
from support.programs import run_python
from support.sources import load_benchmark

pytestmark = pytest.mark.more
LIST = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
sys.argv[1:] = ["plugins", "list"]
from multinet_eval.cli import main
main()
"""


def test_many_plugins_are_listed_without_heavy_libraries_and_without_what_typer_reads_options_with(
    tmp_path: Path,
) -> None:
    load_benchmark("plugin_site").install_plugins(tmp_path)
    listed = run_python(LIST, [tmp_path])
    assert listed.returncode == 0
    assert "slow to load" not in listed.stdout
    assert "failed" not in listed.stdout
    assert listed.stdout.count("synthetic-") == 2 * 20
    assert listed.stdout.count("gridworld-example-") == len(EXAMPLES)
    imported = {module.split(".")[0] for module in listed.stderr.split()}
    assert "synthetic_0_plugin" in imported
    heavy = {"numpy", "PIL", "gymnasium", "requests", "minigrid", "cattrs", "pydantic", *HEAVY_LIBRARIES}
    assert not [package for package in imported if package in heavy or package.endswith("_model")]
