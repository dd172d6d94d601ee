"""Pages of runs with unreadable parts."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.boards import Opener
from support.commands import multinet
from support.run_folders import SCENE_DAMAGE, record_two_rooms


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of a large room and a little one."""
    return record_two_rooms(tmp_path)


def _report(run: Path) -> None:
    assert multinet("report", run, "-o", run.with_suffix(".html")).exit_code == 1


@pytest.mark.parametrize("damage", ["NaN in place of a coordinate", "an object in place of a number"])
def test_a_page_without_a_scene_names_it_and_works(run: Path, opened: Opener, damage: str) -> None:
    header = json.loads((run / "episodes" / "0.jsonl").read_text(encoding="utf-8").splitlines()[0])["header"]
    scene = run / "scenes" / f"{header['scene']}.json"
    scene.write_bytes(SCENE_DAMAGE[damage](scene.read_bytes()))
    _report(run)
    with opened(run) as page:
        assert scene.stem in page.text(".problems")
        assert page.page.locator(".cards svg.board").count() == 1
    with opened(run, "#episode=0") as page:
        assert scene.stem in page.text(".shown")
        page.press("End")
        assert "after the last of 4 steps" in page.text(".told")


def _changed(run: Path, change: dict[str, Any]) -> None:
    file = run / "episodes" / "0.jsonl"
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    next(line["step"] for line in lines if "step" in line).update(change)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_a_page_of_a_step_outside_the_board_works(run: Path, opened: Opener) -> None:
    _changed(run, {"agent": [999, 0, None], "looks": {"999": None}})
    _report(run)
    with opened(run, "#episode=0") as page:
        assert "There is no board for this episode: step 1: agent" in page.text(".shown")
        page.press("End")
        assert "after the last of 4 steps" in page.text(".told")
