"""`Forecast`: an estimate of a run's requests, tokens and cost, made without querying the model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

import attrs

from gridworld.model_interface import ModelInterface, Picture, Prompt, Text
from gridworld.model_interface.chat_model import ChatModel
from gridworld.runner.presentation import Presentation
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.episode_factory import EpisodeFactory
from multinet_eval.play.model_caller import render_prompt
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
    "answers from a cache, ours or the provider's"
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
    def of(cls, name: str, parts: Collection[Text | Picture]) -> Self:
        """Measure all parts of a prompt that have a name."""
        pictures = [part for part in parts if isinstance(part, Picture)]
        characters = sum(len(part.text if isinstance(part, Text) else part.label) for part in parts)
        return cls(name, characters, tuple((part.pixels.shape[1], part.pixels.shape[0]) for part in pictures))

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
    if isinstance(runner.model, ChatModel):
        prompt = render_prompt(runner.model, given)
        parts, asked = parts_of(prompt), len(prompt.messages[-1].text)
    else:
        pictures = [] if given.image is None else [Picture(given.image, OBSERVATION)]
        parts, asked = [_Part.of(PICTURE.format(OBSERVATION), pictures)], 0
    texts = shown.context_steps if shown.context == "conversation" else 0
    repeated = min(texts, shown.context_images) if texts else shown.history_images
    parts += _history(parts, repeated, texts, asked)
    return _Task(episodes, runner.optimal_steps(task), task.max_steps, tuple(parts))


OBSERVATION = "observation"
"""Name of the parts of a prompt that show the maze as it is."""
PICTURE = "{}: picture"
"""Name of the pictures among the parts of a name."""


def _history(parts: Sequence[_Part], pictures: int, texts: int, asked: int) -> list[_Part]:
    """Return the parts repeated from earlier questions: pictures, and texts with their answers."""
    found = []
    observed = [part for part in parts if part.name == PICTURE.format(OBSERVATION) and part.sizes]
    if pictures:
        found += [attrs.evolve(part, name="earlier pictures", earlier=pictures) for part in observed]
    if texts:
        found.append(_Part("earlier questions", asked, earlier=texts))
        found.append(_Part("earlier answers", REPLY_TOKENS * CHARACTERS_PER_TOKEN, earlier=texts))
    return found


def parts_of(prompt: Prompt) -> list[_Part]:
    """Measure the parts of a prompt, by name, in the order in which they begin."""
    named: dict[str, list[Text | Picture]] = {}
    for part in prompt.parts:
        if isinstance(part, Text | Picture):
            named.setdefault(PICTURE.format(part.name) if isinstance(part, Picture) else part.name, []).append(part)
    return [_Part.of(name, parts) for name, parts in named.items()]


def _forecast(tasks: Sequence[_Task], settings: RunSettings, suite: Suite, model: ModelInterface) -> Forecast:
    protocol = make_protocol(settings.protocol)
    left = [task for task in tasks if task.episodes]

    def total(count: Callable[[_Task, int], int]) -> Range:
        solved = [(task, task.least) for task in left if task.least is not None]
        known = [task.episodes * count(task, _least_requests(protocol, least)) for task, least in solved]
        most = sum(task.episodes * count(task, _most_requests(protocol, task.most)) for task in left)
        return Range(sum(known) if len(known) == len(left) else None, most)

    requests, prompts, replies, cost = total(lambda task, requests: requests), None, None, None
    if isinstance(model, ChatModel):
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
