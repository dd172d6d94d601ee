"""The baseline that knows only what it has been shown."""

from itertools import islice

import attrs
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gridworld.actions import ACTION_SPACE, Action
from gridworld.errors import InvalidTaskError
from gridworld.model_interface import EpisodeInfo, ModelInput
from gridworld.plugins.tilings import compile_on
from gridworld.runner.record import DecisionKind, Step
from gridworld.solver import solve
from gridworld.solver.explorer_model import ExplorerModel
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, World
from support.thoroughness import bounded
from support.tilings import TILINGS
from support.twins import change_out_of_sight, seen_in, with_rules
from support.worlds import compiled, corridor, door, draw, gate, key, switch, tasks

PARTIAL = ("view_cone", "fog_of_war")
MANY_STATES, FEW_STATES = 100_000, 1_000
"""After how many states it gives up; where that is early, it is quick."""
QUESTION = ModelInput(image=None, text_prompt="", action_space=ACTION_SPACE, step_number=0, max_steps=50)


def begun(world: World, max_states: int) -> tuple[Episode, ExplorerModel]:
    """An episode at its start, and the model before its first step."""
    episode, model = Episode(world), ExplorerModel(max_states)
    episode.reset()
    model.begin_episode(EpisodeInfo(world.task.task_id, 1, "", world.max_steps))
    model.look_into(world)
    return episode, model


def actions_in(world: World, max_states: int = MANY_STATES) -> list[int]:
    """Actions of the model in an episode."""
    episode, model = begun(world, max_states)
    actions = []
    while not (episode.terminated or episode.truncated):
        model.observe(episode.state)
        actions.append(int(model.predict(QUESTION).action))
        episode.step(actions[-1])
    return actions


def succeeds(world: World, actions: list[int]) -> bool:
    episode = Episode(world)
    episode.reset()
    for action in actions:
        episode.step(action)
    return episode.succeeded


@bounded(10)
@given(tasks(6, ("reach_position", "collect_all", "push_block_to")), st.sampled_from(TILINGS))
def test_full_observability_gives_shortest_plans(task: TaskSpecification, tiling: str) -> None:
    rules = attrs.evolve(task.rules, observability="full", hidden_mechanisms=())
    try:
        world = compile_on(tiling, attrs.evolve(task, rules=rules, max_steps=300))
    except InvalidTaskError:
        assume(False)
    length = solve(world).length
    assume(length is not None)
    assert len(actions_in(world)) == length


@bounded(8)
@given(tasks(8, ("reach_position",)), st.sampled_from(PARTIAL), st.integers(0, 99))
def test_actions_do_not_depend_on_unseen_cells(task: TaskSpecification, mode: str, seed: int) -> None:
    task = attrs.evolve(with_rules(task, observability=mode, view_size=3), max_steps=12)
    actions = actions_in(compiled(task), FEW_STATES)
    for number in range(0, len(actions), 2):
        twin = change_out_of_sight(task, seen_in(task, actions[:number]), seed, edits=30)
        assert actions_in(compiled(attrs.evolve(twin, max_steps=number + 1)), FEW_STATES) == actions[: number + 1]


ROUND_THE_CORNER = """
    #######
    #@....#
    #####.#
    #G....#
    #######
"""


@pytest.mark.parametrize("mode", PARTIAL)
def test_it_explores_until_it_sees_the_goal(mode: str) -> None:
    world = compiled(draw(ROUND_THE_CORNER, rules={"observability": mode, "view_size": 3}))
    actions = actions_in(world)
    assert succeeds(world, actions)
    length = solve(world).length
    assert length is not None
    assert length <= len(actions) <= length + 8


def test_it_fetches_a_remembered_key() -> None:
    task = draw(
        """
        ########
        #..@k..#
        #.####D#
        #.####.#
        #.....G#
        ########
        """,
        k=key("red"),
        D=door("red"),
        rules={"observability": "view_cone", "view_size": 3},
    )
    world = compiled(attrs.evolve(task, max_steps=80))
    assert succeeds(world, actions_in(world))


def test_it_walks_against_walls_to_find_hidden_mechanisms() -> None:
    task = corridor("@.g.G", g=gate("open"), rules={"hidden_mechanisms": ["g"]})
    assert succeeds(compiled(task), actions_in(compiled(task)))
    barred = corridor("@s.d.G", s=switch(), d=door("red", "closed"), rules={"hidden_mechanisms": ["d"]})
    assert succeeds(compiled(barred), actions_in(compiled(barred)))


def test_it_waits_with_nothing_left_to_try() -> None:
    task = corridor("@.#.G", max_steps=12)
    actions = actions_in(compiled(task))
    assert actions[-1] == Action.DONE
    assert Action.MOVE_FORWARD in actions  # it has tried the wall


@pytest.mark.parametrize("number", range(0, 9, 3))
def test_a_resumed_episode_continues_as_without_a_break(number: int) -> None:
    world = compiled(draw(ROUND_THE_CORNER, rules={"observability": "view_cone", "view_size": 3}))
    actions = actions_in(world)
    episode, model = begun(world, MANY_STATES)
    steps = []
    for action in islice(actions, number):
        steps.append(Step(len(steps) + 1, DecisionKind.ACTION, action, events=episode.step(action)))
    assert model.resume_episode(EpisodeInfo("drawn", 1, "", world.max_steps), [*steps, Step(99, DecisionKind.LOST)])
    for action in actions[number:]:
        model.observe(episode.state)
        assert model.predict(QUESTION).action == action
        episode.step(action)
    assert episode.succeeded
