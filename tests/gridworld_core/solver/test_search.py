"""The search for shortest plans: what it finds, what it says where it finds nothing, and that it knows no mechanism."""

from typing import Any

import attrs
import pytest
from hypothesis import given

from gridworld.actions import Action
from gridworld.errors import ArgumentError
from gridworld.plugins import get_registry
from gridworld.solver import Solution, Verdict, search, solve
from gridworld.solver.necessity import is_untouched, without
from gridworld.solver.spaces import EntityPredicate
from gridworld.task.reading import task_from_dict
from gridworld.task_spec import TaskSpecification
from gridworld.testing.conformance import with_item
from gridworld.world import Episode, State, Status, World, compile_world, square_topology, transition
from gridworld.world.state import GONE
from support.thoroughness import bounded
from support.worlds import (
    GOAL_TYPES,
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
    tasks,
    teleporter,
)

LEFT, RIGHT, FORWARD, PICKUP, DROP, TOGGLE, DONE = Action


def solved(task: TaskSpecification) -> tuple[Action, ...]:
    """The plan for a task, which is checked to win with its last action and with no earlier one."""
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
    """The result for a task that is checked to be unsolvable."""
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


def test_a_plan_turns_no_more_than_it_has_to() -> None:
    assert len(solved(draw("######\n#@...#\n#....#\n#...G#\n######"))) == 5 + 1


def test_the_length_of_a_solution_is_that_of_its_plan() -> None:
    assert solve(compiled(corridor("@..G"))).length == 3
    assert solve(compiled(corridor("@.#G"))).length is None


def test_the_same_plan_is_found_again() -> None:
    task = draw("######\n#@...#\n#....#\n#...G#\n######")
    assert solve(compiled(task)) == solve(compiled(task))


def test_a_plan_may_begin_anywhere() -> None:
    episode = begin(corridor("@...G"))
    play(episode, "FFL")
    assert solve(episode.world, start=episode.state).plan == (RIGHT, FORWARD, FORWARD)


def test_the_budget_of_steps_is_no_limit_to_the_search() -> None:
    assert solve(compiled(corridor("@....G", max_steps=2))).length == 5


# --- Nothing found ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "task",
    [
        pytest.param(corridor("@.#G"), id="wall"),
        pytest.param(corridor("@hG", h=hazard()), id="hazard in the only way"),
        pytest.param(corridor("@dkG", d=door("red"), k=key("red")), id="key behind its own door"),
        pytest.param(corridor("@gsG", s=switch("g"), g=gate()), id="switch behind its own gate"),
        pytest.param(corridor("@gG", g=gate()), id="gate without a switch"),
        pytest.param(corridor("@b#G", b=block()), id="block that cannot move"),
        pytest.param(corridor("@bG", b=block(pushable=False)), id="block that nothing moves"),
        pytest.param(corridor("@b#aG", ab=teleporter(bidirectional=False)), id="teleporter of the wrong sense"),
        pytest.param(corridor("@b.G", b=block(), goal=pushing("@")), id="block that would have to be pulled"),
        pytest.param(
            corridor("@.#kG", k=key(), goal={"type": "collect_all", "target_ids": ["k"]}), id="key behind a wall"
        ),
    ],
)
def test_a_task_that_cannot_be_won_is_unsolvable(task: TaskSpecification) -> None:
    assert unsolvable(task).states_seen > 0


def test_one_key_is_not_enough_for_two_doors_when_it_is_used_up() -> None:
    things: dict[str, Any] = {"d": door("red"), "e": door("red"), "k": key("red")}
    picture = "######\n#@deG#\n#k####\n######"
    assert len(solved(draw(picture, rules={"key_consumption": False}, **things))) == 8
    unsolvable(draw(picture, rules={"key_consumption": True}, **things))
    unsolvable(draw(picture, **things))


def test_a_search_that_is_cut_short_has_given_up_and_does_not_say_unsolvable() -> None:
    solution = solve(compiled(corridor("@......G")), max_states=5)
    assert (solution.verdict, solution.plan, solution.states_seen) == (Verdict.GAVE_UP, None, 5)


def test_a_search_that_just_suffices_does_not_give_up() -> None:
    world = compiled(corridor("@.#G"))
    assert solve(world, max_states=8).verdict == Verdict.UNSOLVABLE
    assert solve(world, max_states=7).verdict == Verdict.GAVE_UP


@pytest.mark.parametrize(
    ("task", "states"),
    [
        pytest.param(corridor("@gG", g=gate()), 4, id="one cell, four headings"),
        pytest.param(corridor("@.#G"), 8, id="two cells"),
        pytest.param(draw("#####\n#@.##\n#..##\n###G#\n#####"), 16, id="four cells"),
        pytest.param(corridor("@s#G", s=switch()), 16, id="two cells and a switch"),
        pytest.param(corridor("@s#G", s=switch(switch_type="hold")), 8, id="a hold switch follows the agent"),
        pytest.param(corridor("@d#G", d=door(initial_state="closed")), 12, id="a door: shut, open, and in it"),
        pytest.param(corridor("@.hG", h=hazard()), 8, id="the dead are not counted"),
    ],
)
def test_the_number_of_states_is_that_of_all_that_can_be_reached(task: TaskSpecification, states: int) -> None:
    assert unsolvable(task).states_seen == states


