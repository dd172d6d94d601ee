"""A game in a real browser: played by keys and buttons, read by a screen reader, on a phone, in light and dark."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from gridworld.plugins.tilings import compile_on
from gridworld.runner.presentation import Presentation
from gridworld.solver.plans import optimal_solution
from gridworld.suites import find_suite
from gridworld.task_spec import TaskSpecification
from gridworld.text import describe_events
from gridworld.world import Episode
from multinet_eval.record.results import recorded_results
from multinet_eval.record.run_directory import RunDirectory
from support.commands import invoke
from support.pages import HOSTILE, keyed_task
from support.players import TIMEOUT, begin_game, played, program
from support.worlds import compiled, draw

AXE = Path(os.environ["AXE"])
KEYS = ("ArrowLeft", "ArrowRight", "ArrowUp", "p", "d", "t", "w")
"""By the ids of the actions."""


class Tab:
    """A page of a game."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @property
    def view(self) -> str:
        """The number of what is shown."""
        return self.page.get_attribute("main", "data-view") or ""

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Wait, after something is done, until something else is shown."""
        before = self.view
        yield
        self.page.wait_for_selector(f"main[data-view]:not([data-view='{before}'])")

    def press(self, action: int) -> None:
        """Take an action by its key."""
        with self.changing():
            self.page.keyboard.press(KEYS[action])

    def go_on(self) -> None:
        """Go on from what is only to be read, with the key that presses the button in focus."""
        while self.page.get_attribute("main", "data-kind") == "message":
            button = self.page.locator(".message button").first
            button.wait_for()
            expect(button).to_be_focused()
            with self.changing():
                self.page.keyboard.press("Enter")

    def board(self) -> dict[str, Any]:
        """The drawn board."""
        return dict(
            self.page.evaluate(
                """() => {
                    const all = (selector) => [...document.querySelectorAll(`.board ${selector}`)];
                    const [agent] = all(".agent polygon");
                    return {
                        agent: [Number(agent.dataset.cell), Number(agent.dataset.heading)],
                        unseen: all(".cells polygon").map((cell) => cell.dataset.kind === "unseen"),
                    };
                }"""
            )
        )

    def violations(self) -> list[Any]:
        """Violations that axe-core finds."""
        self.page.evaluate(f"{AXE.read_text(encoding='utf-8')}; 0")
        return list(
            self.page.evaluate(
                "axe.run().then((found) => found.violations.map((each) => [each.id, each.nodes[0].html]))"
            )
        )


@pytest.fixture
def tab(browser: Browser) -> Any:
    """Opens a page of a game; at the end nothing may have gone wrong, and nothing else been asked for."""

    @contextmanager
    def open_tab(address: str, **options: Any) -> Iterator[Tab]:
        context = browser.new_context(**options)
        page, troubles = context.new_page(), list[str]()
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: troubles.append(request.url) if not _is_own(request.url, address) else None)
        page.goto(address)
        page.wait_for_selector("main[data-view]")
        yield Tab(page)
        context.close()
        assert troubles == []

    return open_tab


def _is_own(url: str, address: str) -> bool:
    return url.startswith((address, "data:"))


def plans(run: Path) -> list[tuple[int, ...]]:
    """A shortest plan of each episode of a run."""
    directory = RunDirectory(run)
    manifest, tasks = directory.manifest, directory.tasks()
    found = []
    for planned in manifest.plan:
        plan = optimal_solution(compile_on(str(planned.tiling), planned.bound(tasks[planned.task]))).plan
        assert plan is not None
        found.append(tuple(map(int, plan)))
    return found


TEN = ("e01", "e02", "e03", "e05", "e07", "e09", "e11", "e12", "e13", "e16")
"""Doors and a key, a switch and its gate, lava, teleporters, a block to be pushed, and waiting; none takes long."""


@pytest.fixture
def ten_tasks(tmp_path: Path) -> Path:
    """A folder of ten tasks."""
    folder = tmp_path / "ten"
    folder.mkdir()
    for task in find_suite("worked_examples"):
        if task.task_id.startswith(TEN):
            task.to_json(folder / f"{task.task_id}.json")
    return folder


def test_ten_tasks_on_five_tilings_are_played_in_the_optimum_over_two_sessions_and_two_tabs(
    tab: Any, ten_tasks: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    with program(ten_tasks, "--tiling", "all", "--run-dir", run, "--as", "ada") as (address, started):
        ahead = plans(run)
        assert len(ahead) == 50
        first, second, rest = ahead[0], ahead[1], ahead[2:]
        with tab(address) as one:
            one.go_on()
            for action in first:
                one.press(action)
            one.go_on()
            one.press(second[0])
        with tab(address) as other:
            expect(other.page.locator(".steps")).to_contain_text("Step 2 of")
            other.press(second[1])
            started.send_signal(signal.SIGINT)
            expect(other.page.locator("h1")).to_have_text("The end")
        assert started.wait(TIMEOUT) == 130
    with program("--resume", run) as (address, started), tab(address) as again:
        again.go_on()
        for plan in (second[2:], *rest):
            again.go_on()
            for action in plan:
                again.press(action)
        expect(again.page.locator(".line")).to_contain_text("Thank you!")
    assert started.returncode == 0
    assert [each.optimality_ratio for each in recorded_results(RunDirectory(run)).in_order] == [1.0] * 50
    assert invoke(["runs", "verify", run]).exit_code == 0
    best = tmp_path / "best"
    options = ["--tiling", "all", "--run-dir", best, "-q"]
    assert invoke(["eval", "-m", "optimal", "--task-dir", ten_tasks, *options], MULTINET_NO_RECORD="").exit_code == 0
    compared = invoke(["compare", run, best, "--score", "spl", "--json"])
    assert compared.exit_code == 0, compared.output
    assert [row["model"] for row in json.loads(compared.stdout)["runs"]] == ["human/ada", "optimal"]
    assert [row["score"] for row in json.loads(compared.stdout)["runs"]] == [1, 1]


def test_what_is_drawn_is_what_is_shown_and_what_is_said_is_what_was_done(tab: Any) -> None:
    task = keyed_task(rules={"observability": "fog_of_war", "view_size": 3})
    episode = Episode(compiled(task))
    episode.reset()
    with played(begin_game([task], presentation=Presentation(explain="none"))) as game, tab(game.page.address) as page:
        for number, action in enumerate((3, 5, 2, 2, 1, 2, 0, 6), start=1):
            page.press(action)
            told = describe_events(episode.world, episode.witnessed(episode.step(action)))
            cells = range(episode.world.topology.cell_count)
            assert page.board() == {
                "agent": [episode.state.cell, episode.state.heading],
                "unseen": [cell not in episode.knowledge.explored for cell in cells],
            }
            expect(page.page.get_by_role("status")).to_have_text(f"{told}, after step {number}" if told else "")


PRESENTATIONS = [Presentation("image+text", feedback="effect"), Presentation(image_style="letters", history_images=1)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("presentation", PRESENTATIONS, ids=["text", "pictures"])
def test_no_rule_of_accessibility_is_violated(tab: Any, scheme: Any, presentation: Presentation) -> None:
    game_of = begin_game([keyed_task()], presentation=presentation)
    with played(game_of) as game, tab(game.page.address, color_scheme=scheme, bypass_csp=True) as page:
        assert page.violations() == []  # the instructions
        page.go_on()
        page.press(2)
        assert page.violations() == []
        page.page.keyboard.press("?")
        page.page.wait_for_selector("dialog[open]")
        assert page.violations() == []
        page.page.keyboard.press("Escape")
        page.page.click("text=Give up this maze")
        assert page.violations() == []
        with page.changing():
            page.page.click("dialog [data-choice=yes]")
        page.page.wait_for_selector("h1:text-is('The end')")
        assert page.violations() == []


@pytest.mark.parametrize("width", [390, 768, 1280, 2560])
def test_nothing_is_wider_than_the_screen_and_all_can_be_touched(tab: Any, width: int) -> None:
    task, presentation = keyed_task(), Presentation("image+text", history_images=1)
    size = {"width": width, "height": 844}
    with (
        played(begin_game([task], tilings=("3464",), presentation=presentation)) as game,
        tab(game.page.address, viewport=size, has_touch=True) as page,
    ):
        assert page.page.evaluate("document.documentElement.scrollWidth") <= width
        page.go_on()
        with page.changing():
            page.page.tap("[data-choice='2']")
        assert page.page.evaluate("document.documentElement.scrollWidth") <= width
        sizes = page.page.evaluate(
            "[...document.querySelectorAll('button')].map((each) => each.getBoundingClientRect().height)"
        )
        assert min(sizes) >= 24  # the least of WCAG 2.2


def test_a_button_keeps_the_focus_and_a_key_that_is_held_counts_once(tab: Any) -> None:
    task = draw("#######\n#@...G#\n#######", max_steps=9)
    with played(begin_game([task], presentation=Presentation(explain="none"))) as game, tab(game.page.address) as page:
        button = page.page.locator("[data-choice='2']")
        button.focus()
        with page.changing():
            page.page.keyboard.press("Enter")
        expect(button).to_be_focused()
        with page.changing():
            page.page.keyboard.press(" ")
        expect(page.page.locator(".steps")).to_contain_text("Step 3 of 9")
        with page.changing():
            page.page.keyboard.down("ArrowLeft")
        for _ in range(3):
            page.page.keyboard.down("ArrowLeft")  # which repeats it
        page.page.keyboard.up("ArrowLeft")
        page.press(1)
        expect(page.page.locator(".steps")).to_contain_text("Step 5 of 9")
        page.page.keyboard.press("Control+ArrowUp")
        page.page.keyboard.press("x")
        page.press(2)
        expect(page.page.locator(".steps")).to_contain_text("Step 6 of 9")


LATE = """() => {
    const fetched = window.fetch;
    window.fetch = async (address, options) => {
        const reply = await fetched(address, options);
        if (address === "answer") await new Promise((resolve) => setTimeout(resolve, 300));
        return reply;
    };
}"""


def test_a_reply_that_comes_after_the_next_view_stops_nothing(tab: Any) -> None:
    task = draw("#######\n#@...G#\n#######", max_steps=9)
    with played(begin_game([task], presentation=Presentation(explain="none"))) as game, tab(game.page.address) as page:
        page.page.evaluate(LATE)
        for _ in range(3):
            page.press(2)
            page.page.wait_for_timeout(400)
        expect(page.page.locator(".steps")).to_contain_text("Step 4 of 9")


def test_the_time_when_the_page_is_hidden_does_not_count(tab: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    task = draw("#####\n#@.G#\n#####", max_steps=4)
    with (
        played(begin_game([task], run, presentation=Presentation(explain="none"))) as game,
        tab(game.page.address) as page,
    ):
        hide = """(state) => {
            Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }"""
        page.page.evaluate(hide, "hidden")
        page.page.wait_for_timeout(1500)
        page.page.evaluate(hide, "visible")
        page.press(2)
        page.press(2)
        page.page.wait_for_selector("h1:text-is('The end')")
    ((_, attempts),) = RunDirectory(run).episodes()
    first, second = attempts[-1].requests
    assert "hidden or closed for" in str(first.raw_output)
    assert second.raw_output == "ArrowUp"
    assert all(each.usage is not None and each.usage.seconds is not None for each in (first, second))


def test_texts_of_a_suite_are_shown_and_do_nothing(tab: Any) -> None:
    task = TaskSpecification.from_dict({**draw("####\n#@G#\n####").to_dict(), "description": " ".join(HOSTILE[:4])})
    game_of = begin_game([task], mission="description", presentation=Presentation(explain="none"))
    with played(game_of) as game, tab(game.page.address) as page:
        assert "<script>window.owned = 1" in page.page.inner_text(".mission")
        assert page.page.locator(".mission *").count() == 0
        assert page.page.evaluate("window.owned") is None
