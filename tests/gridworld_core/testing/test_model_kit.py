"""The kit for models passes sound ones, and catches each of many broken ones."""

import itertools
import random
from typing import Any

import numpy as np
import pytest

from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    EpisodeInfo,
    ModelInput,
    ModelInterface,
    ModelOutput,
    OracleInterface,
)
from gridworld.testing import ModelConformance
from support.sample_plugins import assert_caught, assert_conforms, failures


class Walker(ModelInterface):
    """Always moves forward."""

    @property
    def model_name(self) -> str:
        return "walker"

    def predict(self, input: ModelInput) -> ModelOutput:
        return ModelOutput(action=2)


class Unreachable(Walker):
    """Has no server to ask."""

    def predict(self, input: ModelInput) -> ModelOutput:
        raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, "connection refused")


class Turner(Walker):
    """Turns left as often as it is told to."""

    def __init__(self, times: int) -> None:
        self._times = times

    def predict(self, input: ModelInput) -> ModelOutput:
        return ModelOutput(action=0 if input.step_number < self._times else 6)


@pytest.mark.parametrize("model", [Walker, Unreachable])
def test_a_sound_model_conforms_and_so_does_one_without_a_server(model: type[ModelInterface]) -> None:
    assert_conforms(ModelConformance, model=model)


class Cycler(Walker):
    """Turns left in one of so many steps, and goes on counting in the next episode."""

    def __init__(self, period: int) -> None:
        self._period = period
        self._steps = 0

    def predict(self, input: ModelInput) -> ModelOutput:
        self._steps += 1
        return ModelOutput(action=0 if self._steps % self._period == 0 else 6)


@pytest.mark.parametrize(
    ("period", "check"),
    [
        *((period, "the_order_of_the_episodes_does_not_matter") for period in range(2, 11)),
        (11, "an_episode_that_broke_off_leaves_nothing_behind"),  # the length of one of the episodes that are played
    ],
)
def test_what_is_kept_between_episodes_is_found_whatever_its_period(period: int, check: str) -> None:
    found = failures(ModelConformance, model=Cycler, arguments={"period": period})
    assert check in found


def test_a_model_is_made_with_the_arguments_that_are_given_and_asked_for_where_it_needs_some() -> None:
    assert_conforms(ModelConformance, model=Turner, arguments={"times": 3})
    found = failures(ModelConformance, model=Turner)
    assert {result.verdict for result in found.values()} == {"undecided"}
    assert all("'times'" in result.wrong and "set `arguments`" in result.remedy for result in found.values())


class Nameless(Walker):
    model_name = ""  # type: ignore[assignment]


class ByChance(Walker):
    def predict(self, input: ModelInput) -> ModelOutput:
        return ModelOutput(action=random.randrange(7))


class SeededOnce(Walker):
    """Does not start afresh with each episode."""

    def __init__(self) -> None:
        self._random = random.Random(0)

    def predict(self, input: ModelInput) -> ModelOutput:
        return ModelOutput(action=self._random.randrange(7))


class Counter(Walker):
    """Counts on where the last episode ended."""

    def __init__(self) -> None:
        self._steps = 0

    def predict(self, input: ModelInput) -> ModelOutput:
        self._steps += 1
        return ModelOutput(action=self._steps % 5)


class Remembering(Walker):
    """Takes the first task that it sees for all that follow."""

    def __init__(self) -> None:
        self._task = ""

    def begin_episode(self, episode: EpisodeInfo) -> None:
        self._task = self._task or episode.task_id

    def predict(self, input: ModelInput) -> ModelOutput:
        return ModelOutput(action=0 if self._task == "stage" else 1)


made = itertools.count()


class EachAnother(Walker):
    """Every object of it plays otherwise."""

    def __init__(self) -> None:
        self._action = next(made) % 7

    def predict(self, input: ModelInput) -> ModelOutput:
        return ModelOutput(action=self._action)


class Painter(Walker):
    def predict(self, input: ModelInput) -> ModelOutput:
        if input.image is not None:
            input.image[:] = 0
        return ModelOutput(action=2)


class Shortener(Walker):
    def predict(self, input: ModelInput) -> ModelOutput:
        input.action_space.pop(6, None)
        return ModelOutput(action=2)


