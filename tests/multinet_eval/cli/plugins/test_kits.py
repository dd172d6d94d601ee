"""The kits of multinet-eval pass what is installed, and each of their checks catches a broken plugin."""

import random
from typing import Any

import pytest

from gridworld.hookspecs import MetricInfo, ObserverInfo, ProbeInfo, ProtocolInfo
from gridworld.model_interface import ReplyForm
from gridworld.plugins import get_registry
from multinet_eval import metric
from multinet_eval.analysis.metrics.aggregation import MEAN
from multinet_eval.cli.plugins.kits import FURTHER_KITS
from multinet_eval.play.observers import RunObserver
from multinet_eval.probing.probe import Grade, Probe, ProbeQuestion, verdict
from multinet_eval.settings.asking import StepByStep
from support.sample_plugins import assert_caught, assert_conforms, assert_has_broken_ones

INFOS = {"observer": ObserverInfo, "protocol": ProtocolInfo, "probe": ProbeInfo, "metric": MetricInfo}


@pytest.mark.parametrize("kind", ["protocol", "probe"])
def test_what_is_installed_conforms(kind: str) -> None:
    for provided in get_registry().catalog(kind):
        assert_conforms(FURTHER_KITS[kind], **{kind: provided.item.name})


class Dropped(RunObserver):
    def step_taken(self, *told: Any) -> None:
        raise OSError("no disk")


class Mute(StepByStep):
    reply: ReplyForm = None  # type: ignore[assignment]


class Vague(StepByStep):
    def goes_on(self, after: Any, came_into_view: bool) -> Any:
        return "maybe"


class Whereabouts(Probe):
    """Asks where the agent is."""

    def questions(self, scene: Any, dice: random.Random) -> Any:
        yield ProbeQuestion("Where?", {"cell": list(scene.agent)})

    def read(self, question: ProbeQuestion, said: Any) -> Any:
        return tuple(said["cell"])

    def grade(self, question: ProbeQuestion, truth: Any, answer: Any) -> Any:
        return Grade({"right": verdict(truth == answer)})


class Silent(Whereabouts):
    def questions(self, scene: Any, dice: random.Random) -> Any:
        return []


class Random(Whereabouts):
    def questions(self, scene: Any, dice: random.Random) -> Any:
        yield ProbeQuestion(str(random.random()), {"cell": [1, 1]})


class Strict(Whereabouts):
    def grade(self, question: ProbeQuestion, truth: Any, answer: Any) -> Any:
        return Grade({"right": verdict(False)})


def plain(episode: Any) -> float:
    return 1.0


@metric(MEAN)
def distance_in_words(episode: Any) -> Any:
    """Distance, in words."""
    return "far"


OWN_ANSWERS = "its_own_answers_are_right"
REPLY = "it_says_what_a_reply_holds_and_when_to_ask_again"

BROKEN = [
    ("observer", "it_follows_a_run", "Dropped"),
    ("protocol", REPLY, "Mute"),
    ("protocol", REPLY, "Vague"),
    ("probe", OWN_ANSWERS, "Silent"),
    ("probe", OWN_ANSWERS, "Random"),
    ("probe", OWN_ANSWERS, "Strict"),
    ("metric", "its_target_is_of_its_kind", "plain"),
    ("metric", "it_measures_a_run", "distance_in_words"),
]


@pytest.mark.parametrize(("kind", "check", "name"), BROKEN)
def test_a_broken_plugin_is_caught(kind: str, check: str, name: str) -> None:
    info = INFOS[kind](name, "Broken.", f"{__name__}:{name}")
    assert_caught(FURTHER_KITS[kind], check, **{kind: info})


@pytest.mark.parametrize("kind", FURTHER_KITS)
def test_every_check_has_a_broken_plugin(kind: str) -> None:
    checks = [check for each, check, _ in BROKEN if each == kind]
    assert_has_broken_ones(FURTHER_KITS[kind], checks)


def test_a_sound_probe_and_metric_conform() -> None:
    probe = ProbeInfo("whereabouts", "Asks where the agent is.", f"{__name__}:Whereabouts")
    assert_conforms(FURTHER_KITS["probe"], probe=probe)
    assert_conforms(FURTHER_KITS["metric"], metric="spl")
