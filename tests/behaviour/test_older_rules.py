"""Runs recorded under older rules of the world are shown, but neither checked nor resumed."""

import json
import shutil
from pathlib import Path

import pytest

from support.commands import multinet, run_eval
from support.task_files import write_tasks

RECORDING = Path(__file__).parent / "recordings" / "unwritten_prompts" / "run"


@pytest.fixture
def older(tmp_path: Path) -> Path:
    return Path(shutil.copytree(RECORDING, tmp_path / "run"))


def test_verify_says_that_it_cannot_be_checked(older: Path) -> None:
    finished = multinet("runs", "verify", older)
    assert (
        "fingerprint.rules: recorded under older rules, not checkable: version 1, this release has 2" in finished.stdout
    )


def test_verify_finds_a_changed_file_all_the_same(older: Path) -> None:
    task = next((older / "tasks").glob("*.json"))
    task.write_text(task.read_text(encoding="utf-8").replace('"seed"', '"seed" '), encoding="utf-8")
    damaged = json.loads(multinet("runs", "verify", older, "--json").stdout)
    assert not damaged["consistent"]


@pytest.mark.parametrize("command", [("show",), ("rescore",), ("export", "--format", "jsonl", "-o", "rows.jsonl")])
def test_reading_commands_read_it(
    older: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    name, *options = command
    finished = multinet("runs", name, older, *options)
    assert (finished.exit_code, "rror" in finished.stderr) == (0, False)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    return ("--task-dir", write_tasks(tmp_path_factory.mktemp("suite") / "tasks"), "-B", "tile_size=8")


@pytest.fixture(scope="module")
def recorded(suite: tuple[object, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("recorded") / "run"
    finished = run_eval("-m", "random", *suite, "--run-dir", run)
    assert finished.exit_code == 0, finished.stderr
    return run


@pytest.fixture
def new(recorded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(recorded, tmp_path / "new"))


def test_new_runs_say_under_which_rules_they_were_recorded(new: Path) -> None:
    assert json.loads((new / "run.json").read_text(encoding="utf-8"))["fingerprint"]["rules"] == 2
    episode = min((new / "episodes").iterdir())
    assert json.loads(episode.read_text(encoding="utf-8").splitlines()[0])["header"]["rules"] == 2
    assert json.loads(multinet("runs", "verify", new, "--json").stdout)["consistent"]


@pytest.fixture
def stripped(new: Path) -> Path:
    """A run without the version of its rules, as older releases recorded it."""
    manifest = json.loads((new / "run.json").read_text(encoding="utf-8"))
    del manifest["fingerprint"]["rules"]
    (new / "run.json").write_text(json.dumps(manifest), encoding="utf-8")
    return new


def test_nothing_of_it_is_played_again(stripped: Path) -> None:
    (found,) = json.loads(multinet("runs", "verify", stripped, "--json").stdout)["runs"]
    assert (found["consistent"], found["episodes"], found["unplayed"]) == (True, 0, 3)


def test_it_is_neither_ranked_nor_compared_with_new_runs_unasked(
    stripped: Path, suite: tuple[object, ...], tmp_path: Path
) -> None:
    fresh = tmp_path / "fresh"
    assert run_eval("-m", "greedy", *suite, "--run-dir", fresh).exit_code == 0
    ranked = multinet("leaderboard", stripped, fresh, "-o", tmp_path / "board")
    assert (ranked.exit_code, "recorded under older rules" in ranked.stderr) == (1, True)
    compared = multinet("compare", stripped, fresh)
    assert (compared.exit_code, "rules: 1 and 2" in compared.stderr) == (2, True)
    assert multinet("compare", stripped, fresh, "--by", "rules").exit_code == 0


def test_its_episodes_are_drawn_and_reported(stripped: Path, tmp_path: Path) -> None:
    assert multinet("runs", "render", stripped, "1", "-o", tmp_path / "episode.gif").exit_code == 0
    assert multinet("report", stripped, "-o", tmp_path / "page.html").exit_code == 0


def test_resume_refuses_with_the_reason(stripped: Path) -> None:
    (stripped / "results.json").unlink()
    min((stripped / "episodes").iterdir()).unlink()
    finished = multinet("runs", "resume", stripped)
    assert (finished.exit_code, "rules: 1 in the run, 2 now" in finished.stderr) == (1, True), finished.stderr


def test_rescore_counts_what_would_be_another_episode_today(stripped: Path) -> None:
    """Metrics that need states are left out; drawing says why the episode cannot be replayed."""
    turned, waited = '"events":[{"kind":"Turned"', '"events":[{"kind":"Waited"},{"kind":"Turned"'
    episode = next(path for path in sorted((stripped / "episodes").iterdir()) if turned in path.read_text())
    content = episode.read_text(encoding="utf-8").replace('"rules":2', '"rules":1')
    episode.write_text(content.replace(turned, waited, 1), encoding="utf-8")
    finished = multinet("runs", "rescore", stripped)
    assert (finished.exit_code, "another episode" in finished.stderr) == (0, False), finished.stderr
    drawn = multinet("runs", "render", stripped, episode.stem, "-o", stripped.with_suffix(".gif"))
    assert "it was recorded under version 1 of the rules; this release has 2" in drawn.stderr
