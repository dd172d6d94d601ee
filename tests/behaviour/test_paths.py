"""Paths that the system does not accept are refused in a line, wherever they are given."""

from pathlib import Path

import pytest

from support.commands import multinet
from support.runs import SteeredModel, record_run
from support.worlds import corridor

PATHS = {"long": "x" * 5000, "deep": "y/" * 3000, "zero byte": "a\0b"}
OPTIONS: dict[str, tuple[str, ...]] = {
    "--output": ("leaderboard", "RUN", "-o", "PATH"),
    "--cache": ("eval", "-m", "random", "--cache", "PATH"),
    "--prices": ("plan", "--suite", "tiers", "--difference", "0.5", "--prices", "PATH"),
    "--weights": ("runs", "rescore", "RUN", "--weights", "PATH"),
    "--run-dir": ("eval", "-m", "random", "--run-dir", "PATH"),
}
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "plugin": ("eval", "-m", "random", "--plugin", "PATH"),
    "experiment": ("experiment", "run", "PATH", "--dry-run"),
    "run": ("runs", "verify", "PATH"),
    "runs": ("compare", "PATH", "PATH"),
    "task": ("tasks", "show", "PATH"),
    "tasks": ("play", "PATH"),
    "suite": ("eval", "-m", "random", "--task-dir", "PATH"),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_run(tmp_path_factory.mktemp("runs") / "run", [corridor("@.G")], SteeredModel("F")).path


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
@pytest.mark.parametrize(("name", "words"), [*OPTIONS.items(), *ARGUMENTS.items()])
def test_an_impossible_path_is_refused(name: str, words: tuple[str, ...], path: str, run: Path) -> None:
    finished = multinet(*({"RUN": run, "PATH": path}.get(word, word) for word in words))
    assert finished.exit_code in (1, 2)
    assert "Traceback" not in finished.stderr
    assert "error" in finished.stderr.lower()
    if name in OPTIONS:
        assert name in finished.stderr


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_an_impossible_path_in_an_experiment_names_the_file_and_the_condition(path: str, tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    written = path.replace("\0", "\\u0000")
    file.write_text(f'model = "random"\nsuite = "{written}"\n[[condition]]\nname = "one"\n', encoding="utf-8")
    finished = multinet("experiment", "run", file, "--dry-run")
    assert finished.exit_code == 2
    assert f"error: {file}: condition 'one': " in finished.stderr
