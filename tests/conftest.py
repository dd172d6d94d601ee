"""What the tests of all distributions have in common."""

import gc

from command_line import STARTER
from hypothesis_profiles import register_profiles

register_profiles()


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()  # thousands of tests and all that is imported stay to the end: not to be looked through again and again


def pytest_unconfigure() -> None:
    STARTER.close()
