"""Plays runs in this process, as a notebook would, with models that need nothing installed."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

from gridworld.model_interface import AnswerFault, BatchModel, EpisodeInfo, ModelInput, ModelOutput
from gridworld.runner.record import Step
from gridworld.suites import load_folder
from multinet_adapters.testing.model_servers import ChatRequest, action_json
from multinet_eval.play.observers import RunObserver
from multinet_eval.play.run import Run, RunOptions, RunOutcome, new_run, open_run
from multinet_eval.record.manifest import Suite
from multinet_eval.settings.plugin_objects import make_model
from multinet_eval.settings.run_settings import RunSettings

__all__ = ["HashingModel", "action_for", "answer_by_text", "make_run", "play_on", "play_run", "results_of"]


def action_for(text: str) -> int:
    """The same action for the same text, and another one for most others; mostly it moves forward."""
    return (2, 2, 2, 2, 0, 1, 5, 6)[crc32(text.encode()) % 8]


def answer_by_text(request: ChatRequest) -> str:
    """What a server says that keeps nothing between requests."""
    return action_json(action_for(request.text))


class HashingModel(BatchModel):
    """Chooses by what it is told, keeps nothing, and notes how many questions it was asked at once."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    @property
    def model_name(self) -> str:
        return "hashing"

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        return True

    def predict(self, input: ModelInput) -> ModelOutput:
        self.batches.append(1)
        return self.choose(input)

    def predict_batch(self, inputs: Sequence[ModelInput]) -> Sequence[ModelOutput | AnswerFault]:
        self.batches.append(len(inputs))
        return [self.choose(each) for each in inputs]

    def choose(self, input: ModelInput) -> ModelOutput:
        return ModelOutput(action_for(f"{input.text_prompt}{input.step_number}{input.max_steps}"))


def make_run(
    tasks: Path, directory: Path | None, model: str | BatchModel, arguments: Sequence[str] = (), **settings: Any
) -> Run:
    """A new run of the tasks of a folder, on a backend that draws nothing unless another is asked for."""
    name = model if isinstance(model, str) else "random"
    asked: dict[str, Any] = {"backend_arguments": ("render_mode=none",), **settings}
    made = make_model(name, list(arguments)) if isinstance(model, str) else model
    suite = Suite("small", tuple(load_folder(tasks)))
    return new_run(RunSettings(model=name, model_arguments=arguments, **asked), suite, made, directory)


def play_run(run: Run, observer: RunObserver | None = None, **options: Any) -> RunOutcome:
    """Play it to its end."""
    return run.play(RunOptions(**options), observer or RunObserver())


def play_on(directory: Path, **options: Any) -> RunOutcome:
    """Go on with a recorded run."""
    return play_run(open_run(directory)[0], **options)


def results_of(directory: Path) -> str:
    """The results of a run that has been played to its end, without what differs from one time to the next."""
    text = (directory / "results.json").read_text(encoding="utf-8")
    return re.sub(r'"(seconds|server_seconds)": [0-9.e-]+', r'"\1": 0', text)
