"""`Forecast`: the requests, tokens and costs of a run, estimated without querying the model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from gridworld.model_interface import ModelInput, ModelInterface, PromptedModel, PromptImage, PromptText
from gridworld.plugins.faults import blaming
from gridworld.runner.presentation import Presentation
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.episode_factory import EpisodeFactory
from multinet_eval.play.played_tasks import find_budgets, swapped_tasks
from multinet_eval.play.worker import Worker
from multinet_eval.record.manifest import Suite
from multinet_eval.record.plan import plan_episodes
from multinet_eval.settings.asking import Protocol
from multinet_eval.settings.plugin_objects import make_protocol
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.settings.spending import Prices

if TYPE_CHECKING:
    import numpy as np


CHARACTERS_PER_TOKEN = 4
"""Characters per token of English prose; JSON and numbers have fewer."""
PIXELS_PER_TOKEN = 28 * 28
"""Pixels of a picture per token, as in several vision models."""
REPLY_TOKENS = 100
"""Tokens of a reply: an action with a sentence or two of reasoning."""

METHOD = (
    f"estimated from the first prompt of each task: a token for {CHARACTERS_PER_TOKEN} characters and for "
    f"{PIXELS_PER_TOKEN} pixels, {REPLY_TOKENS} tokens for a reply; without text history, repeated requests, and "
    "answers from a cache"
)
"""Method of estimating tokens, in words."""

NOTHING: Mapping[tuple[str, str | None], int] = MappingProxyType({})


@attrs.frozen
class Range:
    """Bounds of a number."""

    least: float | None
    """Number if every task is solved by a shortest plan; None if the length of one is unknown."""
    most: float
    """Number if every episode uses up its steps."""


@attrs.frozen
class Forecast:
    """Requests, tokens and costs of a run in which no request is repeated."""

    suite: str
    model_name: str
    episodes: int
    unsolved: int
    """Number of episodes of tasks without a known shortest plan."""
    requests: Range
    pictures: Range
    """Number of pictures sent; one in a history counts each time."""
    prompt_tokens: Range | None
    """Estimated number of tokens of prompts; None for a model without a prompt."""
    reply_tokens: Range | None
    """Estimated number of tokens of replies; None for a model without a prompt."""
    cost: Range | None
    """Estimated cost; None without prices, or for a model without a prompt."""
    method: str = METHOD
    """Method of estimating tokens, in words."""

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready data."""
        return attrs.asdict(self)


class _Pictures(NamedTuple):
    """Number of pictures, and of their pixels together."""

    number: int
    pixels: int

    @classmethod
    def of(cls, images: Collection[np.ndarray]) -> _Pictures:
        return cls(len(images), sum(image.shape[0] * image.shape[1] for image in images))


NO_PICTURES = _Pictures(0, 0)


@attrs.frozen
class _Prompt:
    """Counted parts of a prompt."""

    observed: _Pictures
    """Pictures of the maze."""
    tiles: _Pictures = NO_PICTURES
    """Explaining pictures, which each prompt has once."""
    system: int = 0
    """Characters that each prompt has once."""
    user: int = 0
    """Characters of the question."""


@attrs.frozen
class _Task:
    """Episodes of one task on one tiling."""

    episodes: int
    """Number of episodes to be played."""
    least: int | None
    """Length of a shortest plan, if known."""
    most: int
    """Step budget of the task."""
    earlier_pictures: int
    """Number of earlier questions whose pictures are shown again."""
    earlier_texts: int
    """Number of earlier questions whose texts are given again."""
    prompt: _Prompt
    """First prompt of an episode."""

    def pictures_in(self, requests: int) -> int:
        """Return the number of pictures in the prompts of this many requests."""
        return self.prompt.tiles.number * requests + self.prompt.observed.number * self._observed_in(requests)

    def prompt_tokens_in(self, requests: int) -> int:
        """Return the number of tokens in the prompts of this many requests."""
        pixels = self.prompt.tiles.pixels * requests + self.prompt.observed.pixels * self._observed_in(requests)
        asked = requests + _given_again(requests, self.earlier_texts)
        characters = self.prompt.system * requests + self.prompt.user * asked
        return round(characters / CHARACTERS_PER_TOKEN + pixels / PIXELS_PER_TOKEN)

    def _observed_in(self, requests: int) -> int:
        """Return the number of times that observations are shown in this many requests."""
        return requests + _given_again(requests, self.earlier_pictures)


def _given_again(requests: int, earlier: int) -> int:
    """Return how often earlier questions are repeated, if each request repeats up to `earlier` of them."""
    full, growing = max(0, requests - earlier), min(requests, earlier)
    return full * earlier + growing * (growing - 1) // 2


def make_forecast(
    settings: RunSettings, suite: Suite, model: ModelInterface, finished: Mapping[tuple[str, str | None], int] = NOTHING
) -> Forecast:
    """Forecast a run or its rest without querying the model, not even on whether it is ready.

    Args:
        settings: the settings of the run.
        suite: its suite.
        model: its model, made as the settings say.
        finished: number of finished episodes by hash of the task and tiling.

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
        plan = plan_episodes(suite.tasks, (tiling,), range(1), settings.seed, budgets=budgets)
        for planned, task in zip(plan, suite.tasks, strict=True):
            other = swapped.get(planned.task)
            left = settings.epochs - finished.get((planned.task, tiling), 0)
            yield _measure(runner, planned.bound(task), settings.presentation, other, left)


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
        cost = None if settings.prices is None else cost_of(settings.prices, prompts, replies)
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
    """Return the number of requests for some steps, if replies are as long as allowed and all actions are played."""
    most = protocol.reply.max_actions
    return 1 if most is None else -(-steps // most)


def _most_requests(protocol: Protocol, steps: int) -> int:
    """Return the number of requests for some steps, if one action of each reply is played."""
    return steps if protocol.max_replies is None else min(steps, protocol.max_replies)


def cost_of(prices: Prices, prompts: Range, replies: Range) -> Range:
    """Return the cost of these numbers of tokens of prompts and replies."""
    least = None
    if prompts.least is not None and replies.least is not None:
        least = prices.cost(prompts.least, replies.least)
    return Range(least, prices.cost(prompts.most, replies.most))
