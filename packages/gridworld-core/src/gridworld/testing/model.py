"""`ModelConformance`: the checks that every model must pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import islice
from typing import Any, ClassVar

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.hookspecs import ModelInfo
from gridworld.model_interface import (
    AnswerFault,
    EpisodeInfo,
    ModelInput,
    ModelInterface,
    ModelOutput,
    OracleInterface,
)
from gridworld.task_spec import TaskSpecification
from gridworld.testing.conformance import TargetConformance, calling, expect
from gridworld.testing.expectations import same
from gridworld.testing.stage import stage_task
from gridworld.text import text_view
from gridworld.world import Episode, compile_world, square_topology

LENGTH = 11
"""Number of steps of a complete episode; a prime, so that cyclic state is not back at its start."""
BROKEN_OFF = 7
"""Number of steps of an interrupted episode; a prime, as above."""
SIDE = 64
"""Side length in pixels of the pictures shown to models."""

Answer = int | str
"""An action, or the outcome of a fault."""


class ModelConformance(TargetConformance):
    """The checks of a model, to be subclassed in its author's tests.

        class TestSampler(ModelConformance):
            model = Sampler
            arguments = {"seed": 3}

    A fault (`AnswerFault`) counts as an answer: a model whose server is unreachable conforms, as far as can be checked.
    A model that is not deterministic sets the check of equal answers to None.
    """

    kind: ClassVar[str] = "model"
    base: ClassVar[type] = ModelInterface
    outside: ClassVar[bool] = True

    model: ClassVar[ModelInfo | Callable[..., ModelInterface] | str]
    """The class, its descriptor, its import string, or its name if it is installed."""

    def tasks(self) -> list[TaskSpecification]:
        """Return two tasks with different ids and seeds."""
        return [stage_task(), attrs.evolve(stage_task(companions=False), task_id="empty stage", seed=2)]

    def answers(self, model: ModelInterface, task: TaskSpecification, length: int = LENGTH) -> list[Answer]:
        """Return the model's answers in one episode played with them."""
        return list(islice(_played(model, task), length))

    def test_it_has_a_name(self) -> None:
        """`model_name` is a text that is not empty and stays the same: results are reported under it."""
        model = self.make()
        with calling("model_name"):
            name, again = model.model_name, model.model_name
        expect(isinstance(name, str) and name.strip() and name == again, f"`model_name` is {name!r}, then {again!r}")

    def test_it_answers_with_an_action_or_says_why_not(self) -> None:
        """`predict` returns a `ModelOutput` with an integer of the action space, or raises `AnswerFault`.

        It does so for any kind of input, also without optional fields. Its confidence is a number from 0 to 1, or None.
        """
        model, episode = self.make(), _begun(self.tasks()[0])
        _begin(model, episode)
        full = _inputs(episode, 0)
        ways = {
            "picture and text": full,
            "a picture and no optional field": ModelInput(full.image, full.text_prompt, full.action_space, 0, 200),
            "text only": attrs.evolve(full, image=None, prior_images=None),
            "a correction": attrs.evolve(full, correction="name one of the actions"),
            "no earlier pictures": attrs.evolve(full, prior_images=[]),
        }
        for what, given in ways.items():
            _ask(model, given, what)

    def test_it_does_not_change_its_input(self) -> None:
        """Pictures and dictionaries belong to the caller: the model works on copies."""
        model, episode = self.make(), _begun(self.tasks()[0])
        _begin(model, episode)
        for step in range(3):
            given = _inputs(episode, step)
            before = deepcopy(attrs.asdict(given, recurse=False))
            _ask(model, given, "picture and text")
            changed = [
                name for name, value in attrs.asdict(given, recurse=False).items() if not same(value, before[name])
            ]
            expect(not changed, f"predict has modified what it was given: {', '.join(changed)}")

    def test_an_episode_has_the_same_answers_whatever_was_before(self) -> None:
        """`begin_episode` resets everything: the same episode has the same answers, in any order and any instance.

        Seed an rng of its own with the model's seed, `episode.seed` and `episode.task_id`, and keep nothing else.
        """
        first, second = self.tasks()
        expected = [self.answers(self.make(), task) for task in (first, second)]
        forwards, backwards, broken = self.make(), self.make(), self.make()
        found = {
            "in a row": [self.answers(forwards, task) for task in (first, second)],
            "again": [self.answers(forwards, task) for task in (first, second)],
            "in the other order": [self.answers(backwards, task) for task in (second, first)][::-1],
        }
        self.answers(broken, first, length=BROKEN_OFF)
        found["after an episode that broke off"] = [expected[0], self.answers(broken, second)]
        for when, answers in found.items():
            expect(answers == expected, f"the answers are {answers} {when}, and by new instances {expected}")

    def test_it_can_be_closed_twice(self) -> None:
        """`close` does nothing the second time, even before the first episode."""
        used, fresh = self.make(), self.make()
        self.answers(used, self.tasks()[0], length=1)
        for model in (used, fresh):
            with calling("close(), twice"):
                model.close()
                model.close()


