"""The observation format ``sentences``: the agent, then each shown entity with its relative position."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from gridworld.observations.shown_cells import ShownCell, agent_position, describe_heading, held_thing, shown_cells
from gridworld.support.wording import with_article
from gridworld.world import Episode, World
from gridworld.world.looks import CellLook, describe_mark, describe_thing, name_thing


def sentences_text(episode: Episode) -> str:
    """Write the sentences of the current state, one per line."""
    return "\n".join(write_sentences(episode, shown_cells(episode)))


def write_sentences(episode: Episode, cells: Iterable[ShownCell]) -> tuple[str, ...]:
    """Write sentences for the agent, then for marks and entities in the order of the shown cells."""
    (x, y), held = agent_position(episode), held_thing(episode)
    towards = describe_heading(episode.world.topology, episode.state.heading)
    carried = "nothing" if held is None else with_article(name_thing(episode.world, held))
    sentences = [f"You are at column {x}, row {y}, facing {towards}, and carry {carried}."]
    for shown in cells:
        earlier = " (as last seen)" if shown.remembered else ""
        for name in _names_on(episode.world, shown.look):
            sentences.append(f"{name[0].upper()}{name[1:]}: {_relative_place(episode, shown.cell)}{earlier}.")
    return tuple(sentences)


def _names_on(world: World, look: CellLook | None) -> Iterator[str]:
    """Yield the names, with articles, of everything shown on a cell."""
    if look is None:
        return
    if look.mark is not None:
        yield f"the {describe_mark(look.mark)}"
    for shown in look.things:
        yield with_article(describe_thing(world, shown))


def _relative_place(episode: Episode, cell: int) -> str:
    """Describe a cell relative to the agent: distances ahead and to the side."""
    state, topology = episode.state, episode.world.topology
    if cell == state.cell:
        return "under you"
    angle = 2 * math.pi * state.heading / topology.heading_count
    (x0, y0), (x1, y1) = topology.centres[state.cell], topology.centres[cell]
    dx, dy = x1 - x0, y1 - y0
    ahead = round(dx * math.cos(angle) + dy * math.sin(angle))
    right = round(dy * math.cos(angle) - dx * math.sin(angle))
    return ", ".join(_distances(ahead, right)) or "beside you"


def _distances(ahead: int, right: int) -> Iterator[str]:
    if ahead:
        yield f"{abs(ahead)} {'ahead' if ahead > 0 else 'behind'}"
    if right:
        yield f"{abs(right)} to the {'right' if right > 0 else 'left'}"
