"""Lists and counts on pages are those of the code."""

import re
from pathlib import Path

from gridworld.plugins import get_registry
from multinet_eval import SuiteMetrics
from multinet_eval.analysis.metrics import aggregation
from multinet_eval.analysis.metrics.measuring import load_metrics
from support.sources import FENCE

REPOSITORY = Path(__file__).parents[2]
DOCS = REPOSITORY / "docs"
DISTRIBUTIONS = sorted(path.parent.name for path in REPOSITORY.glob("packages/*/pyproject.toml"))
OPTION = re.compile(r"`(?:multinet[\w -]*)?(--[a-z-]+)")
AGGREGATIONS = {
    aggregation.AMOUNT: "amount",
    aggregation.MEAN: "mean",
    aggregation.PER_SUCCESS: "by success",
    aggregation.RATE: "rate",
    aggregation.SCORE: "score",
    aggregation.SHARES: "shares",
    aggregation.STEPS: "steps",
}
"""Aggregations as the page on metrics calls them."""
LIMIT = 1_300
"""The most words of a page."""
MADE_OF_TABLES = ("reference/cli.md", "reference/speed.md", "reference/task-format.md", "reference/decisions.md")
"""Pages to look something up in, which are longer."""


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def test_no_page_is_too_long() -> None:
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} - set(MADE_OF_TABLES)
    assert [page for page in sorted(pages) if len(text_of(page).split()) > LIMIT] == []
    assert len((REPOSITORY / "README.md").read_text(encoding="utf-8").split()) <= 600


def test_the_table_of_distributions_is_complete() -> None:
    table = text_of("index.md").partition("## Distributions")[2]
    assert sorted(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)) == DISTRIBUTIONS


def test_the_table_of_models_is_complete() -> None:
    table = text_of("how-to/models.md").partition("\n## ")[0]
    assert sorted(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == sorted(get_registry().models.names())


def test_the_page_on_metrics_has_each_with_its_aggregation() -> None:
    listed = re.findall(r"^- \*\*`(\w+)`\*\* \((.*?)\): ", text_of("reference/metrics.md"), re.MULTILINE)
    metrics = load_metrics(get_registry().metrics.names())
    assert dict(listed) == {name: AGGREGATIONS[metric.aggregation] for name, metric in metrics.items()}


def test_each_start_page_names_three_pages_and_is_named_itself() -> None:
    starts = sorted((DOCS / "start").glob("*.md"))
    assert len(starts) == 5
    for page in starts:
        text = page.read_text(encoding="utf-8")
        assert len(re.findall(r"^\d\. ", text, re.MULTILINE)) == 3
        assert f"start/{page.name}" in text_of("index.md")
        assert f"docs/start/{page.name}" in (REPOSITORY / "README.md").read_text(encoding="utf-8")


def test_numbers_of_a_result_file_on_the_page_exist() -> None:
    table = text_of("reference/results.md").partition("## Counts")[2]
    named = re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE)))
    assert len(named) >= 10
    assert [name for name in named if not hasattr(SuiteMetrics, name)] == []


def test_options_on_pages_exist() -> None:
    known = set(re.findall(r"--[a-z][a-z-]+", text_of("reference/cli.md")))
    pages = [page for page in DOCS.rglob("*.md") if page.parent.name != "plugins"]
    spans = {(page.name, span) for page in pages for span in OPTION.findall(prose_of(page))}
    assert [(page, option) for page, option in sorted(spans) if option not in known] == []


def prose_of(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))
