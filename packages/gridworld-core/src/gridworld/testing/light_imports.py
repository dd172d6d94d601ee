"""Detection of slow libraries that a module imports."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache

from gridworld.plugins.records import HEAVY_LIBRARIES

__all__ = ["heavy_imports_of"]

PROGRAM = f"""
import contextlib, importlib, sys
before = set(sys.modules)
with contextlib.redirect_stdout(sys.stderr):
    module = importlib.import_module(sys.argv[1])
    for hook in sys.argv[2:]:
        if hook in vars(module):
            list(vars(module)[hook]())
print(*({set(HEAVY_LIBRARIES)!r} & (set(sys.modules) - before)))
"""


@cache
def heavy_imports_of(module: str, hooks: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the heavy libraries that a fresh interpreter imports along with a module.

    Args:
        module: the module's name.
        hooks: functions of the module to call as well, if it has them.

    Returns:
        Their names, sorted; empty if the module cannot be imported on its own, such as a test file.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM, module, *hooks], env=environment, capture_output=True, text=True, check=False
    )
    return tuple(sorted(finished.stdout.split())) if finished.returncode == 0 else ()
