"""What the tests of all distributions have in common."""

import gc
import os

import pytest

from support.thoroughness import register_profiles

register_profiles()

os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # multigrid takes longer to be compiled than all its tests take without
for library in ("OPENBLAS", "OMP"):  # matrices are small, and threads that wait for each other keep all cores busy
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
os.environ["GRIDWORLD_CACHE"] = ""  # what was kept by an earlier run, or by a person, is not to decide a test


def pytest_collection() -> None:
    gc.disable()  # nearly all that is made now stays


def pytest_collection_finish() -> None:
    gc.set_threshold(20_000, 20, 20)
    gc.enable()
    gc.freeze()  # thousands of tests and all that is imported stay to the end: not to be looked through again and again


@pytest.fixture(scope="session", autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.environ["MULTINET_STATE"] = str(tmp_path_factory.mktemp("state"))  # the key of a person is not touched
