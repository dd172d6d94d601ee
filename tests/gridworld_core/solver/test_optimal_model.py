"""The upper baseline: it plays a shortest plan, and waits where there is none."""

import numpy as np
import pytest

from gridworld.actions import ACTION_SPACE, Action
from gridworld.model_interface import EpisodeInfo, ModelInput, OracleInterface
from gridworld.solver.optimal_model import OptimalModel
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode
from worlds import compiled, corridor, door, draw, key


def asked(step_number: int) -> ModelInput:
    return ModelInput(
        image=np.zeros((1, 1, 3), dtype=np.uint8),
        text_prompt="",
        action_space=ACTION_SPACE,
        step_number=step_number,
        max_steps=50,
    )


def played(model: OptimalModel, task: TaskSpecification) -> Episode:
    """The episode that the model plays."""
    episode = Episode(compiled(task))
    episode.reset()
    model.begin_episode(EpisodeInfo(task.task_id, task.seed, "", task.max_steps))
    model.look_into(episode.world)
    while not (episode.terminated or episode.truncated):
        episode.step(model.predict(asked(episode.state.steps)).action)
    return episode


def test_it_is_an_oracle_named_optimal() -> None:
    assert isinstance(OptimalModel(), OracleInterface)
    assert OptimalModel().model_name == "optimal"


@pytest.mark.parametrize(
    ("task", "steps"),
    [
        (corridor("@..G"), 3),
        (corridor("@kdG", k=key("red"), d=door("red")), 5),
        (draw("####\n#@.#\n##G#\n####"), 3),
        (corridor("@.G", goal={"type": "survive_steps"}, max_steps=9), 9),
    ],
)
def test_it_wins_in_the_fewest_steps(task: TaskSpecification, steps: int) -> None:
    episode = played(OptimalModel(), task)
    assert episode.succeeded
    assert episode.state.steps == steps


def test_it_plays_one_task_after_another() -> None:
    model = OptimalModel()
    assert played(model, corridor("@....G")).state.steps == 5
    assert played(model, corridor("@G")).state.steps == 1
    assert played(model, corridor("@....G")).state.steps == 5


@pytest.mark.parametrize("model", [OptimalModel(), OptimalModel(max_states=1)])
def test_it_waits_where_it_has_no_plan(model: OptimalModel) -> None:
    task = corridor("@#G", max_steps=4)
    episode = played(model, task)
    assert episode.state.key == episode.world.start.key
    assert episode.truncated
    answer = model.predict(asked(0))
    assert (answer.action, answer.reasoning) == (Action.DONE, "no plan")


def test_it_forgets_the_plan_of_the_task_before() -> None:
    model = OptimalModel()
    played(model, corridor("@....G"))
    assert played(model, corridor("@#G", max_steps=3)).state.cell == compiled(corridor("@#G")).start.cell


def test_it_gives_up_after_as_many_states_as_it_was_told() -> None:
    task = corridor("@........G", max_steps=20)
    assert played(OptimalModel(max_states=5), task).truncated
    assert played(OptimalModel(max_states=100), task).succeeded


def test_it_waits_after_the_end_of_its_plan() -> None:
    model = OptimalModel()
    model.look_into(compiled(corridor("@.G")))
    assert [model.predict(asked(step)).action for step in range(4)] == [2, 2, 6, 6]