def test_a_solution_says_how_many_actions_every_plan_takes_at_least() -> None:
    world = compiled(corridor("@......G"))
    assert solve(world).depth == 7
    cut_short = solve(world, max_states=5)
    assert 1 <= cut_short.depth <= 7


@pytest.mark.parametrize(("max_length", "verdict"), [(3, Verdict.SOLVED), (2, Verdict.GAVE_UP), (0, Verdict.GAVE_UP)])
def test_plans_of_more_actions_than_asked_for_are_given_up(max_length: int, verdict: Verdict) -> None:
    solution = solve(compiled(corridor("@..G")), max_length=max_length)
    assert solution.verdict == verdict
    assert solution.depth == max_length + (verdict == Verdict.GAVE_UP)


def test_another_property_than_success_can_be_looked_for() -> None:
    world = compiled(corridor("@k.G", k=key()))
    held = world.by_id["k"].index
    assert solve(world, until=lambda state: state.carried == held).plan == (PICKUP,)
    assert solve(world, until=lambda state: state.heading == 3).plan == (LEFT,)
    out_of_reach = compiled(corridor("@.#kG", k=key()))
    assert solve(out_of_reach, until=lambda state: state.carried == held).verdict == Verdict.UNSOLVABLE


def test_a_watch_can_forbid_steps() -> None:
    world = compiled(draw("#####\n#@.G#\n#...#\n#####"))
    forbidden = world.start.cell + 1
    assert solve(world).length == 2
    around = solve(world, constraint=lambda state, memory: None if state.cell == forbidden else memory)
    assert around.length == 7


def test_a_watch_can_remember_what_has_been_before() -> None:
    world = compiled(draw("#####\n#@.G#\n#...#\n#####"))
    wanted = world.start.cell + 5  # the cell below the start

    def been_there(state: State, memory: int) -> int | None:
        memory |= state.cell == wanted
        return None if state.status == Status.SUCCEEDED and not memory else memory

    assert solve(world, constraint=been_there).length == 7


# --- Against a search that shares nothing with it ---------------------------------------------------------------


def wins_within(world: World, state: State, depth: int) -> bool:
    """Whether any sequence of so many actions wins, tried one by one."""
    for action in Action:
        following, _ = transition(world, state, action)
        if following.status == Status.SUCCEEDED:
            return True
        if depth > 1 and not world.is_over(following) and wins_within(world, following, depth - 1):
            return True
    return False


def shortest_by_trying(world: World, limit: int) -> int | None:
    """The fewest actions that win, or None if there is no plan within the limit."""
    return next((depth for depth in range(1, limit + 1) if wins_within(world, world.start, depth)), None)


@pytest.mark.parametrize(
    ("task", "length"),
    [
        pytest.param(corridor("@kdG", k=key("red"), d=door("red")), 5, id="key and door"),
        pytest.param(corridor("@sgG", s=switch("g"), g=gate()), 4, id="switch and gate"),
        pytest.param(corridor("@a#bG", ab=teleporter()), 2, id="teleporter"),
        pytest.param(draw("####\n#@h#\n#.G#\n####", h=hazard()), 4, id="hazard"),
        pytest.param(draw("####\n#@b#\n#.G#\n####", b=block()), 4, id="block in the way"),
        pytest.param(corridor("@b.tG", b=block(), goal=pushing("t")), 2, id="block to push"),
        pytest.param(corridor("@.G", goal={"type": "survive_steps"}, max_steps=4), 4, id="survival"),
        pytest.param(
            draw("####\n#@k#\n#lG#\n####", k=key(), l=key(), goal={"type": "collect_all", "target_ids": ["k", "l"]}),
            4,
            id="two keys",
        ),
    ],
)
def test_a_plan_is_as_short_as_trying_everything_finds(task: TaskSpecification, length: int) -> None:
    assert len(solved(task)) == length
    assert shortest_by_trying(compiled(task), length) == length


@pytest.mark.parametrize("goal_type", GOAL_TYPES)
def test_plans_for_random_tasks_are_as_short_as_trying_everything_finds(goal_type: str) -> None:
    compared = 0

    @bounded(40)
    @given(tasks(max_side=5, goal_types=(goal_type,)))
    def compare(task: TaskSpecification) -> None:
        nonlocal compared
        world = compiled(task)
        limit = min(4, world.max_steps)
        solution = solve(world, max_states=4_000)
        if solution.verdict == Verdict.GAVE_UP:
            return
        within = solution.length is not None and solution.length <= limit
        assert shortest_by_trying(world, limit) == (solution.length if within else None)
        compared += within

    compare()
    assert compared >= 3


