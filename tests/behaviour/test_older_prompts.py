"""Runs that began with older prompts are shown and verified, and continued by the release that began them alone."""

import json
from pathlib import Path

import pytest

from support.commands import multinet, run_eval


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A run that says nothing of its prompts, as release 0.1.0 recorded it."""
    run = tmp_path / "run"
    finished = run_eval("-m", "random", "--benchmark", "validation_10", "--run-dir", run)
    assert finished.exit_code == 0, finished.stderr
    manifest = json.loads((run / "run.json").read_text(encoding="utf-8"))
    assert manifest["fingerprint"].pop("prompt_version") == 2
    manifest["fingerprint"]["explained"] = "55b59657f167775f"
    manifest["circumstances"]["versions"]["multinet-eval"] = "0.1.0"
    manifest["fingerprint"]["versions"]["multinet-eval"] = "0.1"
    (run / "run.json").write_text(json.dumps(manifest), encoding="utf-8")
    return run


@pytest.mark.parametrize("command", [("resume",), ("extend", "--epochs", "2")])
def test_it_is_continued_only_by_the_release_that_began_it(older: Path, command: tuple[str, ...]) -> None:
    name, *options = command
    finished = multinet("runs", name, older, *options)
    assert finished.exit_code != 0
    assert "version 1 of the prompts, and this release sends version 2" in finished.stderr
    created = json.loads((older / "run.json").read_text(encoding="utf-8"))["created"]
    assert f"multinet-eval 0.1.0 as of {created[:10]}" in finished.stderr


def test_verify_does_not_compare_its_texts(older: Path) -> None:
    finished = multinet("runs", "verify", older)
    assert "the run has version 1 of the prompts, this release has 2: texts are not compared" in finished.stdout
    assert json.loads(multinet("runs", "verify", older, "--json").stdout)["consistent"]
