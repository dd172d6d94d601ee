"""How long the command line takes to start where many plugins are installed, beside a bare Typer program.

All programs run in one environment: the distributions that are installed, all examples, and twenty plugins whose models
import heavy libraries behind import strings. Beside them stands a whole run of ten tasks, recorded, with nothing but
what is installed: most of a short run is its start. (Aims: 1.6 times the bare program, and 900 ms for the run.)
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from figures import Effort, Figure, Measure
from plugin_site import install_plugins

RUN = "--benchmark validation_10 --model random"

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


def environment(site: Path) -> dict[str, str]:
    """The variables of a program that finds what is installed in a folder."""
    folders = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}


def elapsed(command: list[str], variables: dict[str, str], folder: str) -> float:
    """The seconds that one run takes, which leaves what it leaves in a folder."""
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, env=variables, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def measure_programs(effort: Effort) -> Iterator[Figure]:
    """The programs, by turns, after a turn that compiles what has not been compiled."""
    scripts = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as folder:
        site, bare, cache = (Path(folder) / name for name in ("site", "bare.py", "cache"))
        site.mkdir()
        install_plugins(site)
        bare.write_text(BARE, encoding="utf-8")
        evaluate, many = str(scripts / "multinet-run-eval"), environment(site)
        programs = {
            "bare Typer program --help": ([sys.executable, str(bare), "--help"], many),
            "multinet-run-eval --help": ([evaluate, "--help"], many),
            "multinet plugins list": ([str(scripts / "multinet"), "plugins", "list"], many),
            RUN: ([evaluate, *RUN.split()], {**os.environ, "GRIDWORLD_CACHE": str(cache)}),
        }
        for program in programs.values():
            elapsed(*program, folder)
        taken: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(effort.times(3 * effort.rounds)):
            for name, program in programs.items():
                taken[name].append(1000 * elapsed(*program, folder))
    for name, each in taken.items():
        yield Figure(name, statistics.median(each), "ms", min(each), max(each))


MEASURES: Mapping[str, Measure] = {"programs": measure_programs}
