"""How long the command line takes to start where many plugins are installed, beside a bare Typer program.

All programs run in one environment: the distributions that are installed, all examples, and twenty plugins whose models
import heavy libraries behind import strings. Only the ratios mean anything on another machine.

    nox -s benchmarks
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"
SYNTHETIC = 20
AIM = 1.6

BARE = '''
import typer

app = typer.Typer()


@app.command()
def greet(name: str, times: int = 1) -> None:
    """Greet somebody."""
    for _ in range(times):
        print(f"Hello {name}")


app()
'''
"""The program to compare with."""

PLUGIN = """
from gridworld.hookspecs import ModelInfo, hookimpl


@hookimpl
def gridworld_models():
    return [ModelInfo("synthetic-{number}", "A model.", "synthetic_{number}_model:Model")]
"""

MODEL = """
import gymnasium
import numpy
import PIL.Image
import requests

from gridworld.model_interface import RandomModelInterface


class Model(RandomModelInterface):
    pass
"""


def install_plugins(site: Path) -> None:
    """Put the examples and the synthetic plugins into a folder, as they would lie in site-packages."""
    for example in sorted(EXAMPLES.glob("gridworld-example-*")):
        project = tomllib.loads((example / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        shutil.copytree(example / "src", site, dirs_exist_ok=True)
        _write_metadata(site, project["name"], project["entry-points"]["gridworld"], project["dependencies"])
    for number in range(SYNTHETIC):
        (site / f"synthetic_{number}_plugin.py").write_text(PLUGIN.format(number=number), encoding="utf-8")
        (site / f"synthetic_{number}_model.py").write_text(MODEL, encoding="utf-8")
        entry_points = {"model": f"synthetic_{number}_plugin"}
        _write_metadata(site, f"synthetic-{number}", entry_points, ["gridworld-core==0.1.*", "numpy>=1.26"])


def _write_metadata(site: Path, name: str, entry_points: dict[str, str], requires: list[str]) -> None:
    folder = site / f"{name.replace('-', '_')}-1.0.dist-info"
    folder.mkdir()
    needed = "".join(f"Requires-Dist: {each}\n" for each in requires)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{needed}", encoding="utf-8")
    listed = "".join(f"{entry} = {module}\n" for entry, module in entry_points.items())
    (folder / "entry_points.txt").write_text(f"[gridworld]\n{listed}", encoding="utf-8")


def environment(site: Path) -> dict[str, str]:
    """The variables of a program that finds what is installed in a folder."""
    folders = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}


def elapsed(command: list[str], variables: dict[str, str]) -> float:
    """The seconds that one run takes."""
    start = time.perf_counter()
    subprocess.run(command, env=variables, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the number of rounds")
    options = parser.parse_args()
    scripts = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as folder:
        site, bare = Path(folder) / "site", Path(folder) / "bare.py"
        site.mkdir()
        install_plugins(site)
        bare.write_text(BARE, encoding="utf-8")
        commands = {
            "bare Typer program --help": [sys.executable, str(bare), "--help"],
            "multinet-run-eval --help": [str(scripts / "multinet-run-eval"), "--help"],
            "multinet plugins": [str(scripts / "multinet"), "plugins"],
        }
        variables = environment(site)
        for command in commands.values():
            elapsed(command, variables)  # compiles what has not been compiled
        rounds = max(1, int(options.rounds * options.scale))
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                taken[name].append(elapsed(command, variables))
    medians = {name: statistics.median(durations) for name, durations in taken.items()}
    peer, *ours = medians
    for name, seconds in medians.items():
        print(f"{name:36s} {1000 * seconds:12,.0f} ms")
    print()
    for name in ours:
        print(f"{name} / {peer}: {medians[name] / medians[peer]:.2f} (aim: at most {AIM})")


if __name__ == "__main__":
    main()
