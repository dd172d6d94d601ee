"""The overview: its figures, its tables, its pictures, and how it fits on screens."""

from pathlib import Path
from typing import Any

import attrs
import pytest
from playwright.sync_api import expect

from gridworld.model_interface import AnswerOutcome
from multinet_eval.record.results import recorded_results
from multinet_eval.record.run_directory import RunDirectory
from multinet_report.report import write_report
from support.boards import Opener
from support.pages import TILINGS
from support.runs import AnsweringModel, record_run
from support.worlds import draw


def test_it_shows_the_success_of_the_run_and_a_picture_of_each_episode(keyed: Path, opened: Opener) -> None:
    results = recorded_results(RunDirectory(keyed)).in_order
    with opened(keyed) as page:
        solved = sum(result.success for result in results)
        assert f"{len(results)} episodes, {solved} solved" in page.text(".headline")
        assert page.page.locator(".cards li").count() == len(TILINGS)
        page.page.locator(".cards li").last.scroll_into_view_if_needed()
        expect(page.page.locator(".cards .board")).to_have_count(len(TILINGS))


def test_it_says_that_no_answer_of_the_model_could_be_used(tmp_path: Path, opened: Opener) -> None:
    refusing = AnsweringModel(*[AnswerOutcome.REFUSED] * 3)
    run = record_run(tmp_path / "run", [draw("#####\n#@.G#\n#####", max_steps=3)], refusing).path
    write_report([run], run.with_suffix(".html"))
    with opened(run) as page:
        assert page.text(".figures .fault") == (
            "all 3 answers were refused: the model or its server always declined to answer"
        )


def test_above_several_runs_stands_what_is_true_of_all(keyed: Path, fog: Path, tmp_path: Path, opened: Opener) -> None:
    write_report([keyed, fog], tmp_path / "both.html")
    with opened(keyed) as alone, opened(tmp_path / "both") as both, opened(tmp_path / "both", "#run=1") as second:
        first = alone.text("h1")
        model, suite = first.split(" on ")[0], RunDirectory(keyed).manifest.suite
        assert both.text("h1") == second.text("h1") == f"2 runs of {model} on {suite}"
        hashes = [RunDirectory(run).manifest.suite_hash[:8] for run in (keyed, fog)]
        assert both.text("h2 >> nth=0") == f"{first} (suite={hashes[0]})"
        assert second.text("h2 >> nth=0").endswith(f"{fog.name} (suite={hashes[1]})")


def test_runs_of_one_model_are_called_by_what_differs_and_fit_on_a_phone(tmp_path: Path, opened: Opener) -> None:
    tasks = [draw("#####\n#@.G#\n#####", max_steps=3)]
    runs = [record_run(tmp_path / f"20261122T221509Z-tiers-{n}", tasks, "FF", seed=n).path for n in (1, 2)]
    write_report(runs, tmp_path / "both.html")
    with opened(tmp_path / "both") as page:
        table = page.page.locator("figure:has(figcaption:has-text('Runs'))")
        assert table.locator("tbody td:nth-child(2)").all_text_contents() == ["seed=1", "seed=2"]
        assert page.text("h2 >> nth=0").endswith(f"{runs[0].name} (seed=1)")
    with opened(tmp_path / "both", "#episode=0&step=1&beside=1", viewport={"width": 390, "height": 800}) as page:
        assert page.page.locator("label:has-text('beside') option").last.text_content() == f"{runs[1].name} (seed=2)"
        assert f"{runs[1].name} (seed=2)" in page.text(".side >> nth=1")
        assert page.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_an_spl_that_is_not_the_mean_of_all_says_of_how_many_it_is(tmp_path: Path, opened: Opener) -> None:
    tasks = [draw("######\n#@.#G#\n######", max_steps=2), draw("#####\n#@.G#\n#####")]
    run = record_run(tmp_path / "run", tasks, "LLFF", epochs=2).path
    write_report([run], run.with_suffix(".html"))
    with opened(run) as page:
        assert page.text(".facts div >> nth=0").split("\n") == ["SPL", "0.500 (0.000 to 1.000), of 2 of 4 episodes"]
        assert page.text(".facts div >> nth=1").split("\n") == ["unsolvable", "2"]
        table = page.page.locator("figure:has(figcaption:has-text('By epoch'))")
        assert "SPL of" in table.locator("th").all_text_contents()


def test_plays_of_a_task_have_a_table(tmp_path: Path, opened: Opener) -> None:
    tasks = [draw(f"#{'#' * size}#\n#@{'.' * (size - 2)}G#\n#{'#' * size}#", max_steps=3) for size in (3, 8)]
    named = [attrs.evolve(task, task_id=f"task {number}") for number, task in enumerate(tasks)]
    run = record_run(tmp_path / "run", named, "F" * 12, epochs=2).path
    write_report([run], run.with_suffix(".html"))
    with opened(run) as page:
        table = page.page.locator("figure:has(figcaption:has-text('k plays of a task'))")
        assert table.locator("tbody td:nth-child(2)").all_text_contents() == ["50 %", "50 %"]
        assert "variance of success between mazes 0.500" in " ".join(page.text(".figures").split())


