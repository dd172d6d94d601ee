"""The observation format ``coordinates``: the shown state as JSON in one line, by columns and rows of the lattice.

::

    {"columns":6,"rows":4,
     "agent":{"at":[1,1],"facing":"right","carries":null},
     "things":[{"kind":"key","color":"red","at":[2,1]},{"kind":"goal","at":[4,1]}],
     "walls":{"0":"0-5","1":"0,5","2":"0,5","3":"0-5"}}

Positions are ``[column, row]``, both counted from 0 at the top left. An entry of ``things`` also has ``type``,
``color``, ``state``, ``part`` and ``dots`` where they apply, and ``"seen":"earlier"`` if it is out of view and
described as last seen. ``walls`` and ``unseen`` map rows to ranges of columns; ``unseen`` is omitted once everything
has been seen. On tilings other than squares, ``facing`` is an angle, in degrees clockwise from right.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from gridworld.observations.shown_cells import ShownCell, agent_position, degrees, facing, held_thing, shown_cells
from gridworld.task_spec import Position
from gridworld.world import Episode, World
from gridworld.world.looks import Shown


def coordinates_text(episode: Episode) -> str:
    """Write the shown state as JSON without spaces."""
    return json.dumps(list_coordinates(episode), separators=(",", ":"), ensure_ascii=False)


def list_coordinates(episode: Episode) -> dict[str, Any]:
    """Convert the shown state to a JSON-ready dictionary."""
    world, cells = episode.world, shown_cells(episode)
    walls = [shown.position for shown in cells if shown.look is not None and shown.look.wall]
    unseen = [shown.position for shown in cells if shown.look is None]
    return {
        "columns": world.topology.width,
        "rows": world.topology.height,
        "agent": _agent(episode),
        "things": [entry for shown in cells for entry in _entries(world, shown)],
        "walls": _ranges(walls),
        **({"unseen": _ranges(unseen)} if unseen else {}),
    }


def _agent(episode: Episode) -> dict[str, Any]:
    held, topology, heading = held_thing(episode), episode.world.topology, episode.state.heading
    return {
        "at": list(agent_position(episode)),
        "facing": facing(topology, heading) or degrees(topology, heading),
        "carries": None if held is None else _without_state(episode.world, held),
    }


def _entries(world: World, shown: ShownCell) -> Iterator[dict[str, Any]]:
    """Yield the mark and the entities on a cell, from bottom to top."""
    if shown.look is None:
        return
    place = {"at": list(shown.position), **({"seen": "earlier"} if shown.remembered else {})}
    if shown.look.mark is not None:
        mark = shown.look.mark
        named = _present(color=mark.color, dots=mark.number, state="visited" if mark.visited else "")
        yield {"kind": mark.kind, **named, **place}
    for thing in shown.look.things:
        entity = world.entities[thing.entity]
        state = entity.type.adjective(entity.spec, entity.type.values[thing.value])
        yield {**_without_state(world, thing), **_present(state=state), **place}


def _without_state(world: World, shown: Shown) -> dict[str, Any]:
    entity = world.entities[shown.entity]
    kind, spec = entity.type, entity.spec
    part = kind.part(spec, kind.field_of(spec, shown.part))
    named = {"type": kind.kind(spec), "color": entity.color, "part": part, "dots": shown.number}
    return {"kind": kind.noun, **_present(**named)}


def _present(**fields: str | int | None) -> dict[str, Any]:
    """Drop empty fields."""
    return {name: value for name, value in fields.items() if value}


def _ranges(positions: Iterable[Position]) -> dict[str, str]:
    """Return column ranges by row for positions in reading order, such as ``{"0": "0-3,5"}``."""
    rows = groupby(positions, key=lambda position: position.y)
    return {str(row): ",".join(_runs([position.x for position in inside])) for row, inside in rows}


def _runs(columns: Sequence[int]) -> Iterator[str]:
    for _, numbered in groupby(enumerate(columns), key=lambda each: each[1] - each[0]):
        run = [column for _, column in numbered]
        yield str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}"
