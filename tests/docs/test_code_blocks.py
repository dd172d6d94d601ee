"""The code blocks of the documentation work."""

import shutil
from pathlib import Path

import pytest

from gridworld.plugins import get_registry
from gridworld.suites import benchmark_place
from support.sources import Reader

REPOSITORY = Path(__file__).parents[2]
PAGES = [
    page.relative_to(REPOSITORY).as_posix()
    for page in [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
]
PLACES_FOR_TASKS = ("path/to/tasks", "path/to/older")
"""Names of folders of the reader's own tasks on pages."""

TAKE_LONG = (
    "multinet-run-eval --model greedy --tier 1 --tiling all",
    "multinet tasks gallery path/to/tasks",
    "multinet-run-eval --model random --history-images 2 --history-text --observation image+text",
    "multinet eval --model random",
    "multinet tasks list validation_10",
    "multinet-run-eval --model greedy --benchmark tiers --tier 1",
    "multinet-run-eval --model greedy --tier 1 --tiling hex",
    "multinet runs render runs/first 3 -o large.webp -B tile_size=48 --milliseconds 100",
    "multinet-run-eval --benchmark fresh_100 --model optimal",
    "multinet tasks verify pairs",
    "multinet tasks verify mazes",
    'multinet-run-eval --benchmark "generated:perfect_maze?seed=7&count=3&size=7-9" --model random',
    "multinet report runs/first -o report.html",
    "multinet-run-eval --model random -M seed=3 --output results.json",
    "multinet prompts show validation_10/v04_single_key --model ollama:NAME --tiling 3464 --explain rules",
)
"""Slow commands, left to thorough runs: others like them are run here, or tested elsewhere."""
SLOW_PAGES = (
    "docs/explanation/experiments.md",
    "docs/explanation/generated-tasks.md",
    "docs/explanation/matched-tasks.md",
    "docs/how-to/calibration.md",
    "docs/how-to/comparing.md",
    "docs/how-to/leaderboard.md",
    "docs/how-to/measure-runs.md",
    "docs/how-to/reproduce-a-table.md",
    "docs/how-to/stop-when-decided.md",
    "docs/reference/composite-score.md",
)
"""Pages with many commands that play or solve, left to `nox -s more`."""
PAGES_THAT_TAKE_LONG = [
    page for page in PAGES if any(each in (REPOSITORY / page).read_text(encoding="utf-8") for each in TAKE_LONG)
]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder for tables of states of all pages."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture
def folder(tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty except for the tasks and studies that pages presume."""
    tasks = benchmark_place(get_registry().benchmarks.get("validation_10"))
    for place in PLACES_FOR_TASKS:
        (tmp_path / place).mkdir(parents=True)
        shutil.copy(tasks / "v05_single_switch.json", tmp_path / place)
    shutil.copy(tasks / "v04_single_key.json", tmp_path / "puzzle.json")
    shutil.copytree(REPOSITORY / "examples" / "studies", tmp_path / "examples" / "studies")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRIDWORLD_CACHE", str(tables))
    return tmp_path


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.more if page in SLOW_PAGES else ()) for page in PAGES]
)
def test_the_code_of_a_page_runs_in_order(page: str, folder: Path) -> None:
    Reader(REPOSITORY / page, folder, leave_out=TAKE_LONG).follow()


@pytest.mark.thorough
@pytest.mark.parametrize("page", PAGES_THAT_TAKE_LONG)
def test_the_code_of_a_page_runs_in_order_with_all_that_takes_long(page: str, folder: Path) -> None:
    Reader(REPOSITORY / page, folder).follow()


def test_every_command_that_takes_long_stands_on_a_page() -> None:
    text = "\n".join((REPOSITORY / page).read_text(encoding="utf-8") for page in PAGES_THAT_TAKE_LONG)
    assert [command for command in TAKE_LONG if command not in text] == []
