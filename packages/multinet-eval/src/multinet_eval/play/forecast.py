"""`Forecast`: what a run would take, found out without asking the model anything."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import attrs

from gridworld.model_interface import ModelInput, ModelInterface, PromptedModel, PromptImage, PromptText
from gridworld.plugins.faults import blaming
from gridworld.runner.presentation import Presentation
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.episode_factory import EpisodeFactory
from multinet_eval.play.step_budgets import find_budgets
from multinet_eval.play.swapping import swapped_tasks
from multinet_eval.play.worker import Worker
from multinet_eval.record.manifest import Suite
from multinet_eval.record.plan import PlannedEpisode, plan_episodes
from multinet_eval.settings.budget_factor import Budgets
from multinet_eval.settings.plugin_objects import make_protocol
from multinet_eval.settings.protocols import Protocol
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.settings.spending import Prices

if TYPE_CHECKING:
    import numpy as np


CHARACTERS_PER_TOKEN = 4
"""Of English prose; for JSON and numbers it is less."""
PIXELS_PER_TOKEN = 28 * 28
"""Of pictures: several vision models make one token of so many."""
REPLY_TOKENS = 100
"""Of a reply: an action with a sentence or two of reasoning."""

METHOD = (
    f"estimated from the first prompt of each task: a token for {CHARACTERS_PER_TOKEN} characters and for "
    f"{PIXELS_PER_TOKEN} pixels, {REPLY_TOKENS} tokens for a reply; without text history, repeated requests, and "
    "answers from a cache"
)
"""How tokens are estimated, in words."""


NOTHING: Mapping[tuple[str, str | None], int] = MappingProxyType({})


@attrs.frozen
class Range:
    """The least and the most of something."""

    least: float | None
    """If every task is solved by a shortest plan; None where the length of one is not known."""
    most: float
    """If every episode uses up its steps."""


@attrs.frozen
class Forecast:
    """What a run would take, if no request is repeated."""

    suite: str
    model_name: str
    episodes: int
    unsolved: int
    """How many of them are of tasks for which no shortest plan is known."""
    requests: Range
    pictures: Range
    """All that are sent, the same one several times if it is part of a history."""
    prompt_tokens: Range | None
    """Estimated; None for a model without a prompt."""
    reply_tokens: Range | None
    """Estimated; None for a model without a prompt."""
    cost: Range | None
    """Estimated; None without prices, or for a model without a prompt."""
    method: str = METHOD
    """How tokens are estimated, in words."""

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return attrs.asdict(self)


@attrs.frozen
class _Pictures:
    """Pictures of a prompt."""

    count: int = 0
    pixels: int = 0
    """Of all together."""

    @classmethod
    def of(cls, images: Collection[np.ndarray]) -> _Pictures:
        return cls(len(images), sum(image.shape[0] * image.shape[1] for image in images))


@attrs.frozen
class _Prompt:
    """What is in a prompt, as far as it is counted."""

    observed: _Pictures
    """Pictures of the maze."""
    tiles: _Pictures = _Pictures()
    """Those that explain what can occur; they are in each prompt once."""
    system: int = 0
    """The characters of what is in each prompt once."""
    user: int = 0
    """The characters of the question."""


@attrs.frozen
class _Task:
    """What is known of the episodes of one task on one tiling."""

    episodes: int
    """How many are to be played."""
    least: int | None
    """The length of a shortest plan, if it is known."""
    most: int
    """The budget of steps."""
    earlier_pictures: int
    """Of how many earlier questions the pictures are shown."""
    earlier_texts: int
    """Of how many earlier questions the texts are given again."""
    prompt: _Prompt
    """The first one."""

    def pictures_in(self, requests: int) -> int:
        """All pictures in the prompts of so many requests."""
        return self.prompt.tiles.count * requests + self.prompt.observed.count * self._observed_in(requests)

    def prompt_tokens_in(self, requests: int) -> int:
        """The tokens of the prompts of so many requests."""
        pixels = self.prompt.tiles.pixels * requests + self.prompt.observed.pixels * self._observed_in(requests)
        asked = requests + _given_again(requests, self.earlier_texts)
        characters = self.prompt.system * requests + self.prompt.user * asked
        return round(characters / CHARACTERS_PER_TOKEN + pixels / PIXELS_PER_TOKEN)

    def _observed_in(self, requests: int) -> int:
        """How many times the observation of a question is shown."""
        return requests + _given_again(requests, self.earlier_pictures)


def _given_again(requests: int, earlier: int) -> int:
    """How often something of an earlier question is in a later one, if each has that of so many before it."""
    full, growing = max(0, requests - earlier), min(requests, earlier)
    return full * earlier + growing * (growing - 1) // 2


def make_forecast(
    settings: RunSettings, suite: Suite, model: ModelInterface, finished: Mapping[tuple[str, str | None], int] = NOTHING
) -> Forecast:
    """What a run would take, or what is left of it; the model is asked nothing, not even whether it is ready.

    Args:
        settings: what would be asked of the run.
        suite: its tasks.
        model: the model, made as the settings say.
        finished: how many episodes need not be played any more, by the hash of their task and their tiling.

    Raises:
        ArgumentError, UnplayableTasksError: model, backend, tasks and settings do not fit together.
        PluginFault: a plugin failed.
    """
    with Worker.of_settings(settings.about(suite.tasks), model) as worker:
        tasks = list(_measure_all(worker, settings, suite, finished))
    return _forecast(tasks, settings, suite, model)


def _measure_all(
    worker: Worker, settings: RunSettings, suite: Suite, finished: Mapping[tuple[str, str | None], int]
) -> Iterator[_Task]:
    swapped = swapped_tasks(suite.tasks) if settings.presentation.swaps_observations else {}
    for tiling in settings.tilings:
        runner = worker.factory(tiling)
        runner.check_tasks(suite.tasks)
        budgets = find_budgets(suite.tasks, {tiling: runner}, settings.budget_factor)
        for planned, task in zip(_first_episodes(settings, suite, tiling, budgets), suite.tasks, strict=True):
            other = swapped.get(planned.task)
            left = settings.epochs - finished.get((planned.task, tiling), 0)
            yield _measure(runner, planned.bound(task), settings.presentation, other, left)


def _first_episodes(
    settings: RunSettings, suite: Suite, tiling: str | None, budgets: Budgets
) -> tuple[PlannedEpisode, ...]:
    return plan_episodes(suite.tasks, (tiling,), range(1), settings.seed, budgets=budgets)


def _measure(
    runner: EpisodeFactory,
    task: TaskSpecification,
    shown: Presentation,
    other: TaskSpecification | None,
    episodes: int,
) -> _Task:
    given = runner.input_at(task, swapped=other)
    if isinstance(runner.model, PromptedModel):
        prompt = _read_prompt(runner.model, given)
    else:
        prompt = _Prompt(_Pictures.of([] if given.image is None else [given.image]))
    texts = shown.context_steps if shown.context == "conversation" else 0
    earlier = min(texts, shown.context_images) if texts else shown.history_images
    return _Task(episodes, runner.optimal_steps(task), task.max_steps, earlier, texts, prompt)


def _read_prompt(model: PromptedModel, given: ModelInput) -> _Prompt:
    with blaming(f"model '{model.model_name}'", "when its prompt was rendered"):
        parts = model.rendered_prompt(given)
    tiles = {id(each.image) for each in (() if given.explanation is None else given.explanation.pictures)}
    images = [part for part in parts if isinstance(part, PromptImage)]
    explaining = [part for part in images if id(part.image) in tiles]
    observed = [part for part in images if id(part.image) not in tiles]
    system = [part.text for part in parts if isinstance(part, PromptText) and part.role == "system"]
    user = [part.text for part in parts if isinstance(part, PromptText) and part.role != "system"]
    return _Prompt(
        observed=_Pictures.of([part.image for part in observed]),
        tiles=_Pictures.of([part.image for part in explaining]),
        system=sum(map(len, [*system, *(part.label for part in explaining)])),
        user=sum(map(len, [*user, *(part.label for part in observed)])),
    )


def _forecast(tasks: Sequence[_Task], settings: RunSettings, suite: Suite, model: ModelInterface) -> Forecast:
    protocol = make_protocol(settings.protocol)

    left = [task for task in tasks if task.episodes]

    def total(count: Callable[[_Task, int], int]) -> Range:
        solved = [(task, task.least) for task in left if task.least is not None]
        known = [task.episodes * count(task, _least_requests(protocol, least)) for task, least in solved]
        most = sum(task.episodes * count(task, _most_requests(protocol, task.most)) for task in left)
        return Range(sum(known) if len(known) == len(left) else None, most)

    requests, prompts, replies, cost = total(lambda task, requests: requests), None, None, None
    if isinstance(model, PromptedModel):
        prompts = total(lambda task, requests: task.prompt_tokens_in(requests))
        replies = total(lambda task, requests: requests * REPLY_TOKENS)
        cost = None if settings.prices is None else _cost(settings.prices, prompts, replies)
    return Forecast(
        suite=suite.name,
        model_name=model.model_name,
        episodes=sum(task.episodes for task in left),
        unsolved=sum(task.episodes for task in left if task.least is None),
        requests=requests,
        pictures=total(lambda task, requests: task.pictures_in(requests)),
        prompt_tokens=prompts,
        reply_tokens=replies,
        cost=cost,
    )


def _least_requests(protocol: Protocol, steps: int) -> int:
    """How often a model is asked for so many steps, if each reply holds as many as it may and all are played."""
    most = protocol.reply.max_actions
    return 1 if most is None else -(-steps // most)


def _most_requests(protocol: Protocol, steps: int) -> int:
    """The same if one action of each reply is played."""
    return steps if protocol.max_replies is None else min(steps, protocol.max_replies)


def _cost(prices: Prices, prompts: Range, replies: Range) -> Range:
    least = None
    if prompts.least is not None and replies.least is not None:
        least = prices.cost(prompts.least, replies.least)
    return Range(least, prices.cost(prompts.most, replies.most))
