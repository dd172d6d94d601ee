"""`Forecast`: an estimate of a run's requests, tokens and cost, made without querying the model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

import attrs

from gridworld.model_interface import ModelInput, ModelInterface, PromptedModel, PromptImage, PromptText
from gridworld.plugins.registry import owner_of
from gridworld.runner.presentation import Presentation
from gridworld.support.faults import calling
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

CHARACTERS_PER_TOKEN = 4
"""Characters per token of English prose; JSON and numbers have fewer characters per token."""
PIXELS_PER_TOKEN = 28 * 28
"""Pixels of a picture per token, as in several vision models."""
REPLY_TOKENS = 100
"""Number of tokens of a reply: an action with a sentence or two of reasoning."""

METHOD = (
    f"estimated from the first prompt of each task: a token for {CHARACTERS_PER_TOKEN} characters and for "
    f"{PIXELS_PER_TOKEN} pixels, {REPLY_TOKENS} tokens for a reply; without text history, repeated requests, and "
    "answers from a cache"
)
"""Description of how tokens are estimated."""

NOTHING: Mapping[tuple[str, str | None], int] = MappingProxyType({})


@attrs.frozen
class Range:
    """Lower and upper bound of a number."""

    least: float | None
    """The number if every task is solved by a shortest plan; None if the length of one is unknown."""
    most: float
    """The number if every episode uses up its steps."""


@attrs.frozen
class RequestPart:
    """Part of the requests of a run, and its estimated tokens and cost."""

    name: str
    """Part in a few words, such as ``rules`` or ``earlier pictures``."""
    characters: int
    """Characters of text in a request; the most of all tasks."""
    pictures: int
    """Pictures in a request; the most of all tasks."""
    sizes: tuple[tuple[int, int], ...]
    """Different widths and heights of these pictures in pixels, sorted."""
    tokens: int
    """Estimated tokens in a request that has its whole history; the most of all tasks."""
    run_tokens: float
    """Estimated tokens in the whole run, if every episode uses up its steps."""
    cost: float | None
    """Estimated cost of these tokens of the run; None without prices."""


@attrs.frozen
class Forecast:
    """Estimated requests, tokens and cost of a run in which no request is repeated."""

    suite: str
    model_name: str
    episodes: int
    unsolved: int
    """Number of episodes of tasks without a known shortest plan."""
    requests: Range
    pictures: Range
    """Number of pictures sent; a picture in a history counts each time."""
    prompt_tokens: Range | None
    """Estimated number of tokens of prompts; None for a model without a prompt."""
    reply_tokens: Range | None
    """Estimated number of tokens of replies; None for a model without a prompt."""
    cost: Range | None
    """Estimated cost; None without prices, or for a model without a prompt."""
    parts: tuple[RequestPart, ...] = ()
    """Parts of a request in their order, the expected answer last; empty for a model without a prompt."""
    method: str = METHOD
    """Description of how tokens are estimated."""

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready data."""
        return attrs.asdict(self)


@attrs.frozen
class _Part:
    """A part of the prompts of one task, with its measured size."""

    name: str
    characters: int = 0
    sizes: tuple[tuple[int, int], ...] = ()
    """Widths and heights of its pictures."""
    earlier: int | None = None
    """Maximum number of earlier questions whose part a request repeats; None for the part of its own question."""

    @classmethod
    def of_images(cls, name: str, images: Collection[PromptImage]) -> Self:
        sizes = tuple((part.image.shape[1], part.image.shape[0]) for part in images)
        return cls(name, sum(len(part.label) for part in images), sizes)

    @property
    def tokens(self) -> float:
        """Tokens of the part each time that it is given."""
        pixels = sum(width * height for width, height in self.sizes)
        return self.characters / CHARACTERS_PER_TOKEN + pixels / PIXELS_PER_TOKEN

    @property
    def times(self) -> int:
        """Number of times that a request with its whole history has the part."""
        return 1 if self.earlier is None else self.earlier

    def times_in(self, requests: int) -> int:
        """Return how often the part is given in this many requests."""
        return requests if self.earlier is None else _given_again(requests, self.earlier)


@attrs.frozen
class _Task:
    """Episodes of one task on one tiling."""

    episodes: int
    """Number of episodes to be played."""
    least: int | None
    """Length of a shortest plan, if known."""
    most: int
    """Step budget of the task."""
    parts: tuple[_Part, ...]
    """Parts of its prompts."""

    def pictures_in(self, requests: int) -> int:
        """Return the number of pictures in the prompts of this many requests."""
        return sum(len(part.sizes) * part.times_in(requests) for part in self.parts)

    def prompt_tokens_in(self, requests: int) -> int:
        """Return the number of tokens in the prompts of this many requests."""
        return round(sum(part.tokens * part.times_in(requests) for part in self.parts))


def _given_again(requests: int, earlier: int) -> int:
    """Return how often earlier questions are repeated, if each request repeats up to `earlier` of them."""
    full, growing = max(0, requests - earlier), min(requests, earlier)
    return full * earlier + growing * (growing - 1) // 2


