"""Tasks as environments of the package multigrid: what it is given, what it shows, and what is refused."""

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import pytest
from multigrid import MultiGridEnv
from multigrid.wrappers import FullyObsWrapper, OneHotObsWrapper, SingleAgentWrapper

from gridworld.actions import ACTION_SPACE, Action
from gridworld.errors import InvalidTaskError
from gridworld.mechanisms.keys import KEYS
from gridworld.plugins import Provided, get_registry, using_registry
from gridworld.task_spec import TaskSpecification
from gridworld_multigrid.pypi_multigrid import TaskMultiGridEnv, UnfitTaskError
from plugin_factory import run_python
from worlds import Thing, block, corridor, door, draw, gate, hazard, key, switch, teleporter

VAULT = """
    #########
    #@.kD..G#
    #...#.h.#
    #C#O#...#
    #########
"""
VAULT_THINGS = {
    "k": key("purple"),
    "D": door("purple"),
    "C": door(None, "closed"),
    "O": door("blue", "open"),
    "h": hazard("lava"),
}
TO_THE_GOAL = (2, 3, 2, 2, 5, 2, 2, 2, 2)


def vault(**options: Any) -> TaskSpecification:
    """A task of everything that the package knows; keys are kept there."""
    rules = {"key_consumption": False, **options.pop("rules", {})}
    return draw(VAULT, **{**VAULT_THINGS, "rules": rules, **options})


def begin(task: TaskSpecification, **options: Any) -> TaskMultiGridEnv:
    env = TaskMultiGridEnv(task, **options)
    env.reset(seed=0)
    return env


def refusal(task: TaskSpecification) -> list[str]:
    with pytest.raises(UnfitTaskError) as refused:
        TaskMultiGridEnv(task)
    return [str(problem) for problem in refused.value.problems]


# --- What the package is given ---------------------------------------------------------------------------------------


def test_a_task_is_an_environment_of_the_package_with_all_that_is_in_it() -> None:
    env = begin(vault())
    assert isinstance(env, MultiGridEnv)
    assert [line.rstrip() for line in str(env).splitlines()] == [
        "WGWGWGWGWGWGWGWGWG",
        "WG>>  KPLP    GGWG",
        "WG      WG  VR  WG",
        "WGDGWG__WG      WG",
        "WGWGWGWGWGWGWGWGWG",
    ]
    assert env.grid.get(3, 3).color == "blue"


def test_cells_that_are_not_listed_as_floor_are_walls() -> None:
    task = TaskSpecification.from_dict(
        {
            "task_id": "three cells of floor",
            "seed": 0,
            "difficulty_tier": 1,
            "maze": {"dimensions": [6, 4], "start": [1, 1], "goal": [3, 1], "floor": [[1, 1], [2, 1], [3, 1]]},
            "goal": {"type": "reach_position"},
            "max_steps": 9,
        }
    )
    assert str(begin(task)).splitlines() == ["WG" * 6, "WG>>  GGWGWG", "WG" * 6, "WG" * 6]


def test_the_mission_and_the_budget_of_steps_are_the_tasks() -> None:
    task = vault(max_steps=17)
    env = TaskMultiGridEnv(task)
    observations, _ = env.reset()
    assert str(observations[0]["mission"]) == "reach the goal"
    assert env.max_steps == 17


def test_its_actions_are_numbered_as_ours() -> None:
    env = TaskMultiGridEnv(vault())
    assert env.action_space[0].n == len(ACTION_SPACE)
    names = {0: "left", 1: "right", 2: "forward", 3: "pickup", 4: "drop", 5: "toggle", 6: "done"}
    assert {action.value: action.name for action in env.actions} == names
    assert [Action(each).name.lower() for each in names] == list(ACTION_SPACE.values())


def test_a_plan_is_played_to_the_goal_and_a_reset_begins_again() -> None:
    env = TaskMultiGridEnv(vault(max_steps=30))
    for _ in range(2):
        observations, _ = env.reset()
        for action in TO_THE_GOAL:
            observations, rewards, terminations, truncations, _ = env.step({0: action})
        assert (rewards[0], terminations[0], truncations[0]) == (1 - 0.9 * len(TO_THE_GOAL) / 30, True, False)
        assert set(observations) == {0}


def test_every_reset_begins_with_the_same_maze_whatever_the_seed() -> None:
    env = TaskMultiGridEnv(vault())
    first, _ = env.reset(seed=1)
    env.step({0: Action.TURN_RIGHT})
    second, _ = env.reset(seed=2)
    np.testing.assert_array_equal(first[0]["image"], second[0]["image"])
    assert first[0]["direction"] == second[0]["direction"] == 0


