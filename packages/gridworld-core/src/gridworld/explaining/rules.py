"""The rules in words: the effects of actions, what is visible, and the effects of each entity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import attrs

from gridworld.explaining.suite_vocabulary import SuiteVocabulary, ThingWords
from gridworld.support.wording import listed, one_line, with_article
from gridworld.world.mechanism_type import Trait
from gridworld.world.topology import NO_CELL, Topology, beside_contact

FOUR_WAYS = 4
"""Number of directions that have names."""


@attrs.frozen
class BoardFacts:
    """Facts about a tiling, independent of the size of its lattice."""

    directions: int
    turns: tuple[int, ...]
    """Possible degrees of a turn, ascending."""
    shares_edges: bool
    """Whether two directions can lead across the same edge."""
    faces_corners: bool
    """Whether an agent can face in a direction without an edge after a move."""
    most_cells: int
    """Maximum number of cells in one lattice cell."""
    touches_diagonally: bool
    """Whether diagonal lattice cells share edges, which walls can seal."""
    told: str
    """The tiling's own explanation."""


BYTES_OF_FACTS = 1024
"""Upper bound on the memory of a `BoardFacts`, in bytes."""


def board_facts(topology: Topology) -> BoardFacts:
    """Derive the facts about a tiling from its tables."""
    found: BoardFacts | None = topology.kept.get(("facts",))
    return topology.kept.put(("facts",), _find_facts(topology), BYTES_OF_FACTS) if found is None else found


