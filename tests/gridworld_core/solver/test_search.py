"""The search for shortest plans: plans, verdicts, limits, constraints; for all mechanisms and goals alike."""

from typing import Any

import attrs
import pytest

from gridworld.actions import Action
from gridworld.errors import ArgumentError
from gridworld.plugins import get_registry
from gridworld.solver import Solution, Verdict, solve
from gridworld.solver.necessity import is_untouched, without
from gridworld.solver.spaces import EntityPredicate
from gridworld.task.reading import task_from_dict
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, State, Status, compile_world, square_topology
from gridworld.world.state import GONE
from support.plugins import with_item
from support.worlds import (
    begin,
    block,
    compiled,
    corridor,
    describe,
    door,
    draw,
    gate,
    hazard,
    key,
    play,
    switch,
    teleporter,
)

LEFT, RIGHT, FORWARD, PICKUP = Action.TURN_LEFT, Action.TURN_RIGHT, Action.MOVE_FORWARD, Action.PICKUP


def solved(task: TaskSpecification) -> tuple[Action, ...]:
    """The plan for a task; check that its last action wins, and no earlier one."""
    world = compiled(task)
    solution = solve(world)
    assert solution.verdict == Verdict.SOLVED
    assert solution.plan is not None
    episode = Episode(world)
    episode.reset()
    for action in solution.plan:
        assert not episode.terminated
        episode.step(action)
    assert episode.succeeded
    return solution.plan


def unsolvable(task: TaskSpecification) -> Solution:
    """The result for a task; check that it is unsolvable."""
    solution = solve(compiled(task))
    assert solution.verdict == Verdict.UNSOLVABLE
    assert solution.plan is None
    return solution


def pushing(target: str) -> dict[str, Any]:
    return {"type": "push_block_to", "target_ids": ["b"], "target_positions": [target]}


# --- Shortest plans --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("picture", "plan"),
    [
        ("####\n#@G#\n####", [FORWARD]),
        ("#####\n#@.G#\n#####", [FORWARD, FORWARD]),
        ("###\n#@#\n#G#\n###", [RIGHT, FORWARD]),
        ("###\n#G#\n#@#\n###", [LEFT, FORWARD]),
        ("####\n#G@#\n####", [LEFT, LEFT, FORWARD]),
        ("####\n#@.#\n##G#\n####", [FORWARD, RIGHT, FORWARD]),
    ],
)
def test_a_plan_has_the_fewest_actions(picture: str, plan: list[Action]) -> None:
    assert list(solved(draw(picture))) == plan


ROOM = draw("######\n#@...#\n#....#\n#...G#\n######")


def test_a_plan_across_a_room_is_deterministic() -> None:
    assert len(solved(ROOM)) == 5 + 1
    assert solve(compiled(ROOM)) == solve(compiled(ROOM))


def test_a_plan_from_another_state() -> None:
    episode = begin(corridor("@...G"))
    play(episode, "FFL")
    assert solve(episode.world, start=episode.state).plan == (RIGHT, FORWARD, FORWARD)


def test_the_step_budget_does_not_limit_the_search() -> None:
    assert solve(compiled(corridor("@....G", max_steps=2))).length == 5


# --- Nothing found ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "states"),
    [
        (corridor("@.#G"), 8),
        (corridor("@gG", g=gate()), 4),
        (draw("#####\n#@.##\n#..##\n###G#\n#####"), 16),
        (corridor("@s#G", s=switch()), 16),
        (corridor("@s#G", s=switch(switch_type="hold")), 8),  # it follows the agent
        (corridor("@d#G", d=door(initial_state="closed")), 12),  # shut, open, and in it
        (corridor("@.hG", h=hazard()), 8),  # the dead are not counted
        (corridor("@hG", h=hazard()), None),
        (corridor("@dkG", d=door("red"), k=key("red")), None),
        (corridor("@gsG", s=switch("g"), g=gate()), None),
        (corridor("@b#G", b=block()), None),
        (corridor("@bG", b=block(pushable=False)), None),
        (corridor("@b#aG", ab=teleporter(bidirectional=False)), None),
        (corridor("@b.G", b=block(), goal=pushing("@")), None),
        (corridor("@.#kG", k=key(), goal={"type": "collect_all", "target_ids": ["k"]}), None),
    ],
)
def test_an_unsolvable_task_has_its_reachable_states(task: TaskSpecification, states: int | None) -> None:
    seen = unsolvable(task).states_seen
    assert seen > 0 if states is None else seen == states


def test_one_key_used_up_opens_only_one_door() -> None:
    things: dict[str, Any] = {"d": door("red"), "e": door("red"), "k": key("red")}
    picture = "######\n#@deG#\n#k####\n######"
    assert len(solved(draw(picture, rules={"key_consumption": False}, **things))) == 8
    unsolvable(draw(picture, rules={"key_consumption": True}, **things))
    unsolvable(draw(picture, **things))


def test_the_limit_on_states_is_exact() -> None:
    world = compiled(corridor("@.#G"))
    assert solve(world, max_states=8).verdict == Verdict.UNSOLVABLE
    assert solve(world, max_states=7).verdict == Verdict.GAVE_UP


def test_depth_is_a_lower_bound() -> None:
    world = compiled(corridor("@......G"))
    assert solve(world).depth == 7
    cut_short = solve(world, max_states=5)
    assert 1 <= cut_short.depth <= 7


