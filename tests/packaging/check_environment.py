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
    "gridworld-generators": "gridworld_generators",
    "multinet-adapters": "multinet_adapters",
    "multinet-eval": "multinet_eval",
    "multinet-report": "multinet_report",
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


PROVIDES = {
    "gridworld-core": {
        "random",
        "optimal",
        "explorer",
        "greedy",
        "file",
        "replay",
        "square",
        "keys",
        "reach_position",
        "coordinates",
    },
    "gridworld-minigrid": {"minigrid"},
    "gridworld-multigrid": {"multigrid", "hex", "triangle", "488", "3464"},
    "gridworld-generators": {"fresh_100", "perfect_maze", "order", "sokoban"},
    "multinet-adapters": {"ollama", "lmstudio", "openai", "anthropic", "transformers"},
    "multinet-eval": {"validation_10", "tiers", "worked_examples", "regret_total"},
    "multinet-report": {"report", "play", "person", "html"},
}
"""Some of the names that each distribution provides; nobody else does."""


def check_listing(expected: set[str]) -> None:
    listed = json.loads(run("multinet", "plugins", "list", "--json").stdout)
    check({plugin["distribution"] for plugin in listed["plugins"]} == expected, f"multinet plugins list: {listed}")
    names = {provided["name"] for plugin in listed["plugins"] for provided in plugin["provides"]}
    for distribution, provided in PROVIDES.items():
        there = provided & names
        check(there == (provided if distribution in expected else set()), f"{distribution} provides {there}")


def check_generation() -> None:
    """The bundled suite of recipes is in the wheel, and its first task can be certified."""
    from gridworld.generation.making import Made, jobs_of, make
    from gridworld.suites.named import suite_recipes

    check(isinstance(make(jobs_of(suite_recipes("fresh_100"))[0]), Made), "no task of fresh_100 can be made")


def check_evaluation(provider: str, expected: set[str], *options: str) -> None:
    """An evaluation runs where its backend is installed, and elsewhere says what to install."""
    result = run("multinet-run-eval", "--benchmark", "validation_10", "--model", "random", "--json", *options)
    if provider in expected:
        check(result.returncode == 0, f"evaluation failed: {result.stderr}")
        check(json.loads(result.stdout)["num_tasks"] == 10, result.stdout)
    else:
        check(result.returncode == 2, f"expected exit code 2, got {result.returncode}: {result.stderr}")
        check(f"pip install {provider}" in result.stderr, f"no advice what to install: {result.stderr}")


def check_adapter(expected: set[str]) -> None:
    """A model behind a server is asked for where its adapter is installed, and elsewhere it is said what to install."""
    options = ("-M", "model=x", "-M", "base_url=http://127.0.0.1:9", "--on-infrastructure", "fail")
    result = run("multinet-run-eval", "--model", "ollama", *options)
    advice = "ollama serve" if "multinet-adapters" in expected else "pip install multinet-adapters"
    check(result.returncode != 0 and "Traceback" not in result.stderr, f"no refusal: {result.stderr}")
    known = "gridworld-minigrid" not in expected or advice in result.stderr
    check(known, f"expected '{advice}' in: {result.stderr}")


def check_command_line(expected: set[str]) -> None:
    for program in ("multinet", "multinet-run-eval"):
        check(run(program, "--help").returncode == 0, f"{program} --help")
    check_listing(expected)
    check_evaluation("gridworld-minigrid", expected)
    check_evaluation("gridworld-multigrid", expected, "--tiling", "hex")
    check_adapter(expected)


if __name__ == "__main__":
    wanted = set(sys.argv[1:])
    check_installed(wanted)
    check_registry(wanted)
    if "gridworld-generators" in wanted:
        check_generation()
    if "multinet-eval" in wanted:
        check_command_line(wanted)
    print(f"works: {', '.join(sorted(wanted))}")
