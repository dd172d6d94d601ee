"""``multinet tasks gallery``: a page of pictures, tier by tier and tiling by tiling."""

import json
import re
from pathlib import Path

import pytest
from PIL import Image, ImageSequence

from support.programs import Finished, assert_refused, output_of, run
from support.runs import write_corridor
from support.tilings import TILINGS


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suite")
    for tier, name in [(1, "one"), (1, "other"), (3, "three")]:
        write_corridor(folder, name, "@..G", tier=tier, max_steps=20)
    return folder


def gallery(*arguments: str | Path) -> Finished:
    return run("multinet", "tasks", "gallery", *arguments)


def test_the_page_shows_the_first_task_of_each_tier_on_each_tiling(suite: Path, tmp_path: Path) -> None:
    output = tmp_path / "made" / "gallery"
    printed = output_of(gallery(suite, "-o", output))
    told = "2 of 3 tasks, the first of each tier"
    assert printed == f"{output}/index.md: {told}, on {len(TILINGS)} tilings; --per-tier 2 shows all\n"
    page = (output / "index.md").read_text(encoding="utf-8")
    assert page.startswith(f"# Gallery\n\nThis page shows {told}.\n\n## ")
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == ["Tier 1: one", "Tier 3: three"]
    shown = re.findall(r"\]\((.*?)\)", page)
    assert shown == [f"{task}-{name}.png" for task in ("one", "three") for name in sorted(TILINGS)]
    assert sorted(path.name for path in output.iterdir()) == sorted([*shown, "index.md"])
    for name in shown:
        with Image.open(output / name) as picture:
            assert max(picture.size) <= 640 < 2 * max(picture.size)


def test_what_a_task_says_is_shown_as_letters(tmp_path: Path) -> None:
    hostile = write_corridor(tmp_path / "suite", "<img src=x> [a](b) *c*", file="hostile.json")
    hostile.write_text(json.dumps({**json.loads(hostile.read_text()), "description": "# One\n| two | </p>"}))
    finished = gallery(hostile.parent, "-o", tmp_path / "gallery", "--tiling", "square")
    assert finished.returncode == 0
    page = (tmp_path / "gallery" / "index.md").read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if line]
    assert lines[2:5] == [
        r"## Tier 1: \<img src=x\> \[a\](b) \*c\*", r"\# One \| two \| \</p\>", "Mission: *reach the goal*.",
    ]  # fmt: skip


def test_more_tasks_of_each_tier_can_be_asked_for(suite: Path, tmp_path: Path) -> None:
    finished = gallery(suite, "-o", tmp_path, "--per-tier", "2", "--tiling", "hex")
    assert finished.stdout == f"{tmp_path}/index.md: all 3 tasks, on 1 tiling\n"
    assert sorted(path.name for path in tmp_path.glob("*.png")) == ["one-hex.png", "other-hex.png", "three-hex.png"]


def test_an_optimal_run_is_animated_on_each_tiling(suite: Path, tmp_path: Path) -> None:
    assert gallery(suite, "-o", tmp_path, "--run", suite / "one.json").returncode == 0
    page = (tmp_path / "index.md").read_text(encoding="utf-8")
    runs = dict(re.findall(r"on (\S+), \d+ actions\]\((.*?)\)", page))
    assert set(runs) == set(TILINGS)
    for name, actions in re.findall(r"on (\S+), (\d+) actions", page):
        with Image.open(tmp_path / runs[name]) as animation:
            assert len(list(ImageSequence.Iterator(animation))) == int(actions) + 1


def test_the_same_page_is_written_again(suite: Path, tmp_path: Path) -> None:
    for folder in ("first", "second"):
        assert gallery(suite, "-o", tmp_path / folder, "--tiling", "488").returncode == 0
    for path in (tmp_path / "first").iterdir():
        assert path.read_bytes() == (tmp_path / "second" / path.name).read_bytes()


def test_unknown_suites_tilings_and_tasks_are_refused(suite: Path, tmp_path: Path) -> None:
    output = tmp_path / "gallery"
    assert_refused(gallery("teirs", "-o", output), "did you mean 'tiers'?")
    assert_refused(gallery(suite, "-o", output, "--tiling", "trianle"), "did you mean 'triangle'?")
    assert_refused(gallery(suite, "-o", output, "--run", "tiers/none"), "none")
    assert not output.exists()


@pytest.mark.parametrize("place", ["file", "file/below", "/proc/gallery"])
def test_a_place_that_cannot_be_written_is_named(suite: Path, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("in the way")
    finished = gallery(suite, "-o", tmp_path / place, "--tiling", "hex")
    assert_refused(finished, f"error: cannot write {tmp_path / place}: ", exit_code=1)