def test_every_observation_is_in_its_space() -> None:
    env = TaskMultiGridEnv(vault(rules={"view_size": 5}))
    observations, _ = env.reset()
    assert env.observation_space.contains(observations)
    for action in TO_THE_GOAL:
        observations, *_ = env.step({0: action})
        assert env.observation_space.contains(observations)
        assert observations[0]["image"].shape == (5, 5, 3)


def test_a_view_size_can_be_chosen_for_tasks_that_are_trained_on_together() -> None:
    observations, _ = TaskMultiGridEnv(vault(rules={"view_size": 5}), agent_view_size=9).reset()
    assert observations[0]["image"].shape == (9, 9, 3)


def test_the_packages_wrappers_take_it() -> None:
    single = SingleAgentWrapper(TaskMultiGridEnv(vault()))
    observation, _ = single.reset()
    assert observation["image"].shape == (7, 7, 3)
    assert single.step(Action.MOVE_FORWARD)[1:4] == (0, False, False)
    whole, _ = FullyObsWrapper(TaskMultiGridEnv(vault())).reset()
    assert whole[0]["image"].shape == (9, 5, 3)
    hot, _ = OneHotObsWrapper(TaskMultiGridEnv(vault())).reset()
    assert set(np.unique(hot[0]["image"])) == {0, 1}


# --- Pictures --------------------------------------------------------------------------------------------------------


def picture(row: str, observability: str, **things: Thing) -> np.ndarray:
    task = corridor(row, rules={"observability": observability, "view_size": 3}, **things)
    return np.asarray(begin(task, render_mode="rgb_array", tile_size=8).render())


def test_a_picture_shows_the_whole_maze() -> None:
    assert picture("@...G", "full").shape == (24, 56, 3)
    assert (picture("@..kG", "full", k=key()) != picture("@...G", "full")).any()


def test_a_picture_shows_the_field_of_view_lighter_unless_told_otherwise() -> None:
    lit, plain = (
        np.asarray(begin(corridor("@...G"), render_mode="rgb_array", **each).render()).astype(int)
        for each in ({}, {"highlight": False})
    )
    assert (lit >= plain).all()
    assert (lit > plain).any()


@pytest.mark.parametrize("thing", [key(), door(None, "closed"), hazard()], ids=lambda thing: thing.kind)
def test_a_picture_of_a_view_cone_does_not_tell_what_is_out_of_view(thing: Thing) -> None:
    np.testing.assert_array_equal(picture("@..xG", "view_cone", x=thing), picture("@...G", "view_cone"))
    np.testing.assert_array_equal(picture("@..#G", "view_cone"), picture("@...G", "view_cone"))


def test_a_picture_of_a_view_cone_shows_what_is_in_view_as_any_picture_does() -> None:
    cone, whole = (picture("@.k.G", each, k=key()) for each in ("view_cone", "full"))
    in_view = 8 * 4
    np.testing.assert_array_equal(cone[:, 8:in_view], whole[:, 8:in_view])
    assert len(np.unique(cone[:, in_view:].reshape(-1, 3), axis=0)) == 1


def test_a_picture_of_a_view_cone_does_not_show_what_is_behind_a_door() -> None:
    behind, nothing = (
        picture(row, "view_cone", D=door(None, "closed"), **things)
        for row, things in (("@DkG", {"k": key()}), ("@D.G", {}))
    )
    np.testing.assert_array_equal(behind, nothing)


# --- What is refused -------------------------------------------------------------------------------------------------

UNKNOWN_MECHANISMS = {
    "switches": ("@.s.G", {"s": switch()}),
    "gates": ("@.g.G", {"g": gate()}),
    "blocks": ("@.b.G", {"b": block(pushable=False)}),
    "teleporters": ("@a.bG", {"ab": teleporter()}),
}


@pytest.mark.parametrize(("kind", "row", "things"), [(kind, *each) for kind, each in UNKNOWN_MECHANISMS.items()])
def test_a_mechanism_that_the_package_has_not_is_refused(kind: str, row: str, things: Mapping[str, Thing]) -> None:
    assert refusal(corridor(row, **things)) == [f"mechanisms.{kind}[0]: multigrid has no {kind}"]


@pytest.mark.parametrize("hazard_type", ["pit", "spike"])
def test_a_hazard_other_than_lava_is_refused(hazard_type: str) -> None:
    task = draw("#####\n#@.G#\n#hx.#\n#####", h=hazard("lava"), x=hazard(hazard_type))
    assert refusal(task) == [
        f"mechanisms.hazards[1].hazard_type: multigrid has no hazard of type {hazard_type}, only lava"
    ]


