"""The kit for models passes sound ones, and each of its checks catches a broken one."""

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
from gridworld.testing.conformance import TargetConformance, checks_of
from support.sample_plugins import assert_caught, assert_conforms, assert_has_broken_ones, failures


class Walker(ModelInterface):
    """Always moves forward."""

    model_name = "walker"  # type: ignore[assignment]

    def predict(self, input: ModelInput) -> Any:
        return ModelOutput(action=2)


class Unreachable(Walker):
    """Has no server to ask."""

    def predict(self, input: ModelInput) -> Any:
        raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, "connection refused")


class Watcher(OracleInterface):
    """Looks at the world and at the state before each step."""

    model_name = "watcher"  # type: ignore[assignment]

    def look_into(self, world: Any) -> None:
        self.world = world

    def observe(self, state: Any) -> None:
        self.steps = state.steps

    def predict(self, input: ModelInput) -> ModelOutput:
        assert self.world.task.max_steps == input.max_steps
        return ModelOutput(action=self.steps % 2)


class Turner(Walker):
    """Turns left as often as it is told to."""

    def __init__(self, times: int) -> None:
        self._times = times

    def predict(self, input: ModelInput) -> Any:
        return ModelOutput(action=0 if input.step_number < self._times else 6)


@pytest.mark.parametrize("model", [Walker, Unreachable, Watcher])
def test_a_sound_model_conforms_and_so_does_one_without_a_server(model: type[ModelInterface]) -> None:
    assert_conforms(ModelConformance, model=model)


def test_a_model_is_made_with_the_arguments_that_are_given_and_asked_for_where_it_needs_some() -> None:
    assert_conforms(ModelConformance, model=Turner, arguments={"times": 3})
    found = failures(ModelConformance, model=Turner)
    assert {result.verdict for result in found.values()} == {"undecided"}
    assert all("'times'" in result.wrong and "set `arguments`" in result.wrong for result in found.values())


def answering(answer: Any) -> type[ModelInterface]:
    """A model with one answer, which a function makes."""
    return type("Answering", (Walker,), {"predict": lambda self, given: answer(given)})


class SeededOnce(Walker):
    """Does not start afresh with each episode."""

    def __init__(self) -> None:
        self._random = random.Random(0)

    def predict(self, input: ModelInput) -> Any:
        return ModelOutput(action=self._random.randrange(7))


class Remembering(Walker):
    """Takes the first task that it sees for all that follow."""

    task = ""

    def begin_episode(self, episode: EpisodeInfo) -> None:
        self.task = self.task or episode.task_id

    def predict(self, input: ModelInput) -> Any:
        return ModelOutput(action=0 if self.task == "stage" else 1)


made = itertools.count()


class EachAnother(Walker):
    """Every object of it plays otherwise."""

    def __init__(self) -> None:
        self._action = next(made) % 7

    def predict(self, input: ModelInput) -> Any:
        return ModelOutput(action=self._action)


class ClosesOnce(Walker):
    def __init__(self) -> None:
        self._server: Any = object()

    def close(self) -> None:
        del self._server


def painted(input: ModelInput) -> ModelOutput:
    if input.image is not None:
        input.image[:] = 0
    return ModelOutput(action=2)


def shortened(input: ModelInput) -> ModelOutput:
    input.action_space.pop(6, None)
    return ModelOutput(action=2)


ANSWERS = "it_answers_with_an_action_or_says_why_not"
CHANGES = "it_does_not_change_its_input"
SAME = "an_episode_has_the_same_answers_whatever_was_before"

BROKEN: list[tuple[str, type[ModelInterface]]] = [
    ("it_has_a_name", type("Nameless", (Walker,), {"model_name": ""})),
    (ANSWERS, answering(lambda given: ModelOutput(action=np.int64(2)))),  # type: ignore[arg-type]
    (ANSWERS, answering(lambda given: ModelOutput(action=7))),
    (ANSWERS, answering(lambda given: 2)),
    (ANSWERS, answering(lambda given: ModelOutput(action=2, confidence=100))),
    (ANSWERS, answering(lambda given: ModelOutput(action=int(given.image[0, 0, 0]) % 7))),  # cannot do without
    (CHANGES, answering(painted)),
    (CHANGES, answering(shortened)),
    (SAME, answering(lambda given: ModelOutput(action=random.randrange(7)))),
    (SAME, SeededOnce),
    (SAME, Remembering),
    (SAME, EachAnother),
    ("it_can_be_closed_twice", ClosesOnce),
]


@pytest.mark.parametrize(("check", "model"), BROKEN)
def test_a_broken_model_is_caught(check: str, model: type[ModelInterface]) -> None:
    assert_caught(ModelConformance, check, model=model)


def test_every_check_has_a_broken_model() -> None:
    assert_has_broken_ones(ModelConformance, [check for check, _ in BROKEN])


class Cycler(Walker):
    """Turns left in one of so many steps, and goes on counting in the next episode."""

    def __init__(self, period: int) -> None:
        self._period = period
        self._steps = 0

    def predict(self, input: ModelInput) -> Any:
        self._steps += 1
        return ModelOutput(action=0 if self._steps % self._period == 0 else 6)


@pytest.mark.parametrize("period", [2, 3, 7, 11])
def test_what_is_kept_between_episodes_is_found_whatever_its_period(period: int) -> None:
    assert_caught(ModelConformance, SAME, model=Cycler, arguments={"period": period})


def test_a_check_that_does_not_apply_is_left_out_by_setting_it_to_none() -> None:
    class Free(ModelConformance):
        model = SeededOnce
        test_an_episode_has_the_same_answers_whatever_was_before = None

    assert_conforms(Free)


# --- What every kit for a class checks -------------------------------------------------------------------------------

TARGETS: list[tuple[str, Any]] = [
    ("its_target_is_of_its_kind", type("NoModel", (), {"model_name": "none"})),
    ("its_target_is_of_its_kind", ModelInterface),  # abstract
    ("its_methods_take_the_arguments_of_the_base_class", type("Deaf", (Walker,), {"predict": lambda self: None})),
    ("it_can_be_made", type("Raiser", (Walker,), {"__init__": lambda self: {}["no disk"]})),
    ("it_can_be_made", lambda: "walker"),
]


@pytest.mark.parametrize(("check", "model"), TARGETS)
def test_what_is_no_class_of_its_kind_is_caught(check: str, model: Any) -> None:
    given = staticmethod(model) if not isinstance(model, type) else model
    assert_caught(ModelConformance, check, model=given)


def test_every_check_of_classes_has_a_broken_one() -> None:
    assert {f"test_{check}" for check, _ in TARGETS} == set(checks_of(TargetConformance))
