"""Runs with third-party plugins: tilings that are not installed where the page is written, and simulators."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gridworld.plugins import using_registry
from multinet_report.report import write_report
from support.boards import Opener, expected, shown
from support.pages import record_keyed
from support.plugins import install_examples, load_from, prepend
from support.runs import record_run
from support.worlds import draw


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The example plugins, installed."""
    path = install_examples(tmp_path_factory.mktemp("examples"))
    with pytest.MonkeyPatch.context() as patch:
        prepend(path, patch)
        with using_registry(load_from(path)):
            yield


@pytest.fixture
def rhombille(tmp_path: Path) -> Path:
    """A run on a tiling of an example; its page is written where that tiling is not installed."""
    run = record_keyed(tmp_path / "rhombille", tilings=["rhombille"]).path
    written = write_report([run], run.with_suffix(".html"), max_states=0)
    assert written.problems == ()
    return run


@pytest.mark.usefixtures("examples")
def test_a_tiling_of_others_is_drawn_from_what_is_recorded_of_it(rhombille: Path, opened: Opener) -> None:
    with opened(rhombille, "#episode=0") as page:
        for moment in (0, 7, 28, 3):
            page.scrub(moment)
            board = page.board()
            goal = max(board["glyphs"])
            assert shown(board, goal) == expected(rhombille, 0, moment, truth=True, tiling="rhombille"), moment


@pytest.mark.usefixtures("examples")
def test_of_another_simulator_there_are_the_pictures_that_the_model_was_shown(tmp_path: Path, opened: Opener) -> None:
    task = draw("#####\n#@.G#\n#####", max_steps=4)
    run = record_run(tmp_path / "warehouse", [task], "LFRF", backend="warehouse", backend_arguments=()).path
    write_report([run], run.with_suffix(".html"))
    with opened(run, "#episode=0&step=1") as page:
        assert "There is no board for this episode" in page.text(".shown")
        picture = page.page.locator("img.frame")
        picture.wait_for()
        assert picture.evaluate("async (image) => { await image.decode(); return image.naturalWidth; }") > 0
