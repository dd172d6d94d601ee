"""The built documentation against the rules of axe-core, in Debian's Chromium: contrast, names, order of headings."""

import os
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

AXE, SITE = Path(os.environ["AXE"]), Path(os.environ["SITE"])

OF_EACH_SORT = (
    "index.html",
    "contributing/index.html",
    "changelog/index.html",
    "tutorials/first-steps/index.html",
    "how-to/small-models/index.html",
    "explanation/architecture/index.html",
    "reference/cli/index.html",
    "reference/speed/index.html",
    "reference/api/gridworld.hookspecs/index.html",
)
"""Pages that together have code, tables, formulas, pictures and signatures."""

PAGES = sorted(page.relative_to(SITE).as_posix() for page in SITE.rglob("*.html"))


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a line for each."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Address of the served site."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SITE))) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The browser."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module", params=["light", "dark"])
def tab(browser: Browser, request: Any) -> Iterator[Page]:
    """A tab with the light or the dark colours."""
    context = browser.new_context(color_scheme=request.param, bypass_csp=True)
    yield context.new_page()
    context.close()


def violations(tab: Page, url: str) -> list[Any]:
    """Return the rules of axe-core that a page violates, with the first place of each."""
    tab.goto(url)
    tab.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    tab.evaluate(f"{AXE.read_text(encoding='utf-8')}; 0")
    found: list[Any] = tab.evaluate(
        "axe.run().then((found) => found.violations.map((each) => [each.id, each.nodes[0].html]))"
    )
    return found


@pytest.mark.parametrize("page", OF_EACH_SORT)
def test_no_rule_is_violated(tab: Page, address: str, page: str) -> None:
    assert (SITE / page).is_file()
    assert violations(tab, f"{address}/{page}") == []


@pytest.mark.thorough
@pytest.mark.parametrize("page", sorted(set(PAGES) - set(OF_EACH_SORT)))
def test_no_rule_is_violated_on_any_other_page(tab: Page, address: str, page: str) -> None:
    assert violations(tab, f"{address}/{page}") == []
