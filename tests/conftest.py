"""What the tests of all distributions have in common."""

from command_line import STARTER
from hypothesis_profiles import register_profiles

register_profiles()


def pytest_unconfigure() -> None:
    STARTER.close()
