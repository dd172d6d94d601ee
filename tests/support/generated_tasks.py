"""Generated tasks of every family, and matched sets of every kind, small enough to visit every state."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from gridworld.generation.certificate import Bounds
from gridworld.generation.making import Found, Job, Made, make, without_duplicates
from gridworld.generation.recipe import Recipe, recipe_from_texts

SWITCHES = "toggle+one_shot+hold"
MAZES: Sequence[Mapping[str, str]] = (
    {"size": "8-11", "depth": "0-2", "decoys": "0-2"},
    {"size": "9-13", "depth": "2-4", "decoys": "0-2", "decoy_kinds": "dead_end+idle_switch", "steps": SWITCHES},
    {"size": "8-10", "depth": "1-2", "tier": "3", "length": "12-40"},
    {"size": "8-9", "depth": "1", "hidden": "0-1", "observability": "view_cone,fog_of_war", "view_size": "3,5"},
    {"size": "8-9", "depth": "0-1", "goal": "collect_all", "length": "8-60"},
    {"size": "12-15", "depth": "3-6", "steps": SWITCHES},
)
"""Parameters of mazes whose states can mostly all be visited."""
FAMILIES: Mapping[str, Sequence[Mapping[str, str]]] = {
    **dict.fromkeys(("braided_maze", "cave", "open_rooms", "perfect_maze", "rooms_and_corridors", "spiral"), MAZES),
    "hazard_field": (
        {"size": "6-15", "density": "20-50"},
        {"size": "8-12", "hazard": "mixed,spike", "length": "10-40"},
        {"size": "7-9", "observability": "view_cone,fog_of_war"},
    ),
    "islet": (
        {"size": "7-9", "ground": "3-9", "duration": "3-12"},
        {"size": "7", "tier": "5", "observability": "fog_of_war"},
    ),
    "lava_rivers": (
        {"size": "8-16", "rivers": "1-5"},
        {"size": "9-13", "hazard": "mixed,pit", "length": "12-50"},
        {"size": "8-10", "observability": "view_cone,fog_of_war"},
    ),
    "teleporter_house": (
        {"size": "7-13", "depth": "1-4", "decoys": "0-3", "traps": "0-1"},
        {"size": "8-11", "depth": "2-3", "one_way": "0,100", "length": "8-40"},
    ),
    "warehouse": ({"size": "6-8", "blocks": "1", "lines": "2-8"}, {"size": "6-7", "blocks": "2", "lines": "3-6"}),
    "weights": ({"size": "9-12"}, {"size": "10", "lines": "1-5", "length": "15-70"}, {"size": "13", "depth": "4"}),
}
"""Parameters of each family, used in turn."""

MAX_STATES = 60_000
"""Limit of each search, the solver's and the plain one."""
MAX_TABLE_STATES = 2_000

KINDS = {
    "order": {"size": "7-9"},
    "path_choice": {"size": "9"},
    "decoy_ladder": {"size": "9", "base": "open_rooms:depth=1", "kinds": "idle_switch"},
    "depth_ladder": {"size": "9", "most": "2"},
    "sight": {"size": "7", "base": "perfect_maze:depth=1"},
    "recolored": {"size": "7", "base": "perfect_maze:depth=1"},
    "mirrored": {"size": "7", "base": "perfect_maze:depth=1"},
    "turned": {"size": "7", "base": "perfect_maze:depth=1"},
}
"""Parameters of each kind of set whose states can all be visited."""


def jobs(
    count: int,
    tilings: tuple[str, ...] = ("square",),
    families: Sequence[str] = tuple(FAMILIES),
    first: int = 0,
    max_attempts: int = 200,
) -> Iterator[Job]:
    """`count` jobs of an endless list, from `first` on, with families and their parameters in turn."""
    for number in range(first, first + count):
        turn, place = divmod(number, len(families))
        asked = FAMILIES[families[place]]
        own, which = divmod(turn, len(asked))
        fields = {"family": families[place], "count": str(own + 1), "seed": "14", "max_attempts": str(max_attempts)}
        yield Job(recipe_from_texts({**fields, "tilings": ",".join(tilings), **asked[which]}, families[place]), own)


def found_for(asked: Iterable[Job], max_states: int = MAX_STATES) -> Iterator[Found]:
    """The result of each job, no two tasks alike."""
    bounds = Bounds(max_states, MAX_TABLE_STATES)
    return without_duplicates((make(job, bounds) for job in asked), bounds)


def sets(kind: str, tiling: str, first: int = 0) -> Iterator[Made]:
    """Endless sets of a kind, certified on a tiling."""
    number = first
    while True:
        recipe = Recipe(family=kind, count=number + 1, seed=41, tilings=(tiling,), parameters=KINDS[kind])
        found = make(Job(recipe, number), Bounds(MAX_STATES, max_table_states=500))
        if isinstance(found, Made):
            yield found
        number += 1
