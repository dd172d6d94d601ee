"""Run inside an environment with the wheels installed: what ``multinet plugins new`` writes works there, untouched.

python check_new_plugins.py

A plugin of each kind is written by the command line, installed by pip, and tested by its own test, which runs the kits.
Then the command that its author is told to try it out with is run.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from multinet_eval.cli.plugins.new import TRY_OUT

BIN = Path(sys.executable).parent


def run(*command: str | Path, cwd: Path) -> str:
    """The standard output of a command that has to succeed."""
    finished = subprocess.run([str(each) for each in command], cwd=cwd, capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        sys.exit(f"FAILED: {' '.join(map(str, command))}\n{finished.stdout}\n{finished.stderr}")
    return finished.stdout


def check_new_plugins(folder: Path) -> None:
    """Write, install and test one of each kind; then all are installed beside each other."""
    for kind in TRY_OUT:
        said = run(BIN / "multinet", "plugins", "new", kind, f"new-{kind}", cwd=folder)
        if f"pip install ./new-{kind}" not in said:
            sys.exit(f"FAILED: no word on how to install it: {said}")
    run(sys.executable, "-m", "pip", "install", "pytest", *(f"./new-{kind}" for kind in TRY_OUT), cwd=folder)
    run(sys.executable, "-m", "pip", "check", cwd=folder)
    for kind in TRY_OUT:
        run(sys.executable, "-m", "pytest", "-q", f"new-{kind}", cwd=folder)


def check_tried_out(folder: Path) -> None:
    """Run the commands that use them."""
    for kind, command in TRY_OUT.items():
        program, *options = command.replace("$name", f"new_{kind}").split()
        results = json.loads(run(BIN / program, *options, "--json", cwd=folder))
        if program != "multinet-run-eval":
            continue
        if kind != "benchmark" and results["num_tasks"] != 10:
            sys.exit(f"FAILED: expected ten tasks to be played: {results}")
        if "optimal" in options and results["success_rate"] != 1:
            sys.exit(f"FAILED: not all tasks were won: {results}")
        sys.stdout.write(f"works: new-{kind}, {results['num_tasks']} tasks\n")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        check_new_plugins(Path(temporary))
        check_tried_out(Path(temporary))
