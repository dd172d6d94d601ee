"""Lattice cells that are patches of several cells: where targets are, and doors that something stands in."""

from collections.abc import Iterator

from gridworld.task_spec import Position
from gridworld.world import State, World, acts
from gridworld.world.events import Closed, Dropped, NoEffect
from gridworld.world.state import GONE
from support.tilings import compiled_on, on_all_tilings
from support.worlds import block, corridor, door, key

PUSH_TO_T = {"type": "push_block_to", "target_ids": ["b"], "target_positions": ["t"]}
OPEN_DOOR = corridor("@.d.G", d=door(initial_state="open"))


def facing(world: World, cells: tuple[int, ...]) -> Iterator[tuple[State, int]]:
    """States of an agent in front of one of some cells, with that cell."""
    for pose, cell in enumerate(world.exits):
        at, heading = divmod(pose, world.headings)
        if cell in cells and at not in world.walls:
            yield world.start.at(at).facing(heading), cell


@on_all_tilings
def test_only_the_anchor_is_the_target_of_a_block(name: str) -> None:
    world = compiled_on(name, corridor("@b.t.G", b=block(), goal=PUSH_TO_T))
    assert list(world.marks) == [world.topology.anchor(Position(4, 1))]


@on_all_tilings
def test_the_whole_patch_is_the_target_of_the_agent(name: str) -> None:
    world = compiled_on(name, corridor("@..G"))
    assert set(world.marks) == set(world.topology.patches[Position(4, 1)])


@on_all_tilings
def test_nothing_is_dropped_on_a_target_but_beside_it_in_its_patch(name: str) -> None:
    world = compiled_on(name, corridor("@kb.t.G", k=key(), b=block(), goal=PUSH_TO_T))
    patch, number = world.topology.patches[Position(5, 1)], world.by_id["k"].index
    dropped = set()
    for state, cell in facing(world, patch):
        _, (event,) = acts.drop(world, state.with_place(number, GONE).holding(number))
        dropped |= {cell} if isinstance(event, Dropped) else set()
    assert dropped == {*patch} - {world.topology.anchor(Position(5, 1))}


@on_all_tilings
def test_an_agent_in_an_open_door_cannot_shut_it(name: str) -> None:
    world = compiled_on(name, OPEN_DOOR)
    patch = world.by_id["d"].cells
    for state, _ in facing(world, patch):
        after, (event,) = acts.toggle(world, state)
        if state.cell in patch:
            assert (after, event) == (state, NoEffect("something is in the door"))
        else:
            assert event == Closed("d", patch)