class Greedy(Walker):
    def predict(self, input: ModelInput) -> ModelOutput:
        if input.prior_images:
            input.prior_images.clear()
        return ModelOutput(action=2)


class NumpyAction(Walker):
    def predict(self, input: ModelInput) -> ModelOutput:
        return ModelOutput(action=np.int64(2))  # type: ignore[arg-type]


class OutOfSpace(Walker):
    def predict(self, input: ModelInput) -> ModelOutput:
        return ModelOutput(action=7)


class PlainNumber(Walker):
    def predict(self, input: ModelInput) -> Any:
        return 2


class Overconfident(Walker):
    def predict(self, input: ModelInput) -> ModelOutput:
        return ModelOutput(action=2, confidence=100)


class NeedsPictures(Walker):
    """Cannot do without a picture, and does not say so."""

    def predict(self, input: ModelInput) -> ModelOutput:
        return ModelOutput(action=int(input.image[0, 0, 0]) % 7)  # type: ignore[index]


class ClosesOnce(Walker):
    def __init__(self) -> None:
        self._server: Any = object()

    def close(self) -> None:
        del self._server


class NoModel:
    model_name = "none"


@pytest.mark.parametrize(
    ("model", "check", "wrong", "remedy"),
    [
        (Nameless, "it_has_a_name", "`model_name` is ''", "a string that is not empty"),
        (
            ByChance,
            "the_same_episode_gives_the_same_answers",
            "is answered with",
            "reset everything in `begin_episode`",
        ),
        (SeededOnce, "the_same_episode_gives_the_same_answers", "is answered with", "episode.seed"),
        (Counter, "an_episode_that_broke_off_leaves_nothing_behind", "the answers are", "keep nothing else"),
        (Remembering, "the_order_of_the_episodes_does_not_matter", "in the other order", "reset everything"),
        (EachAnother, "the_same_episode_gives_the_same_answers", "by a new instance with", "with a fixed seed"),
        (Painter, "it_does_not_change_its_input", "has modified the picture", "input.image.copy()"),
        (Shortener, "it_does_not_change_its_input", "the action space", "work on copies"),
        (Greedy, "it_does_not_change_its_input", "the earlier pictures", "work on copies"),
        (NumpyAction, "it_answers_with_an_action_or_says_why_not", "the action", "int(...) of a numpy integer"),
        (OutOfSpace, "it_answers_with_an_action_or_says_why_not", "the action 7", "AnswerOutcome.ILLEGAL"),
        (PlainNumber, "it_answers_with_an_action_or_says_why_not", "predict returns 2", "return a `ModelOutput`"),
        (Overconfident, "it_answers_with_an_action_or_says_why_not", "the confidence 100", "from 0 to 1"),
        (NeedsPictures, "it_takes_pictures_text_or_both", "predict with text only raised", "raise AnswerFault"),
        (ClosesOnce, "it_can_be_closed_twice", "close(), twice raised AttributeError", "do nothing the second time"),
        (NoModel, "it_has_a_name", "is not a model", "derive it from"),
    ],
)
def test_a_broken_model_is_caught(model: Any, check: str, wrong: str, remedy: str) -> None:
    assert_caught(ModelConformance, check, wrong, remedy, model=model)


def test_an_oracle_is_shown_the_world_and_the_state_before_each_step() -> None:
    class Watcher(OracleInterface):
        model_name = "watcher"  # type: ignore[assignment]

        def look_into(self, world: Any) -> None:
            self.world = world

        def observe(self, state: Any) -> None:
            self.steps = state.steps

        def predict(self, input: ModelInput) -> ModelOutput:
            assert self.world.task.max_steps == input.max_steps
            return ModelOutput(action=self.steps % 2)

    assert_conforms(ModelConformance, model=Watcher)


def test_a_check_that_does_not_apply_is_left_out_by_setting_it_to_none() -> None:
    class Free(ModelConformance):
        model = ByChance
        test_the_same_episode_gives_the_same_answers = None
        test_the_order_of_the_episodes_does_not_matter = None
        test_an_episode_that_broke_off_leaves_nothing_behind = None

    assert_conforms(Free)
