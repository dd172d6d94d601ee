"""The seven mechanisms: defaults of their entries, traits, looks, and what they do."""

from typing import Any

import pytest

from gridworld.mechanisms.blocks import BLOCKS, BlockSpec
from gridworld.mechanisms.doors import DOORS, DoorSpec
from gridworld.mechanisms.gates import GATES, GateSpec
from gridworld.mechanisms.hazards import HAZARDS, HazardSpec
from gridworld.mechanisms.keys import KEYS, KeySpec
from gridworld.mechanisms.switches import SWITCHES, SwitchSpec
from gridworld.mechanisms.teleporters import TELEPORTERS, TeleporterSpec
from gridworld.task_spec import TaskSpecification
from gridworld.world.mechanism_type import MechanismType, Trait
from support.worlds import (
    begin,
    block,
    corridor,
    door,
    draw,
    gate,
    key,
    look,
    play,
    switch,
    teleporter,
)

AT = ("x", (2, 1))
BLOCK, DOOR, GATE, KEY, SWITCH = (
    BlockSpec(*AT),
    DoorSpec(*AT, "red"),
    GateSpec(*AT),
    KeySpec(*AT, "red"),
    SwitchSpec(*AT),
)
TELEPORTER = TeleporterSpec("t", (2, 1), (4, 1))
HAZARD_TYPES = ("lava", "pit", "spike")
BARRIER = Trait.SOLID | Trait.OPAQUE
PLATE = Trait.TAKES_BLOCKS | Trait.TOGGLED_UNDERFOOT


@pytest.mark.parametrize(
    ("mechanism", "spec", "traits"),
    [
        (BLOCKS, BLOCK, [Trait.SOLID | Trait.PUSHABLE]),
        (BLOCKS, BlockSpec(*AT, pushable=False), [Trait.SOLID]),
        (DOORS, DOOR, [Trait.NONE, BARRIER, BARRIER]),
        (GATES, GATE, [BARRIER, Trait.NONE]),
        *((HAZARDS, HazardSpec(*AT, each), [Trait.DEADLY]) for each in HAZARD_TYPES),
        (KEYS, KEY, [Trait.SOLID | Trait.PORTABLE] * 3),
        (SWITCHES, SWITCH, [PLATE, PLATE | Trait.ACTIVE]),
        (TELEPORTERS, TELEPORTER, [Trait.NONE] * 5),
    ],
)
def test_a_mechanism_has_traits_in_each_state(mechanism: MechanismType, spec: Any, traits: list[Trait]) -> None:
    assert [mechanism.traits(spec, value) for value in mechanism.values] == traits


@pytest.mark.parametrize(
    ("mechanism", "spec", "text"),
    [
        (BLOCKS, BlockSpec(*AT, color="purple"), "purple block"),
        (DOORS, DOOR, "red door"),
        (DOORS, DoorSpec(*AT), "grey door"),
        (GATES, GATE, "gate"),
        (KEYS, KEY, "red key"),
        (SWITCHES, SwitchSpec(*AT, color="blue"), "blue switch"),
        (TELEPORTERS, TELEPORTER, "teleporter"),
    ],
)
def test_a_mechanism_is_described_by_its_colour_and_noun(mechanism: MechanismType, spec: Any, text: str) -> None:
    assert mechanism.describe(spec) == text


def test_a_teleporter_takes_both_cells_and_a_switch_controls_the_gates_of_its_entry() -> None:
    assert TELEPORTERS.positions(TELEPORTER) == {"position_a": (2, 1), "position_b": (4, 1)}
    task = corridor("@sghG", s=switch("g", "h"), g=gate(), h=gate())
    assert SWITCHES.controls(task.mechanisms.switches[0]) == ("g", "h")


B, LONE_BLOCK = block(), draw("#####\n#@..#\n#.b.#\n#..G#\n#####", b=block())
TWO_DOORS = "#######\n#@d.eG#\n#k....#\n#######"
INSIDE = draw("#####\n#@.G#\n#sg.#\n#####", s=switch("g", initial_state="on"), g=gate())
HELD = draw("######\n#@bs.#\n##g.##\n##G..#\n######", b=block(), s=switch("g", switch_type="hold"), g=gate())
MIXED = draw(
    "######\n#@h..#\n#t.gG#\n######",
    h=switch("g", switch_type="hold"),
    t=switch("g", switch_type="one_shot"),
    g=gate(),
)
CROSSED = draw("######\n#@a..#\n#c.bd#\n#..G.#\n######", ab=teleporter(), cd=teleporter())


