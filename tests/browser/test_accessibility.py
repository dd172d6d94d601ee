"""The page against the rules of axe-core, which `nox -s page` installs: contrast, names, order of headings."""

import os
from pathlib import Path
from typing import Any

import pytest

from gridworld.suites import read_installed
from multinet_eval import read
from multinet_eval.analysis.leaderboard import make_leaderboard
from multinet_eval.record.manifest import Suite
from multinet_report.pages import HtmlPages
from multinet_report.report import write_report
from support.boards import Opener
from support.pages import record_probing
from support.runs import record_run

AXE = Path(os.environ["AXE"])


@pytest.fixture(scope="module")
def pages(fog: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One of each kind of pages, without its suffix."""
    folder = tmp_path_factory.mktemp("pages")
    task = next(task for task in read_installed("validation_10").tasks if task.task_id == "v08_key_key_chain")
    run = record_run(folder / "run", [task], "LLL").path
    write_report([run, record_probing(folder / "probing", ("square",)).path], folder / "run.html")
    HtmlPages().write_leaderboard(make_leaderboard([read(run)]), folder)
    HtmlPages().write_suite(Suite("one", (task,)), ["square"], folder / "suite.html", 10_000)
    return {"fog": fog, "run": run, "leaderboard": folder / "index", "suite": folder / "suite"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("fog", ""),
        ("fog", "#episode=0&step=5"),
        ("run", ""),
        ("run", "#episode=0&step=2"),
        ("run", "#probing=0"),
        ("run", "#probing=0&moment=1"),
        ("leaderboard", ""),
        ("suite", ""),
    ],
)
def test_no_rule_is_violated(pages: dict[str, Path], opened: Opener, scheme: Any, name: str, address: str) -> None:
    with opened(pages[name], address, color_scheme=scheme, bypass_csp=True) as page:
        page.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        page.page.evaluate(f"{AXE.read_text(encoding='utf-8')}; 0")
        violations = page.page.evaluate(
            "axe.run().then((found) => found.violations.map((each) => [each.id, each.nodes[0].html]))"
        )
        assert violations == []
