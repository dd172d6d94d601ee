"""Runs are played, stopped, resumed and extended, and all commands agree about them.

Each scenario is one way of playing: executor, workers, batches, protocol, context, observation, tiling, backend, model,
faults of its server, cache and budget. Two settings of different kinds meet in at least one scenario.
"""

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gridworld.plugins import get_registry, load_registry, set_registry
from support.commands import Finished, multinet
from support.model_servers import Prompt
from support.pages import ReportPage
from support.plugins import install_example_backends
from support.scenarios import (
    MOST_SESSIONS,
    PRICES,
    Row,
    Stage,
    exported,
    kept_outcomes,
    outcome_of,
    stage,
)

KEPT = {name: kept for name, kept in kept_outcomes().items() if name[0].isdigit()}
BY_DEFAULT, MORE = ("03", "25"), ("00", "01", "05", "11", "18", "27", "37")
"""The scenarios that are played whenever tests are run, and those of `nox -s more`, by number."""


def _mark(name: str) -> Any:
    number = name[:2]
    marks = () if number in BY_DEFAULT else pytest.mark.more if number in MORE else pytest.mark.thorough
    return pytest.param(name, marks=marks)


@pytest.fixture(autouse=True)
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = get_registry()
    install_example_backends(tmp_path / "site", monkeypatch)
    set_registry(load_registry())  # some commands keep the plugins that this process has loaded already
    yield
    set_registry(before)


@pytest.mark.parametrize("name", [_mark(name) for name in KEPT])
def test_all_commands_agree_about_a_run(name: str, tmp_path: Path) -> None:
    kept = KEPT[name]
    run, plain = tmp_path / "ways" / "run", tmp_path / "plain" / "again"
    with stage(kept.row, tmp_path / "ways") as played:
        _play_to_the_end(played, run)
        assert outcome_of(run, kept.row["backend"]) == (kept.outcome, kept.digests)
        told = _told(run)
        _assert_counts(kept.row, run, told)
        _assert_spent(played, told)
        _assert_shown(played, run, told)
        _assert_tables(kept.row, run, told)
        with stage(kept.row, tmp_path / "plain", plainly=True) as plainly:
            _finished(plainly.finish(plain))
        assert outcome_of(plain, kept.row["backend"]) == (kept.outcome, kept.digests)
        _assert_ranked(run, plain, told)
        _extend(played, run, told)


# --- played --------------------------------------------------------------------------------------------------------


def _play_to_the_end(played: Stage, run: Path) -> None:
    """Play until nothing is left to do, whatever stops the run on the way."""
    first = played.play(run)
    if first.exit_code != 0:
        _assert_stopped(played, run, first)
        first = _resume_to_the_end(played, run)
    _finished(first)
    asked = _requests_made(played)
    again = _finished(played.resume(run))
    assert json.loads(again.stdout) == json.loads(first.stdout)
    assert _requests_made(played) == asked


def _resume_to_the_end(played: Stage, run: Path) -> Finished:
    for _ in range(MOST_SESSIONS):
        finished = played.resume(run)
        assert "Traceback" not in finished.stderr, finished.stderr
        if finished.exit_code != 1:
            break
    return finished


def _assert_stopped(played: Stage, run: Path, first: Finished) -> None:
    """A budget or a refusal has ended the session: that is said, and the run is unfinished wherever it is looked at."""
    assert (first.exit_code, played.row["budget"] != "none" or played.row["faults"] == "fatal") == (1, True), (
        first.stderr
    )
    assert f"continue with: multinet runs resume {run}" in first.stderr
    shown = _json("runs", "show", run)
    listed = _json("runs", "list", "--runs", run.parent)
    checked = multinet("runs", "verify", run, "--json")
    (verified,) = json.loads(checked.stdout)["runs"]
    rows = exported(run, "episodes")
    unfinished = sum(not row["finished"] for row in rows)
    assert unfinished > 0
    assert [each["status"] for each in (shown["run"], *listed)] == ["unfinished"] * 2
    assert {each["finished"] for each in (shown["run"], *listed)} == {len(rows) - unfinished}
    assert (checked.exit_code, verified["consistent"], verified["complete"]) == (1, True, False), checked.stdout
    assert verified["problems"] == []
    page = _page(run)
    states = Counter(episode["state"] for each in page.runs for episode in each["episodes"])
    assert states["unreadable"] == 0
    assert page.runs[0]["status"] == "unfinished"


