"""What is said of turning and moving on a tiling is what the kernel does there."""

import pytest

from gridworld.explaining.rules import BoardFacts, board_facts, explain_board
from gridworld.testing.stage import every_topology
from gridworld.world import Topology
from gridworld.world.topology import NO_CELL

TOPOLOGIES = {topology.name: topology for topology in every_topology()}
on_every_tiling = pytest.mark.parametrize("topology", TOPOLOGIES.values(), ids=TOPOLOGIES)


def poses(topology: Topology) -> set[tuple[int, int]]:
    """Cell and heading of an agent that walks about from the first cell, facing right, as far as it comes."""
    found, new = set(), [(topology.cell_count // 2, 0)]
    while new:
        cell, heading = new.pop()
        if (cell, heading) in found:
            continue
        found.add((cell, heading))
        place = cell * topology.heading_count + heading
        new += [(cell, topology.left[place]), (cell, topology.right[place])]
        if topology.exits[place] != NO_CELL:
            new.append((topology.exits[place], heading))
    return found


@on_every_tiling
def test_the_degrees_of_turns_are_those_that_occur(topology: Topology) -> None:
    count, told = topology.heading_count, set(board_facts(topology).turns)
    right = {(topology.right[c * count + h] - h) % count * 360 // count for c, h in poses(topology)}
    left = {(h - topology.left[c * count + h]) % count * 360 // count for c, h in poses(topology)}
    assert right | left <= told
    assert right == told


@on_every_tiling
def test_an_agent_faces_corners_exactly_where_it_is_told(topology: Topology) -> None:
    corners = any(heading not in topology.edges[cell] for cell, heading in poses(topology))
    told = " ".join(explain_board(board_facts(topology), ["walls"]))
    assert board_facts(topology).faces_corners == corners
    assert ("face a corner" in told) == corners


@on_every_tiling
def test_what_fills_places_of_several_cells_is_told_where_there_are_such(topology: Topology) -> None:
    told = " ".join(explain_board(board_facts(topology), ["walls", "doors"]))
    assert ("walls and doors fill all of them" in told) == any(len(patch) > 1 for patch in topology.patches.values())


@on_every_tiling
def test_shared_edges_are_explained_exactly_where_they_exist(topology: Topology) -> None:
    count = topology.heading_count
    doubled = any(
        topology.exits[place] != NO_CELL
        and topology.exits[place] == topology.exits[cell * count + (heading + 1) % count]
        for cell, heading in poses(topology)
        for place in [cell * count + heading]
    )
    assert board_facts(topology).shares_edges == doubled


@on_every_tiling
def test_facts_are_independent_of_the_size(topology: Topology) -> None:
    facts: set[BoardFacts] = {
        board_facts(each)
        for size in (5, 8, 11)
        for each in every_topology(size, size + 1)
        if each.name == topology.name
    }
    assert facts == {board_facts(topology)}
