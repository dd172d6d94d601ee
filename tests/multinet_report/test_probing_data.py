"""Probings on pages: what was asked at each moment, how it was graded, and what the board looked like."""

import json
from pathlib import Path
from typing import Any

import attrs
import pytest

from gridworld.plugins import get_registry, using_registry
from gridworld.world.looks import look_at
from multinet_eval.probing.probe_directory import ProbeDirectory
from multinet_eval.probing.report import report_on
from multinet_eval.probing.running import load_probes, make_scenes
from multinet_eval.record.record_folders import RunError
from multinet_report.report import make_report
from support.pages import blocks_of, record_probing
from support.runs import PROBES


@pytest.fixture(scope="module")
def probing(tmp_path_factory: pytest.TempPathFactory) -> ProbeDirectory:
    """One on two tilings, whose model says of everything that it is on [1, 1]."""
    return record_probing(tmp_path_factory.mktemp("probings") / "probing")


@pytest.fixture(scope="module")
def data(probing: ProbeDirectory) -> dict[str, Any]:
    """The blocks of its page."""
    return blocks_of(make_report([probing.path]).text)


def test_every_answer_is_shown_at_its_moment_as_it_was_given(probing: ProbeDirectory, data: dict[str, Any]) -> None:
    (shown,) = data["index"]["probings"]
    questions = {
        (row["task"], row["tiling"], row["walk"], row["step"], each["probe"], each["text"], each["raw"])
        for row in shown["moments"]
        for each in data[row["block"]]["questions"]
    }
    assert questions == {
        (*attrs.astuple(each.place)[:-1], each.question.text, each.requests[-1].raw_output)
        for each in probing.answered()
    }
    assert shown["problems"] == []


def test_scores_are_those_of_the_probing(probing: ProbeDirectory, data: dict[str, Any]) -> None:
    reports = report_on(probing.answered(), load_probes(PROBES), {})
    expected = {each.probe: each.measures[0].score for each in reports}
    (shown,) = data["index"]["probings"]
    assert {row["probe"]: row["score"] for row in shown["scores"]} == expected
    right = sum(row["right"] for row in shown["moments"])
    assert 0 < right < sum(row["asked"] for row in shown["moments"])


def test_boards_are_those_that_were_asked_about(probing: ProbeDirectory, data: dict[str, Any]) -> None:
    (shown,) = data["index"]["probings"]
    manifest = probing.manifest
    scenes = list(make_scenes(manifest.run.settings, manifest.probing, probing.tasks()))
    assert len(scenes) == len(shown["moments"])
    for scene, row in zip(scenes, shown["moments"], strict=True):
        board = data[row["block"]]["board"]
        assert board["agent"][:2] == [scene.state.cell, scene.state.heading]
        assert data[board["scene"]]["goal"] is not None
        walls = [bool(look and look[0]) for look in board["looks"]]
        cells = range(scene.topology.cell_count)
        assert walls == [look_at(scene.world, scene.state, cell, scene.snapshot.knowledge.met).wall for cell in cells]


def test_cells_in_questions_and_answers_are_marked(data: dict[str, Any]) -> None:
    questions = [each for name, block in data.items() if name.startswith("moment-") for each in block["questions"]]
    found = [each for each in questions if each["probe"] == "find" and each["right"]["cell"] is not None]
    assert found
    assert all(each["cells"] == {"asked": [], "right": [each["right"]["cell"]], "said": [[1, 1]]} for each in found)
    assert all(len(each["cells"]["asked"]) == 1 for each in questions if each["probe"] == "cell")


def test_where_a_probe_is_missing_answers_are_shown_without_grades(probing: ProbeDirectory) -> None:
    with using_registry(get_registry().with_provided("probe", ())):
        made = make_report([probing.path])
    assert any("no grades" in problem for problem in made.probings[0].problems)
    block = blocks_of(made.text)[made.probings[0].data["moments"][0]["block"]]
    assert {each["verdict"] for each in block["questions"]} == {"not graded"}
    assert block["board"] is not None


def test_where_a_tiling_is_missing_answers_are_shown_without_boards(probing: ProbeDirectory) -> None:
    with using_registry(get_registry().with_provided("tiling", ())):
        made = make_report([probing.path])
    assert any("no boards" in problem for problem in made.probings[0].problems)
    assert made.probings[0].data["moments"][0]["right"] >= 0


@pytest.mark.parametrize("line", ["{}", "5", "null", '"answer"'])
def test_an_answer_that_cannot_be_read_is_an_error_that_names_its_line(tmp_path: Path, line: str) -> None:
    folder = record_probing(tmp_path / "probing", tilings=("square",)).path
    answers = folder / "answers.jsonl"
    answers.write_text(f"{line}\n" + answers.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(RunError, match=r"answers\.jsonl, line 1"):
        make_report([folder])


def test_a_right_answer_that_no_page_can_show_is_an_error(tmp_path: Path) -> None:
    folder = record_probing(tmp_path / "probing", tilings=("square",)).path
    answers = folder / "answers.jsonl"
    first, *rest = answers.read_text(encoding="utf-8").splitlines(keepends=True)
    changed = json.loads(first)
    changed["question"]["right"]["more"] = float("nan")
    answers.write_text("".join([json.dumps(changed) + "\n", *rest]), encoding="utf-8")
    with pytest.raises(RunError, match="NaN is not a number"):
        make_report([folder])
