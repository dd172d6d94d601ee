"""Run inside an environment with the wheels installed: a scaffold of every kind works there, untouched.

python check_scaffold.py

Each is written by the command line, installed by pip as its author would, tested by its own tests and by the kits; the
adapter is then evaluated on `validation_10`, the tiling, the backend and the suite are played.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

KINDS = ("adapter", "mechanism", "goal", "tiling", "backend", "benchmark")
PLAYED = {
    "adapter": ("--model", "scaffold-adapter", "--benchmark", "validation_10"),
    "tiling": ("--model", "optimal", "--tiling", "scaffold-tiling"),
    "backend": ("--model", "random", "--backend", "scaffold-backend"),
    "benchmark": ("--model", "optimal", "--benchmark", "scaffold-benchmark"),
}
BIN = Path(sys.executable).parent


def run(*command: str | Path, cwd: Path) -> str:
    """The standard output of a command that has to succeed."""
    finished = subprocess.run([str(each) for each in command], cwd=cwd, capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        sys.exit(f"FAILED: {' '.join(map(str, command))}\n{finished.stdout}\n{finished.stderr}")
    return finished.stdout


def check_scaffolds(folder: Path) -> None:
    """Write, install and test one of each kind; then all are installed beside each other."""
    for kind in KINDS:
        said = run(BIN / "multinet", "plugins", "new", kind, f"scaffold-{kind}", cwd=folder)
        if f"pip install ./scaffold-{kind}" not in said:
            sys.exit(f"FAILED: no word on how to install it: {said}")
    run(sys.executable, "-m", "pip", "install", "pytest", *(f"./scaffold-{kind}" for kind in KINDS), cwd=folder)
    run(sys.executable, "-m", "pip", "check", cwd=folder)
    for kind in KINDS:
        run(sys.executable, "-m", "pytest", "-q", f"scaffold-{kind}", cwd=folder)
        run(BIN / "multinet", "plugins", "check", f"scaffold-{kind}", cwd=folder)


def check_played(folder: Path) -> None:
    """Play what can be played."""
    for kind, options in PLAYED.items():
        results = json.loads(run(BIN / "multinet-run-eval", *options, "--json", cwd=folder))
        if kind != "benchmark" and results["num_tasks"] != 10:
            sys.exit(f"FAILED: expected ten tasks to be played: {results}")
        if "optimal" in options and results["success_rate"] != 1:
            sys.exit(f"FAILED: not all tasks were won: {results}")
        sys.stdout.write(f"works: scaffold-{kind}, {results['num_tasks']} tasks\n")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        check_scaffolds(Path(temporary))
        check_played(Path(temporary))
