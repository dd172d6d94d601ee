"""``--page`` selects an installed page writer, wherever a page is written."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gridworld.plugins import load_registry, using_registry
from support.commands import Finished, multinet, run_eval
from support.plugins import write_distribution
from support.task_files import write_tasks

PLUGIN = """
from gridworld.hookspecs import PageInfo, hookimpl


@hookimpl
def gridworld_pages():
    return [PageInfo(name, "For a wall.", "writing_slides:Slides") for name in ("slides", "html")]
"""
SLIDES = """
from multinet_eval.analysis.pages import PageWriter, WrittenPage


class Slides(PageWriter):
    def _write(self, path, text):
        path.write_text(text)
        return WrittenPage(path, "slides", len(text))

    def write_runs(self, runs, output, progress=None):
        return self._write(output, "slides of a run")

    def write_leaderboard(self, found, folder, progress=None):
        return self._write(folder / "index.html", "slides of a leaderboard")

    def write_suite(self, suite, tilings, output, max_states, progress=None):
        return self._write(output, "slides of a suite")
"""


@pytest.fixture(autouse=True)
def _slides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "site"
    files = {"wall_pages_plugin.py": PLUGIN, "writing_slides.py": SLIDES}
    write_distribution(folder, "wall-pages", "1.0", {"plugin": "wall_pages_plugin"}, files)
    monkeypatch.syspath_prepend(folder)
    sys.modules.pop("writing_slides", None)
    with using_registry(load_registry()):
        yield


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    folder = tmp_path / "tasks"
    write_tasks(folder)
    return folder


def played(tasks: Path, folder: Path, *options: object) -> Finished:
    arguments = ["--benchmark", "directory", "--task-dir", tasks, "--model", "optimal", "--quiet", "--run-dir", folder]
    return run_eval(*arguments, *options)


def test_a_named_writer_writes_every_page(tasks: Path, tmp_path: Path) -> None:
    run, page, board = tmp_path / "run", tmp_path / "page.html", tmp_path / "board"

    assert played(tasks, run, "--report", page, "--page", "slides").exit_code == 0
    assert page.read_text() == "slides of a run"
    for arguments, file, text in (
        (["report", run, "-o", page], page, "slides of a run"),
        (["leaderboard", run, "--html", "-o", board], board / "index.html", "slides of a leaderboard"),
        (["tasks", "gallery", tasks, "--html", "-o", page], page, "slides of a suite"),
    ):
        file.unlink(missing_ok=True)
        done = multinet(*arguments, "--page", "slides")
        assert done.exit_code == 0, done
        assert file.read_text() == text


def test_the_first_installed_writer_is_used_unless_one_is_named(tasks: Path, tmp_path: Path) -> None:
    run, page = tmp_path / "run", tmp_path / "page.html"

    assert played(tasks, run, "--report", page).exit_code == 0
    assert "<html" in page.read_text(encoding="utf-8")
    assert multinet("report", run, "-o", page, "--page", "wall-pages/html").exit_code == 0
    assert page.read_text() == "slides of a run"


def test_an_unknown_writer_is_refused_with_the_nearest_one_before_anything_is_played(
    tasks: Path, tmp_path: Path
) -> None:
    run, page = tmp_path / "run", tmp_path / "page.html"

    refused = played(tasks, run, "--report", page, "--page", "slide")

    assert refused.exit_code == 2
    assert "unknown page 'slide' (did you mean 'slides'?)" in refused.stderr
    assert not run.exists()


def test_a_writer_without_a_page_to_write_is_refused(tasks: Path, tmp_path: Path) -> None:
    assert "--page has no effect without --report" in played(tasks, tmp_path / "run", "--page", "html").stderr
    assert played(tasks, tmp_path / "run").exit_code == 0
    refused = multinet("leaderboard", tmp_path / "run", "--page", "html")
    assert refused.exit_code == 2
    assert "--page has no effect without --html" in refused.stderr