def test_a_third_partys_mechanism_is_refused_even_if_it_is_called_as_one_that_the_package_knows() -> None:
    installed = get_registry()
    others = [Provided(attrs.evolve(KEYS, summary="Too heavy."), "heavy-things", "keys")]
    with using_registry(installed.with_provided("mechanism", [*installed.mechanisms, *others])):
        task = corridor("@.k.G", k=Thing("heavy-things/keys", {"color": "red"}))
        assert refusal(task) == ["mechanisms.heavy-things/keys[0]: multigrid has no heavy-things/keys"]


@pytest.mark.parametrize(
    ("goal", "things"),
    [
        ({"type": "collect_all", "target_ids": ["k"]}, {"k": key()}),
        ({"type": "survive_steps"}, {}),
    ],
    ids=lambda each: each.get("type"),
)
def test_a_goal_other_than_a_cell_to_reach_is_refused(goal: Mapping[str, Any], things: Mapping[str, Thing]) -> None:
    kind = goal["type"]
    task = corridor("@.k.G" if things else "@...G", goal=goal, **things)
    assert refusal(task) == [f"goal.type: multigrid has no {kind}, only reach_position"]


def test_a_goal_elsewhere_than_where_it_is_drawn_is_refused() -> None:
    (problem,) = refusal(corridor("@.x.G", goal={"type": "reach_position", "target": "x"}))
    assert problem == "goal.target: multigrid ends an episode on the goal that is drawn, maze.goal at [5, 1]"
    begin(corridor("@.x.G", goal={"type": "reach_position", "target": "G"}))


def test_keys_that_are_used_up_are_refused_where_a_door_could_use_one_up() -> None:
    rules = {"key_consumption": True}
    assert refusal(vault(rules=rules)) == ["rules.key_consumption: multigrid never uses up a key"]
    begin(corridor("@kD.G", k=key(), D=door("red", "closed"), rules=rules))


def test_hidden_mechanisms_are_refused_each_by_its_place() -> None:
    assert refusal(vault(rules={"hidden_mechanisms": ["h", "k"]})) == [
        f"rules.hidden_mechanisms[{index}]: multigrid hides nothing" for index in range(2)
    ]


def test_fog_of_war_is_refused_and_a_view_cone_is_not() -> None:
    (problem,) = refusal(vault(rules={"observability": "fog_of_war"}))
    assert problem.startswith("rules.observability: multigrid has no fog_of_war")
    begin(vault(rules={"observability": "view_cone"}))


def test_everything_that_is_unknown_is_told_at_once_with_the_task() -> None:
    task = corridor("@sgG", s=switch("g"), g=gate(), goal={"type": "survive_steps"}, rules={"hidden_mechanisms": ["s"]})
    with pytest.raises(UnfitTaskError) as refused:
        TaskMultiGridEnv(task)
    assert str(refused.value).splitlines() == [
        "drawn cannot be an environment of the package multigrid:",
        "  mechanisms.gates[0]: multigrid has no gates",
        "  mechanisms.switches[0]: multigrid has no switches",
        "  rules.hidden_mechanisms[0]: multigrid hides nothing",
        "  goal.type: multigrid has no survive_steps, only reach_position",
    ]


def test_a_task_that_cannot_be_is_refused_as_everywhere() -> None:
    with pytest.raises(InvalidTaskError, match="no key is red"):
        TaskMultiGridEnv(corridor("@.D.G", D=door("red")))


# --- Without the package ---------------------------------------------------------------------------------------------


def test_without_the_package_the_error_says_how_to_install_it() -> None:
    done = run_python(
        "import sys; sys.modules['multigrid'] = None\n"
        "from gridworld.errors import GridworldError\n"
        "try:\n    import gridworld_multigrid.pypi_multigrid\n"
        "except ImportError as error:\n    print(isinstance(error, GridworldError), error)",
        [],
    )
    assert done.stdout.startswith("True "), done.stderr
    assert "pip install 'gridworld-multigrid[multigrid]'" in done.stdout


def test_the_rest_of_the_distribution_works_without_the_package() -> None:
    done = run_python(
        "import sys; sys.modules['multigrid'] = None\n"
        "from gridworld.plugins import get_registry\n"
        "print(get_registry().tilings.provider('hex').distribution)",
        [],
    )
    assert done.stdout.strip() == "gridworld-multigrid", done.stderr
