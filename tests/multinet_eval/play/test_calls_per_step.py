"""How much code one step of one episode runs through."""

import json
import statistics
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import FrameType

import pytest

from gridworld.runner.rollout import Rollout

AT_MOST = {"multinet_eval": (60, 45, 12), "gridworld": (96, 67, 22)}
"""Package to the calls, the functions and the modules of a step."""
OF_OTHERS = 16
"""Most calls that the scheduler makes meanwhile for other workers; threads take longer turns on a busy machine."""


PACKAGES = ("multinet_eval", "gridworld")
TAKE = Rollout.take.__code__
WARM_UP = 50
"""Steps at both ends that are not counted."""

Call = tuple[str, str, str]
segments: list[list[Call]] = [[]]
"""Package, module and function of each call; a segment ends when a step is taken."""


def note(frame: FrameType, event: str, argument: object) -> None:
    """Note a call; code that is generated, such as by attrs, is part of what calls it."""
    if event != "call" or frame.f_code.co_filename.startswith("<"):
        return
    if frame.f_code is TAKE:
        segments.append([])
    module = str(frame.f_globals.get("__name__", ""))
    package = module.partition(".")[0]
    if package in PACKAGES:
        segments[-1].append((package, module, frame.f_code.co_qualname))


def play(folder: str, workers: str) -> None:
    """Play a recorded run under the profiler."""
    from multinet_eval.cli import run_eval

    sys.argv = [
        "multinet-run-eval",
        "--model",
        "random",
        "--run-dir",
        folder,
        "--quiet",
        "--tier",
        "1",
        "--workers",
        workers,
    ]
    threading.setprofile(note)
    sys.setprofile(note)
    with suppress(SystemExit):
        run_eval()
    sys.setprofile(None)
    threading.setprofile(None)


def medians(package: str) -> tuple[float, float, float]:
    """Calls, functions and modules of a package in a step."""
    steps = [[call for call in each if call[0] == package] for each in segments[WARM_UP:-WARM_UP]]
    kinds = (steps, [set(each) for each in steps], [{module for _, module, _ in each} for each in steps])
    calls, functions, modules = (statistics.median(map(len, each)) for each in kinds)
    return calls, functions, modules


@pytest.mark.parametrize("workers", [1, 4])
def test_a_recorded_step_runs_through_little_code(workers: int, tmp_path: Path) -> None:
    command = [sys.executable, __file__, str(tmp_path / "run"), str(workers)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found.keys() == AT_MOST.keys()
    for package, (calls, *rest) in AT_MOST.items():
        most = (calls + (OF_OTHERS if workers > 1 else 0), *rest)
        assert all(0 < number <= limit for number, limit in zip(found[package], most, strict=True)), (package, found)


if __name__ == "__main__":
    play(sys.argv[1], sys.argv[2])
    sys.stdout.write(json.dumps({package: medians(package) for package in PACKAGES}) + "\n")
