"""Models that answer open questions as a test plans it, and what is asked of them."""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from gridworld.model_interface import (
    AnswerOutcome,
    ModelInput,
    ModelOutput,
    OpenAnswer,
    OpenModel,
    PromptImage,
    PromptText,
)
from gridworld.observations.shown_cells import describe_heading
from gridworld.runner.record import Request
from gridworld.runner.rollout import kernel_of
from gridworld.suites import read_installed
from gridworld.task_spec import TaskSpecification
from gridworld.world.looks import show_thing
from gridworld.world.names import name_thing
from gridworld.world.state import NOTHING
from multinet_eval.probing.board import draw_board
from multinet_eval.probing.diagnosis import Diagnostician
from multinet_eval.probing.probe import Scene
from multinet_eval.probing.probe_directory import AnsweredQuestion
from multinet_eval.probing.questions import Asked, ProbeSettings
from multinet_eval.probing.running import make_questions, make_scenes
from multinet_eval.settings.plugin_objects import make_backend
from multinet_eval.settings.run_settings import RunSettings

__all__ = [
    "PROBES",
    "AskedModel",
    "answered",
    "diagnostician_of",
    "perfect_reply",
    "questions_about",
    "scenes_of",
]

PROBES = ("board", "cell", "distance", "effects", "find", "front", "listing", "pose")


class AskedModel(OpenModel):
    """Says what a function makes of the parts of a question; keeps what it was asked."""

    def __init__(self, say: Callable[[Sequence[PromptText | PromptImage]], str] = lambda parts: "{}") -> None:
        self._say = say
        self.asked: list[Sequence[PromptText | PromptImage]] = []

    @property
    def model_name(self) -> str:
        return "asked"

    @property
    def shareable(self) -> bool:
        return True

    def ask(self, parts: Sequence[PromptText | PromptImage]) -> OpenAnswer:
        self.asked.append(parts)
        return OpenAnswer(self._say(parts))

    def predict(self, input: ModelInput) -> ModelOutput:
        return ModelOutput(6)


def questions_about(
    tasks: Iterable[TaskSpecification], *probes: str, tiling: str | None = None, states: int = 2, seed: int = 0
) -> list[Asked]:
    """The questions of some probes, all by default."""
    settings = RunSettings(model="asked", tilings=(tiling,))
    return list(make_questions(settings, ProbeSettings(probes or PROBES, states, seed), tasks, AskedModel()))


def answered(asked: Asked, said: Any) -> AnsweredQuestion:
    """A question with a reply: a text, or an object to be said as JSON."""
    text = said if isinstance(said, str) else json.dumps(said)
    return AnsweredQuestion(asked.place, asked.digest, asked.question, (Request(AnswerOutcome.OK, raw_output=text),))


@lru_cache(maxsize=8)
def scenes_of(suite: str, states: int, tiling: str | None = None) -> tuple[Scene, ...]:
    """Moments of the fully observable tasks of an installed suite."""
    tasks = [task for task in read_installed(suite).tasks if task.rules.observability == "full"]
    settings = RunSettings(model="asked", tilings=(tiling,))
    return tuple(make_scenes(settings, ProbeSettings(PROBES, states, 0), tasks))


@lru_cache(maxsize=128)
def diagnostician_of(scene_task: TaskSpecification, tiling: str | None = None) -> Diagnostician:
    """One for a task."""
    backend = kernel_of(make_backend(None, [], tiling))
    assert backend is not None
    backend.configure(scene_task)
    return Diagnostician(backend.world, backend.make_topology, 200_000)


def perfect_reply(scene: Scene) -> dict[str, Any]:
    """A transcription of a moment that is entirely right."""
    state = scene.state
    held = None if state.carried == NOTHING else name_thing(scene.world, show_thing(scene.world, state, state.carried))
    return {**draw_board(scene), "facing": describe_heading(scene.topology, state.heading), "carrying": held}
