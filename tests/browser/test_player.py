"""The page shows every moment of a recorded episode as the kernel replays it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from gridworld.model_interface import AnswerOutcome
from gridworld.suites import read_installed
from gridworld.world.events import Turned, Unlocked
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.asking import AnswerPolicies, FaultPolicy
from multinet_eval.settings.plugin_objects import make_model
from multinet_report.report import write_report
from support.boards import Opener, expected, shown
from support.pages import TILINGS
from support.runs import AnsweringModel, record_run
from support.worlds import draw, hazard

MOMENTS = (0, 1, 2, 5, 9, 14, 20, 27, 28, 3)
"""To which it is scrubbed, forwards and back."""


@pytest.mark.parametrize("number", range(len(TILINGS)), ids=TILINGS)
def test_what_is_shown_after_scrubbing_is_the_recorded_state(keyed: Path, opened: Opener, number: int) -> None:
    with opened(keyed, f"#episode={number}") as page:
        for moment in MOMENTS:
            page.scrub(moment)
            goal = max([*page.board()["glyphs"], -1])
            assert shown(page.board(), goal) == expected(keyed, number, moment, truth=True, tiling=TILINGS[number]), (
                moment
            )


@pytest.mark.parametrize("number", range(len(TILINGS)), ids=TILINGS)
def test_in_fog_the_board_is_as_the_model_saw_it_until_the_truth_is_asked_for(
    fog: Path, opened: Opener, number: int
) -> None:
    with opened(fog, f"#episode={number}") as page:
        for moment in MOMENTS:
            page.scrub(moment)
            goal = max([*page.board()["glyphs"], -1])
            unseen = expected(fog, number, moment, truth=False, tiling=TILINGS[number])
            board = shown(page.board(), goal if goal not in unseen["glyphs"] else -1)
            assert board == unseen, moment
            page.press("t")
            whole = expected(fog, number, moment, truth=True, tiling=TILINGS[number])
            assert shown(page.board(), goal)["walls"] == whole["walls"]
            page.press("t")


def test_keys_move_through_the_episode_and_the_address_follows(keyed: Path, opened: Opener) -> None:
    with opened(keyed, "#episode=3&step=2") as page:
        assert "after 2 of 28 steps" in page.text(".told")
        page.press("ArrowRight", "ArrowRight", "ArrowLeft")
        page.page.wait_for_url("**#episode=3&step=3")
        page.press("End")
        page.page.wait_for_url("**#episode=3&step=28")
        page.press("ArrowRight", "Home", "ArrowLeft")
        page.page.wait_for_url("**#episode=3&step=0")
        page.press("]")
        page.page.wait_for_selector(".facts dd:text-is('triangle')")
        page.press("Escape")
        page.page.wait_for_selector(".overview")


def test_a_failed_episode_opens_at_its_decisive_step_and_keys_lead_to_mistakes(tmp_path: Path, opened: Opener) -> None:
    run = record_run(tmp_path / "run", [draw("#####\n#@.G#\n#####", max_steps=5)], "LFRLL").path
    write_report([run], run.with_suffix(".html"))
    with opened(run, "#episode=0") as page:
        assert page.text(".told") == "after 0 of 5 steps"
        assert page.text(".mistake-text") == "step 1 is a mistake: needed to go on towards the goal, turned"
        for key, moment in (("n", 1), ("n", 3), ("n", 4), ("n", 4), ("p", 3), ("f", 0), ("p", 0)):
            page.press(key)
            assert page.text(".told") == f"after {moment} of 5 steps"
        page.press("ArrowRight", "ArrowRight")
        assert page.text(".mistake-text") == ""
        assert page.page.locator(".distances .mistake").count() == 4


def test_it_plays_to_the_end_and_stops(keyed: Path, opened: Opener) -> None:
    with opened(keyed, "#episode=3&step=20") as page:
        page.page.select_option(".controls select", "16")
        page.page.click("text=play")
        page.page.wait_for_url("**#episode=3&step=28")
        assert page.text(".controls button:nth-child(3)") == "play"


def test_the_plan_from_here_leads_from_the_agent_to_success(keyed: Path, opened: Opener) -> None:
    with opened(keyed, "#episode=3&step=4") as page:
        assert page.page.locator(".plan polyline").count() == 0
        page.press("o")
        assert page.page.locator(".plan polyline").count() == 1
        distance = page.text(".distances figcaption").split()[0]
        assert page.text(".plan-text").startswith(f"{distance} actions: ")


@pytest.mark.parametrize(
    ("letters", "told"), [("FF", "nothing is left to do"), ("RF", "no plan leads to success from here")]
)
def test_why_there_is_no_plan_at_the_end_is_told(tmp_path: Path, opened: Opener, letters: str, told: str) -> None:
    task = draw("#####\n#@.G#\n#l..#\n#####", l=hazard(), max_steps=4)
    run = record_run(tmp_path / "run", [task], letters).path
    write_report([run], run.with_suffix(".html"))
    with opened(run, "#episode=0") as page:
        page.press("o", "End")
        assert page.text(".plan-text") == told


def test_where_the_model_gave_no_usable_answer_no_step_is_counted(tmp_path: Path, opened: Opener) -> None:
    policies = AnswerPolicies(on_unparsable=FaultPolicy.parse("fail"))
    task = draw("#####\n#@.G#\n#####", max_steps=4)
    run = record_run(tmp_path / "run", [task], AnsweringModel("L", AnswerOutcome.UNPARSABLE), policies=policies).path
    write_report([run], run.with_suffix(".html"))
    with opened(run) as page:
        assert page.text(".cards .end") == "unanswered after 1; at 1 needed to go on towards the goal"
        page.page.click(".cards a")
        page.page.wait_for_selector(".player")
        page.press("End")
        assert page.text(".told") == "after the last of 1 step: no usable answer"
        assert page.text(".distances figcaption") == "3 actions from success; 2 steps behind the optimum"


def test_what_a_step_did_is_told_in_words_and_by_places_of_the_lattice(keyed: Path, opened: Opener) -> None:
    """By the events of the kernel: no numbers of cells, and turns to both sides."""
    lines = RunDirectory(keyed).latest(RunDirectory(keyed).attempts(3))
    assert lines is not None
    with opened(keyed, "#episode=3") as page:
        for moment, step in enumerate(lines.steps):
            page.scrub(moment)
            said = page.text(".does")
            for event in step.events or ():
                if isinstance(event, Turned):
                    assert f"turned {'right' if event.right else 'left'} at (" in said
                if isinstance(event, Unlocked):
                    assert re.search(rf"unlocked {event.entity} at \(\d+, \d+\)", said)


def test_the_names_in_the_chart_do_not_lie_on_its_axis(tmp_path: Path, opened: Opener) -> None:
    run = record_run(tmp_path / "run", [draw("#####\n#@.G#\n#####", max_steps=80)], "L" * 80).path
    write_report([run], run.with_suffix(".html"))
    with opened(run, "#episode=0") as page:
        boxes = [page.page.locator(f".distances {each}").first.bounding_box() for each in (".optimum-label", ".axis")]
        assert boxes[0] is not None
        assert boxes[1] is not None
        assert boxes[0]["x"] >= boxes[1]["x"]


def test_the_chain_is_shown_up_to_the_present_step_and_leads_to_its_uses(tmp_path: Path, opened: Opener) -> None:
    task = next(task for task in read_installed("validation_10").tasks if task.task_id == "v08_key_key_chain")
    run = record_run(tmp_path / "run", [task], make_model("optimal", []), named="optimal").path
    write_report([run], tmp_path / "run.html")
    with opened(run, "#episode=0") as page:
        assert page.page.locator(".chain g.ahead").count() == 2
        page.press("End")
        assert page.page.locator(".chain g.used").count() == 2
        page.page.click("button.small >> nth=0")
        assert page.page.locator(".chain g.used").count() == 1
        page.press("ArrowLeft")
        assert page.page.locator(".chain g.used").count() == 0


def test_question_and_answer_are_those_of_the_moment(keyed: Path, opened: Opener) -> None:
    directory = RunDirectory(keyed)
    lines = directory.latest(directory.attempts(3))
    assert lines is not None
    kept = {path.read_text(encoding="utf-8") for path in (keyed / "texts").iterdir()}
    with opened(keyed, "#episode=3&step=5") as page:
        page.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        parts = page.page.locator(".question .part").all_text_contents()
        assert len(kept & set(parts)) == 2  # rules and legend of the episode's tiling
        assert "reach the goal" in map(str.strip, parts)
        assert page.page.locator(".request").count() == len(lines.steps[5].requests)


def test_an_address_that_leads_nowhere_says_so(keyed: Path, opened: Opener) -> None:
    for address in ("#episode=99", "#run=7", "#run=7&episode=1"):
        with opened(keyed, address) as page:
            assert "This page has no such" in page.text("main")
    with opened(keyed, "#episode=1&step=999999") as page:
        assert "after the last of 28 steps" in page.text(".told")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of one task, of which one fails; the page is that of both."""
    folder = tmp_path_factory.mktemp("pair")
    task = draw("######\n#@..G#\n#....#\n######", max_steps=8)
    won, lost = (
        record_run(folder / name, [task], letters).path for name, letters in (("won", "FFF"), ("lost", "FFLL"))
    )
    write_report([won, lost], won.with_suffix(".html"))
    return won


