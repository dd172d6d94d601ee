"""How much code one step of one episode runs through."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

MEASURE = Path(__file__).parents[2] / "support" / "calls_per_step.py"
AT_MOST = {"multinet_eval": (60, 45, 12), "gridworld": (96, 67, 22)}
"""Package to the calls, the functions and the modules of a step."""
OF_OTHERS = 8
"""Calls that the scheduler makes for other workers' steps in the meantime, at most."""


@pytest.mark.parametrize("workers", [1, 4])
def test_a_recorded_step_runs_through_little_code(workers: int, tmp_path: Path) -> None:
    command = [sys.executable, MEASURE, str(tmp_path / "run"), str(workers)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found.keys() == AT_MOST.keys()
    for package, (calls, *rest) in AT_MOST.items():
        most = (calls + (OF_OTHERS if workers > 1 else 0), *rest)
        assert all(0 < number <= limit for number, limit in zip(found[package], most, strict=True)), (package, found)
