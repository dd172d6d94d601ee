"""The benchmark program: its output, its figures, and unknown names."""

import json
import os
import signal
from pathlib import Path

import pytest

from support.programs import run, start


def refuse(*arguments: str | Path) -> str:
    """The message of a call that is refused before anything is measured."""
    finished = run("benchmarks/__main__.py", *arguments)
    assert (finished.returncode, finished.stdout) == (2, "")
    return finished.stderr


def test_ratios_are_printed_first_and_figures_are_kept_beside_those_of_other_sections(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    other = {"name": "other", "value": 1.0, "unit": "s", "least": None, "most": None, "note": ""}
    figures.write_text(json.dumps({"sections": {"solver.large": [other]}}), encoding="utf-8")
    options = ("--only", "startup.programs", "--rounds", "1", "--scale", "0.1", "--json", figures)
    finished = run("benchmarks/__main__.py", *options)
    assert finished.returncode == 0, finished.stderr
    title, *lines = finished.stdout.split("\n")[1:-1]
    assert title == "startup.programs"
    sections = json.loads(figures.read_text(encoding="utf-8"))["sections"]
    assert list(sections) == ["startup.programs", "solver.large"]
    assert sections["solver.large"] == [other]
    programs = sections["startup.programs"]
    assert [program["name"] for program in programs] == [
        "bare Typer program --help",
        "multinet-run-eval --help",
        "multinet plugins list",
        "--benchmark validation_10 --model random",
    ]
    for line, program in zip(lines, programs, strict=True):
        assert program["least"] <= program["value"] <= program["most"]
        assert line.split()[:2] == [f"{program['value'] / programs[0]['value']:,.3g}", "x"]
        assert program["name"] in line


@pytest.mark.parametrize("content", ["nothing", "{}", "[]"])
def test_a_file_without_figures_is_refused_before_anything_is_measured(content: str, tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    figures.write_text(content, encoding="utf-8")
    for path in (figures, tmp_path, tmp_path / "nowhere" / "figures.json"):
        assert f"--json {path}: " in refuse("--only", "steps.kernel", "--json", path)
    assert figures.read_text(encoding="utf-8") == content


def test_an_interrupted_measure_ends_without_a_traceback() -> None:
    with start("benchmarks/__main__.py", "--only", "solver.growth") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "\n"
        assert process.stdout.readline() == "solver.growth\n"
        process.stdout.readline()  # the first figure of many, which takes the least
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "")


@pytest.mark.parametrize(("name", "near"), [("stepz", "steps"), ("steps.kernl", "steps.kernel")])
def test_a_name_that_is_none_is_told_with_the_nearest(name: str, near: str) -> None:
    assert f"--only {name}: there is no such benchmark; did you mean {near}?" in refuse("--only", name)


@pytest.mark.parametrize("arguments", [("--rounds", "0"), ("--scale", "0"), ("--scale", "nan")], ids=" ".join)
def test_nothing_is_measured_without_effort(arguments: tuple[str, str]) -> None:
    assert "--rounds is at least 1, and --scale a number above 0" in refuse(*arguments)
