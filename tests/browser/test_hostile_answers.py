"""Replies of a model are shown as text, and do nothing else."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from multinet_report.report import write_report
from support.boards import Opener
from support.pages import HOSTILE, record_probing


def test_the_overview_of_a_hostile_run_is_only_read(hostile: Path, opened: Opener) -> None:
    with opened(hostile) as page:
        assert "<b><script>window.owned" in page.text("header")
        assert page.page.evaluate("window.owned") is None


ESCAPE = re.compile(r"\\u\{[0-9a-f]+\}")
UNSEEN = "\x1b\x07\x00\x7f\u202e\u2066\u200b\ufeff\U000e0041"


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_an_answer_is_a_text_that_can_be_seen(hostile: Path, opened: Opener, number: int) -> None:
    with opened(hostile, f"#episode=0&step={number}") as page:
        answer = page.page.locator(".request pre").first
        text = answer.text_content() or ""
        assert answer.locator("*").count() == 0
        seen = "".join(each for each in HOSTILE[number] if each not in UNSEEN)
        assert ESCAPE.sub("", text) == seen.replace("\ud800", "\ufffd")  # as it is recorded
        assert page.page.locator("img:not(.frame), iframe, object, embed, .request a").count() == 0
        assert page.page.evaluate("window.owned") is None


def test_what_cannot_be_seen_is_shown_as_an_escape(hostile: Path, opened: Opener) -> None:
    number = next(place for place, text in enumerate(HOSTILE) if "\x1b" in text)
    with opened(hostile, f"#episode=0&step={number}") as page:
        text = page.page.locator(".request pre").first.text_content() or ""
        for escape in ("\\u{1b}", "\\u{7}", "\\u{0}", "\\u{202e}", "\\u{2066}", "\\u{200b}", "\\u{e0041}"):
            assert escape in text


def test_of_a_million_letters_the_first_are_shown_until_all_are_asked_for(hostile: Path, opened: Opener) -> None:
    with opened(hostile, f"#episode=0&step={len(HOSTILE)}") as page:
        answer = page.page.locator(".request pre").first
        assert len(answer.text_content() or "") == 20_000
        page.page.locator("text=show all").first.click()
        assert len(answer.text_content() or "") == 1_000_000


def test_answers_to_probes_are_only_read(tmp_path: Path, opened: Opener) -> None:
    probing = record_probing(tmp_path / "probing", ("square",), say="".join(HOSTILE)).path
    write_report([probing], tmp_path / "probing.html")
    with opened(probing, "#probing=0&moment=0") as page:
        answer = page.page.locator(".request pre").first
        assert "<script>window.owned = 1</script>" in (answer.text_content() or "")
        assert page.page.locator(".request a, .request img, iframe").count() == 0
        assert page.page.evaluate("window.owned") is None


INSERT = """() => {
    try {
        document.body.insertAdjacentHTML("beforeend", "<b>markup</b>");
        return false;
    } catch {
        return true;
    }
}"""


def test_a_text_that_were_taken_for_markup_would_be_refused(hostile: Path, browser: Browser) -> None:
    """So that the tests above do not rest on one wall alone."""
    page = browser.new_page()
    page.goto(hostile.with_suffix(".html").as_uri())
    assert page.evaluate(INSERT)
    page.close()
