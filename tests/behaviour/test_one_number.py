"""A run of variants and epochs has one success rate with one interval, in every output."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.commands import Finished, multinet
from support.model_servers import MODEL, ChatServer, Raw, failed, said
from support.pages import ReportPage

MAZES = {"near": (2, 3, 4), "far": (4, 5), "very-far": (7,)}
"""Base maze to the lengths of the corridors that are its variants."""
EPOCHS = 3
EXPERIMENT = """
[base]
suite = "tasks"
model = "random"
epochs = 3
backend_arguments.render_mode = "none"
[[condition]]
name = "plain"
"""


def write_mazes(folder: Path) -> None:
    folder.mkdir()
    for base, lengths in MAZES.items():
        for length in lengths:
            task = {
                "task_id": f"{base}-{length}",
                "seed": length,
                "difficulty_tier": 1,
                "maze": {"dimensions": [length + 3, 3], "walls": [], "start": [1, 1], "goal": [length + 1, 1]},
                "goal": {"type": "reach_position"},
                "max_steps": 30,
                "metadata": {"base_id": base},
            }
            (folder / f"{base}-{length}.json").write_text(json.dumps(task), encoding="utf-8")


def done(finished: Finished) -> Finished:
    assert finished.exit_code == 0, finished.stderr
    return finished


def told(*arguments: object) -> Any:
    return json.loads(done(multinet(*arguments, "--json")).stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of two models on six tasks of three mazes, three times each; `said` is what the first one ends with."""
    folder = tmp_path_factory.mktemp("one")
    write_mazes(folder / "tasks")
    (folder / "one.toml").write_text(EXPERIMENT, encoding="utf-8")
    for model in ("random", "optimal"):
        options = ("--task-dir", folder / "tasks", "--epochs", EPOCHS, "-B", "render_mode=none")
        finished = done(multinet("eval", "--model", model, *options, "--run-dir", folder / model))
        (folder / f"{model}.txt").write_text(finished.stdout, encoding="utf-8")
    return folder


def by_hand(results: dict[str, Any]) -> float:
    """The mean over mazes of the mean over their tasks of the mean over epochs."""
    means = []
    for base, lengths in MAZES.items():
        tasks = [[each for each in results["task_results"] if each["task_id"] == f"{base}-{n}"] for n in lengths]
        means.append(sum(sum(each["success"] for each in task) / len(task) for task in tasks) / len(tasks))
    return sum(means) / len(means)


def test_every_output_shows_the_same_rate_and_interval(folder: Path) -> None:
    run, other = folder / "random", folder / "optimal"
    results = json.loads((run / "results.json").read_text(encoding="utf-8"))
    done(multinet("report", run, other, "-o", folder / "page.html"))
    page = ReportPage(folder / "page.html").runs[0]["whole"]
    compared = told("compare", run, other)
    board = told("leaderboard", run, other)
    ranked = next(each for each in board["table"] if each["model"] == "random")
    (pair,), (difference,) = ([each for each in board["pairs"] if each["axis"] == "all"], compared["differences"])
    for name in ("mazes", "difference", "interval_low", "interval_high", "p_value"):
        assert pair[name] == difference[name]
    assert "Families of tests, by part: all: 1 test." in done(multinet("leaderboard", run, other)).stdout
    rescored = told("runs", "rescore", run, "--metric", "success")["runs"][0]
    (row,) = told("experiment", "run", folder / "one.toml", "-o", folder / "experiment")["runs"]
    shown = {
        "results": (results["success_rate"], *results["success_interval"]),
        "tier": (results["tiers"]["1"]["success_rate"], *results["tiers"]["1"]["success_interval"]),
        "page": (page["rate"], *page["interval"]),
        "compare": tuple(compared["runs"][0][name] for name in ("score", "interval_low", "interval_high")),
        "leaderboard": (ranked["success"], ranked["success_interval_low"], ranked["success_interval_high"]),
        "rescore": (rescored["value"], rescored["interval_low"], rescored["interval_high"]),
        "experiment": (row["results"]["success_rate"], *row["results"]["success_interval"]),
    }
    expected = by_hand(results)
    assert 0 < expected < 1
    assert [results[f"num_{each}"] for each in ("mazes", "tasks", "episodes")] == [3, 6, 18]
    assert expected != pytest.approx(results["num_success"] / results["num_episodes"])
    assert {each["estimators"] for each in (results, compared, told("runs", "rescore", run))} == {3}
    for name, found in shown.items():
        assert found == pytest.approx(shown["results"], abs=1e-12), name
    assert shown["results"][0] == pytest.approx(expected)
    low, high = (f"{end:.0%}" for end in results["success_interval"])
    said = (folder / "random.txt").read_text(encoding="utf-8")
    assert f"success rate {expected:.0%} (95 % interval {low} to {high}): 3 mazes, 6 tasks, 18 episodes, " in said