def test_the_actions_taken_are_counted_with_those_never_taken(tmp_path: Path, opened: Opener) -> None:
    """A model that only turns is known by it at a glance."""
    run = record_run(tmp_path / "run", [draw("#####\n#@.G#\n#####", max_steps=4)], "LLLR").path
    write_report([run], run.with_suffix(".html"))
    with opened(run) as page:
        table = page.page.locator("figure:has(figcaption:has-text('Actions taken'))")
        assert table.locator("tbody td:first-child").all_text_contents()[:2] == ["turn left", "turn right"]
        assert table.locator("tbody td:nth-child(2)").all_text_contents() == ["3", "1", "0", "0", "0", "0", "0"]


def test_before_an_episode_has_finished_only_what_was_spent_is_told(tmp_path: Path, opened: Opener) -> None:
    run = record_run(tmp_path / "run", [draw("#####\n#@.G#\n#####", max_steps=4)], "LLLL", requests=1).path
    write_report([run], run.with_suffix(".html"))
    with opened(run) as page:
        assert page.page.locator(".facts").first.locator("dt").all_text_contents() == [
            "lost steps", "requests", "from the cache", "episodes",
        ]  # fmt: skip
        assert "include those of 1 unfinished episode;" in page.text(".figures p.note")
        assert page.page.locator("figure:has(figcaption:has-text('Answers by outcome'))").count() == 1
        assert page.page.locator("figure:has(figcaption:has-text('How episodes ended'))").count() == 0


def test_a_task_is_found_by_a_part_of_its_name_in_capitals_or_not(tmp_path: Path, opened: Opener) -> None:
    tasks = [attrs.evolve(draw("#####\n#@.G#\n#####", max_steps=4), task_id=name) for name in ("Long Hall", "room")]
    run = record_run(tmp_path / "run", tasks, "FF").path
    write_report([run], run.with_suffix(".html"))
    with opened(run) as page:
        page.page.fill("input[type=search]", "hALL")
        assert page.page.locator(".cards .name").all_text_contents() == ["Long Hall"]


def test_a_long_name_leaves_room_for_the_columns_beside_it(tmp_path: Path, opened: Opener) -> None:
    task = attrs.evolve(draw("#####\n#@.G#\n#####", max_steps=4), task_id="long_name_" * 40)
    runs = [record_run(tmp_path / name, [task], letters).path for name, letters in (("one", "FF"), ("two", "LLLL"))]
    write_report(runs, tmp_path / "both.html")
    with opened(tmp_path / "both", viewport={"width": 1280, "height": 800}) as page:
        last = page.page.locator("figure:has(figcaption:has-text('Beside two')) tbody td").last.bounding_box()
        assert last is not None
        assert last["x"] + last["width"] <= 1280


def test_episodes_are_filtered_sorted_and_opened(keyed: Path, opened: Opener) -> None:
    with opened(keyed) as page:
        page.page.select_option("label:has-text('tiling') select", "hex")
        assert page.page.locator(".cards li").count() == 1
        page.page.click(".cards a")
        page.page.wait_for_selector(".player")
        assert page.page.evaluate("location.hash").startswith("#episode=2")


def test_a_table_is_sorted_and_copied_as_csv(keyed: Path, opened: Opener) -> None:
    with opened(keyed, permissions=["clipboard-read", "clipboard-write"]) as page:
        names = ["triangle", "square", "hex", "3464", "488"]
        table = page.page.locator("figure:has(figcaption:has-text('By tiling'))")
        table.locator("th button").first.click()
        table.locator("th button").first.click()
        assert table.locator("tbody td:first-child").all_text_contents() == names
        table.locator("button.copy").click()
        expect(table.locator("button.copy")).to_have_text("copied")
        lines = page.page.evaluate("navigator.clipboard.readText()").splitlines()
        assert lines[0].startswith("tiling,mazes,solved,of,rate,")
        assert [line.split(",")[0] for line in lines[1:]] == names
        assert "interval" not in lines[0].split(",")  # it draws what low and high say


def test_numbers_in_texts_are_sorted_by_what_they_are_worth(tmp_path: Path, opened: Opener) -> None:
    tasks = [attrs.evolve(draw("#####\n#@.G#\n#####", max_steps=4), task_id=f"room {n}") for n in (10, 2, 1)]
    runs = [record_run(tmp_path / name, tasks, letters).path for name, letters in (("one", "FF"), ("two", "LLLL"))]
    write_report(runs, tmp_path / "both.html")
    with opened(tmp_path / "both") as page:
        table = page.page.locator("figure:has(figcaption:has-text('Beside two'))")
        table.locator("th button").first.click()
        assert table.locator("tbody td:first-child").all_text_contents() == ["room 1", "room 2", "room 10"]


@pytest.mark.parametrize("width", [390, 768, 1280, 2560])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", ["", "#episode=0&step=3"])
def test_nothing_is_wider_than_the_screen(keyed: Path, opened: Opener, width: int, scheme: Any, address: str) -> None:
    with opened(keyed, address, viewport={"width": width, "height": 800}, color_scheme=scheme) as page:
        assert page.page.evaluate("document.documentElement.scrollWidth") <= width


def test_every_control_has_a_name(keyed: Path, opened: Opener) -> None:
    for address in ("", "#episode=0&step=3"):
        with opened(keyed, address) as page:
            nameless = page.page.evaluate(
                """() => [...document.querySelectorAll("button, input, select, a")].filter((each) =>
                    !each.textContent.trim() && !each.getAttribute("aria-label") && !each.closest("label")).length"""
            )
            assert nameless == 0
