"""Regret, optimal actions, losing steps and mistakes, held against a search that knows only the rules of a step."""

import random
from collections.abc import Callable, Iterator

import attrs
import numpy as np

from gridworld.actions import ACTION_SPACE, Action
from gridworld.model_interface import ModelInput, OracleInterface
from gridworld.model_interface.baselines import GreedyModel
from gridworld.solver.explorer_model import ExplorerModel
from gridworld.world import State, World
from gridworld.world.rules import transition
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.mistakes.episode_mistakes import find_mistakes
from support.plain_search import DEAD, WON, Explored, explore_plainly, name_of, outcome_of
from support.random_tasks import WITH_EXAMPLES, compile_on, random_task
from support.scores import analysed
from support.thoroughness import in_turn
from support.tilings import TILINGS

GOALS = {1: "reach_position", 1039: "push_block_to", 2000: "collect_all", 3000: "tour", 4000: "collect_all"}
"""Goals with distances, one for each episode of a test, by the first seed that is tried."""
MOST_STATES = 3_000
NOISE = 0.3
STEPS = 60
Player = Callable[[World, Explored, random.Random], Callable[[State], Action]]
"""Makes a function that chooses the action in a state."""


def at_random(world: World, plain: Explored, rng: random.Random) -> Callable[[State], Action]:
    return lambda state: rng.choice(list(Action))


def noisy_optimum(world: World, plain: Explored, rng: random.Random) -> Callable[[State], Action]:
    def choose(state: State) -> Action:
        best = sorted(plain.optimal[name_of(world, state)])
        return rng.choice(best if best and rng.random() > NOISE else list(Action))

    return choose


def greedy(world: World, plain: Explored, rng: random.Random) -> Callable[[State], Action]:
    return by_oracle(world, GreedyModel())


def explorer(world: World, plain: Explored, rng: random.Random) -> Callable[[State], Action]:
    return by_oracle(world, ExplorerModel(MOST_STATES))


def by_oracle(world: World, oracle: OracleInterface) -> Callable[[State], Action]:
    oracle.look_into(world)

    def choose(state: State) -> Action:
        oracle.observe(state)
        return Action(oracle.predict(ModelInput(None, "", ACTION_SPACE, state.steps, world.max_steps)).action)

    return choose


@in_turn(
    "player, tiling",
    [at_random, noisy_optimum, greedy, explorer],
    TILINGS,
    ids=lambda each: getattr(each, "__name__", each),
)
def test_an_episode_is_judged_as_by_a_plain_search(player: Player, tiling: str) -> None:
    for seed, goal in GOALS.items():
        world, plain = winnable(goal, tiling, seed)
        rng = random.Random(seed)
        episode = analysed(world, played(world, player(world, plain, rng), rng))
        check(episode, world, plain)


def winnable(goal: str, tiling: str, first_seed: int) -> tuple[World, Explored]:
    """The first small random task with this goal that can be won, from a seed on."""
    ingredients = attrs.evolve(WITH_EXAMPLES, goals={goal: 1})
    for seed in range(first_seed, first_seed + 100):
        task = attrs.evolve(random_task(seed, ingredients), max_steps=STEPS)
        world = compile_on(tiling, task, ingredients)
        plain = explore_plainly(world, MOST_STATES)
        if plain is not None and (plain.length or 0) > 3:
            return world, plain
    raise AssertionError(f"no task with the goal {goal}")


def played(world: World, choose: Callable[[State], Action], rng: random.Random) -> Iterator[Action | None]:
    """Actions, and sometimes None for a lost step."""
    state = world.start
    while not state.status and state.steps < world.max_steps:
        if rng.random() < 0.05:
            yield None
            continue
        action = choose(state)
        yield action
        state, _ = transition(world, state, action)


def check(episode: EpisodeAnalysis, world: World, plain: Explored) -> None:
    """Compare an episode with the distances and the optimal actions of a plain search."""
    assert episode.known is not None
    assert episode.known.table is not None
    remaining = {**plain.distance, WON: 0, DEAD: None}
    name, state, can_be_won = plain.start, world.start, True
    regrets, wasted, losing = list[int | None](), dict[int, int](), list[int]()
    for step, number in zip(episode.taken, episode.numbers or (), strict=False):
        optimal = np.flatnonzero(episode.known.table.optimal[number])
        assert plain.optimal[name] == set(optimal) or not can_be_won
        before = remaining[name]
        if step.action is not None:
            state, _ = transition(world, state, step.action)
            name = outcome_of(attrs.evolve(world, max_steps=2**62), state)
        after = remaining[name]
        regrets.append(None if before is None or after is None else 1 + after - before)
        if can_be_won and regrets[-1] != 0:
            wasted[step.number] = regrets[-1] or 1
        if can_be_won and after is None:
            losing.append(step.number)
        can_be_won = after is not None
    mistakes = find_mistakes(episode)
    assert list(episode.regrets or ()) == regrets
    assert {each.step: each.wasted for each in mistakes} == wasted
    assert [each.step for each in mistakes if each.is_losing] == losing
