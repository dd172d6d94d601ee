"""The pictures that need a browser, and the moving one of the README.

``nox -s pictures`` draws them anew, from runs that it records for them. `figures` makes all the others.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from kept import is_current, write
from PIL import Image
from PIL.Image import Image as Picture
from playwright.sync_api import Browser, sync_playwright

from gridworld.suites import read_installed
from multinet_eval import read
from multinet_eval.analysis.leaderboard import make_leaderboard
from multinet_eval.datasets.pictures import draw_episode, save_animation
from multinet_eval.record.manifest import Suite
from multinet_eval.record.run_directory import RunDirectory
from multinet_report.pages import HtmlPages

CHROMIUM = "/usr/bin/chromium"
TASKS = {
    "v04_single_key": "validation_10",
    "t1_07_lantern_gallery": "tiers",
}
LOST = "t4_04_crossed_crates"
LOST_AT = 7
"""A task of ``tiers`` that the model ``greedy`` makes unwinnable, and the step with which it does."""
MODELS = ("greedy", "optimal")
TILINGS = ("square", "hex", "triangle", "488", "3464")
CREATED = "2026-01-01T00:00:00+00:00"
"""Start of all recorded runs, fixed so that pictures can be made again."""
COLORS = 64
"""Of the palette of a still picture."""
SIDE, GAP, PAUSE = 236, 8, 8
"""Of each board of the animation and between them, in pixels; and how many times its last picture is shown."""


def browser_pictures() -> dict[str, bytes]:
    """Path below ``docs/`` to the content of each."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        runs = _record(folder)
        drawn = {"pictures/five-tilings.webp": _animation(RunDirectory(runs["optimal"]), folder)}
        _write_pages(folder, runs)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            drawn |= {f"pictures/{name}.png": _png(picture) for name, picture in _stills(browser, folder)}
            browser.close()
    return drawn


def _record(folder: Path) -> dict[str, Path]:
    """A run of each model, all tasks on all tilings."""
    tasks = folder / "tasks"
    tasks.mkdir()
    for number, (name, suite) in enumerate(TASKS.items()):
        task = next(task for task in read_installed(suite).tasks if task.task_id == name)
        task.to_json(tasks / f"{number}.json")
    for model in MODELS:
        _play(folder / model, "--model", model, "--task-dir", str(tasks), "--tiling", "all")
    _play(folder / "lost", "--model", "greedy", "--benchmark", "tiers", "--tier", "4")
    return {model: folder / model for model in MODELS}


def _play(run: Path, *options: str) -> None:
    program = Path(sys.executable).with_name("multinet-run-eval")
    quick = ["--run-dir", run, "--observation", "text", "--quiet"]
    subprocess.run([program, *options, *quick], check=False)  # 1 where not all was solved
    manifest = run / "run.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"created": CREATED}))


def _animation(run: RunDirectory, folder: Path) -> bytes:
    """The optimal run of the first task on all tilings beside each other."""
    numbers = [_episode(run, "v04_single_key", tiling) for tiling in TILINGS]
    boards = [list(draw_episode(run, number, [f"image_size={SIDE}"])) for number in numbers]
    last = max(map(len, boards)) - 1
    frames = [
        _beside_each_other([each[min(step, len(each) - 1)] for each in boards])
        for step in [*range(last + 1), *[last] * PAUSE]
    ]
    save_animation(frames, folder / "animation.webp", 220)
    return (folder / "animation.webp").read_bytes()


def _beside_each_other(boards: list[Picture]) -> Picture:
    width = sum(each.width for each in boards) + GAP * (len(boards) - 1)
    whole = Image.new("RGB", (width, max(each.height for each in boards)), "white")
    left = 0
    for each in boards:
        whole.paste(each, (left, (whole.height - each.height) // 2))
        left += each.width + GAP
    return whole


def _write_pages(folder: Path, runs: dict[str, Path]) -> None:
    pages = HtmlPages()
    pages.write_runs(list(runs.values()), folder / "runs.html")
    pages.write_runs([folder / "lost"], folder / "lost.html")
    pages.write_leaderboard(make_leaderboard([read(run) for run in runs.values()]), folder)
    tasks = (task for task in read_installed("tiers").tasks if task.difficulty_tier == 1)
    pages.write_suite(Suite("tiers", tuple(tasks)), ["hex"], folder / "suite.html", 100_000)


def _stills(browser: Browser, folder: Path) -> Iterator[tuple[str, Picture]]:
    """Name and picture of each."""
    greedy, optimal = (RunDirectory(folder / model) for model in MODELS)

    def look(page: str, width: int = 1180, height: int = 780, scheme: str = "light", *, whole: bool = False) -> Picture:
        return _look(browser, f"{folder.as_uri()}/{page}", width, height, scheme, whole=whole)

    yield "overview", look("lost.html", 1280, 800)
    yield "overview-dark", look("runs.html#run=1", scheme="dark")
    for tiling in TILINGS:
        number = _episode(optimal, "v04_single_key", tiling)
        yield f"player-{tiling}", look(f"runs.html#run=1&episode={number}&step=20", height=860)
    number = _episode(optimal, "t1_07_lantern_gallery", "square")
    yield "player-view-cone", look(f"runs.html#run=1&episode={number}&step=12", height=860, scheme="dark")
    number = _episode(greedy, "v04_single_key", "hex")
    yield "beside", look(f"runs.html#run=0&episode={number}&step=8&beside=1", height=900)
    number = _episode(RunDirectory(folder / "lost"), LOST, None)
    yield "lost-for-good", look(f"lost.html#episode={number}&step={LOST_AT}", 1000, 640, whole=True)
    yield "phone", look(f"runs.html#run=1&episode={number}&step=8", width=390, height=844)
    yield "leaderboard", look("index.html")
    yield "suite", look("suite.html")


def _look(browser: Browser, address: str, width: int, height: int, scheme: str, *, whole: bool) -> Picture:
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("main[data-ready]")
    page.wait_for_timeout(1000)  # small pictures are drawn when they come into view
    with Image.open(BytesIO(page.screenshot(full_page=whole))) as picture:
        shown = picture.convert("RGB")
    context.close()
    return shown


def _episode(run: RunDirectory, task: str, tiling: str | None) -> int:
    plan = run.manifest.plan
    return next(each.number for each in plan if each.task_id == task and each.tiling == tiling)


def _png(picture: Picture) -> bytes:
    content = BytesIO()
    reduced = picture.quantize(COLORS, Image.Quantize.MAXCOVERAGE, kmeans=4, dither=Image.Dither.NONE)
    reduced.save(content, "PNG", optimize=True)
    return content.getvalue()


if __name__ == "__main__":
    outdated = {path: content for path, content in browser_pictures().items() if not is_current(path, content)}
    if "--check" in sys.argv:
        sys.exit(f"out of date: {', '.join(outdated)}; run 'nox -s pictures'" if outdated else 0)
    write(outdated)
