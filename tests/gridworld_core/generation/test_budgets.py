"""Step budgets as multiples of the optimum."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.errors import InvalidTaskError
from gridworld.generation.budgets import is_timed, steps_allowed, task_factor, with_ample_budget
from gridworld.generation.certificate import certified_optimum
from support.worlds import draw


@pytest.mark.parametrize(("optimum", "factor", "steps"), [(10, 1.1, 11), (10, 1.0, 10), (7, 1.5, 11), (3, 2.01, 7)])
def test_budgets_are_rounded_up_from_decimals(optimum: int, factor: float, steps: int) -> None:
    assert steps_allowed(optimum, factor) == steps


@given(st.integers(1, 10_000), st.integers(100, 1000))
def test_hundredths_are_exact(optimum: int, hundredths: int) -> None:
    assert steps_allowed(optimum, hundredths / 100) == -(-optimum * hundredths // 100)


@pytest.mark.parametrize("wrong", ["2", 0.5, float("nan"), float("inf"), [2]])
def test_invalid_budget_factors_are_refused(wrong: object) -> None:
    task = attrs.evolve(draw("####\n#@G#\n####"), metadata={"budget_factor": wrong})
    with pytest.raises(InvalidTaskError, match=r"metadata\.budget_factor"):
        task_factor(task)


def test_a_malformed_certificate_has_no_optimum() -> None:
    task = attrs.evolve(draw("####\n#@G#\n####"), metadata={"certificate": {"optimal_length": "long"}})
    assert certified_optimum(task, "square") is None


def test_timed_budgets_stay() -> None:
    task = draw("####\n#@G#\n####", goal={"type": "survive_steps"})
    assert is_timed(task)
    assert with_ample_budget(task) == task
