"""``multinet runs verify``: says whether recorded runs are consistent, and what is wrong where."""

import json
from collections.abc import Callable
from pathlib import Path

from support.commands import invoke, run
from support.programs import output_of
from support.run_folders import all_lines


def forge(path: Path) -> None:
    """Claim that the first episode needed one step more than it did."""
    file = path / "episodes" / "0.jsonl"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"digest":"', '"digest":"0', 1), encoding="utf-8")


def told(stdout: str) -> list[str]:
    """Printed lines, except for things not checked because the model is not installed here."""
    return [line for line in stdout.splitlines() if not line.startswith("  not checked: ")]


def test_consistent_runs_are_reported_with_the_caveat(copied: Callable[[str], Path]) -> None:
    one, other = copied("one"), copied("other")
    printed = output_of(run("multinet", "runs", "verify", one, other))
    lines = all_lines(one).values()
    steps = sum("step" in line for each in lines for line in each)
    first, second, last = told(printed)
    assert first == f"{one} is consistent: {len(lines)} episodes and {steps} steps replayed"
    assert second.startswith(f"{other} is consistent")
    assert last.startswith("This does not prove who gave the answers")


def test_what_is_wrong_is_told_with_its_place(copied: Callable[[str], Path]) -> None:
    good, bad = copied("good"), copied("bad")
    forge(bad)
    finished = invoke(["runs", "verify", good, bad])
    assert finished.exit_code == 1
    lines = told(finished.stdout)
    assert lines[1].startswith(f"{bad} is NOT consistent")
    assert lines[2].startswith(f'  {bad}/episodes/0.jsonl, line 1: header.digest: found "0')
    found = json.loads(invoke(["runs", "verify", good, bad, "--json"]).stdout)
    assert (found["consistent"], [each["consistent"] for each in found["runs"]]) == (False, [True, False])
    assert found["runs"][1]["problems"][0]["path"] == f"{bad}/episodes/0.jsonl, line 1: header.digest"
    assert "does not prove who" in found["not_proven"]


def test_an_unfinished_run_is_checked_as_far_as_recorded(cut_short: Path) -> None:
    """It is no failure of the run, but nothing to hand in: the exit code is that of what is not verified."""
    finished = invoke(["runs", "verify", cut_short])
    assert finished.exit_code == 1
    first, second, *_ = told(finished.stdout)
    assert first.startswith(f"{cut_short} is unfinished, and consistent so far: 2 episodes and ")
    assert second == (
        f"  unfinished: {cut_short}: 2 of 3 episodes have not ended: 1, 2; "
        f"'multinet runs resume {cut_short}' resumes it"
    )
    found = json.loads(invoke(["runs", "verify", cut_short, "--json"]).stdout)
    assert (found["consistent"], found["complete"]) == (True, False)
