"""Each condition changes what it names and nothing else: prompts after two steps, as files to be looked at.

Where a change is meant, write them anew: ``multinet experiment preview X.toml --step 2 --differences > X.txt``.
"""

import re
from pathlib import Path

import pytest

from gridworld.runner.presentation import Presentation
from multinet_eval.experiments.experiment_file import read_experiment
from multinet_eval.experiments.keys import fields_of
from support.commands import invoke

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.toml"))
DIGEST = re.compile(r"(?<=\]) [0-9a-f]{8}$", re.MULTILINE)
"""Of a picture, which may be drawn otherwise with another version of a library."""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_setting_changes_what_it_names(file: Path) -> None:
    shown = invoke(["experiment", "preview", file, "--step", "2", "--differences"])
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert DIGEST.sub("", shown.stdout) == DIGEST.sub("", file.with_suffix(".txt").read_text(encoding="utf-8"))


def test_everything_that_a_model_can_be_given_is_varied_alone_in_one_of_them() -> None:
    conditions = [condition for file in FILES for condition in read_experiment(file).conditions]
    assert set(fields_of(Presentation)) <= {key for each in conditions if len(each.varied) == 1 for key in each.varied}
