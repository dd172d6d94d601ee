"""Numbers of examples and combinations that tests try: few by default, many in thorough runs.

The default hypothesis profile ``quick`` draws the same examples in every run. ``--hypothesis-profile=thorough``, as in
``nox -s thorough``, draws new ones; a failure prints how to reproduce it.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

QUICK_EXAMPLES = 15
"""Examples of a property without `bounded`."""
THOROUGH_TIMES = 25
"""Factor of the number of examples in a thorough run."""


def register_profiles() -> None:
    """Register both profiles, and load the quick one."""
    slow_but_sound = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture]
    usual = settings.get_profile("default")
    common = settings(usual, deadline=None, print_blob=True, suppress_health_check=slow_but_sound)
    settings.register_profile("quick", common, max_examples=QUICK_EXAMPLES, derandomize=True)
    settings.register_profile("thorough", common, max_examples=QUICK_EXAMPLES * THOROUGH_TIMES)
    settings.load_profile("quick")
    draw_independently_of_imports()


def draw_independently_of_imports() -> None:
    """Keep the constants of imported modules out of the examples.

    Hypothesis draws some values from them, so that a test's examples would depend on the tests before it.
    """
    assert callable(providers._get_local_constants)  # hypothesis has no public switch for it
    providers._get_local_constants = Constants


def bounded(examples: int) -> settings:
    """Settings for a number of examples in a quick run, and in proportion in a thorough one."""
    return settings(max_examples=examples * settings().max_examples // QUICK_EXAMPLES)


def in_turn(
    names: str, firsts: Sequence[Any], seconds: Sequence[Any], ids: Callable[[Any], str] = str
) -> pytest.MarkDecorator:
    """Run a test on all pairs of values in thorough runs, and by default on enough pairs for each value to occur.

    Args:
        names: names of the two parameters, as for ``pytest.mark.parametrize``.
        firsts: values of the first parameter.
        seconds: values of the second parameter.
        ids: names of values.
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


def first_by_default(names: str | Sequence[str], cases: Iterable[Any], **options: Any) -> pytest.MarkDecorator:
    """Run a test on the first of some cases, and on the others in `nox -s more`.

    Args:
        names: names of parameters, as for ``pytest.mark.parametrize``.
        cases: values of the parameter, or tuples of values of several.
        options: further arguments of ``pytest.mark.parametrize``.
    """
    several = not isinstance(names, str) and len(names) > 1
    first, *others = ((case if several else (case,)) for case in cases)
    marked = [pytest.param(*case, marks=pytest.mark.more) for case in others]
    return pytest.mark.parametrize(names, [pytest.param(*first), *marked], **options)
