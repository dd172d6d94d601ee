"""``multinet runs rescore``: says whether the results have changed, and prints metrics."""

import csv
import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gridworld.plugins import get_registry
from multinet_eval import read
from multinet_eval.record.run_directory import RunDirectory
from support.commands import run
from support.plugins import write_distribution
from support.programs import assert_refused

BROKEN_METRIC = """
from gridworld.hookspecs import MetricInfo, hookimpl


@hookimpl
def gridworld_metrics():
    return [MetricInfo("lacking", "Cannot be imported.", "nowhere:lacking")]
"""


def test_it_says_whether_anything_has_changed(copied: Callable[[str], Path]) -> None:
    path = copied("run")
    results = path / "results.json"
    good = results.read_text(encoding="utf-8")
    results.write_text(json.dumps({**json.loads(good), "spl": 0, "num_success": 3}), encoding="utf-8")
    for told in ("changed in num_success, spl", "is unchanged"):
        finished = run("multinet", "runs", "rescore", path, "--metric", "success")
        assert finished.returncode == 0
        assert finished.stderr == f"results.json of {path} {told}\n"
        assert results.read_text(encoding="utf-8") == good


def test_metrics_are_printed_by_run(copied: Callable[[str], Path]) -> None:
    one, two = copied("one"), copied("two")
    finished = run("multinet", "runs", "rescore", one, two, "--metric", "success", "--metric", "loss")
    rows = [line.split() for line in finished.stdout.splitlines() if line.startswith(("one ", "two "))]
    assert [row[:3] for row in rows] == [
        ["one", "success", "0.667"],
        ["one", "loss", "0.000"],
        ["two", "success", "0.667"],
        ["two", "loss", "0.000"],
    ]
    suite = RunDirectory(one).manifest.played_suite
    assert finished.stdout.splitlines()[-1] == f"suite: {suite.name} ({suite.digest[:8]})"


def test_an_undefined_metric_is_noted_with_its_documentation(copied: Callable[[str], Path]) -> None:
    finished = run("multinet", "runs", "rescore", copied("one"), "--metric", "success", "--metric", "composite")
    assert finished.stdout.endswith(
        "composite is undefined in every episode; for its definition: multinet plugins show composite\n"
    )
    assert "success is defined" not in finished.stdout


@pytest.mark.parametrize("by", ["task", "episode"])
def test_they_are_printed_by_task_and_by_episode(by: str, copied: Callable[[str], Path]) -> None:
    path = copied("run")
    finished = run("multinet", "runs", "rescore", path, "--by", by, "--metric", "progress_best", "--metric", "ended")
    assert finished.returncode == 0
    for row in read(path).metrics(["progress_best"], by="episode"):
        (line,) = (
            line
            for line in finished.stdout.splitlines()
            if row["task_id"] in line and "ended" not in line and f"{row['progress_best']:.3f}" in line
        )
        assert line


def test_json_has_all_tables_as_python_gives_them(copied: Callable[[str], Path]) -> None:
    path = copied("run")
    finished = run("multinet", "runs", "rescore", path, "--all", "--json")
    tables = json.loads(finished.stdout)
    assert tables.pop("estimators") == 3
    assert tables == {f"{by}s": json.loads(json.dumps(read(path).metrics(by=by))) for by in ("run", "task", "episode")}


def test_csv_has_one_table(copied: Callable[[str], Path]) -> None:
    path = copied("run")
    arguments = ("multinet", "runs", "rescore", path, "--metric", "steps", "--by", "episode", "--csv")
    printed = run(*arguments)
    rows = list(csv.DictReader(io.StringIO(printed.stdout)))
    assert [float(row["steps"]) for row in rows] == [row["steps"] for row in read(path).metrics(["steps"], "episode")]