def _extend(played: Stage, run: Path, told: dict[str, Any]) -> None:
    """One more epoch of each task is played, and nothing else."""
    before = {(row["task_id"], row["tiling"], row["epoch"]): row for row in exported(run, "episodes")}
    extended = played.extend(run)
    if extended.exit_code == 1:
        extended = _resume_to_the_end(played, run)
    _finished(extended)
    after = {(row["task_id"], row["tiling"], row["epoch"]): row for row in exported(run, "episodes")}
    epochs = int(played.row["epochs"])
    assert {key: row for key, row in after.items() if row["epoch"] < epochs} == before
    assert len(after) == len(before) * (epochs + 1) // epochs
    assert all(row["finished"] for row in after.values())
    assert _json("runs", "verify", run)["complete"]
    _assert_spent(played, _told(run))


# --- read ----------------------------------------------------------------------------------------------------------


def _told(run: Path) -> dict[str, Any]:
    """Outputs of all commands for a finished run."""
    verified = _json("runs", "verify", run)
    assert (verified["consistent"], verified["complete"]) == (True, True), verified
    return {
        "results": json.loads((run / "results.json").read_text(encoding="utf-8")),
        "list": _json("runs", "list", "--runs", run.parent)[0],
        "show": _json("runs", "show", run),
        "verify": verified["runs"][0],
        "episodes": exported(run, "episodes"),
        "steps": exported(run, "steps"),
        "page": _page(run),
    }


def _assert_counts(row: Row, run: Path, told: dict[str, Any]) -> None:
    """Episodes, steps, actions and outcomes of requests are the same in every command's words."""
    episodes, steps, show, page = told["episodes"], told["steps"], told["show"], told["page"].runs[0]
    planned, solved = len(episodes), sum(each["success"] for each in episodes)
    assert all(each["finished"] for each in episodes)
    for said in (told["list"], show["run"], page):
        assert (said["planned"], said["finished"]) == (planned, planned)
    assert {told["list"]["solved"], show["run"]["solved"], page["whole"]["solved"]} == {solved}
    assert {told["list"]["status"], show["run"]["status"], page["status"]} == {"finished"}
    assert told["verify"]["episodes"] == planned
    assert told["verify"]["steps"] == len(steps)
    assert sum(each["steps_taken"] for each in episodes) == sum(each["kind"] != "stop" for each in steps)
    for said, shown, drawn in zip(episodes, show["episodes"], page["episodes"], strict=True):
        of_it = [step for step in steps if step["episode"] == said["episode"]]
        moves = "".join("-" if step["action"] is None else str(step["action"]) for step in of_it)
        assert (shown["number"], shown["steps"], shown["state"]) == (said["episode"], len(of_it), "finished")
        assert (drawn["number"], drawn["moves"], drawn["state"]) == (said["episode"], moves, "finished")
        assert (drawn["success"], drawn["steps"], drawn["end"]) == (said["success"], said["steps_taken"], said["end"])
        assert (drawn["reward"], drawn["optimal"]) == (said["total_reward"], said["optimal_steps"])
    _assert_results(told, show["results"])


def _assert_results(told: dict[str, Any], shown: dict[str, Any]) -> None:
    """Results are those of the episodes; on several tilings there are some for each."""
    results = _by_tiling(told["results"])
    assert _by_tiling(shown) == results
    counted = Counter[str]()
    for each in results:
        counted.update(each["outcomes"])
    outcomes = {name: sum(row[f"answers_{name}"] for row in told["episodes"]) for name in counted}
    assert counted == outcomes
    _assert_requests(told, outcomes)
    told_of = [each for results_on in results for each in results_on["task_results"]]
    assert sorted(map(_ended, told_of)) == sorted(map(_ended, told["episodes"]))
    assert sum(each["num_success"] for each in results) == told["list"]["solved"]
    assert all(each["complete"] for each in results)


def _assert_requests(told: dict[str, Any], outcomes: dict[str, int]) -> None:
    """Page, terminal and table count the same requests: failed ones, and those of attempts that were given up, too."""
    page, show, rows = told["page"].runs[0], told["show"], told["episodes"]
    assert page["faults"] == show["faults"]
    failed = sum(show["faults"].values())
    assert {sum(row["failed_requests"] for row in rows), page["whole"]["failed_requests"], show["spent"]["failed"]} == {
        failed
    }
    sent = show["spent"]["requests"]
    assert {sum(each["requests"] for each in listed) for listed in (rows, show["episodes"])} == {sent}
    assert page["whole"]["requests"] == sent
    assert sum(page["answers"].values()) == sum(each["answered"] for each in show["episodes"])
    assert sum(page["answers"].values()) == sent - failed + show["spent"]["cached"]
    if all(each["attempts"] == 1 for each in show["episodes"]):
        assert page["answers"] == {name: count for name, count in outcomes.items() if count}


