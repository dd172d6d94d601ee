"""Checks of plugins' objects when they are made by name, or given to a harness."""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import pytest

from gridworld.errors import PluginFault
from gridworld.hookspecs import BackendInfo, ModelInfo, ObserverInfo, ProtocolInfo
from gridworld.model_interface import ReplyForm
from gridworld.plugins import Provided, get_registry, using_registry
from multinet_eval import EvaluationHarness
from multinet_eval.play.observers import make_observer
from multinet_eval.settings.asking import Protocol, StepByStep
from multinet_eval.settings.plugin_objects import make_backend, make_model, make_protocol
from support.runs import ScriptedModel


class Nameless(ScriptedModel):
    """Has no name."""

    model_name: Any = None


class Blank(ScriptedModel):
    """Has a name that cannot be seen."""

    model_name: Any = " "


class Shy(ScriptedModel):
    """Fails to say its name, in a function that the standard library calls."""

    @cached_property
    def model_name(self) -> str:
        raise LookupError("who?")


class Method(ScriptedModel):
    """Has a method in place of a name."""

    def model_name(self) -> str:  # type: ignore[override]  # as whoever forgets @property does
        return "method"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Nameless, "returned None, expected a non-empty string"),
        (Blank, "returned ' ', expected a non-empty string"),
        (Shy, "LookupError: who? (test_plugin_objects.py, "),
        (Method, "returned <bound method"),
    ],
)
def test_a_model_without_a_name_to_be_reported_under_is_refused(model: type[ScriptedModel], message: str) -> None:
    provided = Provided(ModelInfo("x", "Nobody.", f"{__name__}:{model.__name__}"), "makers", "models")
    with using_registry(get_registry().with_provided("model", [provided])), pytest.raises(PluginFault) as caught:
        make_model("x", [])
    assert str(caught.value).startswith(f"model 'x' (makers/models) failed in model_name: {message}")
    with pytest.raises(PluginFault) as caught:
        EvaluationHarness(model())
    assert str(caught.value).startswith(f"model '{__name__}.{model.__name__}' failed in model_name: {message}")


NUMBER = 7


def test_uncallable_targets_are_refused() -> None:
    target = f"{__name__}:NUMBER"
    registry = get_registry()
    for info in (ModelInfo, ProtocolInfo, BackendInfo, ObserverInfo):
        kind = info.__name__.removesuffix("Info").lower()
        registry = registry.with_provided(kind, [Provided(info("x", "A number.", target), "makers", "numbers")])
    made: list[Callable[[], object]] = [
        partial(make_model, "x", []), partial(make_protocol, "x"), partial(make_backend, "x", []),
        partial(make_observer, "x", []),
    ]  # fmt: skip
    for make in made:
        with (
            using_registry(registry),
            pytest.raises(PluginFault, match=f"failed in target: cannot load '{target}': it is 7, expected a c"),
        ):
            make()


class Undecided(ScriptedModel):
    """Fails to say what it can reply."""

    def can_reply(self, form: ReplyForm) -> bool:
        raise LookupError("no idea")


def test_a_model_that_does_not_say_what_it_can_reply_is_named() -> None:
    with pytest.raises(PluginFault, match=r"^model 'scripted' failed in can_reply: LookupError: "):
        EvaluationHarness(Undecided())


class Mute(StepByStep):
    """Has a method, which asks for more, in place of the form of replies."""

    def reply(self, form: ReplyForm) -> ReplyForm:  # type: ignore[override]  # as whoever forgets @property does
        return form


class Lost(StepByStep):
    """Fails to say what a reply holds."""

    @property
    def reply(self) -> ReplyForm:
        raise LookupError("no form")


class Boundless(StepByStep):
    """Says how many replies there may be in a word."""

    max_replies: Any = "many"


@pytest.mark.parametrize(
    ("protocol", "message"),
    [
        (Boundless, "max_replies: returned 'many', expected a whole number, or None"),
        (Mute, "reply: returned <bound method Mute.reply"),
        (Lost, "reply: LookupError: no form ("),
    ],
)
def test_a_silent_protocol_is_refused(protocol: type[Protocol], message: str) -> None:
    with pytest.raises(PluginFault) as caught:
        EvaluationHarness(ScriptedModel(), protocol=protocol())
    assert str(caught.value).startswith(f"protocol '{__name__}.{protocol.__name__}' failed in {message}")
