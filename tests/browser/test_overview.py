"""The overview: its figures, its tables, its pictures, and how it fits on screens."""

from pathlib import Path
from typing import Any

import attrs
import pytest
from playwright.sync_api import expect

from gridworld.model_interface import AnswerOutcome
from multinet_eval import read
from multinet_eval.record.results import recorded_results
from multinet_eval.record.run_directory import RunDirectory
from multinet_report.report import write_report
from support.boards import Opener
from support.pages import TILINGS
from support.runs import AnsweringModel, record_run
from support.worlds import door, draw


def test_it_shows_the_success_of_the_run_and_a_picture_of_each_episode(keyed: Path, opened: Opener) -> None:
    results = recorded_results(RunDirectory(keyed)).in_order
    with opened(keyed) as page:
        solved = sum(result.success for result in results)
        assert page.text("h1").split(" · ")[0].endswith(f"{len(results)} episodes")
        assert page.text(".solved") == f"{solved} of {len(results)} episodes solved"
        assert page.page.locator(".cards li").count() == len(TILINGS)
        page.page.locator(".cards li").last.scroll_into_view_if_needed()
        expect(page.page.locator(".cards .board")).to_have_count(len(TILINGS))


def test_it_says_that_no_answer_of_the_model_could_be_used(tmp_path: Path, opened: Opener) -> None:
    refusing = AnsweringModel(*[AnswerOutcome.REFUSED] * 3)
    run = record_run(tmp_path / "run", [draw("#####\n#@.G#\n#####", max_steps=3)], refusing).path
    write_report([run], run.with_suffix(".html"))
    with opened(run) as page:
        assert page.text(".strip") == (
            "all 3 answers were refused: the model or its server always declined to answer; the latest: this is refused"
        )


def test_faults_have_a_strip_with_their_share_and_the_latest_message(tmp_path: Path, opened: Opener) -> None:
    answers = ["F", AnswerOutcome.REFUSED, AnswerOutcome.EMPTY, AnswerOutcome.REFUSED]
    runs = {
        name: record_run(tmp_path / name, [draw("######\n#@..G#\n######", max_steps=4)], model).path
        for name, model in {"faulty": AnsweringModel(*answers), "faultless": "FFF"}.items()
    }
    for run in runs.values():
        write_report([run], run.with_suffix(".html"))
    with opened(runs["faulty"]) as page:
        assert page.text(".strip") == (
            "60 % of the requests had no usable answer: 2 refused and 1 other fault; the latest: this is refused"
        )
    with opened(runs["faultless"]) as page:
        assert page.page.locator(".strip").count() == 0


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three epochs, in which one task fails at its door and the other is solved after a turn."""
    tasks = [
        attrs.evolve(draw("######\n#@D.G#\n######", D=door(initial_state="closed"), max_steps=6), task_id="locked"),
        attrs.evolve(draw("#####\n#@.G#\n#####", max_steps=6), task_id="free", difficulty_tier=2),
    ]
    model = AnsweringModel(*"FFFFFFLRFF" * 3)
    run = record_run(tmp_path_factory.mktemp("runs") / "failing", tasks, model, epochs=3).path
    write_report([run], run.with_suffix(".html"))
    return run


def test_the_first_screen_says_why_episodes_failed(failing: Path, opened: Opener) -> None:
    table = read(failing).mistake_table
    with opened(failing, viewport={"width": 1280, "height": 800}) as page:
        assert "6 episodes, 3 epochs, all equal" in page.text("h1")
        assert page.text(".sentence") == table.sentence
        rows = page.page.locator(".why .rows .words").all_inner_texts()
        assert rows == [f"{row.needed} → {row.did}" for row in table.rows]
        box = page.page.locator(".cards li").first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 800


def test_a_click_on_a_row_filters_the_cards_and_a_second_shows_all(failing: Path, opened: Opener) -> None:
    with opened(failing) as page:
        for row, task in ((".why .rows button >> nth=0", "locked"), (".bars button:has-text('doors')", "locked")):
            page.page.click(row)
            assert page.page.locator(".cards .name").all_text_contents() == [task]
            assert page.page.get_attribute(row, "aria-pressed") == "true"
            page.page.click(row)
            assert page.page.locator(".cards .name").all_text_contents() == ["locked", "free"]


def test_the_epochs_of_a_task_are_one_card_with_what_was_needed(failing: Path, opened: Opener) -> None:
    with opened(failing) as page:
        assert page.text(".cards .end >> nth=0") == "stuck at 1 of 6: needed to toggle D"
        assert page.page.locator(".cards .epochs a").all_text_contents() == [*"○○○●●●"]
        page.page.click(".cards .epochs a >> nth=1")
        page.page.wait_for_url("**#episode=2&step=0")


def test_next_follows_the_filter_and_back_and_escape_lead_to_where_one_was(failing: Path, opened: Opener) -> None:
    with opened(failing, viewport={"width": 800, "height": 300}) as page:
        page.page.select_option("label:has-text('end') select", "stuck")
        page.page.locator(".cards a").first.scroll_into_view_if_needed()
        top = page.page.evaluate("scrollY")
        assert top > 0
        page.page.click(".cards a >> nth=0")
        page.page.wait_for_selector(".player nav :text('1 of 3')")
        page.press("]")
        page.page.wait_for_selector(".player nav :text('2 of 3')")
        page.page.wait_for_url("**#episode=2&step=0")
        page.press("Escape")
        page.page.wait_for_selector(".overview")
        assert page.page.evaluate("[location.hash, scrollY]") == ["#end=stuck", top]
        page.page.click(".cards a >> nth=0")
        page.page.wait_for_selector(".player")
        page.page.evaluate("history.back()")
        page.page.wait_for_selector(".overview")
        assert page.page.evaluate("[location.hash, scrollY]") == ["#end=stuck", top]
        assert page.page.locator(".cards .name").all_text_contents() == ["locked"]


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
        assert page.text(".rates p >> nth=3") == "SPL 0.500 (0.000 to 1.000), of 2 of 4 episodes"
        page.page.click("summary:text('Figures and spending')")
        assert page.text(".facts div:has-text('unsolvable')").split("\n") == ["unsolvable", "2"]
        page.page.click("summary:text('Tables')")
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
        page.page.click("summary:text('Figures and spending')")
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
        page.page.click("summary:text('Figures and spending')")
        assert page.page.locator(".figures dt").all_text_contents() == ["requests"]
        assert page.page.locator(".rates .rate, .why .rows, .bars").count() == 0
        assert page.text(".rates") == "0 of 1 episodes finished, unfinished"
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


def test_tables_are_sorted_and_copied_together_as_csv(keyed: Path, opened: Opener) -> None:
    with opened(keyed, permissions=["clipboard-read", "clipboard-write"]) as page:
        names = ["triangle", "square", "hex", "3464", "488"]
        page.page.click("summary:text('Tables')")
        table = page.page.locator("figure:has(figcaption:has-text('By tiling'))")
        table.locator("th button").first.click()
        table.locator("th button").first.click()
        assert table.locator("tbody td:first-child").all_text_contents() == names
        page.page.click("button.copy")
        expect(page.page.locator("button.copy")).to_have_text("copied")
        copied = page.page.evaluate("navigator.clipboard.readText()").split("\n\n")
        assert [each.split("\n")[0] for each in copied] == page.page.locator("figcaption").all_text_contents()
        lines = copied[0].splitlines()[1:]
        assert lines[0].startswith("tiling,mazes,solved,of,rate,")
        assert [line.split(",")[0] for line in lines[1:]] == names


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
