"""The search for shortest plans: plans, verdicts, limits, constraints; for all mechanisms and goals alike."""

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
from gridworld.world import Episode, State, Status, World, compile_world, square_topology, transition
from gridworld.world.state import GONE
from support.plugins import with_item
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


def test_length_of_a_solution() -> None:
    assert solve(compiled(corridor("@..G"))).length == 3
    assert solve(compiled(corridor("@.#G"))).length is None


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


def test_a_limited_search_gives_up() -> None:
    solution = solve(compiled(corridor("@......G")), max_states=5)
    assert (solution.verdict, solution.plan, solution.states_seen) == (Verdict.GAVE_UP, None, 5)


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


# --- Against trying everything ---------------------------------------------------------------


def wins_within(world: World, state: State, depth: int) -> bool:
    """Whether any sequence of at most `depth` actions wins."""
    for action in Action:
        following, _ = transition(world, state, action)
        if following.status == Status.SUCCEEDED:
            return True
        if depth > 1 and not world.is_over(following) and wins_within(world, following, depth - 1):
            return True
    return False


def shortest_by_trying(world: World, limit: int) -> int | None:
    """Fewest actions that win; None if there is no plan within the limit."""
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
def test_plans_are_as_short_as_trying_everything_finds(task: TaskSpecification, length: int) -> None:
    assert len(solved(task)) == length
    assert shortest_by_trying(compiled(task), length) == length


@pytest.mark.parametrize("goal_type", GOAL_TYPES)
def test_random_plans_are_as_short_as_trying_everything_finds(goal_type: str) -> None:
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
def test_a_survival_plan_is_as_long_as_the_budget(max_steps: int) -> None:
    assert len(solved(corridor("@.hG", h=hazard(), goal={"type": "survive_steps"}, max_steps=max_steps))) == max_steps


def test_a_survival_tells_states_apart_by_time() -> None:
    walled_in = corridor("@.#G", goal={"type": "survive_steps"}, max_steps=5)
    assert len(solved(walled_in)) == 5
    assert solve(compiled(walled_in), max_states=3).verdict == Verdict.GAVE_UP


def test_a_survival_from_a_later_state() -> None:
    episode = begin(corridor("@.G", goal={"type": "survive_steps"}, max_steps=6))
    play(episode, "WW")
    assert solve(episode.world, start=episode.state).length == 4


# --- Every mechanism and goal ------------------------------------------------------


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


def test_a_search_does_not_change_the_world() -> None:
    world = compiled(corridor("@kdG", k=key("red"), d=door("red")))
    before = attrs.asdict(world, recurse=False)
    solve(world)
    assert attrs.asdict(world, recurse=False) == before


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
