"""``multinet report``: calls that are wrong."""

from pathlib import Path

import pytest

from support.commands import invoke
from support.runs import record_run
from support.worlds import draw


def test_a_run_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    run = record_run(tmp_path / "run", [draw("####\n#@G#\n####", max_steps=2)], "L").path
    result = invoke(["report", str(run), str(run.parent / "." / "run"), "-o", str(tmp_path / "page.html")])
    assert result.exit_code == 2, result.output
    assert "is given 2 times" in " ".join(result.stderr.split())


@pytest.mark.parametrize(("place", "told"), [("none/page.html", "does not exist"), ("", "is a folder")])
def test_a_place_where_no_page_can_be_is_refused(place: str, told: str, tmp_path: Path) -> None:
    run = record_run(tmp_path / "run", [draw("####\n#@G#\n####", max_steps=2)], "L").path
    result = invoke(["report", str(run), "-o", str(tmp_path / place)])
    assert result.exit_code == 2, result.output
    assert told in " ".join(result.stderr.split())
