"""Exact answers, compared with results worked out by hand or by playing."""

import random

import pytest

from gridworld.actions import Action
from gridworld.errors import ArgumentError
from gridworld.solver import solve
from gridworld.solver.exact_answers import (
    can_lose_by,
    distance_from,
    nearest_dead_end,
    noisy_success,
    optimal_actions,
    random_play,
    steps_to_loss,
)
from gridworld.solver.state_table import StateTable, tabulate
from gridworld.task_spec import TaskSpecification
from gridworld.world import World, transition
from gridworld.world.rules import is_truncated
from gridworld.world.state import Status
from support.sample_plugins import draw_carrying, with_carriers
from support.worlds import block, compiled, corridor, door, draw, gate, hazard, key, switch, teleporter

ONE_WAY_OUT = corridor("a@G#b", ab=teleporter(bidirectional=False))


def table_of(task: TaskSpecification) -> StateTable:
    return tabulate(compiled(task))


def test_distance_and_optimal_actions_ignore_the_steps() -> None:
    table = table_of(corridor("@.G"))
    start = table.world.start
    assert (distance_from(table, start), optimal_actions(table, start)) == (2, (Action.MOVE_FORWARD,))
    behind = start._replace(heading=2, steps=17)
    assert distance_from(table, behind) == 4
    assert optimal_actions(table, behind) == (Action.TURN_LEFT, Action.TURN_RIGHT)


def test_a_lost_state_has_no_distance_or_optimal_action() -> None:
    table = table_of(corridor("@.#G"))
    assert distance_from(table, table.world.start) is None
    assert optimal_actions(table, table.world.start) == ()


def test_path_to_the_nearest_dead_end() -> None:
    path = nearest_dead_end(table_of(ONE_WAY_OUT))
    assert path is not None
    assert len(path) == 3
    assert nearest_dead_end(table_of(corridor("@.G"))) is None
    assert nearest_dead_end(table_of(corridor("@.#G"))) == ()


def test_touching_a_block_can_lose_a_task() -> None:
    barring = table_of(draw("######\n#@..##\n#.b.G#\n######", b=block()))
    harmless = table_of(draw("######\n#@...#\n#.b.G#\n#....#\n######", b=block()))
    for table, loses in ((barring, True), (harmless, False)):
        index = table.world.by_id["b"].index
        start = table.world.start.places[index]
        assert can_lose_by(table, lambda state, index=index, start=start: state.places[index] != start) is loses


def test_steps_to_loss() -> None:
    table = table_of(draw("######\n#@..G#\n#..h.#\n######", h=hazard()))
    start = table.world.start
    assert steps_to_loss(table, [start]) == 2 + 1 + 1
    beside = start._replace(cell=start.cell + 2)
    assert steps_to_loss(table, [beside]) == steps_to_loss(table, [start, beside]) == 1 + 1
    assert steps_to_loss(table_of(corridor("@.G")), [compiled(corridor("@.G")).start]) is None
    lost = table_of(corridor("@.#G"))
    assert steps_to_loss(lost, [lost.world.start]) == 0
    assert steps_to_loss(lost, []) is None


# --- Chance --------------------------------------------------------------------------------------------------------


def test_random_play_one_step_from_the_goal() -> None:
    play = random_play(table_of(corridor("@G", max_steps=1)))
    assert play.success == pytest.approx(1 / 7)
    assert play.length == 1
    two = random_play(table_of(corridor("@G", max_steps=2)))
    assert two.success == pytest.approx(1 / 7 + 4 / 7 * 1 / 7)  # turns apart, one stays where it was
    assert two.length == pytest.approx(1 + 6 / 7)


def test_random_play_of_a_survival() -> None:
    calm = random_play(table_of(corridor("@.G", goal={"type": "survive_steps"}, max_steps=5)))
    assert (calm.success, calm.length) == (1, 5)
    risky = random_play(table_of(corridor("@hG", h=hazard(), goal={"type": "survive_steps"}, max_steps=1)))
    assert risky.success == pytest.approx(6 / 7)


def played(world: World, episodes: int, seed: int) -> float:
    """Share of episodes of random actions that succeed."""
    rng = random.Random(seed)
    wins = 0
    for _ in range(episodes):
        state = world.start
        while not state.status and not is_truncated(world, state):
            state, _ = transition(world, state, rng.randrange(7))
        wins += state.status == Status.SUCCEEDED
    return wins / episodes


CHANCES = [
    pytest.param(draw("#####\n#@..#\n#..G#\n#####", max_steps=30), id="room"),
    pytest.param(corridor("@kDG", k=key(), D=door("red"), max_steps=60), id="key and door", marks=pytest.mark.more),
    pytest.param(
        corridor("@s.gG", s=switch("g", switch_type="toggle"), g=gate(), max_steps=60),
        id="gate",
        marks=pytest.mark.more,
    ),
    pytest.param(draw("#####\n#@.h#\n#..G#\n#####", h=hazard(), max_steps=25), id="hazard"),
]


@pytest.mark.parametrize("task", CHANCES)
def test_random_play_agrees_with_played_episodes(task: TaskSpecification) -> None:
    assert_chance(task, 3_000)


def assert_chance(task: TaskSpecification, episodes: int) -> None:
    expected = random_play(table_of(task)).success
    assert 0.01 < expected < 0.99
    error = (expected * (1 - expected) / episodes) ** 0.5
    assert abs(played(compiled(task), episodes, seed=5) - expected) <= 3 * error


def test_noise_lowers_success_to_that_of_random_play() -> None:
    table = table_of(corridor("@..kDG", k=key(), D=door("red"), max_steps=40))
    assert noisy_success(table, 0) == 1
    assert noisy_success(table, 1) == pytest.approx(random_play(table).success)
    values = [noisy_success(table, noise, budget=12) for noise in (0, 0.1, 0.3, 0.6, 1)]
    assert values == sorted(values, reverse=True)
    assert values[0] == 1 > values[1] > values[-1]


def test_noisy_success_one_step_from_the_goal() -> None:
    one_step = table_of(corridor("@G", max_steps=1))
    assert noisy_success(one_step, 0.7) == pytest.approx(0.3 + 0.7 / 7)


@pytest.mark.parametrize("noise", [-0.1, 1.1, float("nan"), float("inf")])
def test_noise_must_be_a_probability(noise: float) -> None:
    with pytest.raises(ArgumentError, match="is not a probability"):
        noisy_success(table_of(corridor("@G")), noise)


def test_a_negative_budget_is_refused() -> None:
    table = table_of(corridor("@G"))
    for answer in (lambda: random_play(table, -1), lambda: noisy_success(table, 0.1, -1)):
        with pytest.raises(ArgumentError, match="-1 steps, expected at least 0"):
            answer()


def test_distance_of_a_survival_is_the_steps_left() -> None:
    world = compiled(corridor("@..G", goal={"type": "survive_steps"}, max_steps=10))
    table, state = tabulate(world), world.start
    for taken in range(10):
        assert distance_from(table, state) == 10 - taken == solve(world, start=state).length
        assert len(optimal_actions(table, state)) == 7
        state, _ = transition(world, state, Action.DONE)


def test_a_survival_may_be_possible_only_late() -> None:
    with with_carriers():
        task = draw_carrying(
            "###########\n#@.>>>>hG.#\n###########", h=hazard(), goal={"type": "survive_steps"}, max_steps=12
        )
        world = compiled(task)
        table, state = tabulate(world), world.start
        for action in [Action.DONE] * 8 + [Action.MOVE_FORWARD] * 2:
            state, _ = transition(world, state, action)
            assert distance_from(table, state) == solve(world, start=state).length
