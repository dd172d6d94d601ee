"""Pages that commands write beside that of ``multinet report``: leaderboards, suites, and runs in progress."""

from pathlib import Path

import attrs
import pytest

from multinet_eval import read
from multinet_eval.analysis.leaderboard import make_leaderboard
from multinet_eval.record.manifest import Suite
from multinet_report.pages import HtmlPages
from support.boards import Opener
from support.runs import record_run
from support.worlds import draw

ROOM = "#####\n#@.G#\n#####"


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of a leaderboard of two runs, of which one was won."""
    folder = tmp_path_factory.mktemp("board")
    tasks = [draw(ROOM, max_steps=4)]
    runs = [
        record_run(folder / name, tasks, letters, model_arguments=(f"seed={seed}",)).path
        for seed, (name, letters) in enumerate([("won", "FF"), ("lost", "LLLL")])
    ]
    HtmlPages().write_leaderboard(make_leaderboard([read(run) for run in runs]), folder)
    return folder / "index"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The gallery of a suite of one task on two tilings."""
    page = tmp_path_factory.mktemp("suite") / "gallery"
    HtmlPages().write_suite(
        Suite("rooms", (draw(ROOM, max_steps=4),)), ["hex", "square"], page.with_suffix(".html"), 1000
    )
    return page


def test_a_suite_tells_why_a_task_has_no_optimal_run(tmp_path: Path, opened: Opener) -> None:
    tasks = [draw("######\n#@.#G#\n######", max_steps=4), draw("######\n#@..G#\n######", max_steps=2)]
    named = [attrs.evolve(task, task_id=name) for task, name in zip(tasks, ("walled", "tight"), strict=True)]
    HtmlPages().write_suite(Suite("rooms", tuple(named)), ["square"], tmp_path / "gallery.html", 1000)
    with opened(tmp_path / "gallery") as page:
        told = dict(text.split("\n")[:2] for text in page.page.locator(".cards li").all_inner_texts())
        assert told == {"walled": "unsolvable", "tight": "3 actions (over budget)"}
        table = page.page.locator("figure:has(figcaption:has-text('Difficulty'))")
        best = table.locator("th").all_text_contents().index("best")
        assert table.locator(f"tbody td:nth-child({best + 1})").all_text_contents() == ["unsolvable", "3"]


def test_a_leaderboard_leads_to_the_episodes_that_it_counts(board: Path, opened: Opener) -> None:
    with opened(board) as page:
        marks = page.page.locator("figure:has(figcaption:has-text('By task')) a.mark")
        assert sorted(map(len, marks.all_text_contents())) == [1, 1]
        page.page.click("a.mark.won")
        page.page.wait_for_selector(".player")
        page.press("End")
        assert "goal" in page.text(".told")


def test_a_leaderboard_names_its_suite_and_says_what_its_marks_are(board: Path, opened: Opener) -> None:
    with opened(board) as page:
        assert page.text("h1").startswith("Leaderboard on ")
        assert page.page.locator("a.mark.won").text_content() == "●"
        assert "● solved" in page.text(".note >> nth=-1")


def test_a_leaderboard_is_sorted_by_what_its_numbers_are_worth(tmp_path: Path, opened: Opener) -> None:
    runs = [
        record_run(
            tmp_path / f"{epochs}", [draw(ROOM, max_steps=4)], "FF", epochs=epochs, model_arguments=(f"n={epochs}",)
        )
        for epochs in (2, 10)
    ]
    HtmlPages().write_leaderboard(make_leaderboard([read(run.path) for run in runs]), tmp_path)
    with opened(tmp_path / "index") as page:
        table = page.page.locator("figure.table").first
        column = table.locator("th").all_text_contents().index("Episodes")
        table.locator("th button").nth(column).click()
        assert table.locator(f"tbody td:nth-child({column + 1})").all_text_contents() == ["2", "10"]


def test_a_suite_shows_its_difficulty_and_plays_its_optimal_runs(suite: Path, opened: Opener) -> None:
    with opened(suite) as page:
        assert page.page.locator(".cards li .end").all_text_contents() == ["2 actions", "2 actions"]
        table = page.page.locator("figure:has(figcaption:has-text('Difficulty')) tbody tr")
        assert [row.split("\t")[:2] for row in table.all_inner_texts()] == [["drawn", "hex"], ["drawn", "square"]]
        page.page.click(".cards a >> nth=1")
        page.page.wait_for_selector(".player")
        page.press("End")
        assert "after the last of 2 steps: goal" in page.text(".told")


@pytest.mark.parametrize("width", [390, 1280])
def test_they_are_no_wider_than_the_screen(board: Path, suite: Path, opened: Opener, width: int) -> None:
    for path in (board, suite):
        with opened(path, viewport={"width": width, "height": 800}) as page:
            assert page.page.evaluate("document.documentElement.scrollWidth") <= width


def test_on_a_phone_the_score_of_a_model_stands_beside_its_name(board: Path, opened: Opener) -> None:
    with opened(board, viewport={"width": 390, "height": 800}) as page:
        table = page.page.locator("figure.table").first
        column = table.locator("th").all_text_contents().index("Success")
        cell = table.locator(f"tbody tr >> nth=0 >> td:nth-child({column + 1})").bounding_box()
        assert cell is not None
        assert cell["x"] + cell["width"] <= 390
