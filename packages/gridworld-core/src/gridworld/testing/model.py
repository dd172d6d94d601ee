"""`ModelConformance`: the checks that every model must pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
from gridworld.testing.comparing import copied, same
from gridworld.testing.conformance import Conformance, calling, constructed, expect, fail, loaded
from gridworld.testing.stage import stage_task
from gridworld.text import text_view
from gridworld.world import Episode, World, compile_world, square_topology

__all__ = ["ModelConformance"]

LENGTH = 11
"""Number of steps of a complete episode; a prime, so that cyclic state is not back at its start."""
BROKEN_OFF = 7
"""Number of steps of an interrupted episode; a prime, as above."""
SIDE = 64
"""Side length in pixels of the pictures shown to models."""

Answer = int | str
"""An action, or the outcome of a fault."""


class ModelConformance(Conformance):
    """The checks of a model, to be subclassed in its author's tests.

        class TestSampler(ModelConformance):
            model = Sampler
            arguments = {"seed": 3}

    A fault (`AnswerFault`) counts as an answer: a model whose server is unreachable conforms, as far as can be checked.
    A model that is not deterministic sets the checks of equal answers to None.
    """

    kind: ClassVar[str] = "model"

    costly: ClassVar[bool] = True

    model: ClassVar[ModelInfo | Callable[..., ModelInterface] | str]
    """The class, its descriptor, its import string, or its name if it is installed."""

    arguments: ClassVar[Mapping[str, Any]] = {}
    """Arguments of the model's constructor."""

    # --- What the checks look at ---------------------------------------------------------------------------------

    def make(self) -> ModelInterface:
        """Return a new model."""
        given = self.resolve()
        constructor = loaded(given.target) if isinstance(given, ModelInfo) else given
        model = constructed(constructor, self.arguments, "the model")
        expect(
            isinstance(model, ModelInterface),
            f"{model!r} is not a model",
            "derive it from `gridworld.model_interface.ModelInterface`",
        )
        made: ModelInterface = model
        return made

    def tasks(self) -> list[TaskSpecification]:
        """Return two tasks with different ids and seeds."""
        return [stage_task(), attrs.evolve(stage_task(companions=False), task_id="empty stage", seed=2)]

    def answers(self, model: ModelInterface, task: TaskSpecification, length: int = LENGTH) -> list[Answer]:
        """Return the model's answers in one episode played with them."""
        return [_in_short(answer) for _, answer in islice(_played(model, task), length)]

    # --- Checks --------------------------------------------------------------------------------------------------

    def test_it_has_a_name(self) -> None:
        """The model has a non-empty, constant name, under which results are reported."""
        model = self.make()
        with calling("model_name", "return a string; it is read before the first episode"):
            names = [model.model_name, model.model_name]
        expect(
            isinstance(names[0], str) and bool(names[0].strip()) and names[0] == names[1],
            f"`model_name` is {names[0]!r} and then {names[1]!r}",
            "return a string that is not empty, the same each time",
        )

    def test_it_answers_with_an_action_or_says_why_not(self) -> None:
        """`predict` returns a `ModelOutput` with an integer of the action space, or raises `AnswerFault`."""
        for task in self.tasks():
            model = self.make()
            for _, answer in islice(_played(model, task), LENGTH):
                _expect_answer(answer)

    def test_it_does_not_change_its_input(self) -> None:
        """The model does not modify pictures and dictionaries, which belong to the caller."""
        task = self.tasks()[0]
        model, episode = self.make(), _begun(task)
        _begin(model, episode)
        for step in range(3):
            given = _inputs(episode, step)
            before = copied(_parts(given))
            _ask(model, given)
            expect(
                same(_parts(given), before),
                "predict has modified the picture, the action space or the earlier pictures that it was given",
                "work on copies: `input.image.copy()`, `list(input.prior_images)`, `dict(input.action_space)`",
            )

    def test_the_same_episode_gives_the_same_answers(self) -> None:
        """This instance, and another one made with equal arguments, give the same answers again."""
        for task in self.tasks():
            model = self.make()
            first, second, other = self.answers(model, task), self.answers(model, task), self.answers(self.make(), task)
            expect(first == second, f"'{task.task_id}' is answered with {first} and then with {second}", SEED_EACH)
            expect(
                first == other,
                f"'{task.task_id}' is answered with {first}, and by a new instance with {other}",
                SEED_ITSELF,
            )

    def test_the_order_of_the_episodes_does_not_matter(self) -> None:
        """The order of episodes does not affect answers, since episodes run on many workers."""
        first, second = self.tasks()
        forwards, backwards = self.make(), self.make()
        there = [self.answers(forwards, first), self.answers(forwards, second)]
        back = [self.answers(backwards, second), self.answers(backwards, first)][::-1]
        expect(there == back, f"the answers are {there}, and with the episodes in the other order {back}", SEED_EACH)

    def test_an_episode_that_broke_off_leaves_nothing_behind(self) -> None:
        """`begin_episode` resets all state."""
        first, second = self.tasks()
        model = self.make()
        self.answers(model, first, length=BROKEN_OFF)
        after, alone = self.answers(model, second), self.answers(self.make(), second)
        expect(after == alone, f"the answers are {after}, and without the earlier episode {alone}", SEED_EACH)

    def test_it_takes_pictures_text_or_both(self) -> None:
        """The model answers any kind of input, also without optional fields, or raises `AnswerFault`."""
        task = self.tasks()[0]
        model, episode = self.make(), _begun(task)
        _begin(model, episode)
        full = _inputs(episode, 0)
        bare = ModelInput(full.image, full.text_prompt, full.action_space, 0, full.max_steps)
        ways = {
            "picture and text": full,
            "a picture and no optional field": bare,
            "text only": attrs.evolve(full, image=None, prior_images=None),
            "a correction": attrs.evolve(full, correction="name one of the actions"),
            "no earlier pictures": attrs.evolve(full, prior_images=[]),
        }
        for what, given in ways.items():
            with calling(f"predict with {what}", "raise AnswerFault, and nothing else, if this cannot be answered"):
                answer = _ask(model, given)
            _expect_answer(answer)

    def test_it_can_be_closed_twice(self) -> None:
        """Closing the model twice is harmless, even before its first episode."""
        used, fresh = self.make(), self.make()
        self.answers(used, self.tasks()[0], length=1)
        for model in (used, fresh):
            with calling("close(), twice", "let `close` do nothing the second time"):
                model.close()
                model.close()


