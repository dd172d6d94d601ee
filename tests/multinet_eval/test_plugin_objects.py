"""What plugins provide is checked when it is made by name."""

from typing import Any

import pytest

from evaluating import ScriptedModel
from gridworld.errors import PluginFault
from gridworld.hookspecs import ModelInfo
from gridworld.plugins import Provided, get_registry, using_registry
from multinet_eval.plugin_objects import make_model


class Nameless(ScriptedModel):
    """Has no name."""

    model_name: Any = None


class Blank(ScriptedModel):
    """Has a name that cannot be seen."""

    model_name: Any = " "


class Shy(ScriptedModel):
    """Fails to say its name."""

    @property
    def model_name(self) -> str:
        raise LookupError("who?")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Nameless, r"^model 'x' \(makers\): its model_name is None, expected a text that is not empty$"),
        (Blank, r"^model 'x' \(makers\): its model_name is ' ', expected a text that is not empty$"),
        (Shy, r"^model 'x' \(makers\) failed when it was asked for its model_name: LookupError: who\? \("),
    ],
)
def test_a_model_without_a_name_to_be_reported_under_is_refused(model: type[ScriptedModel], message: str) -> None:
    provided = Provided(ModelInfo("x", "Nobody.", f"{__name__}:{model.__name__}"), "makers", "models")
    with using_registry(get_registry().with_provided("model", [provided])), pytest.raises(PluginFault, match=message):
        make_model("x", [])
