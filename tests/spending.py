"""What the tests of budgets and caches share: a model whose answers cost a random number of tokens, and runs of it."""

import random
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from gridworld.hookspecs import ModelInfo
from gridworld.model_interface import (
    CacheableModel,
    EpisodeInfo,
    ModelInput,
    ModelOutput,
    PromptedModel,
    PromptImage,
    PromptText,
    Usage,
)
from gridworld.plugins import get_registry, using_registry
from gridworld.runner.record import Step
from gridworld.task_spec import TaskSpecification
from gridworld.testing.conformance import with_item
from multinet_eval.play.observers import RunObserver
from multinet_eval.play.run import RunOptions, RunOutcome, new_run, open_run
from multinet_eval.record.manifest import Suite
from multinet_eval.settings.prices import Prices
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.settings.spending import BudgetLimits
from worlds import corridor

__all__ = ["CORRIDORS", "SpendingModel", "begin", "go_on", "with_spender"]

CORRIDORS = tuple(attrs.evolve(corridor(f"@{'.' * n}G", max_steps=6), task_id=f"c{n}") for n in (3, 4, 5))
"""Three tasks that nobody wins by turning: each takes its 6 steps."""

UNLIMITED = BudgetLimits()


class SpendingModel(PromptedModel, CacheableModel):
    """Turns left or right, as the episode and the step have it, for up to `most` tokens a request.

    Args:
        most: how many tokens a prompt and a reply take at most, at least 1.
        sampled: whether it says that it samples.
        seconds: how long an answer takes.
    """

    def __init__(self, most: int = 100, sampled: bool = False, seconds: float = 0.0) -> None:
        self.most = most
        self.samples_now = sampled
        self.seconds = seconds
        self.asked: list[str] = []
        self._episode = threading.local()

    @property
    def model_name(self) -> str:
        return "spender"

    @property
    def shareable(self) -> bool:
        return True

    @property
    def samples(self) -> bool:
        return self.samples_now

    def begin_episode(self, episode: EpisodeInfo) -> None:
        self._episode.name = f"{episode.task_id}/{episode.seed}"

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        return True

    def rendered_prompt(self, input: ModelInput) -> list[PromptText | PromptImage]:
        picture = [] if input.image is None else [PromptImage("now", input.image)]
        return [PromptText("user", f"{input.text_prompt} Step {input.step_number}."), *picture]

    def predict(self, input: ModelInput) -> ModelOutput:
        name = f"{self._episode.name}/{input.step_number}"
        self.asked.append(name)
        rng = random.Random(name)
        time.sleep(self.seconds)
        usage = Usage(prompt_tokens=rng.randint(1, self.most), completion_tokens=rng.randint(1, self.most))
        return ModelOutput(rng.choice((0, 1)), raw_output=f"as {name} has it", usage=usage)


@contextmanager
def with_spender() -> Iterator[None]:
    """The model ``spender`` is installed."""
    with using_registry(with_item(get_registry(), "model", ModelInfo("spender", "", "spending:SpendingModel"))):
        yield


def begin(
    folder: Path | None,
    model: SpendingModel,
    limits: BudgetLimits = UNLIMITED,
    *,
    workers: int = 1,
    tasks: Sequence[TaskSpecification] = CORRIDORS,
    **settings: Any,
) -> RunOutcome:
    """Play a new run."""
    asked = RunSettings("spender", backend_arguments=("tile_size=8",), **settings)
    run = new_run(asked, Suite("corridors", tuple(tasks)), model, folder)
    return run.play(RunOptions(workers, limits=limits), RunObserver())


def go_on(
    folder: Path, limits: BudgetLimits = UNLIMITED, *, workers: int = 1, prices: Prices | None = None
) -> RunOutcome:
    """Go on with a recorded run."""
    run, changed = open_run(folder, prices=prices)
    assert changed == []
    return run.play(RunOptions(workers, limits=limits), RunObserver())
