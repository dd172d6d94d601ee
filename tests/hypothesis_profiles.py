"""How many random examples hypothesis tries: a few that are the same in every run, or many new ones.

The tests run with the profile ``quick`` unless pytest is told otherwise, with ``--hypothesis-profile=thorough``, as by
``nox -s thorough``. There every run draws other examples, and a failure says how to reproduce it.
"""

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

__all__ = ["bounded", "register_profiles"]

QUICK_EXAMPLES = 15
"""For a property that does not say how many it needs."""
THOROUGH_TIMES = 25
"""How many times as many examples a thorough run tries."""


def register_profiles() -> None:
    """Make both profiles known to pytest, and choose the quick one."""
    slow_but_sound = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture]
    usual = settings.get_profile("default")  # whatever hypothesis itself makes of the machine that it runs on
    common = settings(usual, deadline=None, print_blob=True, suppress_health_check=slow_but_sound)
    settings.register_profile("quick", common, max_examples=QUICK_EXAMPLES, derandomize=True)
    settings.register_profile("thorough", common, max_examples=QUICK_EXAMPLES * THOROUGH_TIMES)
    settings.load_profile("quick")
    draw_independently_of_imports()


def draw_independently_of_imports() -> None:
    """Keep the constants of our modules out of the examples.

    Hypothesis draws some values from the constants of whatever is imported by then, so that the examples of a test,
    derandomized or not, would depend on which tests ran before it in the same process.
    """
    assert callable(providers._get_local_constants)  # hypothesis has no public switch for it
    providers._get_local_constants = Constants


def bounded(examples: int) -> settings:
    """Settings for so many examples in a quick run, and in proportion in a thorough one."""
    return settings(max_examples=examples * settings().max_examples // QUICK_EXAMPLES)
