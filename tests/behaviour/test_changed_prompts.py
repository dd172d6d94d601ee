"""Runs that began with other prompts are shown and verified, and not continued."""

import json
from pathlib import Path

import pytest

from support.commands import multinet, run_eval


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """A run that was played before the prompts were worded as they are."""
    run = tmp_path / "run"
    finished = run_eval("-m", "random", "--benchmark", "validation_10", "--run-dir", run)
    assert finished.exit_code == 0, finished.stderr
    manifest = json.loads((run / "run.json").read_text(encoding="utf-8"))
    manifest["fingerprint"] |= {"prompt_version": 1, "explained": "55b59657f167775f"}
    (run / "run.json").write_text(json.dumps(manifest), encoding="utf-8")
    return run


@pytest.mark.parametrize("command", [("resume",), ("resume", "--epochs", "2")])
def test_it_is_not_continued(changed: Path, command: tuple[str, ...]) -> None:
    name, *options = command
    finished = multinet("runs", name, changed, *options)
    assert finished.exit_code != 0
    assert "prompt_version: 1 in the run, 2 now" in finished.stderr


def test_verify_does_not_compare_its_texts(changed: Path) -> None:
    finished = multinet("runs", "verify", changed)
    assert "the run has version 1 of the prompts, this release has 2: texts are not compared" in finished.stdout
    assert json.loads(multinet("runs", "verify", changed, "--json").stdout)["consistent"]
