"""Probings in a browser: the moment on the board, with the cells that are asked about, true and answered."""

from pathlib import Path

import pytest

from multinet_report.report import write_report
from support.boards import Opener
from support.pages import blocks_of, record_probing


@pytest.fixture(scope="module")
def probing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A probing on two tilings; its page is beside it."""
    folder = record_probing(tmp_path_factory.mktemp("probings") / "probing").path
    write_report([folder], folder.with_suffix(".html"))
    return folder


def test_scores_and_moments_are_listed_and_a_moment_is_opened(probing: Path, opened: Opener) -> None:
    with opened(probing) as page:
        assert page.page.locator("figure:has(figcaption:has-text('Scores')) tbody tr").count() == 8
        page.page.click("figure:has(figcaption:has-text('Moments')) a >> nth=0")
        page.page.wait_for_selector(".board")
        assert page.page.evaluate("location.hash") == "#probing=0&moment=0"
        page.page.click("text=next")
        page.page.wait_for_url("**#probing=0&moment=1")


@pytest.mark.parametrize("moment", [0, 2])
def test_the_cells_of_a_question_are_marked_on_the_board(probing: Path, opened: Opener, moment: int) -> None:
    data = blocks_of(probing.with_suffix(".html").read_text(encoding="utf-8"))
    questions = data[f"moment-0-{moment}"]["questions"]
    with opened(probing, f"#probing=0&moment={moment}") as page:
        for number, question in enumerate(questions):
            page.page.locator(".request button.small").nth(number).click()
            marks = [path.get_attribute("class") for path in page.page.locator(".marks path").all()]
            assert marks == [kind for kind, cells in question["cells"].items() for _ in cells]
            assert page.page.locator(".request[data-chosen]").count() == 1
        agent = page.page.locator(".agent polygon")
        assert int(agent.get_attribute("data-cell") or "-1") == data[f"moment-0-{moment}"]["board"]["agent"][0]


def test_a_question_stands_in_lines_as_it_was_asked(probing: Path, opened: Opener) -> None:
    questions = blocks_of(probing.with_suffix(".html").read_text(encoding="utf-8"))["moment-0-0"]["questions"]
    with opened(probing, "#probing=0&moment=0") as page:
        assert page.page.locator(".request .asked").all_inner_texts() == [each["text"].rstrip() for each in questions]


def test_an_address_that_leads_nowhere_says_so(probing: Path, opened: Opener) -> None:
    for address in ("#probing=7", "#probing=0&moment=99"):
        with opened(probing, address) as page:
            assert "This page has no such" in page.text("main")
