"""The page on metrics documents each one as its docstring does."""

import re
from pathlib import Path

import pytest

from gridworld.plugins import get_registry
from multinet_eval.analysis.metrics.aggregation import (
    AMOUNT,
    MEAN,
    PER_SUCCESS,
    RATE,
    SCORE,
    SHARES,
    STEPS,
    Aggregation,
)
from multinet_eval.analysis.metrics.measuring import load_metrics

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")
WORDS: dict[Aggregation, str] = {
    AMOUNT: "amount",
    MEAN: "mean",
    PER_SUCCESS: "by success",
    RATE: "rate",
    SCORE: "score",
    SHARES: "shares",
    STEPS: "steps",
}
"""Names of the aggregations on the page."""


def entry(name: str) -> str:
    """Expected description of a metric on the page."""
    (metric,) = load_metrics([name]).values()
    text = " ".join((metric.__doc__ or "").split())
    return f"- **`{name}`** ({WORDS[metric.aggregation]}): {text.replace('``', '`')}"


@pytest.mark.parametrize("name", get_registry().metrics.names())
def test_a_metric_is_documented_as_its_docstring_says(name: str) -> None:
    assert entry(name) in PAGE.splitlines(), entry(name)


def test_the_page_has_no_other_metrics() -> None:
    assert set(re.findall(r"^- \*\*`(\w+)`\*\*", PAGE, re.MULTILINE)) == set(get_registry().metrics.names())
