"""Action masks: the acts that could have an effect. That they reveal nothing is in test_knowledge."""

import random

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.actions import Action
from gridworld.errors import NotResetError
from gridworld.mechanisms.switches import SWITCHES
from gridworld.plugins import get_registry, using_registry
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, acts, compile_world, square_topology
from gridworld.world.acts import Act
from gridworld.world.events import NoEffect
from gridworld.world.masks import could_have_effect
from gridworld.world.mechanism_type import Trait
from gridworld.world.rules import ACTS, perform
from support.plugins import with_item
from support.random_tasks import WITH_EXAMPLES, compile_on, random_task
from support.sample_plugins import plain_mechanism
from support.thoroughness import bounded, in_turn
from support.tilings import TILINGS, on_two_tilings, start_on
from support.twins import with_rules
from support.worlds import (
    Thing,
    begin,
    block,
    compiled,
    corridor,
    door,
    draw,
    gate,
    hazard,
    key,
    play,
    roaming_action,
    switch,
    tasks,
)

EVERY_ACT: tuple[Act, ...] = (*ACTS.values(), acts.move_backward, acts.push)
VIEWS = ("full", "view_cone", "fog_of_war")
seeds = st.integers(0, 2**32 - 1)


def effects(episode: Episode) -> tuple[bool, ...]:
    """For each act, whether it would have an effect."""
    return tuple(act(episode.world, episode.state)[1][0].effective for act in EVERY_ACT)


def masks(episode: Episode) -> tuple[bool, ...]:
    return could_have_effect(episode.world, episode.snapshot, EVERY_ACT)


def allowed(episode: Episode) -> set[str]:
    """The names of the actions that are not masked."""
    mask = could_have_effect(episode.world, episode.snapshot, ACTS.values())
    return {Action(action).name.lower() for action, could in zip(ACTS, mask, strict=True) if could}


def roam(episode: Episode, seed: int, steps: int = 40) -> None:
    """Take random steps."""
    rng = random.Random(seed)
    for _ in range(steps):
        if episode.world.is_over(episode.state):
            return
        episode.step(roaming_action(episode.world, episode.state, rng))


@on_two_tilings
def test_masks_are_exact_in_full_view(name: str) -> None:
    @bounded(8)
    @given(tasks(max_side=7), seeds, st.integers(0, 40))
    def check(task: TaskSpecification, seed: int, steps: int) -> None:
        episode = start_on(name, with_rules(task, observability="full", hidden_mechanisms=()))
        roam(episode, seed, steps)
        assert masks(episode) == effects(episode)

    check()


@pytest.mark.parametrize("mode", ["view_cone", "fog_of_war"])
@on_two_tilings
def test_effective_acts_are_not_masked(name: str, mode: str) -> None:
    @bounded(8)
    @given(tasks(max_side=7), seeds, st.integers(0, 40))
    def check(task: TaskSpecification, seed: int, steps: int) -> None:
        episode = start_on(name, with_rules(task, observability=mode, hidden_mechanisms=()))
        roam(episode, seed, steps)
        assert all(could or not would for could, would in zip(masks(episode), effects(episode), strict=True))

    check()


ALWAYS = {"turn_left", "turn_right", "done"}


@pytest.mark.parametrize(
    ("task", "letters", "further"),
    [
        (corridor("@.G"), "", {"move_forward"}),
        (draw("####\n#@##\n#.G#\n####"), "", set()),
        (corridor("@kG", k=key()), "", {"pickup"}),
        (corridor("@k.G", k=key()), "p", {"move_forward", "drop"}),
        (corridor("@D.kG", D=door("red"), k=key()), "", set()),
        (corridor("@kD.G", D=door("red"), k=key()), "pF", {"toggle"}),
        (corridor("@C.G", C=door("red", "closed")), "", {"toggle"}),
        (corridor("@g.sG", g=gate(), s=switch("g")), "", set()),
        (corridor("@b.G", b=block()), "", {"move_forward"}),
        (corridor("@bc.G", b=block(), c=block()), "", set()),
    ],
    ids=["floor", "wall", "key", "hand", "locked", "with the key", "closed", "gate", "block", "two blocks"],
)
def test_masks_of_actions(task: TaskSpecification, letters: str, further: set[str]) -> None:
    episode = begin(task)
    for letter in letters:
        episode.step({"p": Action.PICKUP, "F": Action.MOVE_FORWARD}[letter])
    assert allowed(episode) == ALWAYS | further


ROOM = """
#######
#@.#.G#
#k.#..#
#..x..#
#######
"""
PROBED = ALWAYS | {"move_forward", "pickup", "drop", "toggle"}


