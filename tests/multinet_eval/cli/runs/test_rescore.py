"""``multinet runs rescore``: says whether the results have changed."""

import json
from collections.abc import Callable
from pathlib import Path

from command_line import assert_refused, run


def test_it_says_whether_anything_has_changed(copied: Callable[[str], Path]) -> None:
    path = copied("run")
    results = path / "results.json"
    good = results.read_text(encoding="utf-8")
    results.write_text(json.dumps({**json.loads(good), "spl": 0, "num_success": 3}), encoding="utf-8")
    for told in ("has changed: num_success, spl", "is as it was"):
        finished = run("multinet", "runs", "rescore", path)
        assert (finished.returncode, finished.stderr) == (0, "")
        assert finished.stdout == f"results.json of {path} {told}\n"
        assert results.read_text(encoding="utf-8") == good


def test_an_unfinished_run_is_refused_with_what_can_be_done(cut_short: Path) -> None:
    finished = run("multinet", "runs", "rescore", cut_short)
    assert_refused(finished, "is unfinished: 1 of 3 episodes", "multinet runs resume", exit_code=1)
    assert not (cut_short / "results.json").exists()
