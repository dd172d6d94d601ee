"""Older files are rewritten into today's form without loss, and once is enough."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.errors import InvalidTaskError
from gridworld.plugins import get_registry
from gridworld.task.reading import read_task
from gridworld.task.upgrading import Upgrade, upgrade_task
from support.worlds import describe, task_dicts

Data = dict[str, Any]


def upgraded(data: Any) -> Upgrade:
    return upgrade_task(data, get_registry())


def generated() -> Data:
    """A file by a generator of the earlier system, before the format existed."""
    return {
        "maze": {"dimensions": [5, 3], "walls": [[0, 0], [1, 0]], "start": [1, 1], "goal": [3, 1]},
        "mechanisms": {"keys": [], "gates": [{"id": "g", "position": [2, 1], "color": "black"}]},
        "metadata": {"backbone": "corridor"},
        "task_id": "generated",
        "version": "0.1",
        "seed": 7,
        "difficulty_tier": 3,
        "validation": {"is_valid": True, "optimal_cost": 2},
    }


def test_a_file_of_version_0_1_is_completed_and_loses_nothing() -> None:
    upgrade = upgraded(generated())
    task = upgrade.task
    assert (task.version, task.goal.type, task.max_steps, task.rules.key_consumption) == (
        "1.0",
        "reach_position",
        100,
        True,
    )
    assert task.metadata == {
        "backbone": "corridor",
        "legacy": {"mechanisms.gates[0].color": "black", "validation": {"is_valid": True, "optimal_cost": 2}},
    }
    assert [change.path for change in upgrade.changes] == [
        "mechanisms.gates[0].color",
        "goal",
        "max_steps",
        "version",
        "validation",
    ]


def test_an_upgrade_writes_no_fields_except_reported_additions() -> None:
    older, upgrade = generated(), upgraded(generated())
    told = {change.path for change in upgrade.changes}
    assert set(upgrade.contents) - set(older) == {"goal", "max_steps"} <= told
    assert set(upgrade.contents["maze"]) == set(older["maze"])
    assert "[]" not in json.dumps(upgrade.contents["mechanisms"])
    said = generated() | {"rules": {"view_size": 7}, "description": "", "maze": {**older["maze"], "floor": None}}
    contents = upgraded(said).contents
    assert (contents["description"], contents["maze"]["floor"], contents["rules"]["view_size"]) == ("", None, 7)


def test_what_is_put_away_does_not_displace_what_was_put_away_before() -> None:
    data = describe("#####\n#@.G#\n#####") | {"_note": 2, "metadata": {"legacy": {"_note": 1}}}
    assert upgraded(data).task.metadata == {"legacy": {"_note": 1, "_note (2)": 2}}


def test_a_legacy_of_another_kind_is_kept() -> None:
    data = describe("#####\n#@.G#\n#####") | {"_note": 2, "metadata": {"legacy": "old"}}
    assert upgraded(data).task.metadata == {"legacy": {"metadata.legacy": "old", "_note": 2}}


def test_an_invalid_task_is_refused() -> None:
    with pytest.raises(InvalidTaskError):
        upgraded(generated() | {"max_steps": 0})


# --- Any file at all ---------------------------------------------------------------------------------------------


def write_positions_as_objects(data: Data) -> None:
    maze, keys = data["maze"], data["mechanisms"].get("keys", [])
    for holder, field in ((maze, "start"), (maze, "goal"), *((key, "position") for key in keys)):
        holder[field] = dict(zip("xy", holder[field], strict=True))
    maze["walls"] = [dict(zip("xy", wall, strict=True)) for wall in maze["walls"]]


def list_barriers_as_walls(data: Data) -> None:
    mechanisms = data["mechanisms"]
    barriers = [each["position"] for kind in ("doors", "gates") for each in mechanisms.get(kind, [])]
    data["maze"]["walls"] = data["maze"]["walls"] + barriers


def color_barriers(data: Data) -> None:
    for each in data["mechanisms"].get("doors", []):
        each["color"] = each["requires_key"]
    for each in data["mechanisms"].get("gates", []):
        each["color"] = "black"


def add_notes(data: Data) -> None:
    data["$schema"] = "task.schema.json"
    for holder in (data, data["maze"], data["goal"], data["mechanisms"], *data["mechanisms"].get("keys", [])):
        holder["_note"] = "a note"


def add_unknown_fields(data: Data) -> None:
    data["validation"], data["goal"]["reward"] = {"is_valid": True}, 1


def add_empty_conditions(data: Data) -> None:
    data["goal"]["auxiliary_conditions"] = []


def rename_type(data: Data) -> None:
    data["goal"]["goal_type"] = data["goal"].pop("type")


def nest_layout(data: Data) -> None:
    maze = data["maze"]
    data["maze"] = {"dimensions": maze.pop("dimensions"), "layout": maze}


def add_nulls(data: Data) -> None:
    data["dependency_chain"] = data["metadata"] = None


def wrap(data: Data) -> None:
    inner = dict(data)
    data.clear()
    data["TaskSpecification"] = inner


AGINGS = (
    write_positions_as_objects,
    list_barriers_as_walls,
    color_barriers,
    add_notes,
    add_unknown_fields,
    add_empty_conditions,
    rename_type,
    nest_layout,
    add_nulls,
    wrap,
)
"""Changes into older forms, applied in this order."""


@given(task_dicts(), st.sets(st.sampled_from(AGINGS)))
def test_an_upgraded_file_is_the_same_task_in_the_current_format(
    data: Data, chosen: set[Callable[[Data], None]]
) -> None:
    task = read_task(data, get_registry()).task
    older = deepcopy(data)
    for age in (each for each in AGINGS if each in chosen):
        age(older)
    upgrade = upgraded(older)

    written = json.loads(json.dumps(upgrade.contents))
    again, once_more = read_task(written, get_registry()), upgraded(written)

    assert {**again.task.to_dict(), "metadata": {}} == {**task.to_dict(), "metadata": {}}
    assert again.changes == ()
    assert (once_more.changes, once_more.task) == ((), upgrade.task)