# --- A goal that depends on time -------------------------------------------------------------------------------


@pytest.mark.parametrize("max_steps", [1, 2, 7, 20])
def test_surviving_takes_a_plan_as_long_as_the_budget(max_steps: int) -> None:
    assert len(solved(corridor("@.hG", h=hazard(), goal={"type": "survive_steps"}, max_steps=max_steps))) == max_steps


def test_surviving_tells_states_apart_by_their_time() -> None:
    walled_in = corridor("@.#G", goal={"type": "survive_steps"}, max_steps=5)
    assert len(solved(walled_in)) == 5
    assert solve(compiled(walled_in), max_states=3).verdict == Verdict.GAVE_UP


def test_surviving_may_begin_at_any_time() -> None:
    episode = begin(corridor("@.G", goal={"type": "survive_steps"}, max_steps=6))
    play(episode, "WW")
    assert solve(episode.world, start=episode.state).length == 4


# --- Every mechanism and every goal, known to none of them ------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "needed"),
    [
        pytest.param(draw("######\n#@d.G#\n#k####\n######", d=door("red"), k=key("red")), {PICKUP, TOGGLE}, id="keys"),
        pytest.param(corridor("@d.G", d=door(initial_state="closed")), {TOGGLE}, id="doors"),
        pytest.param(corridor("@.sgG", s=switch("g", switch_type="toggle"), g=gate()), {TOGGLE}, id="toggle switches"),
        pytest.param(corridor("@.sgG", s=switch("g", switch_type="one_shot"), g=gate()), {TOGGLE}, id="one-shots"),
        pytest.param(
            draw(
                "######\n#@bs.#\n##g.##\n##G..#\n######",
                b=block(),
                s=switch("g", switch_type="hold"),
                g=gate(),
            ),
            {FORWARD},
            id="hold switches",
        ),
        pytest.param(draw("#######\n#@b...#\n####G##\n#######", b=block()), {FORWARD}, id="blocks"),
        pytest.param(draw("#####\n#@a##\n#####\n#Gb.#\n#####", ab=teleporter()), {LEFT, FORWARD}, id="teleporters"),
        pytest.param(draw("#####\n#@hG#\n#...#\n#####", h=hazard()), {LEFT, RIGHT, FORWARD}, id="hazards"),
    ],
)
def test_a_plan_is_found_for_each_mechanism(task: TaskSpecification, needed: set[Action]) -> None:
    assert needed <= set(solved(task))


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


def test_the_search_imports_no_mechanism_and_no_goal() -> None:
    origins = {getattr(value, "__module__", getattr(value, "__name__", "")) for value in vars(search).values()}
    assert not {name for name in origins if str(name).startswith(("gridworld.mechanisms", "gridworld.goals"))}


def test_a_search_leaves_the_world_as_it_was() -> None:
    world = compiled(corridor("@kdG", k=key("red"), d=door("red")))
    before = attrs.asdict(world, recurse=False)
    solve(world)
    assert attrs.asdict(world, recurse=False) == before


def test_a_watch_does_not_hide_that_a_property_is_about_the_agent() -> None:
    world = compiled(corridor("@...k.G", k=key("red")))
    wanted = world.start.cell + 2
    watch = without(world, world.by_id["k"].index)
    assert solve(world, until=lambda state: state.cell == wanted, constraint=watch).length == 2


def test_a_watch_may_mind_where_a_dropped_thing_lies() -> None:
    world = compiled(draw("########\n#@km..G#\n########", k=key("red"), m=key("blue")))
    key_index = world.by_id["k"].index

    def never_gone(state: State, memory: object) -> int | None:
        return None if state.places[key_index] == GONE and state.carried != key_index else 0

    assert solve(world, constraint=EntityPredicate(never_gone)).length == solve(world).length


def test_a_property_may_be_about_what_has_been_discovered() -> None:
    hidden = {"hidden_mechanisms": ["k", "m"]}
    world = compiled(draw("########\n#k@.mG.#\n########", k=key("red"), m=key("blue"), rules=hidden))
    found = solve(world, until=lambda state: state.discovered == world.hidden)
    assert found.length == 6


def test_a_property_is_looked_for_in_time_where_the_goal_depends_on_it() -> None:
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


def test_a_plan_to_the_last_step_is_given_up_where_it_is_longer_than_asked_for() -> None:
    world = compiled(corridor("@..G", goal={"type": "survive_steps"}, max_steps=10))
    solution = solve(world, max_length=3)
    assert (solution.verdict, solution.plan, solution.depth) == (Verdict.GAVE_UP, None, 10)


def test_a_task_that_is_not_compiled_is_refused() -> None:
    with pytest.raises(ArgumentError, match="world: TaskSpecification is not a compiled task, expected a World"):
        solve(corridor("@.G"))  # type: ignore[arg-type]  # by mistake
