"""Run inside an environment with the wheels installed: a scaffold of every kind works there, untouched.

python check_scaffold.py

Each is written by the command line, installed by pip as its author would, and tested by its own tests and by the kits.
Then the command that its author is told to try it out with is run; what can be played is.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from multinet_eval.scaffolds import SCAFFOLDS

BIN = Path(sys.executable).parent


def run(*command: str | Path, cwd: Path) -> str:
    """The standard output of a command that has to succeed."""
    finished = subprocess.run([str(each) for each in command], cwd=cwd, capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        sys.exit(f"FAILED: {' '.join(map(str, command))}\n{finished.stdout}\n{finished.stderr}")
    return finished.stdout


def check_scaffolds(folder: Path) -> None:
    """Write, install and test one of each kind; then all are installed beside each other."""
    for kind in SCAFFOLDS:
        said = run(BIN / "multinet", "plugins", "new", kind, f"scaffold-{kind}", cwd=folder)
        if f"pip install ./scaffold-{kind}" not in said:
            sys.exit(f"FAILED: no word on how to install it: {said}")
    run(sys.executable, "-m", "pip", "install", "pytest", *(f"./scaffold-{kind}" for kind in SCAFFOLDS), cwd=folder)
    run(sys.executable, "-m", "pip", "check", cwd=folder)
    for kind in SCAFFOLDS:
        run(sys.executable, "-m", "pytest", "-q", f"scaffold-{kind}", cwd=folder)
        run(BIN / "multinet", "plugins", "check", f"scaffold-{kind}", cwd=folder)


def check_played(folder: Path) -> None:
    """Try each of them out; those about recorded runs have one in the folder ``run``."""
    run(BIN / "multinet-run-eval", "--model", "random", "--run-dir", "run", cwd=folder)
    for kind, scaffold in SCAFFOLDS.items():
        name = f"scaffold_{kind}" if scaffold.identifier else f"scaffold-{kind}"
        program, *options = scaffold.try_out.format(name=name).split()
        results = json.loads(run(BIN / program, *options, "--json", cwd=folder))
        if program != "multinet-run-eval":
            continue
        if kind != "benchmark" and results["num_tasks"] != 10:
            sys.exit(f"FAILED: expected ten tasks to be played: {results}")
        if "optimal" in options and results["success_rate"] != 1:
            sys.exit(f"FAILED: not all tasks were won: {results}")
        sys.stdout.write(f"works: scaffold-{kind}, {results['num_tasks']} tasks\n")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        check_scaffolds(Path(temporary))
        check_played(Path(temporary))
