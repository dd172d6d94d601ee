"""The benchmark program: its output, its figures, and unknown names."""

import json
from pathlib import Path

import pytest

from support.programs import run


def refuse(*arguments: str | Path) -> str:
    """The message of a call that is refused before anything is measured."""
    finished = run("benchmarks/__main__.py", *arguments)
    assert (finished.returncode, finished.stdout) == (2, "")
    return finished.stderr


@pytest.mark.more
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


@pytest.mark.more
@pytest.mark.parametrize("content", ["nothing", "{}", "[]"])
def test_a_file_without_figures_is_refused_before_anything_is_measured(content: str, tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    figures.write_text(content, encoding="utf-8")
    for path in (figures, tmp_path, tmp_path / "nowhere" / "figures.json"):
        assert f"--json {path}: " in refuse("--only", "steps.kernel", "--json", path)
    assert figures.read_text(encoding="utf-8") == content


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--only", "stepz"), "--only stepz: there is no such benchmark; did you mean steps?"),
        (("--rounds", "0"), "--rounds is at least 1, and --scale a number above 0"),
        (("--scale", "nan"), "--rounds is at least 1, and --scale a number above 0"),
    ],
)
def test_what_cannot_be_measured_is_refused(arguments: tuple[str, ...], message: str) -> None:
    assert message in refuse(*arguments)
