"""No picture of any style, text, symbolic observation or action mask shows what the rules hide, on any tiling."""

import random
from collections.abc import Iterator
from itertools import cycle
from typing import get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gridworld.backends.pictures import PictureSettings, PictureStyle
from gridworld.task_spec import TaskSpecification
from gridworld.world import Entity, Episode
from gridworld.world.masks import could_have_effect
from gridworld.world.mechanism_type import Trait
from gridworld_multigrid.agent import ACTION_SETS
from gridworld_multigrid.codes import Codes
from gridworld_multigrid.rendering.renderer import Renderer
from support.thoroughness import bounded
from support.tilings import TILINGS, compiled_on, on_two_tilings, start_on
from support.twins import as_it_looks, change_out_of_sight, texts_of, with_rules
from support.worlds import door, draw, gate, key, steps_of, tasks

PARTIAL = ("view_cone", "fog_of_war")
SIZE = (96, 96)
seeds = st.integers(0, 2**32 - 1)


def random_actions(tiling: str, task: TaskSpecification, seed: int, length: int) -> list[int]:
    """Random actions, up to the end of an episode of a task on a tiling."""
    return [int(action) for _, action, _ in steps_of(compiled_on(tiling, task), seed, length)]


def shown(episode: Episode, renderer: Renderer, codes: Codes) -> tuple[object, ...]:
    """The picture, the symbolic observation, the masks of the native actions and the texts of the present state."""
    cells = range(episode.world.topology.cell_count)
    masks = could_have_effect(episode.world, episode.snapshot, ACTION_SETS["native"].acts.values())
    return renderer.render().tobytes(), [codes.of(episode.look(cell)) for cell in cells], masks, texts_of(episode)


def all_shown(name: str, task: TaskSpecification, actions: list[int]) -> Iterator[object]:
    """The cells in view, and what is shown, at the start and after each of some actions.

    The styles of pictures take turns.
    """
    episode = start_on(name, task)
    styles = get_args(PictureStyle)
    renderers = [Renderer(episode, SIZE, PictureSettings(coordinates=True, style=style)) for style in styles]
    codes, taking_turns = Codes(episode.world), cycle(renderers)
    yield episode.knowledge.visible, [shown(episode, renderer, codes) for renderer in renderers]
    for action in actions:
        episode.step(action)
        yield episode.knowledge.visible, shown(episode, next(taking_turns), codes)


def seen_on(name: str, task: TaskSpecification, actions: list[int]) -> set[tuple[int, int]]:
    """The lattice cells of which any cell is in view at some time."""
    episode = start_on(name, task)
    seen = set(episode.knowledge.visible)
    for action in actions:
        episode.step(action)
        seen |= episode.knowledge.visible
    return {tuple(episode.world.topology.lattice[cell]) for cell in seen}


@st.composite
def twins(draw: st.DrawFn) -> tuple[str, TaskSpecification, TaskSpecification, list[int]]:
    """Two worlds on a tiling, and actions that show no difference: it is out of sight, or looks like wall or floor."""
    name, task, seed = draw(st.sampled_from(TILINGS)), draw(tasks(max_side=6)), draw(seeds)
    if draw(st.booleans()):
        task = with_rules(task, observability=draw(st.sampled_from(PARTIAL)))
        actions = random_actions(name, task, seed, draw(st.integers(5, 30)))
        return name, task, change_out_of_sight(task, seen_on(name, task, actions), seed), actions
    candidates = sorted(each.id for each in compiled_on(name, task).entities if can_be_hidden(name, each))
    assume(len(candidates) > 1)
    hidden = tuple(random.Random(seed).sample(candidates, 2))
    task = with_rules(task, observability=draw(st.sampled_from(("full", *PARTIAL))), hidden_mechanisms=hidden)
    twin = as_it_looks(task, hidden[0])
    assume(twin is not None)
    assert twin is not None
    return name, task, twin, [0, 0, 0, 0, 1][: task.max_steps]  # random steps would touch it


def test_what_is_not_seen_is_not_shown() -> None:
    compared = 0

    @bounded(15)
    @given(twins())
    def compare(drawn: tuple[str, TaskSpecification, TaskSpecification, list[int]]) -> None:
        nonlocal compared
        name, task, twin, actions = drawn
        assume(twin != task)
        for one, other in zip(all_shown(name, task, actions), all_shown(name, twin, actions), strict=True):
            assert one == other
            compared += 1

    compare()
    assert compared >= 60


def can_be_hidden(name: str, entity: Entity) -> bool:
    """Whether it can look like wall or floor: a wall fills its patch, so a solid thing has to fill its own."""
    solid = any(entity.type.traits(entity.spec, value) & Trait.SOLID for value in entity.type.values)
    return not solid or entity.type.fills_patch or name in ("square", "hex", "488")


CORNER = """
#######
#@..#.#
#..x..#
#...G.#
#######
"""


@pytest.mark.parametrize("name", ["hex", "3464"])
def test_a_seam_beside_a_hidden_gate_is_not_drawn(name: str) -> None:
    """A hidden open gate looks like floor, and there is no wall where floor meets floor."""
    hidden = start_on(name, draw(CORNER, x=gate("open"), rules={"hidden_mechanisms": ["x"]}))
    plain = start_on(name, draw(CORNER))
    assert hidden.world.seams > plain.world.seams
    assert Renderer(hidden, SIZE).render().tobytes() == Renderer(plain, SIZE).render().tobytes()
    known = start_on(name, draw(CORNER, x=gate("open")))
    assert Renderer(known, SIZE).render().tobytes() != Renderer(plain, SIZE).render().tobytes()


@on_two_tilings
def test_what_is_behind_a_door_is_not_shown_before_it_opens(name: str) -> None:
    def room(color: str) -> Episode:
        maze = "########\n#@..D.k#\n#...#..#\n#.G.#..#\n########"
        return start_on(name, draw(maze, D=door("red", "closed"), k=key(color), rules={"observability": "fog_of_war"}))

    one, other = room("red"), room("blue")
    assert Renderer(one, SIZE).render().tobytes() == Renderer(other, SIZE).render().tobytes()
    full = [with_rules(each.world.task, observability="full") for each in (one, other)]
    frames = [Renderer(start_on(name, task), SIZE).render().tobytes() for task in full]
    assert frames[0] != frames[1]