def test_a_broken_metric_does_not_disturb_others(copied: Callable[[str], Path], tmp_path: Path) -> None:
    files = {"half_plugin.py": BROKEN_METRIC}
    write_distribution(tmp_path / "half", "half", "1.0", {"metrics": "half_plugin"}, files)
    path, options = copied("run"), {"path": [tmp_path / "half"]}
    complaint = "error: metric 'lacking' (half/metrics) failed in target: cannot load 'nowhere:lacking': "
    finished = run("multinet", "runs", "rescore", path, "--all", "--json", **options)
    assert finished.returncode == 1
    assert complaint in finished.stderr
    assert json.loads(finished.stdout) == json.loads(run("multinet", "runs", "rescore", path, "--all", "--json").stdout)
    named = run("multinet", "runs", "rescore", path, "--metric", "success", "--metric", "lacking", **options)
    assert_refused(named, complaint, exit_code=1)


FAILING_METRIC = """
from gridworld.hookspecs import MetricInfo, hookimpl
from multinet_eval import MEAN, metric


@hookimpl
def gridworld_metrics():
    return [MetricInfo(name, "One of two.", f"{__name__}:{name}") for name in ("fails_once", "success")]


@metric(MEAN)
def fails_once(episode):
    \"\"\"1 over the number of successes.\"\"\"
    return 1 / episode.result.success


@metric(MEAN)
def success(episode):
    \"\"\"Seven.\"\"\"
    return 7
"""


def test_failing_and_namesake_metrics_do_not_disturb_others(copied: Callable[[str], Path], tmp_path: Path) -> None:
    files = {"failing_plugin.py": FAILING_METRIC}
    write_distribution(tmp_path / "half", "half", "1.0", {"metrics": "failing_plugin"}, files)
    path, options = copied("run"), {"path": [tmp_path / "half"]}
    finished = run("multinet", "runs", "rescore", path, "--all", "--json", **options)
    assert finished.returncode == 1
    (complaint,) = (line for line in finished.stderr.splitlines() if line.startswith("error: "))
    assert "metric 'fails_once'" in complaint
    assert "ZeroDivisionError" in complaint
    rows = {row["metric"]: row for row in json.loads(finished.stdout)["runs"]}
    assert (rows["fails_once"]["value"], rows["fails_once"]["failed"]) == (1, 1)
    assert (rows["half/success"]["value"], rows["success"]["value"]) == (7, pytest.approx(2 / 3))
    for name in ("half/success", "success"):
        chosen = run("multinet", "runs", "rescore", path, "--metric", name, **options)
        assert chosen.returncode == 0
        assert f" {name} " in chosen.stdout


def test_weights_are_named_with_hash_and_refused_if_unused(copied: Callable[[str], Path], tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text("[composite.efficiency]\nsteps = 1\n", encoding="utf-8")
    path = copied("run")
    arguments = ("multinet", "runs", "rescore", path, "--weights", file, "--metric")
    finished = run(*arguments, "composite")
    assert f"weights of composite: own.toml, SHA-256 {hashlib.sha256(file.read_bytes()).hexdigest()}" in finished.stdout
    assert_refused(run(*arguments, "spl"), f"{file}: composite: no computed metric with this name has weights")


def test_credentials_of_the_backend_are_given_again(copied: Callable[[str], Path]) -> None:
    path = copied("run")
    manifest = path / "run.json"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace("tile_size=8", "tile_size=(not recorded)"), encoding="utf-8")
    arguments = ("multinet", "runs", "rescore", path, "--metric", "regret_total")
    assert_refused(run(*arguments), "credentials are not recorded: give -B tile_size=... again")
    assert run(*arguments, "-B", "tile_size=8").returncode == 0


def test_eight_metrics_are_computed_by_default(copied: Callable[[str], Path]) -> None:
    rows = json.loads(run("multinet", "runs", "rescore", copied("run"), "--json").stdout)["episodes"]
    chosen = {"success", "spl", "optimality_ratio", "ended", "steps", "progress_best", "regret_total", "loss"}
    assert rows[0].keys() & set(get_registry().metrics.names()) == chosen
