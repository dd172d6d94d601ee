"""Numbers of statsmodels and SciPy, which take seconds to import and are therefore only asked now and then."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.statistics.intervals import crossed_variance, mean_interval, student_quantile
from multinet_eval.statistics.paired_tests import holm_adjusted, sign_flip_test

pytestmark = pytest.mark.thorough


@given(st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=50))
def test_intervals_of_means(values: list[float]) -> None:
    from statsmodels.stats.weightstats import DescrStatsW

    low, high = DescrStatsW([*values, 0.0, 1.0]).tconfint_mean()
    assert mean_interval(values) == pytest.approx((max(low, 0.0), min(high, 1.0)), abs=1e-8)


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_exact_test_of_mcnemar(won: int, lost: int) -> None:
    from statsmodels.stats.contingency_tables import mcnemar

    expected = mcnemar([[3, won], [lost, 4]], exact=True).pvalue
    assert sign_flip_test([1.0] * won + [-1.0] * lost, 0).p_value == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_adjustment_by_holm(p_values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    assert holm_adjusted(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]))


@given(st.floats(1, 1000), st.floats(0.001, 0.999))
def test_quantiles_of_student(freedom: float, probability: float) -> None:
    from scipy.stats import t

    assert student_quantile(freedom, probability) == pytest.approx(
        float(t.ppf(probability, freedom)), rel=1e-7, abs=1e-9
    )


@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=6), min_size=3, max_size=6))
def test_variances_of_crossed_samples(rows: list[list[float]]) -> None:
    import numpy as np
    from statsmodels.regression.linear_model import OLS
    from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

    places = [(row, column) for row, scores in enumerate(rows) for column in range(len(scores))]
    scores = [rows[row][column] for row, column in places]
    fit = OLS(scores, np.ones(len(scores))).fit()
    groups = (np.array(places)[:, 0], np.array(places)[:, 1])
    both, *single = cov_cluster_2groups(fit, *groups, use_correction=False)
    cells = {(f"p{row}", f"m{column}"): score for (row, column), score in zip(places, scores, strict=True)}
    assert crossed_variance(cells) == pytest.approx(max(float(each.item()) for each in (both, *single)), abs=1e-12)