def test_a_page_shows_the_plays_of_a_task_as_results_do(folder: Path) -> None:
    results = json.loads((folder / "random" / "results.json").read_text(encoding="utf-8"))
    done(multinet("report", folder / "random", "-o", folder / "plays.html"))
    page = ReportPage(folder / "plays.html").runs[0]["whole"]
    assert page["pass_rates"] == results["pass_rates"]
    assert [each["k"] for each in page["pass_rates"]] == [1, 2, 3]
    for part in ("variance_between_mazes", "variance_between_plays"):
        assert page[part] == results[f"success_{part}"]


def test_a_calibration_shows_the_same_rate_and_of_how_many_mazes_its_tasks_are(folder: Path) -> None:
    run, other = folder / "random", folder / "optimal"
    results = json.loads((run / "results.json").read_text(encoding="utf-8"))
    calibrated = told("calibrate", run, other)
    rates = {row["entry"]: row["success"] for row in calibrated["models"]}
    assert rates == {"random": results["success_rate"], "optimal": 1.0}
    assert calibrated["mazes"] == len(MAZES)
    assert "6 tasks are of 3 mazes and count as independent" in done(multinet("calibrate", run, other)).stdout


def now_and_then(body: dict[str, Any], number: int) -> Raw:
    """Walks to the goal, but turns away in every third twenty of answers."""
    return said("move_forward" if number // 20 % 3 else "turn_left")


def out_of_sorts(body: dict[str, Any], number: int) -> Raw:
    """Walks, but is busy one time in four, and talks one time in seven."""
    if number % 4 == 1:
        return failed(503, "busy", Retry_After="0")
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    return said(text="Let us see.", usage=usage) if number % 7 == 3 else said("move_forward", usage=usage)


MODELS = """
[base]
suite = "tasks"
observation = "text"
models = ["openai:model-a", "openai:model-b"]
base_url = "URL"
prices = { input = 10000, output = 20000 }
[[condition]]
name = "text-step"
"""


def test_requests_and_faults_are_counted_once_in_every_output(folder: Path) -> None:
    record, listed = folder / "studied", {"data": [{"id": "model-a"}, {"id": "model-b"}]}
    with ChatServer(out_of_sorts, models=Raw(200, json.dumps(listed).encode())) as server:
        (folder / "models.toml").write_text(MODELS.replace("URL", server.url), encoding="utf-8")
        printed = done(multinet("experiment", "run", folder / "models.toml", "-o", record, COLUMNS="140")).stdout
        studied = told("experiment", "run", folder / "models.toml", "-o", record)
    assert studied["spent"]["requests"] == len(server.bodies)
    rows = studied["runs"]
    total = next(line.split() for line in printed.splitlines() if line.startswith("total"))
    amounts = [sum(row[name] for row in rows) for name in ("requests", "answered", "actions", "tokens", "cost")]
    assert total[-5:] == [*(f"{amount:,}" for amount in amounts[:-1]), f"{amounts[-1]:.4g}"]
    for row in rows:
        run, file = record / row["folder"], folder / f"{row['folder']}.jsonl"
        done(multinet("runs", "export", run, "--format", "jsonl", "-o", file))
        exported = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        shown = told("runs", "show", run)
        page = _page(run).runs[0]
        whole, spent, results = page["whole"], shown["spent"], shown["results"]
        counts = {
            "export": [sum(each[name] for each in exported) for name in ("requests", "failed_requests", "answered")],
            "experiment": [row["requests"], row["failed_requests"], row["answered"]],
            "page": [whole["requests"], whole["failed_requests"], sum(page["answers"].values())],
            "show": [spent["requests"], spent["failed"], sum(results["outcomes"].values())],
            "episodes": [sum(each[name] for each in shown["episodes"]) for name in ("requests", "faults", "answered")],
            "results": [spent["requests"], spent["failed"], sum(e["answered"] for e in results["task_results"])],
        }
        sent, failed_, answered = counts["show"]
        assert set(map(tuple, counts.values())) == {(sent, failed_, answered)}
        assert (sent, failed_ > 0, page["faults"]) == (failed_ + answered, True, shown["faults"])
        costs = [sum(each["cost"] for each in exported), row["cost"], whole["cost"], spent["cost"], results["cost"]]
        assert costs == pytest.approx([costs[0]] * len(costs))


@pytest.mark.more
def test_a_diagnosis_shows_the_rate_and_the_difference_of_its_runs(folder: Path) -> None:
    record = folder / "diagnosis"
    with ChatServer(now_and_then) as server:
        options = ("-m", "openai", "-M", f"base_url={server.url}", "-M", f"model={MODEL}", "--observation", "text")
        found = told("diagnose", folder / "tasks", *options, "--epochs", EPOCHS, "--contrasts", "--run-dir", record)
    compared = told("compare", record / "transcription", record / "text", "--by", "eliciting", "--by", "prompt")
    for row, way in zip(compared["runs"], ("transcription", "text"), strict=True):
        results = json.loads((record / way / "results.json").read_text(encoding="utf-8"))
        success = found["success"][way]
        assert (success["score"], *success["interval"]) == (row["score"], row["interval_low"], row["interval_high"])
        assert success["interval"] == results["success_interval"]
    assert 0 < compared["runs"][0]["score"] < 1
    (row,) = compared["differences"]
    (contrast,) = (each for each in found["contrasts"] if each["name"] == "reading")
    assert contrast["difference"] == -row["difference"]
    assert contrast["interval"] == [-row["interval_high"], -row["interval_low"]]
    assert (contrast["p_value"], contrast["mazes"]) == (row["p_value"], row["mazes"])


def test_a_probing_shows_the_same_scores_on_its_page(folder: Path) -> None:
    record = folder / "probing"
    with ChatServer(lambda body, number: said(text='{"answer": "A"}')) as server:
        options = ("-m", "openai", "-M", f"base_url={server.url}", "-M", f"model={MODEL}", "--observation", "text")
        found = told("probe", folder / "tasks", *options, "--probe", "cell", "--run-dir", record)
    done(multinet("report", record, "-o", folder / "probing.html"))
    (probing,) = ReportPage(folder / "probing.html").index["probings"]
    (shown,), measure = probing["scores"], found["probes"][0]["measures"][0]
    assert 0 < measure["score"] < 1
    assert measure["mazes"] == len(MAZES)
    assert (shown["score"], shown["mazes"], shown["interval"]) == (
        measure["score"],
        measure["mazes"],
        measure["interval"],
    )


def test_a_report_of_two_runs_shows_their_paired_difference_as_a_comparison_does(folder: Path) -> None:
    run, other = folder / "random", folder / "optimal"
    done(multinet("report", run, other, "-o", folder / "pair.html"))
    difference = ReportPage(folder / "pair.html").index["difference"]
    (row,) = told("compare", run, other)["differences"]
    assert f"{row['difference']:+.3f}, 95 % interval {row['interval_low']:+.3f} to " in difference
    assert f"p = {row['p_value']:.3f} ({row['test']})" in difference
    done(multinet("report", run, "-o", folder / "single.html"))
    assert ReportPage(folder / "single.html").index["difference"] is None


def test_a_report_of_two_runs_says_in_what_else_they_differ_and_what_is_missing(folder: Path) -> None:
    options = ("--task-dir", folder / "tasks", "--epochs", EPOCHS, "-B", "render_mode=none", "--observation", "none")
    stopped = multinet("eval", "--model", "optimal", *options, "--max-requests", 20, "--run-dir", folder / "part")
    assert stopped.exit_code == 1
    left = sum(each["state"] != "finished" for each in _episodes(folder / "part"))
    done(multinet("report", folder / "random", folder / "part", "-o", folder / "part.html"))
    difference = ReportPage(folder / "part.html").index["difference"]
    assert left > 0
    assert f" {left} episodes without a score left out." in difference
    assert "The runs also differ in presentation.observation." in difference


def _page(run: Path) -> ReportPage:
    done(multinet("report", run, "-o", run.with_suffix(".html")))
    return ReportPage(run.with_suffix(".html"))


def _episodes(run: Path) -> list[dict[str, Any]]:
    episodes: list[dict[str, Any]] = _page(run).runs[0]["episodes"]
    return episodes


def test_no_test_is_named_where_no_maze_differs(folder: Path) -> None:
    again = folder / "again"
    options = ("--task-dir", folder / "tasks", "--epochs", EPOCHS, "-B", "render_mode=none", "--run-dir", again)
    done(multinet("eval", "--model", "optimal", *options, "--quiet"))
    (row,) = told("compare", folder / "optimal", again)["differences"]
    assert (row["test"], row["p_value"]) == ("no difference", 1)
    assert row["interval_low"] < 0 < row["interval_high"]
