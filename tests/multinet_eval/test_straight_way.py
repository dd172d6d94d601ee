"""The way from `evaluate_task` to a model and to the kernel is short, and nothing on it calls back."""

import inspect
from typing import Any

import pytest

from gridworld.model_interface import ModelInput, ModelOutput
from gridworld.world import episode
from gridworld_minigrid import MiniGridBackend
from multinet_eval import EvaluationHarness
from support.runs import ScriptedModel
from support.worlds import corridor

OURS = ("gridworld", "multinet_eval")


def frames_since(function: str) -> list[tuple[str, str]]:
    """(module, function) of our frames from a function of this name to the caller of this one, outermost first."""
    stack = [(frame.frame.f_globals["__name__"], frame.function) for frame in inspect.stack()[2:]]
    ours = [each for each in stack if each[0].split(".")[0] in OURS or each[0].startswith("gridworld_")]
    return [*reversed(ours[: [name for _, name in ours].index(function) + 1])]


def play(model: ScriptedModel) -> None:
    EvaluationHarness(model, MiniGridBackend(render_mode=None)).evaluate_task(corridor("@.G"))


def assert_straight(frames: list[tuple[str, str]], at_most: int) -> None:
    assert len(frames) <= at_most, frames
    modules = [module for module, _ in frames]
    left = [module for number, module in enumerate(modules) if number and modules[number - 1] != module]
    assert len(set(left)) == len(left), f"a module is entered again: {frames}"
    assert modules[0] not in left


def test_few_frames_lie_between_the_harness_and_the_model() -> None:
    found: list[list[tuple[str, str]]] = []

    class Watching(ScriptedModel):
        def predict(self, input: ModelInput) -> ModelOutput:
            found.append(frames_since("evaluate_task"))
            return super().predict(input)

    play(Watching("FF"))
    assert len(found) == 2
    for frames in found:
        assert_straight(frames, at_most=9)


def test_few_frames_lie_between_the_harness_and_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[list[tuple[str, str]]] = []
    transition = episode.transition

    def watched(*arguments: Any) -> Any:
        found.append(frames_since("evaluate_task"))
        return transition(*arguments)

    monkeypatch.setattr(episode, "transition", watched)
    play(ScriptedModel("FF"))
    assert len(found) == 2
    for frames in found:
        assert_straight(frames, at_most=15)
