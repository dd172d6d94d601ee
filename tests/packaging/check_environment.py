"""Run inside an environment with some of the distributions installed: says whether they work there as they should.

python check_environment.py gridworld-core multinet-eval ...
"""

import json
import subprocess
import sys
from importlib import import_module
from importlib.metadata import distributions, version
from pathlib import Path

OURS = {
    "gridworld-core": "gridworld",
    "gridworld-minigrid": "gridworld_minigrid",
    "gridworld-multigrid": "gridworld_multigrid",
    "multinet-adapters": "multinet_adapters",
    "multinet-eval": "multinet_eval",
}


def check(condition: bool, message: str) -> None:
    if not condition:
        sys.exit(f"FAILED: {message}")


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = Path(sys.executable).parent / program
    return subprocess.run([path, *arguments], capture_output=True, text=True, check=False)


def check_installed(expected: set[str]) -> None:
    installed = {name for distribution in distributions() if (name := distribution.metadata["Name"]) in OURS}
    check(installed == expected, f"expected {sorted(expected)}, found {sorted(installed)}")
    for name in expected:
        package = import_module(OURS[name])
        check(package.__version__ == version(name), f"{name}: version mismatch")
        check(Path(package.__file__).with_name("py.typed").exists(), f"{name}: no py.typed")


def check_registry(expected: set[str]) -> None:
    from gridworld.plugins import get_registry

    records = get_registry().plugins
    check({record.distribution for record in records} == expected, f"plugins found: {records}")
    check(all(record.status == "loaded" for record in records), f"not all loaded: {records}")


def check_command_line(expected: set[str]) -> None:
    listed = json.loads(run("multinet", "plugins", "--json").stdout)
    check({plugin["distribution"] for plugin in listed["plugins"]} == expected, f"multinet plugins: {listed}")
    result = run("multinet-run-eval", "--benchmark", "validation_10", "--model", "random", "--json")
    if "gridworld-minigrid" in expected:
        check(result.returncode == 0, f"evaluation failed: {result.stderr}")
        check(json.loads(result.stdout)["num_tasks"] == 10, result.stdout)
    else:
        check(result.returncode == 2, f"expected exit code 2, got {result.returncode}: {result.stderr}")
        check("pip install gridworld-minigrid" in result.stderr, f"no advice what to install: {result.stderr}")


if __name__ == "__main__":
    wanted = set(sys.argv[1:])
    check_installed(wanted)
    check_registry(wanted)
    if "multinet-eval" in wanted:
        check_command_line(wanted)
    print(f"works: {', '.join(sorted(wanted))}")
