"""``multinet runs show``: everything about one recorded run."""

import json
from pathlib import Path

from support.commands import run
from support.programs import assert_refused, words


def test_settings_results_and_spending_are_shown(walked: Path) -> None:
    finished = run("multinet", "runs", "show", walked)
    assert (finished.returncode, finished.stderr) == (0, "")
    manifest = json.loads((walked / "run.json").read_text(encoding="utf-8"))
    versions = manifest["circumstances"]["versions"]
    text = words(finished.stdout)
    for fragment in (
        "walked suite small model walker created",
        f"Result-affecting settings suite {manifest['suite_hash']} model.name walker",
        "backend.arguments tile_size=8",
        f"Circumstances model_arguments none versions.gridworld-core {versions['gridworld-core']}",
        "Progress status finished episodes 3 of 3 finished, 0 unfinished, 0 not begun attempts 3",
        "attempts 3 failed requests none unusable answers none",
        "spent 36 requests, 0 tokens of prompts, 0 of replies",
        "small: walker on minigrid (square)",
        "2 of 3 tasks solved",
    ):
        assert fragment in text
    assert "Number Task" not in text


def test_the_episodes_are_listed_if_asked_for(cut_short: Path) -> None:
    finished = run("multinet", "runs", "show", cut_short, "--episodes")
    assert finished.returncode == 0
    lines = [line.split() for line in finished.stdout.splitlines()]
    first = lines.index(
        ["Number", "Task", "Tiling", "Epoch", "Seed", "Status", "Steps", "Attempts", "Requests", "Failed", "Answered"]
    )
    assert lines[first + 1 : first + 4] == [
        ["0", "a_short", "-", "0", "1", "success", "2", "1", "2", "0", "2"],
        ["1", "b_door", "-", "0", "1", "unfinished", "2", "1", "2", "0", "2"],
        ["2", "c_long", "-", "0", "1", "not", "begun", "0", "0", "0", "0", "0"],
    ]
    assert "not all episodes were played" in finished.stdout


def test_json_has_all_of_it(cut_short: Path) -> None:
    shown = json.loads(run("multinet", "runs", "show", cut_short, "--json").stdout)
    assert list(shown) == [
        "run",
        "own",
        "fingerprint",
        "circumstances",
        "settings",
        "episodes",
        "faults",
        "unusable",
        "fault_reasons",
        "spent",
        "results",
        "mistakes",
        "mistakes_sentence",
        "endings",
    ]
    assert [episode["state"] for episode in shown["episodes"]] == ["finished", "unfinished", "not begun"]
    assert shown["spent"]["requests"] == 4
    assert shown["results"]["complete"] is False


def test_what_is_no_run_or_cannot_be_read_is_refused(cut_short: Path, tmp_path: Path) -> None:
    assert_refused(run("multinet", "runs", "show", tmp_path), "is not a recorded run: it has no run.json")
    with (cut_short / "episodes" / "1.jsonl").open("a", encoding="utf-8") as file:
        file.write("garbage\n")
    assert_refused(run("multinet", "runs", "show", cut_short), "1.jsonl, line 6: it is not JSON", exit_code=1)