@pytest.mark.parametrize(
    ("letters", "further"),
    [
        ("", PROBED),
        ("F", PROBED),
        ("FL", ALWAYS),
        ("R", ALWAYS | {"pickup"}),
        ("FRFFL", PROBED),
        ("FRFFLF", ALWAYS | {"toggle"}),
        ("FRFFLFLFFR", PROBED),
    ],
    ids=["floor", "wall", "border", "key", "hidden door", "discovered", "wall after all was discovered"],
)
@pytest.mark.parametrize("mode", VIEWS)
def test_wall_and_floor_can_be_probed(letters: str, further: set[str], mode: str) -> None:
    rules = {"hidden_mechanisms": ["x"], "observability": mode}
    episode = begin(draw(ROOM, x=door("red", "closed"), k=key(), rules=rules))
    play(episode, letters)
    assert allowed(episode) == further


@pytest.mark.parametrize("hidden", [block(), key(), gate("open"), switch(), hazard()], ids=lambda thing: thing.kind)
@in_turn("name, mode", TILINGS, VIEWS)
def test_masked_acts_wait_beside_hidden_entities(name: str, mode: str, hidden: Thing) -> None:
    episode = start_on(name, draw(CORNERS, x=hidden, rules={"hidden_mechanisms": ["x"], "observability": mode}))
    for seed in range(3):
        episode.reset()
        expect_masked_acts_to_wait(episode, seed, 40)


CORNERS = """
######
#@.#.#
#.x..#
##..G#
######
"""
"""On some tilings there are seams beside the hidden thing, which is no barrier, though it looks like wall."""


def expect_masked_acts_to_wait(episode: Episode, seed: int, steps: int) -> None:
    rng = random.Random(seed)
    for _ in range(steps):
        world, state = episode.world, episode.state
        if world.is_over(state):
            return
        waited = perform(world, state, acts.wait)[0]
        after = {act.__name__: perform(world, state, act)[0] for act in EVERY_ACT}
        masked = [act.__name__ for act, could in zip(EVERY_ACT, masks(episode), strict=True) if not could]
        assert {name: after[name] for name in masked} == dict.fromkeys(masked, waited)
        episode.step(roaming_action(world, state, rng))


@in_turn("name, mode", TILINGS, VIEWS)
def test_masked_acts_wait(name: str, mode: str) -> None:
    @bounded(6)
    @given(tasks(max_side=7), seeds)
    def check(task: TaskSpecification, seed: int) -> None:
        expect_masked_acts_to_wait(start_on(name, with_rules(task, observability=mode)), seed, 25)

    check()


@in_turn("name, mode", TILINGS, VIEWS)
def test_masked_acts_wait_among_foreign_mechanisms(name: str, mode: str) -> None:
    for seed in range(4):
        task = random_task(seed, WITH_EXAMPLES)
        hidden = random.Random(seed).sample(sorted(task.mechanisms.ids()), len(task.mechanisms.ids()) // 2)
        world = compile_on(name, with_rules(task, observability=mode, hidden_mechanisms=tuple(hidden)), WITH_EXAMPLES)
        episode = Episode(world)
        episode.reset()
        expect_masked_acts_to_wait(episode, seed, 40)


@pytest.mark.parametrize("events", [(), (NoEffect("it is silent"),)], ids=["no event", "an ineffective event"])
def test_a_silent_change_is_not_masked(events: tuple[NoEffect, ...]) -> None:
    silent = attrs.evolve(SWITCHES, on_toggle=lambda world, state, each: (state.with_value(each.index, 1), events))
    catalogs = with_item(get_registry(), "mechanism", silent)
    episode = Episode(compile_world(corridor("@sG", s=switch()), square_topology(5, 3), catalogs))
    episode.reset()
    assert "toggle" in allowed(episode)


def test_backward_out_of_view_is_not_masked() -> None:
    seen = begin(draw("#####\n#@..#\n#..G#\n#####"))
    unseen = begin(draw("#####\n#@..#\n#..G#\n#####", rules={"observability": "view_cone"}))
    backward = [could_have_effect(each.world, each.snapshot, [acts.move_backward]) for each in (seen, unseen)]
    assert backward == [(False,), (True,)]


def test_there_are_no_masks_before_reset() -> None:
    with pytest.raises(NotResetError):
        masks(Episode(compiled(corridor("@.G"))))


def test_masks_after_the_end() -> None:
    episode = begin(corridor("@G"))
    play(episode, "F")
    assert len(masks(episode)) == len(EVERY_ACT)


@pytest.mark.parametrize("mode", VIEWS)
def test_a_controllable_barrier_is_not_masked(mode: str) -> None:
    """It lets the agent in while it is powered, which its looks do not say."""
    barrier = plain_mechanism(
        name="barriers",
        noun="barrier",
        controllable=True,
        admits=lambda world, state, it: any(world.traits_of(state, each) & Trait.ACTIVE for each in it.controllers),
    )
    with using_registry(with_item(get_registry(), "mechanism", barrier)):
        rules = {"observability": mode, "view_size": 3}
        lever = switch("b", initial_state="on")
        episode = begin(draw("########\n#s..@bG#\n########", s=lever, b=Thing("barriers", {}), rules=rules))
        assert "move_forward" in allowed(episode)
        assert episode.step(Action.MOVE_FORWARD)[0].effective
