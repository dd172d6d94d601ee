"""How many examples and combinations a test tries: few by default, many in thorough runs."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

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


def in_turn(
    names: str, firsts: Sequence[Any], seconds: Sequence[Any], ids: Callable[[Any], str] = str
) -> pytest.MarkDecorator:
    """Run a test on all pairs of values, most of them in thorough runs alone.

    By default each value of the longer sequence is tried with one of the other, which take turns.

    Args:
        names: those of the two parameters, as for ``pytest.mark.parametrize``.
        firsts: the values of the first.
        seconds: those of the second.
        ids: what a value is called.
    """
    turns = min(len(firsts), len(seconds))
    return pytest.mark.parametrize(
        names,
        [
            pytest.param(
                first,
                second,
                id=f"{ids(first)}-{ids(second)}",
                marks=pytest.mark.thorough if (number - other) % turns else (),
            )
            for number, first in enumerate(firsts)
            for other, second in enumerate(seconds)
        ],
    )
