"""Worlds that an agent cannot tell apart, and walks from restored snapshots.

`change_out_of_sight` changes cells that an agent has never seen; `as_it_looks` replaces a hidden mechanism with its
appearance.
"""

import copy
import random
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from typing import Any

import attrs

from gridworld.backends.grid_state import known_grid_state
from gridworld.backends.kernel import KernelBackend
from gridworld.backends.scenes import Scene
from gridworld.errors import InvalidTaskError
from gridworld.plugins import get_registry
from gridworld.support.import_strings import load_object
from gridworld.task_spec import TaskSpecification
from gridworld.testing.stage import roaming_action
from gridworld.text import describe_events, text_view
from gridworld.world import Episode, World
from gridworld.world.events import Event
from gridworld.world.knowledge import Snapshot
from gridworld.world.masks import could_have_effect
from gridworld.world.mechanism_type import Trait
from gridworld.world.rules import ACTS
from support.worlds import FIELDS_OF, begin, compiled, steps_of

Cell = tuple[int, int]
Entry = dict[str, Any]
scene_of = lru_cache(maxsize=2)(Scene)


def with_rules(task: TaskSpecification, **rules: Any) -> TaskSpecification:
    """The task with some rules changed."""
    return attrs.evolve(task, rules=attrs.evolve(task.rules, **rules))


def actions_of(task: TaskSpecification, seed: int, length: int) -> list[int]:
    """Random actions, up to the end of an episode of a task."""
    return [int(action) for _, action, _ in steps_of(compiled(task), seed, length)]


def seen_in(task: TaskSpecification, actions: Collection[int]) -> set[Cell]:
    """All lattice cells that are visible at some time during some actions."""
    episode = begin(task)
    seen = set(episode.knowledge.visible)
    for action in actions:
        episode.step(action)
        seen |= episode.knowledge.visible
    return {tuple(episode.world.topology.lattice[cell]) for cell in seen}


def perceived(episode: Episode, events: tuple[Event, ...]) -> dict[str, Any]:
    """Everything that the core tells an agent about a step, by name."""
    world = episode.world
    known = known_grid_state(world, episode.snapshot)
    return {
        "mission": world.goal_type.mission(world),
        "texts": texts_of(episode),
        "told": describe_events(world, episode.witnessed(events)),
        "visible": known.visible_cells,
        "explored": known.explored_cells,
        "known": known.to_dict(),
        "board": scene_of(world).as_shown(episode.snapshot),
        "masks": could_have_effect(world, episode.snapshot, ACTS.values()),
    }


def texts_of(episode: Episode) -> dict[str, str]:
    """Texts by observation format, without ``map`` and ``sentences``, which ``text`` contains."""
    formats = [each.item for each in get_registry().observations if each.item.name not in ("map", "sentences")]
    return {each.name: load_object(each.target)(episode) for each in formats}


def perceptions(task: TaskSpecification, actions: Collection[int]) -> Iterator[dict[str, Any]]:
    """Perceptions at the start of an episode and after each action."""
    episode = begin(task)
    yield perceived(episode, ())
    for action in actions:
        yield perceived(episode, episode.step(action))


# --- What is out of sight ----------------------------------------------------------------------------------------


def change_out_of_sight(
    task: TaskSpecification, seen: Collection[Cell], seed: int, edits: int = 12
) -> TaskSpecification:
    """A task that differs in unseen cells only; unchanged if nothing can be.

    Walls, entities, goals and markers on unseen cells change, and unseen ends of teleporters move. The mission, effects
    of unseen entities on seen ones, and whether anything is hidden stay.
    """
    rng = random.Random(seed)
    twin, told = task, _told(compiled(task))
    for edit in (_add_gate, *rng.choices(EDITS, k=edits)):
        data = twin.to_dict()
        draft = _Draft(data, frozenset(map(tuple, seen)), rng)
        edit(draft)
        if draft.data == data:  # quicker than reading it
            continue
        changed = _read(draft.data)
        if changed and _told(changed) == told:
            twin = changed.task
    return twin


