"""What of the settings decides results: said once, for runs, for experiments and for conditions that are equal."""

from typing import Any

import attrs
import pytest

from gridworld.runner.presentation import Presentation
from multinet_eval.experiments.experiment_file import ConditionRun, what_decides
from multinet_eval.record.fingerprint import result_settings
from multinet_eval.settings.asking import AnswerPolicies
from multinet_eval.settings.run_settings import CacheSettings, RunSettings
from multinet_eval.settings.spending import Prices

BASE = RunSettings("random")
DECIDE: dict[str, Any] = {
    "model": "greedy",
    "model_arguments": ("seed=5",),
    "backend": "multigrid",
    "backend_arguments": ("tile_size=9",),
    "tilings": ("hex",),
    "seed": 4,
    "presentation": Presentation("text"),
    "mission": "both",
    "protocol": "plan",
    "eliciting": "diagnosis",
    "policies": AnswerPolicies(on_refused="fail"),
    "max_states": 17,
    "budget_factor": "3",
}
WITHOUT_EFFECT: dict[str, Any] = {
    "epochs": 2,
    "compares_tilings": True,
    "prices": Prices(1, 2),
    "cache": CacheSettings("kept"),
}


def test_every_setting_is_tried() -> None:
    assert {*DECIDE, *WITHOUT_EFFECT, "briefing"} == {each.name for each in attrs.fields(RunSettings)}


@pytest.mark.parametrize("name", DECIDE)
def test_what_decides_makes_another_run_and_another_condition(name: str) -> None:
    other = attrs.evolve(BASE, **{name: DECIDE[name]})
    assert result_settings(other) != result_settings(BASE)
    if name != "backend_arguments":  # which the backend has to take, too
        assert what_decides(ConditionRun("a", "a", "s", other)) != what_decides(ConditionRun("b", "b", "s", BASE))


@pytest.mark.parametrize("name", WITHOUT_EFFECT)
def test_what_decides_nothing_makes_the_same_run(name: str) -> None:
    other = attrs.evolve(BASE, **{name: WITHOUT_EFFECT[name]})
    assert result_settings(other) == result_settings(BASE)
    if name != "epochs":  # more of the same is not the same
        assert what_decides(ConditionRun("a", "a", "s", other)) == what_decides(ConditionRun("b", "b", "s", BASE))


def test_a_default_that_is_named_makes_no_other_condition() -> None:
    named = RunSettings("random", model_arguments=("seed=0",), backend="minigrid", backend_arguments=("tile_size=32",))
    assert what_decides(ConditionRun("a", "a", "s", named)) == what_decides(ConditionRun("b", "b", "s", BASE))