def make_forecast(
    settings: RunSettings, suite: Suite, model: ModelInterface, finished: Mapping[tuple[str, str | None], int] = NOTHING
) -> Forecast:
    """Forecast a run or the rest of it without contacting the model, even to check whether it is ready.

    Args:
        settings: the settings of the run.
        suite: its suite.
        model: its model, made from the settings.
        finished: number of finished episodes by hash of the task and tiling.

    Raises:
        ArgumentError, UnplayableTasksError: model, backend, tasks and settings are incompatible.
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
        parts = _read_prompt(runner.model, given)
    else:
        parts = [_Part(OBSERVED, sizes=() if given.image is None else ((given.image.shape[1], given.image.shape[0]),))]
    texts = shown.context_steps if shown.context == "conversation" else 0
    pictures = min(texts, shown.context_images) if texts else shown.history_images
    parts += _history(parts, pictures, texts)
    return _Task(episodes, runner.optimal_steps(task), task.max_steps, tuple(parts))


OBSERVED, QUESTION, TEXT_OBSERVATION = "picture of the maze", "task and answer format", "observation in text"
"""Parts that a history repeats."""


def _history(parts: Sequence[_Part], pictures: int, texts: int) -> list[_Part]:
    """Return the parts repeated from earlier questions: pictures, and texts with their answers."""
    found = []
    observed = [part for part in parts if part.name == OBSERVED and part.sizes]
    if pictures:
        found += [attrs.evolve(part, name="earlier pictures", earlier=pictures) for part in observed]
    if texts:
        asked = sum(part.characters for part in parts if part.name in (QUESTION, TEXT_OBSERVATION))
        found.append(_Part("earlier questions", asked, earlier=texts))
        found.append(_Part("earlier answers", REPLY_TOKENS * CHARACTERS_PER_TOKEN, earlier=texts))
    return found


def _read_prompt(model: PromptedModel, given: ModelInput) -> list[_Part]:
    """Measure the parts of a first prompt."""
    with calling(owner_of("model", model, model.model_name), "rendered_prompt"):
        prompt = model.rendered_prompt(given)
    explanation = given.explanation
    tiles = {id(each.image) for each in (() if explanation is None else explanation.pictures)}
    images = [part for part in prompt if isinstance(part, PromptImage)]
    system = "".join(part.text for part in prompt if isinstance(part, PromptText) and part.role == "system")
    user = "".join(part.text for part in prompt if isinstance(part, PromptText) and part.role != "system")
    explained = {} if explanation is None else explanation.texts()
    told = {name: len(text) for name, text in explained.items() if text in system or text in user}
    in_system = sum(told[name] for name in told if explained[name] in system)
    seen = given.text_observation or ""
    in_user = sum(told.values()) - in_system + (len(seen) if seen in user else 0)
    shown = [word for name, word in (("legend", "legend"), ("examples", "example")) if name in told]
    parts = [
        _Part("system prompt", len(system) - in_system),
        *(_Part(name, told[name]) for name in ("rules", "legend", "examples") if name in told),
        _Part.of_images(f"{', '.join(shown)} pictures", [part for part in images if id(part.image) in tiles]),
        _Part(QUESTION, len(user) - in_user),
        _Part(TEXT_OBSERVATION, len(seen) if seen in user else 0),
        _Part.of_images(OBSERVED, [part for part in images if id(part.image) not in tiles]),
    ]
    return [part for part in parts if part.characters or part.sizes]


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
        parts=tuple(_describe_parts(left, protocol, settings.prices)) if replies is not None else (),
    )


REQUEST, ANSWER = "request, in all", "expected answer"


def _describe_parts(tasks: Sequence[_Task], protocol: Protocol, prices: Prices | None) -> Iterator[RequestPart]:
    """Yield the parts of a request over all tasks, the whole request, and the expected answer."""
    every = [(task.episodes, _most_requests(protocol, task.most), part) for task in tasks for part in task.parts]
    for name in dict.fromkeys(part.name for _, _, part in every):
        same = [each for each in every if each[2].name == name]
        parts = [part for _, _, part in same]
        used = sum(episodes * part.tokens * part.times_in(requests) for episodes, requests, part in same)
        yield RequestPart(
            name,
            characters=max(part.characters * part.times for part in parts),
            pictures=max(len(part.sizes) * part.times for part in parts),
            sizes=tuple(sorted({size for part in parts for size in part.sizes})),
            tokens=round(max(part.tokens * part.times for part in parts)),
            run_tokens=round(used),
            cost=None if prices is None else prices.cost(used, 0),
        )
    if not tasks:
        return
    used = sum(task.episodes * task.prompt_tokens_in(_most_requests(protocol, task.most)) for task in tasks)
    yield RequestPart(
        REQUEST,
        characters=max(sum(part.characters * part.times for part in task.parts) for task in tasks),
        pictures=max(sum(len(part.sizes) * part.times for part in task.parts) for task in tasks),
        sizes=(),
        tokens=round(max(sum(part.tokens * part.times for part in task.parts) for task in tasks)),
        run_tokens=used,
        cost=None if prices is None else prices.cost(used, 0),
    )
    answered = REPLY_TOKENS * sum(task.episodes * _most_requests(protocol, task.most) for task in tasks)
    paid = None if prices is None else prices.cost(0, answered)
    yield RequestPart(ANSWER, 0, 0, (), REPLY_TOKENS, answered, paid)


def _least_requests(protocol: Protocol, steps: int) -> int:
    """Return the number of requests for some steps if replies are as long as allowed and fully played."""
    most = protocol.reply.max_actions
    return 1 if most is None else -(-steps // most)


def _most_requests(protocol: Protocol, steps: int) -> int:
    """Return the number of requests for some steps if only one action of each reply is played."""
    return steps if protocol.max_replies is None else min(steps, protocol.max_replies)


def cost_of(prices: Prices, prompts: Range, replies: Range) -> Range:
    """Return the cost of these numbers of prompt and reply tokens."""
    least = None
    if prompts.least is not None and replies.least is not None:
        least = prices.cost(prompts.least, replies.least)
    return Range(least, prices.cost(prompts.most, replies.most))
