"""Each condition changes what it names and nothing else: prompts after two steps, as files to be looked at.

Where a change is meant, write them anew: ``multinet experiment preview X.toml --step 2 --differences > X.txt``.
"""

import re
from pathlib import Path

from gridworld.runner.presentation import Presentation
from multinet_eval.experiments.experiment_file import read_experiment
from multinet_eval.experiments.keys import fields_of
from support.commands import invoke

FILE = Path(__file__).with_name("one_setting.toml")
ELSEWHERE = {"context_steps", "context_images", "feedback", "examples_from"}
"""Settings that change nothing alone, or only after other answers."""
DIGEST = re.compile(r"(?<=\]) [0-9a-f]{16}$", re.MULTILINE)
"""Of a picture, which may be drawn otherwise with another version of a library."""


def test_a_setting_changes_what_it_names() -> None:
    shown = invoke(["experiment", "preview", FILE, "--step", "2", "--differences"])
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert DIGEST.sub("", shown.stdout) == DIGEST.sub("", FILE.with_suffix(".txt").read_text(encoding="utf-8"))


def test_everything_that_a_model_can_be_given_is_varied_alone() -> None:
    varied = {key for each in read_experiment(FILE).conditions if len(each.varied) == 1 for key in each.varied}
    assert set(fields_of(Presentation)) <= varied | ELSEWHERE