def _read(data: Entry) -> World | None:
    try:
        return compiled(TaskSpecification.from_dict(data))
    except InvalidTaskError:
        return None


def _told(world: World) -> tuple[str, bool]:
    """The mission, and whether the rules hide anything."""
    return world.goal_type.mission(world), bool(world.hidden)


class _Draft:
    """The contents of a task file, to be changed out of sight."""

    def __init__(self, data: Entry, seen: frozenset[Cell], rng: random.Random) -> None:
        self.data = copy.deepcopy(data)
        self.rng = rng
        self.groups: dict[str, list[Entry]] = self.data.setdefault("mechanisms", {})
        self._seen = seen

    def unseen_cells(self) -> list[Cell]:
        """The unseen inner cells."""
        width, height = self.data["maze"]["dimensions"]
        inner = ((x, y) for y in range(1, height - 1) for x in range(1, width - 1))
        return [cell for cell in inner if cell not in self._seen]

    def free_cell(self) -> list[int] | None:
        """An empty unseen cell."""
        maze = self.data["maze"]
        taken = {tuple(cell) for cell in (*maze["walls"], maze["start"], maze["goal"], *self._taken())}
        free = [cell for cell in self.unseen_cells() if cell not in taken]
        return list(self.rng.choice(free)) if free else None

    def _taken(self) -> Iterator[list[int]]:
        for entry in self.entries():
            yield from (value for field, value in entry.items() if field.startswith("position"))

    def entries(self) -> Iterator[Entry]:
        """All mechanisms."""
        for group in self.groups.values():
            yield from group

    def is_unseen(self, cell: list[int] | None) -> bool:
        """Whether `cell` is an unseen cell, and not None."""
        return cell is not None and tuple(cell) not in self._seen

    def unseen_entry(self) -> tuple[str, Entry] | None:
        """A mechanism that is wholly unseen, like all that it controls, with its kind."""
        found = [
            (kind, entry)
            for kind, group in self.groups.items()
            for entry in group
            if self._stands_unseen(entry) and all(map(self._stands_unseen, self._controlled_by(entry)))
        ]
        return self.rng.choice(found) if found else None

    def _stands_unseen(self, entry: Entry) -> bool:
        return all(self.is_unseen(value) for field, value in entry.items() if field.startswith("position"))

    def _controlled_by(self, entry: Entry) -> list[Entry]:
        return [each for each in self.entries() if each["id"] in entry.get("controls", ())]


def _toggle_wall(draft: _Draft) -> None:
    walls = draft.data["maze"]["walls"]
    cells = draft.unseen_cells()
    if not cells:
        return
    cell = list(draft.rng.choice(cells))
    walls.remove(cell) if cell in walls else walls.append(cell)


def _remove(draft: _Draft) -> None:
    found = draft.unseen_entry()
    if not found:
        return
    kind, entry = found
    draft.groups[kind].remove(entry)
    hidden = draft.data["rules"]["hidden_mechanisms"]
    draft.data["rules"]["hidden_mechanisms"] = [name for name in hidden if name != entry["id"]]
    for each in draft.entries():
        if "controls" in each:
            each["controls"] = [name for name in each["controls"] if name != entry["id"]]


def _alter(draft: _Draft) -> None:
    """Draw new fields, such as the color or the state."""
    found = draft.unseen_entry()
    if found:
        kind, entry = found
        fields = {name: value for name, value in FIELDS_OF[kind](draft.rng).fields.items() if name != "controls"}
        entry.update(fields)


def _hide(draft: _Draft) -> None:
    found = draft.unseen_entry()
    if found:
        hidden = draft.data["rules"]["hidden_mechanisms"]
        name = found[1]["id"]
        hidden.remove(name) if name in hidden else hidden.append(name)


def _add(draft: _Draft) -> None:
    kind = draft.rng.choice([kind for kind in sorted(FIELDS_OF) if kind != "teleporters"])
    cell = draft.free_cell()
    if cell:
        entry = {"id": f"new-{draft.rng.random()}", "position": cell, **FIELDS_OF[kind](draft.rng).fields}
        draft.groups.setdefault(kind, []).append(entry)


