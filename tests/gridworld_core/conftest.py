"""What several files of these tests start from."""

from typing import Any

import pytest

from worlds import block, describe, door, gate, hazard, key, switch, teleporter

EVERYTHING = """
    #########
    #@kd.sg.#
    #.b.h...#
    #t..u..G#
    #########
"""


@pytest.fixture
def plain() -> dict[str, Any]:
    """The contents of a valid task file without mechanisms: start (1, 1), goal (3, 1), and (2, 1) between them."""
    return describe("#####\n#@.G#\n#####")


@pytest.fixture
def full() -> dict[str, Any]:
    """The contents of a valid task file in which every part and every field is used."""
    data = describe(
        EVERYTHING,
        k=key("red"),
        d=door("red"),
        s=switch("g", color="blue", switch_type="one_shot", initial_state="off"),
        g=gate(),
        b=block(pushable=True, color="green"),
        tu=teleporter(bidirectional=False),
        h=hazard("spike"),
        rules={
            "key_consumption": True,
            "switch_type": "hold",
            "hidden_mechanisms": ["s"],
            "observability": "fog_of_war",
            "view_size": 5,
        },
        goal={"type": "reach_position", "target": "G"},
    )
    data["version"] = "2.0"
    data["description"] = "One of each: größe ✓"
    data["dependency_chain"] = {
        "depth": 1,
        "sequence": [{"step": 1, "type": "key-door", "element": "k", "unlocks": "d"}],
        "notation": "k -> d -> G",
    }
    data["distractors"] = [{"type": "useless_block", "element_id": "b", "description": "Opens nothing."}]
    data["metadata"] = {"author": "someone", "tags": ["one", {"two": 2.5}], "none": None}
    return data