def _ended(result: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(result[name] for name in ("task_id", "epoch", "seed", "steps_taken", "total_reward"))


def _assert_spent(played: Stage, told: dict[str, Any]) -> None:
    """Requests, tokens and cost are those that the server has counted, in every command's words."""
    spent = told["show"]["spent"]
    if played.server is None:
        assert (spent["prompt_tokens"], spent["completion_tokens"]) == (0, 0)
        assert spent["requests"] == sum(each["requests"] for each in told["show"]["episodes"])
        return
    server = played.server
    assert spent["requests"] == len(server.received)
    assert (spent["prompt_tokens"], spent["completion_tokens"]) == (server.prompt_tokens, server.completion_tokens)
    cost = (server.prompt_tokens * PRICES[0] + server.completion_tokens * PRICES[1]) / 1e6
    if played.row["faults"] == "fatal":  # results leave out attempts that have been given up
        return
    results = _by_tiling(told["results"])
    for name, tokens in (("prompt_tokens", server.prompt_tokens), ("completion_tokens", server.completion_tokens)):
        assert sum(each["usage"][name] for each in results) == tokens
        assert sum(row[name] for row in told["episodes"]) == tokens
        assert told["page"].runs[0]["whole"][name] == tokens
    assert sum(each["cost"] for each in results) == pytest.approx(cost)
    assert told["page"].runs[0]["whole"]["cost"] == pytest.approx(cost)


def _assert_shown(played: Stage, run: Path, told: dict[str, Any]) -> None:
    """The page shows every episode and step, and every prompt exactly as the server has received it.

    Of attempts that have been given up it shows none.
    """
    page = told["page"]
    (shown,) = page.runs
    assert shown["problems"] == [] or played.row["backend"] == "warehouse"
    asked = Counter[Prompt]()
    for episode in shown["episodes"]:
        requests = list(page.requests(episode)) if played.server else []
        asked.update(prompt for prompt, request in requests if not request.get("cached"))
        assert len(page.steps(episode)) == len(episode["moves"])
    received = Counter(each.prompt for each in played.server.received) if played.server else Counter()
    assert asked <= received if played.row["faults"] == "fatal" else asked == received


def _assert_tables(row: Row, run: Path, told: dict[str, Any]) -> None:
    """Tables in other formats have the same cells, and a picture can be drawn of the last episode if one can be had."""
    for rows in ("episodes", "steps"):
        file = run.parent / f"{rows}.csv"
        _finished(multinet("runs", "export", run, "--format", "csv", "--rows", rows, "-o", file))
        with file.open(encoding="utf-8", newline="") as table:
            cells = list(csv.DictReader(table))
        as_text = [{name: "" if cell is None else str(cell) for name, cell in each.items()} for each in told[rows]]
        assert cells == as_text
    drawn = multinet("runs", "render", run, told["episodes"][-1]["episode"], "-o", run.parent / "episode.gif")
    if row["backend"] == "warehouse" and not (run / "frames").is_dir():
        assert (drawn.exit_code, "no pictures are kept" in drawn.stderr) == (1, True), drawn.stderr
    else:
        assert (drawn.exit_code, (run.parent / "episode.gif").read_bytes()[:3]) == (0, b"GIF"), drawn.stderr
    before = (run / "results.json").read_bytes()
    rescored = _json("runs", "rescore", run)
    assert (run / "results.json").read_bytes() == before
    assert {each["run"] for each in rescored["runs"]} == {run.name}
    for words in (("runs", "show", run, "--episodes"), ("runs", "list", "--runs", run.parent)):
        _finished(multinet(*words))


def _assert_ranked(run: Path, plain: Path, told: dict[str, Any]) -> None:
    """Played otherwise, nothing comes out otherwise, and both runs are one entry of a leaderboard."""
    compared = _json("compare", run, plain)
    scored = len(told["episodes"])
    assert [each["episodes"] for each in compared["runs"]] == [scored, scored]
    assert {each["difference"] for each in compared["differences"]} == {0.0}
    ranked = _json("leaderboard", run, plain)
    (whole,) = (each for each in ranked["table"] if each["axis"] == "all")
    assert (whole["runs"], whole["episodes"], whole["verified"]) == (2, 2 * scored, True)
    assert whole["success"] == pytest.approx(compared["runs"][0]["score"])


# --- asked ---------------------------------------------------------------------------------------------------------


def _finished(finished: Finished) -> Finished:
    assert finished.exit_code == 0, finished.stderr
    assert "unreadable" not in finished.stdout.replace('"unreadable": []', "") + finished.stderr
    return finished


def _json(*words: object) -> Any:
    return json.loads(_finished(multinet(*words, "--json")).stdout)


def _page(run: Path) -> ReportPage:
    file = run.parent / "report.html"
    finished = _finished(multinet("report", run, "-o", file))
    assert "another form than expected" not in finished.stderr
    return ReportPage(file)


def _by_tiling(results: dict[str, Any]) -> list[dict[str, Any]]:
    """Results on each tiling of a run."""
    return list(results["tilings"].values()) if "tilings" in results else [results]


def _requests_made(played: Stage) -> int:
    return 0 if played.server is None else len(played.server.received)
