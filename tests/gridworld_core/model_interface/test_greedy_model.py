"""The baseline that walks toward its target as the crow flies, on every tiling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.actions import Action
from gridworld.model_interface import ModelInput
from gridworld.model_interface.baselines import GreedyModel
from gridworld.solver import solve
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, World, compile_world
from support.thoroughness import bounded
from support.tilings import TILINGS, make_topology, on_two_tilings
from support.worlds import LETTERS, begin, block, compiled, corridor, door, draw, hazard, key, switch, tasks

ASKED = ModelInput(image=None, text_prompt="", action_space={}, step_number=0, max_steps=1)


def laid_out(task: TaskSpecification, tiling: str) -> World:
    return compile_world(task, make_topology(tiling, (task.maze.width, task.maze.height)))


def play_on(episode: Episode, at_most: int = 1000) -> list[Action]:
    """The actions that the model takes in an episode."""
    model = GreedyModel()
    model.look_into(episode.world)
    actions: list[Action] = []
    while not (episode.terminated or episode.truncated) and len(actions) < at_most:
        model.observe(episode.state)
        actions.append(Action(model.predict(ASKED).action))
        episode.step(actions[-1])
    return actions


def played(world: World) -> Episode:
    episode = Episode(world)
    episode.reset()
    play_on(episode)
    return episode


@on_two_tilings
@given(data=st.data())
@bounded(8)
def test_empty_rooms_need_few_extra_steps(name: str, data: st.DataObject) -> None:
    width, height = (data.draw(st.integers(4, 9)) for _ in "xy")
    floor = [(x, y) for x in range(1, width - 1) for y in range(1, height - 1)]
    start, goal = data.draw(st.lists(st.sampled_from(floor), min_size=2, max_size=2, unique=True))
    world = laid_out(empty_room(width, height, start, goal), name)

    episode = played(world)

    needed = solve(world).length
    assert needed is not None
    assert episode.succeeded
    assert episode.state.steps <= 2 * needed + 2


def empty_room(width: int, height: int, start: tuple[int, int], goal: tuple[int, int]) -> TaskSpecification:
    rows = [["."] * width for _ in range(height)]
    rows[0] = rows[-1] = ["#"] * width
    for row in rows:
        row[0] = row[-1] = "#"
    rows[start[1]][start[0]], rows[goal[1]][goal[0]] = "@", "G"
    return draw("\n".join(map("".join, rows)), max_steps=200)


@given(task=tasks(), name=st.sampled_from(TILINGS))
@bounded(15)
def test_it_plays_any_task_to_its_end(task: TaskSpecification, name: str) -> None:
    world = laid_out(task, name)
    end = played(world).state
    assert world.is_over(end)
    assert played(world).state == end


COLLECT = {"type": "collect_all", "target_ids": ["s"]}
PUSH = {"type": "push_block_to", "target_ids": ["b"], "target_positions": ["t"]}
SURVIVE = {"type": "survive_steps"}


@pytest.mark.parametrize(
    ("task", "actions"),
    [
        (corridor("@.hG", h=hazard()), "FF"),
        (corridor("@kDG", k=key(), D=door("red"), max_steps=9), "F" * 9),
        (corridor("@..sG", goal=COLLECT, s=switch(switch_type="hold")), "FFF"),
        (corridor("@.b..tG", goal=PUSH, b=block()), "FFFF"),
        (corridor("@.G", goal=SURVIVE, max_steps=5), "FFWWW"),
    ],
    ids=["hazard", "locked door", "hold switch", "block", "waiting at the goal"],
)
def test_walks_straight_ahead(task: TaskSpecification, actions: str) -> None:
    assert play_on(begin(task)) == [LETTERS[letter] for letter in actions]


def test_goal_target_precedes_maze_goal() -> None:
    task = draw("#######\n#G..@.#\n#.....#\n#....t#\n#######", goal={"type": "reach_position", "target": "t"})
    assert played(compiled(task)).succeeded


def test_collects_in_the_order_of_the_goal() -> None:
    goal = {"type": "collect_all", "target_ids": ["s", "k"]}
    episode = begin(draw("#######\n#k.@..#\n#.....#\n#...sG#\n#######", goal=goal, k=key(), s=switch()))

    actions = play_on(episode)

    assert episode.succeeded
    assert [action for action in actions if action in (Action.TOGGLE, Action.PICKUP)] == [Action.TOGGLE, Action.PICKUP]


def test_decides_from_the_current_state() -> None:
    episode = begin(corridor("@...G"))
    model = GreedyModel()
    model.look_into(episode.world)
    for _ in range(3):
        model.observe(episode.state)
        assert model.predict(ASKED).action == Action.MOVE_FORWARD
    episode.step(Action.TURN_LEFT)
    model.observe(episode.state)
    assert model.predict(ASKED).action == Action.TURN_RIGHT
