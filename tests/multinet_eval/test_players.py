"""The model of a run is the one that its settings name."""

from pathlib import Path

import pytest

from gridworld.errors import ArgumentError
from multinet_eval.play.run import new_run
from multinet_eval.record.manifest import Suite
from multinet_eval.settings.plugin_objects import make_model, refuse_other_model
from multinet_eval.settings.run_settings import RunSettings
from support.runs import ScriptedModel
from support.worlds import corridor


def test_another_installed_model_is_refused(tmp_path: Path) -> None:
    told = r"the settings name model 'optimal' \(gridworld-core\), .* model 'random' \(gridworld-core\) was given"
    with pytest.raises(ArgumentError, match=told):
        new_run(RunSettings("optimal"), Suite("one", (corridor("@.G"),)), make_model("random", []), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["random", "gridworld-core/random"])
def test_the_model_that_is_named_may_play_whatever_its_name_is(name: str) -> None:
    refuse_other_model(RunSettings(name), make_model("random", []))


def test_a_model_that_is_not_installed_is_no_other_one_that_is() -> None:
    refuse_other_model(RunSettings("random"), ScriptedModel())
