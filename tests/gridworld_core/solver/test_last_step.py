"""Plans to the last step of the budget, most of which passes in rounds if it is large."""

import attrs
import pytest

from gridworld.goals import REACH_POSITION
from gridworld.solver import Verdict, last_step, replay, solve
from gridworld.world import State, Status, World
from gridworld.world.events import Event
from support.plain_search import explore_plainly
from support.random_tasks import BUILT_IN, WITH_EXAMPLES, Ingredients, compile_on, find_differences, random_task
from support.sample_plugins import draw_carrying, with_carriers
from support.thoroughness import in_turn
from support.tilings import TILINGS
from support.worlds import compiled, corridor, hazard

SURVIVAL = {"type": "survive_steps"}
BUDGET = 7
SEEDS = range(5)
MAX_STATES = 1_500


AFTER_ROUNDS = (1, 2, 5)


@pytest.fixture(params=AFTER_ROUNDS)
def _few_after_rounds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_step, "AFTER_ROUNDS", request.param)


SINCE = 7


def exactly_so_long_after_setting_out(max_steps: int) -> World:
    """A task whose goal is to have left the first cell a number of steps before the last one: nobody can wait then."""
    world = compiled(corridor("@..G", max_steps=max_steps))
    home = world.start.cell

    def remember(state: State, events: tuple[Event, ...]) -> int:
        since = state.memory
        assert isinstance(since, int)
        return min(since + 1, SINCE + 1) if since or state.cell != home else 0

    return attrs.evolve(
        world,
        goal_type=attrs.evolve(REACH_POSITION, name="since", timed=True, only_at_last_step=True),
        start=world.start.remembering(0),
        remember=remember,
        reached=lambda state: state.steps == max_steps and state.memory == SINCE,
    )


def test_a_million_steps_are_planned_in_rounds() -> None:
    solution = solve(compiled(corridor("@hG", h=hazard(), goal=SURVIVAL, max_steps=1_000_000)))
    assert (solution.verdict, solution.length) == (Verdict.SOLVED, 1_000_000)
    assert solution.states_seen < 10 * last_step.AFTER_ROUNDS


def test_the_way_to_the_last_place_follows_the_rounds() -> None:
    solution = solve(exactly_so_long_after_setting_out(100_000))
    assert solution.length == 100_000
    assert solution.states_seen < 20 * last_step.AFTER_ROUNDS


@pytest.mark.usefixtures("_few_after_rounds")
@pytest.mark.parametrize("max_steps", range(7, 14))
def test_a_place_too_far_after_the_rounds_is_reached(max_steps: int) -> None:
    world = exactly_so_long_after_setting_out(max_steps)
    plan = solve(world).plan
    assert plan is not None
    assert len(plan) == max_steps
    assert replay(world, plan)[-1].status == Status.SUCCEEDED


@in_turn("after_rounds, max_steps", AFTER_ROUNDS, range(14, 20))
def test_rounds_of_several_steps(after_rounds: int, max_steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_step, "AFTER_ROUNDS", after_rounds)
    with with_carriers():
        task = draw_carrying("#####\n#@>v#\n#^#v#\n#^<<#\n#G###\n#####", goal=SURVIVAL, max_steps=max_steps)
        world = compiled(task)
        assert find_differences(world, 20_000) == []
        assert solve(world).length == max_steps


@pytest.mark.usefixtures("_few_after_rounds")
@pytest.mark.parametrize("ingredients", [BUILT_IN, WITH_EXAMPLES], ids=["built in", "with examples"])
def test_random_survivals_agree_with_plain_search(ingredients: Ingredients) -> None:
    surviving = attrs.evolve(ingredients, goals={"survive_steps": 1})
    compared = 0
    for seed in SEEDS:
        task = attrs.evolve(random_task(seed, surviving), max_steps=BUDGET)
        world = compile_on(TILINGS[seed % len(TILINGS)], task, surviving)
        plain = explore_plainly(world, MAX_STATES)
        if plain is not None:
            assert solve(world).length == plain.length, f"seed {seed}"
            compared += 1
    assert compared >= 2
