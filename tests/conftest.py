"""What the tests of all distributions have in common."""

import gc
import os

from command_line import STARTER
from hypothesis_profiles import register_profiles

register_profiles()

os.environ["GRIDWORLD_CACHE"] = ""  # what was kept by an earlier run, or by a person, is not to decide a test


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()  # thousands of tests and all that is imported stay to the end: not to be looked through again and again


def pytest_unconfigure() -> None:
    STARTER.close()