def _add_gate(draft: _Draft) -> None:
    """Add a gate that all switches control, seen ones too."""
    cell, switches = draft.free_cell(), draft.groups.get("switches", [])
    if cell and switches:
        gate = {"id": f"new-{draft.rng.random()}", "position": cell}
        draft.groups.setdefault("gates", []).append(gate)
        for each in switches:
            each["controls"] = [*each["controls"], gate["id"]]


def _move(draft: _Draft) -> None:
    """Move a mechanism, or one end of a teleporter, from one unseen cell to another."""
    cell = draft.free_cell()
    movable = [
        (entry, field)
        for entry in draft.entries()
        for field in entry
        if field.startswith("position") and draft.is_unseen(entry[field])
    ]
    if cell and movable:
        entry, field = draft.rng.choice(movable)
        entry[field] = cell


def _move_goal(draft: _Draft) -> None:
    cell = draft.free_cell()
    if cell and draft.is_unseen(draft.data["maze"]["goal"]):
        draft.data["maze"]["goal"] = cell


def _move_marker(draft: _Draft) -> None:
    goal, cell = draft.data["goal"], draft.free_cell()
    if cell and draft.is_unseen(goal.get("target")):
        goal["target"] = cell
    if cell and "target_positions" in goal:
        goal["target_positions"] = [cell if draft.is_unseen(each) else each for each in goal["target_positions"]]


EDITS: tuple[Callable[[_Draft], None], ...] = (
    *[_toggle_wall] * 3,
    *[_add] * 2,
    _remove,
    _alter,
    _hide,
    _move,
    _move_goal,
    _move_marker,
)


# --- What is hidden ----------------------------------------------------------------------------------------------


def as_it_looks(task: TaskSpecification, name: str) -> TaskSpecification | None:
    """The task with a wall in place of a solid hidden mechanism, and floor in place of another.

    Gates that it opens at the start stay open. None if the task is invalid without it. Masks depend on whether a task
    hides anything, so they agree only if it hides something else, too.
    """
    world = compiled(task)
    solid = bool(world.traits_of(world.start, world.by_id[name].index) & Trait.SOLID)
    data = task.to_dict()
    data["rules"]["hidden_mechanisms"].remove(name)
    if solid:
        data["maze"]["walls"].append(list(world.by_id[name].spec.position))
    groups = data["mechanisms"]
    for kind in groups:
        groups[kind] = [each for each in groups[kind] if each["id"] != name]
    for each in groups.get("switches", ()):
        each["controls"] = [gate for gate in each["controls"] if gate != name]
    if world.traits_of(world.start, world.by_id[name].index) & Trait.ACTIVE:
        for each in groups.get("gates", ()):
            if each["id"] in world.by_id[name].spec.controls:
                each["initial_state"] = "open"
    looks = _read(data)
    return None if looks is None else looks.task


Moment = tuple[Any, ...]


def moment(backend: KernelBackend) -> Moment:
    """Everything that a backend shows of the present moment."""
    known, state = backend.get_known_state(), backend.get_state()
    return known, state, str(text_view(backend.episode)), backend.digest(), backend.render().tobytes()


def walk(backend: KernelBackend, seed: int, length: int) -> list[Moment]:
    """The moments of a random walk from the present one."""
    rng, moments = random.Random(seed), [moment(backend)]
    while len(moments) <= length and not backend.world.is_over(backend.episode.state):
        backend.step(int(roaming_action(backend.world, backend.episode.state, rng)))
        moments.append(moment(backend))
    return moments


def assert_walks_repeat(backend: KernelBackend, task: TaskSpecification, seed: int) -> None:
    """Check that walks from restored snapshots show what they showed the first time."""
    rng = random.Random(seed)
    backend.configure(task)
    backend.reset()
    walked: list[tuple[Snapshot, int, list[Moment]]] = []
    for number in range(4):
        start = backend.snapshot()
        walked.append((start, number, walk(backend, number, 12)))
        backend.restore(rng.choice(walked)[0])
    for start, number, moments in rng.sample(walked, len(walked)):
        backend.restore(start)
        assert walk(backend, number, 12) == moments
