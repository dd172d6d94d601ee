"""Pages of recorded runs in a real browser: Debian's Chromium, driven by Playwright."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from multinet_report.report import write_report
from support.boards import CHROMIUM, Opened, Opener
from support.pages import record_hostile, record_keyed


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on all tilings; its page is beside it."""
    return _written(record_keyed(tmp_path_factory.mktemp("runs") / "keyed").path)


@pytest.fixture(scope="session")
def fog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in fog on all tilings; its page is beside it."""
    rules = {"observability": "fog_of_war", "view_size": 3}
    return _written(record_keyed(tmp_path_factory.mktemp("runs") / "fog", rules=rules).path)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run by a hostile model."""
    return _written(record_hostile(tmp_path_factory.mktemp("runs") / "hostile").path)


def _written(run: Path) -> Path:
    write_report([run], run.with_suffix(".html"))
    return run


@pytest.fixture
def opened(browser: Browser) -> Opener:
    """Opens the page of a run; at the end nothing may have been asked for, and nothing have gone wrong."""

    @contextmanager
    def open_page(run: Path, address: str = "", **options: Any) -> Iterator[Opened]:
        context = browser.new_context(**options)
        page: Page = context.new_page()
        troubles: list[str] = []
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: troubles.append(request.url) if ":///" not in request.url else None)
        page.goto(f"{run.with_suffix('.html').as_uri()}{address}")
        page.wait_for_selector("main[data-ready]")
        yield Opened(page)
        requests = page.evaluate("performance.getEntriesByType('resource').map((each) => each.name)")
        context.close()
        assert troubles == []
        assert [url for url in requests if not url.startswith("data:")] == []

    return open_page