def _played(model: ModelInterface, task: TaskSpecification) -> Iterator[Answer]:
    """Yield the answer in each step until the end of the episode; a fault leaves the state unchanged."""
    episode = _begun(task)
    _begin(model, episode)
    for step in range(task.max_steps):
        if episode.terminated or episode.truncated:
            return
        if isinstance(model, OracleInterface):
            model.observe(episode.state)
        answer = _ask(model, _inputs(episode, step), "picture and text")
        yield answer
        if isinstance(answer, int):
            episode.step(answer)


def _begun(task: TaskSpecification) -> Episode:
    episode = Episode(compile_world(task, square_topology(*task.maze.dimensions)))
    episode.reset()
    return episode


def _begin(model: ModelInterface, episode: Episode) -> None:
    with calling("begin_episode"):
        model.begin_episode(_info(episode))
    if isinstance(model, OracleInterface):
        with calling("look_into and observe"):
            model.look_into(episode.world)
            model.observe(episode.world.start)


def _info(episode: Episode) -> EpisodeInfo:
    task = episode.world.task
    return EpisodeInfo(task.task_id, task.seed, episode.world.goal_type.mission(episode.world), task.max_steps)


def _inputs(episode: Episode, step: int) -> ModelInput:
    """Return an input with every optional field, using synthetic pictures."""
    return ModelInput(
        image=_picture(step),
        text_prompt=episode.world.goal_type.mission(episode.world),
        action_space=dict(ACTION_SPACE),
        step_number=step,
        max_steps=episode.world.max_steps,
        additional_context="You turned left.",
        prior_images=[_picture(step + 1), _picture(step + 2)],
        text_observation=str(text_view(episode)),
        episode=_info(episode),
    )


def _picture(number: int) -> Any:
    import numpy as np

    ramp = np.arange(SIDE * SIDE * 3, dtype=np.int64) * (number + 7) % 251
    return ramp.astype(np.uint8).reshape(SIDE, SIDE, 3)


def _ask(model: ModelInterface, given: ModelInput, what: str) -> Answer:
    """Return the model's action, or the outcome of its fault; the check fails for anything else."""
    with calling(f"predict with {what}"):
        try:
            answer = model.predict(given)
        except AnswerFault as fault:
            return fault.outcome.value
    expect(isinstance(answer, ModelOutput), f"predict returns {answer!r}, no `ModelOutput`")
    action = isinstance(answer.action, int) and not isinstance(answer.action, bool) and answer.action in ACTION_SPACE
    expect(action, f"predict returns the action {answer.action!r}, no integer of `input.action_space`")
    sure = answer.confidence is None or 0 <= answer.confidence <= 1
    expect(sure, f"predict returns the confidence {answer.confidence!r}")
    return answer.action
