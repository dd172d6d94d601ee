"""What the tests of all distributions have in common."""

import gc
import os
import shutil
import tempfile

from support.thoroughness import register_profiles

register_profiles()

os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # multigrid takes longer to be compiled than all its tests take without
for library in ("OPENBLAS", "OMP"):  # matrices are small, and threads that wait for each other keep all cores busy
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
os.environ["GRIDWORLD_CACHE"] = ""  # what was kept by an earlier run, or by a person, is not to decide a test
STATE = os.environ["MULTINET_STATE"] = tempfile.mkdtemp(prefix="multinet-state-")  # nor is the key of a person


def pytest_collection() -> None:
    gc.disable()  # nearly all that is made now stays


def pytest_collection_finish() -> None:
    gc.set_threshold(20_000, 20, 20)
    gc.enable()
    gc.freeze()  # thousands of tests and all that is imported stay to the end: not to be looked through again and again


def pytest_unconfigure() -> None:
    shutil.rmtree(STATE, ignore_errors=True)