@pytest.mark.parametrize(
    ("task", "steps"),
    [
        pytest.param(
            corridor("@b.G", b=B),
            [("PT", {"agent_carrying": None, "block_positions": {"b": (2, 1)}})],
            id="inert block",
        ),
        pytest.param(corridor("@b...G.", b=B), [("FFF", {"block_positions": {"b": (5, 1)}})], id="pushed on and on"),
        pytest.param(LONE_BLOCK, [("RFFLFLF", {"block_positions": {"b": (2, 1)}})], id="pushed up"),
        pytest.param(
            corridor("@kb.G", k=key(), b=B),
            [("PFF", {"block_positions": {"b": (4, 1)}, "agent_carrying": "k"})],
            id="pushed with a key in the hand",
        ),
        pytest.param(
            draw("####\n#@d#\n#kG#\n####", d=door("gray"), k=key("grey")),
            [("RPLT", {"open_doors": {"d"}})],
            id="grey is gray",
        ),
        pytest.param(
            corridor("@d.G", d=door(initial_state="open")), [("FT", {"open_doors": {"d"}})], id="agent in the door"
        ),
        *(
            pytest.param(
                draw(TWO_DOORS, d=door("red"), e=door("red"), k=key("red"), rules={"key_consumption": consumed}),
                [("RPLTFFT", {"open_doors": opened})],
                id=f"key used up: {consumed}",
            )
            for consumed, opened in ((True, {"d"}), (False, {"d", "e"}))
        ),
        pytest.param(
            INSIDE,
            [
                ("FRF RT", {"agent_position": (2, 2), "active_switches": set(), "open_gates": {"g"}}),
                ("RRF", {"open_gates": set()}),
            ],
            id="gate over the agent closes when it leaves",
        ),
        pytest.param(
            INSIDE,
            [("FRF RTT", {"open_gates": {"g"}}), ("RRF", {"open_gates": {"g"}})],
            id="gate over the agent with its switch on again",
        ),
        pytest.param(
            MIXED,
            [
                ("", {"open_gates": set()}),
                ("F", {"open_gates": {"g"}}),
                ("F", {"open_gates": set()}),
                ("LLFFLT", {"open_gates": {"g"}}),
                ("LF", {"open_gates": {"g"}}),
            ],
            id="switches of two types",
        ),
        pytest.param(
            corridor("@bs.G", b=B, s=switch(switch_type="toggle")),
            [("FT", {"active_switches": set()})],
            id="switch under a block",
        ),
        pytest.param(
            HELD,
            [("F", {"open_gates": {"g"}}), ("RF", {"agent_position": (2, 2)}), ("F", {"goal_reached": True})],
            id="block on a hold switch",
        ),
        pytest.param(CROSSED, [("RF", {"agent_direction": 1, "agent_position": (4, 2)})], id="teleported downwards"),
        pytest.param(
            corridor("@a.b.G", ab=teleporter()),
            [
                ("FF LLF", {"agent_position": (2, 1), "teleporter_cooldowns": {"ab": 1}}),
                ("F", {"agent_position": (1, 1)}),
            ],
            id="there and back",
        ),
        pytest.param(
            corridor("@b.a.G", ab=teleporter(bidirectional=False)),
            [("FF", {"agent_position": (3, 1), "teleporter_cooldowns": {}})],
            id="over a one-way exit",
        ),
        pytest.param(
            corridor("@a.bc.dG", ab=teleporter(), cd=teleporter()),
            [
                ("F", {"agent_position": (4, 1)}),
                ("F", {"agent_position": (7, 1), "teleporter_cooldowns": {"cd": 1}}),
            ],
            id="two teleporters",
        ),
    ],
)
def test_mechanisms_act(task: TaskSpecification, steps: list[tuple[str, dict[str, Any]]]) -> None:
    episode = begin(task)
    for letters, expected in steps:
        state = play(episode, letters) if letters else look(episode)
        assert {name: getattr(state, name) for name in expected} == expected
