"""The upper baseline: it plays a shortest plan, and waits where there is none."""

import attrs
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gridworld.actions import ACTION_SPACE, Action
from gridworld.model_interface import EpisodeInfo, ModelInput, ModelOutput
from gridworld.solver import solve
from gridworld.solver.optimal_model import OptimalModel
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, State
from support.worlds import begin, compiled, corridor, door, draw, key, play, rollout, tasks


def asked(step_number: int) -> ModelInput:
    return ModelInput(
        image=np.zeros((1, 1, 3), dtype=np.uint8),
        text_prompt="",
        action_space=ACTION_SPACE,
        step_number=step_number,
        max_steps=50,
    )


def answer(model: OptimalModel, state: State) -> ModelOutput:
    """Reply of the model in a state."""
    model.observe(state)
    return model.predict(asked(state.steps))


def played(model: OptimalModel, task: TaskSpecification) -> Episode:
    """The episode that the model plays."""
    episode = Episode(compiled(task))
    episode.reset()
    model.begin_episode(EpisodeInfo(task.task_id, task.seed, "", task.max_steps))
    model.look_into(episode.world)
    while not (episode.terminated or episode.truncated):
        episode.step(answer(model, episode.state).action)
    return episode


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


@pytest.mark.parametrize("model", [OptimalModel(), OptimalModel(max_states=1)])
def test_it_waits_without_a_plan(model: OptimalModel) -> None:
    task = corridor("@.#G", max_steps=4)
    episode = played(model, task)
    assert episode.state.key == episode.world.start.key
    assert episode.truncated
    said = answer(model, episode.world.start)
    assert (said.action, said.reasoning) == (Action.DONE, "no plan")


@pytest.mark.parametrize("goal", ["reach_position", "survive_steps"])
def test_a_repeated_observation_gets_the_same_action(goal: str) -> None:
    world = compiled(corridor("@.G", goal={"type": goal}))
    model = OptimalModel()
    model.look_into(world)
    assert answer(model, world.start) == answer(model, world.start)


def test_it_plans_again_after_other_actions() -> None:
    episode = begin(draw("#####\n#@kD#\n###G#\n#####", k=key("red"), D=door("red")))
    model = OptimalModel()
    model.look_into(episode.world)
    assert answer(model, episode.state).action == Action.PICKUP
    play(episode, "L L P R")  # it faces away from the key, which is still there
    actions = []
    while not episode.terminated:
        actions.append(answer(model, episode.state).action)
        episode.step(actions[-1])
    assert (episode.succeeded, len(actions)) == (True, 7)


@given(task=tasks(max_side=6, goal_types=("reach_position", "collect_all")), seed=st.integers(0, 99))
def test_it_wins_in_the_fewest_steps_from_random_states(task: TaskSpecification, seed: int) -> None:
    world = compiled(attrs.evolve(task, max_steps=10_000))
    episode = rollout(world, seed, 20)
    assume(not world.is_over(episode.state))
    length = solve(world, start=episode.state).length
    assume(length is not None)
    model = OptimalModel()
    model.look_into(world)
    for _ in range(length or 0):
        episode.step(answer(model, episode.state).action)
    assert episode.succeeded