SEED_EACH = (
    "reset everything in `begin_episode`: seed an rng of its own with the model's seed, episode.seed and "
    "episode.task_id, and keep nothing else"
)
SEED_ITSELF = "use an rng of its own with a fixed seed: no global random state, no clock, no id()"


def _played(model: ModelInterface, task: TaskSpecification) -> Iterator[tuple[ModelInput, ModelOutput | AnswerFault]]:
    """Yield the input and answer of each step until the end of the episode; a fault leaves the state unchanged."""
    episode = _begun(task)
    _begin(model, episode)
    for step in range(task.max_steps):
        if episode.terminated or episode.truncated:
            return
        given = _inputs(episode, step)
        if isinstance(model, OracleInterface):
            model.observe(episode.state)
        answer = _ask(model, given)
        yield given, answer
        if isinstance(answer, ModelOutput) and answer.action in ACTION_SPACE:
            episode.step(answer.action)


def _begun(task: TaskSpecification) -> Episode:
    episode = Episode(compile_world(task, square_topology(*task.maze.dimensions)))
    episode.reset()
    return episode


def _begin(model: ModelInterface, episode: Episode) -> None:
    world = episode.world
    with calling("begin_episode"):
        model.begin_episode(_info(world))
    if isinstance(model, OracleInterface):
        with calling("look_into and observe"):
            model.look_into(world)
            model.observe(world.start)


def _info(world: World) -> EpisodeInfo:
    task = world.task
    return EpisodeInfo(task.task_id, task.seed, world.goal_type.mission(world), task.max_steps)


def _inputs(episode: Episode, step: int) -> ModelInput:
    """Return an input with every optional field, using synthetic pictures."""
    world = episode.world
    return ModelInput(
        image=_picture(step),
        text_prompt=world.goal_type.mission(world),
        action_space=dict(ACTION_SPACE),
        step_number=step,
        max_steps=world.max_steps,
        additional_context="You turned left.",
        prior_images=[_picture(step + 1), _picture(step + 2)],
        text_observation=str(text_view(episode)),
        episode=_info(world),
    )


def _picture(number: int) -> Any:
    import numpy as np

    ramp = np.arange(SIDE * SIDE * 3, dtype=np.int64) * (number + 7) % 251
    return ramp.astype(np.uint8).reshape(SIDE, SIDE, 3)


def _parts(given: ModelInput) -> dict[str, Any]:
    return attrs.asdict(given, recurse=False)


def _ask(model: ModelInterface, given: ModelInput) -> ModelOutput | AnswerFault:
    try:
        return model.predict(given)
    except AnswerFault as fault:
        return fault


def _in_short(answer: ModelOutput | AnswerFault) -> Answer:
    return answer.outcome.value if isinstance(answer, AnswerFault) else answer.action


def _expect_answer(answer: Any) -> None:
    if isinstance(answer, AnswerFault):
        return
    if not isinstance(answer, ModelOutput):
        fail(f"predict returns {answer!r}", "return a `ModelOutput`, or raise `AnswerFault` if there is no answer")
    expect(
        isinstance(answer.action, int) and not isinstance(answer.action, bool) and answer.action in ACTION_SPACE,
        f"predict returns the action {answer.action!r}",
        "return one of the integers of `input.action_space` (int(...) of a numpy integer), or raise "
        "AnswerFault(AnswerOutcome.ILLEGAL, ...)",
    )
    expect(
        answer.confidence is None or 0 <= answer.confidence <= 1,
        f"predict returns the confidence {answer.confidence!r}",
        "return a number from 0 to 1, or None",
    )
