"""Inputs of models, and the random baseline."""

from collections.abc import Sequence

import attrs
import numpy as np
import pytest

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface import EpisodeInfo, ModelInput, ModelInterface, ModelOutput, RandomModelInterface

IMAGE = np.zeros((8, 8, 3), dtype=np.uint8)


def asked(step_number: int = 0) -> ModelInput:
    return ModelInput(
        image=IMAGE, text_prompt="reach the goal", action_space=ACTION_SPACE, step_number=step_number, max_steps=50
    )


def episode(task_id: str = "task", seed: int = 1) -> EpisodeInfo:
    return EpisodeInfo(task_id=task_id, seed=seed, mission="reach the goal", max_steps=50)


def answers(model: ModelInterface, of: EpisodeInfo, count: int = 30) -> list[int]:
    model.begin_episode(of)
    return [model.predict(asked(step)).action for step in range(count)]


@pytest.mark.parametrize("missing", ["model_name", "predict"])
def test_a_model_has_to_have_a_name_and_predict(missing: str) -> None:
    parts = {"model_name": property(lambda self: "still"), "predict": lambda self, asked: ModelOutput(action=6)}
    del parts[missing]
    incomplete = type("Incomplete", (ModelInterface,), parts)
    with pytest.raises(TypeError, match=missing):
        incomplete()


def test_random_uses_exactly_the_given_action_space() -> None:
    model = RandomModelInterface()
    assert model.model_name == "random"
    assert set(answers(model, episode(), 300)) == set(ACTION_SPACE)
    narrow = attrs.evolve(asked(), action_space={0: "turn_left", 2: "move_forward"})
    assert {model.predict(narrow).action for _ in range(50)} == {0, 2}


def test_random_is_reproducible_by_episode() -> None:
    used = RandomModelInterface()
    answers(used, episode("another", 9), 17)
    assert answers(used, episode()) == answers(RandomModelInterface(), episode())


@pytest.mark.parametrize(
    ("model", "of"),
    [
        pytest.param(RandomModelInterface(seed=1), episode(), id="another seed of the model"),
        pytest.param(RandomModelInterface(), episode(seed=2), id="another seed of the episode"),
        pytest.param(RandomModelInterface(), episode("other"), id="another task"),
    ],
)
def test_the_random_model_answers_otherwise_for(model: RandomModelInterface, of: EpisodeInfo) -> None:
    ordinary: Sequence[int] = answers(RandomModelInterface(), episode())
    assert answers(model, of) != ordinary