def _find_facts(topology: Topology) -> BoardFacts:
    count = topology.heading_count
    facing = {(cell, heading) for cell, edges in enumerate(topology.edges) for heading in edges}
    facing |= {(there, heading) for _, heading, there in _moves(topology)}
    turns = {(topology.right[cell * count + heading] - heading) % count * 360 // count for cell, heading in facing}
    return BoardFacts(
        directions=count,
        turns=tuple(sorted(turns)),
        shares_edges=any(
            len(edges) > len(corners) for edges, corners in zip(topology.edges, topology.polygons, strict=True)
        ),
        faces_corners=any(heading not in topology.edges[cell] for cell, heading in facing),
        most_cells=max(map(len, topology.patches.values())),
        touches_diagonally=any(
            beside_contact(topology.lattice[cell], topology.lattice[there]) is not None
            for cell, _, there in _moves(topology)
        ),
        told=one_line(topology.explanation),
    )


def _moves(topology: Topology) -> Iterator[tuple[int, int, int]]:
    """Yield the cell, heading and next cell of each move."""
    for place, there in enumerate(topology.exits):
        if there != NO_CELL:
            yield (*divmod(place, topology.heading_count), there)


def explain_board(facts: BoardFacts, filling: Sequence[str]) -> list[str]:
    """Write sentences about a tiling, the tiling's own first.

    Args:
        facts: the facts about the tiling.
        filling: what fills all cells of a lattice cell, in the plural.
    """
    told = [facts.told] if facts.told else []
    return [*told, *_cells(facts, filling), *_turning(facts), *_moving(facts)]


def _cells(facts: BoardFacts, filling: Sequence[str]) -> Iterator[str]:
    if facts.most_cells > 1:
        yield (
            f"Each place of the maze consists of up to {facts.most_cells} adjacent cells: {listed(filling)} fill all "
            "of them, other things lie on one of them."
        )
    if facts.touches_diagonally:
        yield "A thick dark line between two cells is a wall that nothing can pass."


def _turning(facts: BoardFacts) -> Iterator[str]:
    ways = (
        "right, down, left or up"
        if facts.directions == FOUR_WAYS
        else (f"one of {facts.directions} directions, {_degrees([360 / facts.directions])} apart")
    )
    yield f"The agent faces {ways}; at the start it faces right."
    to = " to the next direction in which its cell has an edge:" if len(facts.turns) > 1 else ""
    yield f"turn_right turns it clockwise and turn_left counter-clockwise{to} by {_degrees(facts.turns)}."


def _moving(facts: BoardFacts) -> Iterator[str]:
    yield "move_forward moves it across the edge that it faces into the next cell; its direction stays the same."
    if facts.shares_edges:
        yield "Two neighbouring directions can face the same edge; they lead to the same cell."
    if facts.faces_corners:
        yield "After a move it may face a corner of its new cell; it then cannot move forward until it has turned."


def _degrees(degrees: Iterable[float]) -> str:
    return f"{listed([f'{each:g}' for each in degrees], 'or')} degrees"


IN_SOME, IN_OTHERS = "In some tasks: ", "In other tasks: "
MODES = {
    "full": "The whole maze is shown.",
    "view_cone": "Only what the agent sees now is shown: cells ahead of it or beside it, a few cells away at most, and "
    "not behind anything that blocks sight.",
    "fog_of_war": "What the agent sees now is shown, and what it saw earlier is shown as it was last seen; nothing "
    "else is shown.",
}
"""Sentences by observability."""
HIDDEN = (
    "Things can be hidden. A hidden thing works as usual, but looks like a wall if it stops the agent, and like floor "
    "otherwise. It becomes visible once the agent has bumped into it, acted on it or stood on it."
)
ACTIONS = (
    "Every action takes one step, even if it has no effect.",
    "An agent that moves forward into a wall, or into anything else that stops it, stays where it is.",
    "pickup takes the thing in the cell in front of the agent, if that can be carried and the agent carries nothing; "
    "drop puts the carried thing into the cell in front of the agent, if that is free floor.",
    "toggle uses the thing in the cell in front of the agent; if there is none that can be toggled, it uses the thing "
    "that the agent stands on.",
    "done does nothing: the agent waits for one step.",
)


def write_rules(vocabulary: SuiteVocabulary, board: BoardFacts, things: Iterable[ThingWords]) -> str:
    """Write the rules, one subject per line."""
    first, *others = ACTIONS
    lines = [
        " ".join(explain_board(board, _filling(vocabulary))),
        " ".join([first, *others]),
        *_seeing(vocabulary),
        *_doing(things, _room_for_a_push(vocabulary)),
        *(f"mission: {' '.join(map(one_line, goal.explained.does))}" for goal in vocabulary.goals),
    ]
    return "\n".join(["The rules:", *(f"- {line}" for line in lines)])


def _seeing(vocabulary: SuiteVocabulary) -> Iterator[str]:
    found = {rules.observability for rules in vocabulary.rules}
    modes = [words for mode, words in MODES.items() if mode in found]
    yield (
        modes[0]
        if len(modes) == 1
        else " ".join([f"{IN_SOME}{modes[0]}", *(f"{IN_OTHERS}{each}" for each in modes[1:])])
    )
    if vocabulary.hides:
        yield HIDDEN


def _filling(vocabulary: SuiteVocabulary) -> list[str]:
    """Return the plurals of what fills whole patches, among everything that the tasks have."""
    marks = ["goals"] if any(mark.kind == "goal" for mark in vocabulary.marks) else []
    return ["walls", *marks, *(known.type.name for known in vocabulary.mechanisms if known.type.fills_patch)]


def _room_for_a_push(vocabulary: SuiteVocabulary) -> str:
    """Return the sentence about where pushed things can go, among everything that the tasks have."""
    kinds = {mark.kind for mark in vocabulary.marks}
    takers = [
        known.type.noun
        for known in vocabulary.mechanisms
        if any(known.type.possible_traits(spec) & Trait.TAKES_BLOCKS for spec in known.specs)
    ]
    places = [with_article(name) for name in (*sorted(kinds), *takers)]
    return f"The cell behind it has to be {listed(['free floor', *places], 'or')}; otherwise nothing moves."


def _doing(things: Iterable[ThingWords], room_for_a_push: str) -> Iterator[str]:
    """Yield the effects of entities; entities with equal effects share a line."""
    names: dict[str, list[str]] = {}
    for thing in things:
        does = [(*each, room_for_a_push) for each in thing.does] if _can_be_pushed(thing) else thing.does
        names.setdefault(_under_all_rules(does), []).append(thing.name)
    yield from (f"{listed(list(dict.fromkeys(named)))}: {does}" for does, named in names.items() if does)


def _can_be_pushed(thing: ThingWords) -> bool:
    kind = thing.type
    return any(kind.traits(each.spec, kind.values[each.value]) & Trait.PUSHABLE for each in thing.seen.values())


def _under_all_rules(texts: Sequence[Sequence[str]]) -> str:
    """Join the sentences common to all rules, then those that apply to some tasks only."""
    common = [sentence for sentence in texts[0] if all(sentence in each for each in texts)]
    differing = dict.fromkeys(sentence for each in texts for sentence in each if sentence not in common)
    return " ".join(
        [*common, *(f"{IN_SOME if not number else IN_OTHERS}{each}" for number, each in enumerate(differing))]
    )