@pytest.mark.parametrize(("max_length", "verdict"), [(3, Verdict.SOLVED), (2, Verdict.GAVE_UP), (0, Verdict.GAVE_UP)])
def test_max_length(max_length: int, verdict: Verdict) -> None:
    solution = solve(compiled(corridor("@..G")), max_length=max_length)
    assert solution.verdict == verdict
    assert solution.depth == max_length + (verdict == Verdict.GAVE_UP)


def test_search_until_a_property() -> None:
    world = compiled(corridor("@k.G", k=key()))
    held = world.by_id["k"].index
    assert solve(world, until=lambda state: state.carried == held).plan == (PICKUP,)
    assert solve(world, until=lambda state: state.heading == 3).plan == (LEFT,)
    out_of_reach = compiled(corridor("@.#kG", k=key()))
    assert solve(out_of_reach, until=lambda state: state.carried == held).verdict == Verdict.UNSOLVABLE


def test_a_constraint_forbids_steps() -> None:
    world = compiled(draw("#####\n#@.G#\n#...#\n#####"))
    forbidden = world.start.cell + 1
    assert solve(world).length == 2
    around = solve(world, constraint=lambda state, memory: None if state.cell == forbidden else memory)
    assert around.length == 7


def test_a_constraint_has_a_memory() -> None:
    world = compiled(draw("#####\n#@.G#\n#...#\n#####"))
    wanted = world.start.cell + 5  # the cell below the start

    def been_there(state: State, memory: int) -> int | None:
        memory |= state.cell == wanted
        return None if state.status == Status.SUCCEEDED and not memory else memory

    assert solve(world, constraint=been_there).length == 7


# --- A goal that depends on time -------------------------------------------------------------------------------


def test_a_survival_from_a_later_state() -> None:
    episode = begin(corridor("@.G", goal={"type": "survive_steps"}, max_steps=6))
    play(episode, "WW")
    assert solve(episode.world, start=episode.state).length == 4


# --- Every mechanism and goal ------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "length"),
    [
        ({"type": "reach_position"}, 8),
        ({"type": "reach_position", "target": "t"}, 2),
        ({"type": "collect_all", "target_ids": ["s"]}, 6),
        ({"type": "collect_all", "target_ids": ["k", "s"]}, 7),
        ({"type": "push_block_to", "target_ids": ["b"], "target_positions": ["t"]}, 1),
        ({"type": "survive_steps"}, 30),
    ],
    ids=str,
)
def test_a_plan_is_found_for_each_goal(goal: dict[str, Any], length: int) -> None:
    task = draw(
        "######\n#@btG#\n#k..s#\n######",
        b=block(),
        k=key(),
        s=switch(),
        goal=goal,
        max_steps=30,
    )
    assert len(solved(task)) == length


def test_a_property_of_the_agent_under_an_entity_constraint() -> None:
    world = compiled(corridor("@...k.G", k=key("red")))
    wanted = world.start.cell + 2
    constraint = without(world, world.by_id["k"].index)
    assert solve(world, until=lambda state: state.cell == wanted, constraint=constraint).length == 2


def test_a_constraint_on_the_place_of_a_dropped_key() -> None:
    world = compiled(draw("########\n#@km..G#\n########", k=key("red"), m=key("blue")))
    key_index = world.by_id["k"].index

    def never_gone(state: State, memory: object) -> int | None:
        return None if state.places[key_index] == GONE and state.carried != key_index else 0

    assert solve(world, constraint=EntityPredicate(never_gone)).length == solve(world).length


def test_a_property_of_discoveries() -> None:
    hidden = {"hidden_mechanisms": ["k", "m"]}
    world = compiled(draw("########\n#k@.mG.#\n########", k=key("red"), m=key("blue"), rules=hidden))
    found = solve(world, until=lambda state: state.discovered == world.hidden)
    assert found.length == 6


def test_a_property_under_a_timed_goal() -> None:
    goal = attrs.evolve(
        get_registry().goals.get("reach_position"),
        name="odd",
        reached=lambda world: (
            lambda state: state.cell == world.topology.anchor(world.task.maze.goal) and state.steps % 2 == 1
        ),
        timed=True,
        agent_cells=None,
    )
    catalogs = with_item(get_registry(), "goal", goal)
    task = task_from_dict(
        describe("#######\n#@.G.k#\n#######", k=key("red"), goal={"type": "odd"}, max_steps=30), catalogs
    )
    world = compile_world(task, square_topology(*task.maze.dimensions), catalogs)
    touched = solve(world, until=lambda state: not is_untouched(world, 0, state))
    assert touched.length == 4
    assert solve(attrs.evolve(world, max_steps=3), until=lambda state: state.carried == 0).verdict is Verdict.UNSOLVABLE


def test_max_length_of_a_survival() -> None:
    world = compiled(corridor("@..G", goal={"type": "survive_steps"}, max_steps=10))
    solution = solve(world, max_length=3)
    assert (solution.verdict, solution.plan, solution.depth) == (Verdict.GAVE_UP, None, 10)


def test_an_uncompiled_task_is_refused() -> None:
    with pytest.raises(ArgumentError, match="world: TaskSpecification is not a compiled task, expected a World"):
        solve(corridor("@.G"))  # type: ignore[arg-type]  # by mistake