def test_two_runs_are_opened_beside_each_other(pair: Path, opened: Opener) -> None:
    with opened(pair) as page:
        row = page.page.locator("figure:has(figcaption:has-text('Beside lost')) tbody tr")
        assert row.locator("td").all_text_contents()[-2:] == ["solved in 3 (best 3)", "out of steps after 8 (best 3)"]
        row.locator("a").click()
        page.page.wait_for_url("**#episode=0&step=0&beside=1")
        assert page.page.locator(".side .board").count() == 2
        page.press("ArrowRight", "ArrowRight")
        expect(page.page.locator(".side .told")).to_have_text(["after 2 of 3 steps", "after 2 of 8 steps"])
        page.press("ArrowRight", "ArrowRight")
        assert page.page.locator(".side .told").all_text_contents() == [
            "after the last of 3 steps: goal", "after 4 of 8 steps",
        ]  # fmt: skip
        page.page.select_option("nav select", "")
        page.page.wait_for_selector(".side", state="detached")


def test_with_several_other_runs_one_is_chosen_to_stand_beside(tmp_path: Path, opened: Opener) -> None:
    task = draw("######\n#@..G#\n#....#\n######", max_steps=8)
    letters = {"won": "FFF", "turned": "LLLL", "lost": "FFLL"}
    runs = [record_run(tmp_path / name, [task], played).path for name, played in letters.items()]
    write_report(runs, tmp_path / "all.html")
    with opened(tmp_path / "all") as page:
        tables = page.page.locator("figure:has(figcaption:has-text('Beside'))")
        assert tables.locator("figcaption").all_inner_texts() == ["Beside turned"]
        page.page.select_option(".pairs select", label="lost")
        assert tables.locator("tbody td").last.text_content() == "out of steps after 8 (best 3)"
        tables.locator("a").click()
        page.page.wait_for_url("**#episode=0&step=0&beside=2")


def test_what_is_beside_each_other_fits_on_a_phone(pair: Path, opened: Opener) -> None:
    with opened(pair, "#episode=0&beside=1", viewport={"width": 390, "height": 800}) as page:
        assert page.page.evaluate("document.documentElement.scrollWidth") <= 390
