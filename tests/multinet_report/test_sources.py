"""What a page is made of, by what is recorded in the folders that are given."""

from pathlib import Path

import pytest

from gridworld.errors import ArgumentError
from multinet_eval.record.record_folders import DIAGNOSIS, EXPERIMENT, RunError, record_text
from multinet_report.report import make_report
from multinet_report.sources import find_sources
from support.pages import blocks_of
from support.runs import record_run
from support.worlds import draw

ROOM = "#####\n#@.G#\n#####"


def record_experiment(folder: Path, *begun: str) -> Path:
    """Two conditions of one run each, of which some have been begun."""
    runs = [{"folder": f"{name}-run", "condition": name} for name in ("image", "text")]
    for run in runs:
        if run["condition"] in begun:
            record_run(folder / run["folder"], [draw(ROOM)], "FF")
    folder.mkdir(exist_ok=True)
    (folder / "experiment.json").write_text(record_text({"runs": runs}, EXPERIMENT), encoding="utf-8")
    return folder


def test_the_runs_of_an_experiment_are_shown_with_their_conditions(tmp_path: Path) -> None:
    folder = record_experiment(tmp_path / "study", "image", "text")
    runs = blocks_of(make_report([folder], max_states=0).text)["index"]["runs"]
    assert [(run["name"], run["condition"]) for run in runs] == [("image-run", "image"), ("text-run", "text")]
    assert [run["differs"] for run in runs] == ["", ""]  # but for what their conditions say


def test_runs_that_have_not_been_begun_are_left_out(tmp_path: Path) -> None:
    begun = record_experiment(tmp_path / "begun", "text")
    assert [each.condition for each in find_sources([begun]).runs] == ["text"]
    with pytest.raises(ArgumentError, match="no run has started"):
        make_report([record_experiment(tmp_path / "none")])


def test_the_runs_of_a_diagnosis_are_shown_by_their_ways_of_playing(tmp_path: Path) -> None:
    (tmp_path / "both").mkdir()
    (tmp_path / "both" / "diagnosis.json").write_text(record_text({}, DIAGNOSIS), encoding="utf-8")
    record_run(tmp_path / "both" / "ordinary", [draw(ROOM)], "FF")
    assert [each.condition for each in find_sources([tmp_path / "both"]).runs] == ["ordinary"]


@pytest.mark.parametrize("text", ["", "[]", *(record_text({"runs": runs}, EXPERIMENT) for runs in (3, [{}]))])
def test_an_experiment_that_is_damaged_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "experiment.json").write_text(text, encoding="utf-8")
    with pytest.raises(RunError, match=r"experiment\.json"):
        find_sources([tmp_path])
