"""The rules of the world, sentence by sentence of the page of rules."""

from typing import Any

import pytest

from gridworld.actions import Action
from gridworld.errors import EpisodeOver, InvalidAction, TaskFormatError
from gridworld.task_spec import SWITCH_TYPES, TaskSpecification
from gridworld.world import State, World, transition
from gridworld.world.events import Moved, Opened, Succeeded, Switched, Teleported
from gridworld.world.looks import CellLook
from support.worlds import (
    LETTERS,
    begin,
    block,
    cell_named,
    compiled,
    corridor,
    describe,
    door,
    draw,
    gate,
    hazard,
    key,
    look,
    play,
    switch,
    teleporter,
)

HAZARD_TYPES = ("lava", "pit", "spike")


def value_of(world: World, state: State, name: str) -> str:
    return world.by_id[name].value_name(state)


Step = tuple[str, dict[str, Any]]


def then(letters: str, **expected: Any) -> Step:
    """Actions, and fields of the state after them."""
    return letters, expected


def rule(name: str, task: TaskSpecification, *steps: Step) -> Any:
    """A row of the table of rules."""
    return pytest.param(task, steps, id=name)


DOOR_AHEAD = """
    ######
    #@d..#
    #k..G#
    ######
"""
FETCH = "RPL"
"""Turn to the key below the start, take it, and turn back to the door."""
RED = {"d": door("red"), "k": key("red")}
USED_UP: dict[str, Any] = {**RED, "rules": {"key_consumption": True}}
LEVER = {"s": switch(switch_type="toggle")}
HOLD, ONE_SHOT = switch(switch_type="hold"), switch(switch_type="one_shot")
ROOM = """
    #####
    #...#
    #.@.#
    #..G#
    #####
"""


def reach(target: str) -> dict[str, Any]:
    return {"type": "reach_position", "target": target}


def collect(*names: str) -> dict[str, Any]:
    return {"type": "collect_all", "target_ids": list(names)}


def push(blocks: str, targets: str) -> dict[str, Any]:
    return {"type": "push_block_to", "target_ids": list(blocks), "target_positions": list(targets)}


def without(data: dict[str, Any], kind: str, field: str) -> TaskSpecification:
    """A task whose first mechanism of a type leaves a field out."""
    del data["mechanisms"][kind][0][field]
    return TaskSpecification.from_dict(data)


KEY_AND_SWITCH = draw("######\n#@k.G#\n#s...#\n######", k=key(), s=switch(), goal=collect("k", "s"))
TWO_BLOCKS = "########\n#@bt...#\n#.cu..G#\n########"
BOTH = draw(TWO_BLOCKS, b=block(), c=block(), goal=push("bc", "tu"))
TWO_KEYS = "#####\n#@k.#\n#l.G#\n#####"
FLOOR = describe("#####\n#@.G#\n#...#\n#####")
FLOOR["maze"]["floor"] = [[1, 1], [3, 1], [1, 2], [2, 2], [3, 2]]

RULES = [
    # A step: its order
    rule(
        "a teleporter acts in the step onto it",
        corridor("@a.bG", ab=teleporter()),
        then("F", agent_position=(4, 1), step_count=1),
    ),
    rule(
        "a hold switch opens its gate in the step onto it",
        corridor("@s.gG", s=switch("g", switch_type="hold"), g=gate()),
        then("F", active_switches={"s"}, open_gates={"g"}),
    ),
    rule(
        "a gate opens in the step that toggles its switch",
        corridor("@s.gG", s=switch("g"), g=gate()),
        then("T", open_gates={"g"}),
    ),
    rule(
        "the goal is judged after a teleporter took the agent to it",
        corridor("@a.b.G", ab=teleporter(), goal=reach("b")),
        then("F", goal_reached=True),
    ),
    rule(
        "the goal is judged after a teleporter took the agent off it",
        corridor("@a.b.G", ab=teleporter(), goal=reach("a")),
        then("F", goal_reached=False, agent_position=(4, 1)),
    ),
    rule("the goal is judged after sensing", corridor("@s.G", s=HOLD, goal=collect("s")), then("F", goal_reached=True)),
    rule(
        "a hazard is judged before survival",
        corridor("@h.G", h=hazard(), goal={"type": "survive_steps"}, max_steps=1),
        then("F", terminated=True, goal_reached=False, reward=0),
    ),
    rule(
        "the goal is judged before truncation", corridor("@G", max_steps=1), then("F", terminated=True, truncated=False)
    ),
    # Directions
    rule("the agent starts facing right", draw(ROOM), then("", agent_direction=0)),
    *(rule(f"four turns {turn} are none", draw(ROOM), then(turn * 4, agent_direction=0)) for turn in "LR"),
    # move_forward
    rule("a free cell lets the agent in", corridor("@.G"), then("F", agent_position=(2, 1))),
    rule("a listed wall stops the agent", corridor(".@#G"), then("F", agent_position=(2, 1))),
    rule(
        "a cell left out of the floor list stops the agent",
        TaskSpecification.from_dict(FLOOR),
        then("F", agent_position=(1, 1)),
    ),
    *(
        rule(
            f"a {state} door stops the agent",
            draw("######\n#@dG.#\n#..k.#\n######", d=door("red", state), k=key("red")),
            then("F", agent_position=(1, 1)),
        )
        for state in ("locked", "closed")
    ),
    rule(
        "an open door lets the agent in",
        corridor("@d.G", d=door(initial_state="open")),
        then("F", agent_position=(2, 1)),
    ),
    rule("a closed gate stops the agent", corridor("@g.G", g=gate()), then("F", agent_position=(1, 1))),
    rule("an open gate lets the agent in", corridor("@g.G", g=gate("open")), then("F", agent_position=(2, 1))),
    rule(
        "a fixed block stops the agent",
        corridor("@b.G", b=block(pushable=False)),
        then("F", agent_position=(1, 1), block_positions={"b": (2, 1)}),
    ),
    rule(
        "a block is pushed onto free floor",
        corridor("@b.G", b=block()),
        then("F", agent_position=(2, 1), block_positions={"b": (3, 1)}),
    ),
    rule(
        "a block is pushed onto the goal",
        corridor("@bG.", b=block()),
        then("F", block_positions={"b": (3, 1)}, goal_reached=False),
    ),
    rule(
        "a block is pushed onto a target marker",
        corridor("@bt.G", b=block(), goal=reach("t")),
        then("F", block_positions={"b": (3, 1)}),
    ),
    *(
        rule(
            f"a block is pushed onto a switch: {kind}",
            corridor("@bs.G", b=block(), s=switch(switch_type=kind)),
            then("F", block_positions={"b": (3, 1)}),
        )
        for kind in SWITCH_TYPES
    ),
    rule(
        "a block is not pushed into the border",
        draw("####\n#@.#\n#bG#\n####", b=block()),
        then("RF", block_positions={"b": (1, 2)}),
    ),
    # pickup and drop, keys
    rule(
        "keys are solid",
        corridor("@k.G", k=key()),
        then("F", agent_position=(1, 1), agent_carrying=None, collected_keys=set()),
    ),
    rule(
        "pickup takes the key in front and frees its cell",
        corridor("@k.G", k=key()),
        then("P", agent_carrying="k", agent_position=(1, 1), collected_keys={"k"}),
        then("F", agent_position=(2, 1)),
    ),
    rule(
        "pickup with a full hand takes nothing",
        corridor("@kl.G", k=key(), l=key("blue")),
        then("PFP", agent_carrying="k", collected_keys={"k"}),
    ),
    rule(
        "a dropped key is solid and can be picked up again",
        corridor("@k.G", k=key()),
        then("PFDF", agent_position=(2, 1)),
        then("PF", agent_carrying="k"),
    ),
    rule(
        "collected keys include all ever picked up",
        draw(TWO_KEYS, k=key(), l=key("blue")),
        then("PDRP", collected_keys={"k", "l"}, agent_carrying="l"),
    ),
    # toggle
    rule("toggle acts in front", corridor("@s.G", s=switch()), then("T", active_switches={"s"})),
    rule("toggle does not act two cells ahead", corridor("@.sG", s=switch()), then("T", active_switches=set())),
    # doors
    rule(
        "a door starts locked by default",
        without(describe(DOOR_AHEAD, **RED), "doors", "initial_state"),
        then("", open_doors=set()),
        then("T", open_doors=set()),
        then(FETCH + "T", open_doors={"d"}),
    ),
    rule(
        "a locked door opens to the held key of its colour",
        draw(DOOR_AHEAD, **RED),
        then(FETCH + "T", open_doors={"d"}, agent_carrying=None),
    ),
    rule("a locked door stays shut to an empty hand", draw(DOOR_AHEAD, **RED), then("T", open_doors=set())),
    rule(
        "a locked door stays shut to a key of another colour",
        draw("######\n#@d.l#\n#k..G#\n######", d=door("red"), k=key("blue"), l=key("red")),
        then(FETCH + "T", open_doors=set(), agent_carrying="k"),
    ),
    rule(
        "a locked door stays shut to a dropped key",
        draw(DOOR_AHEAD, **RED),
        then("RPDLT", collected_keys={"k"}, open_doors=set()),
    ),
    rule(
        "a key stays without key_consumption",
        draw(DOOR_AHEAD, rules={"key_consumption": False}, **RED),
        then(FETCH + "T", agent_carrying="k"),
    ),
    rule(
        "a key is not used up by an unlocked door",
        draw(DOOR_AHEAD, **{**USED_UP, "d": door("red", "closed")}),
        then(FETCH + "T", open_doors={"d"}, agent_carrying="k"),
    ),
    rule(
        "an unlocked door swings open and shut",
        corridor("@d.G", d=door("red", "closed")),
        then("T", open_doors={"d"}),
        then("T", open_doors=set()),
        then("F", agent_position=(1, 1)),
        then("TF", agent_position=(2, 1)),
    ),
    rule(
        "a shut door stays unlocked",
        draw(DOOR_AHEAD, **USED_UP),
        then(FETCH + "TT", open_doors=set()),
        then("T", open_doors={"d"}),
    ),
    # switches
    rule(
        "a toggle switch flips at each use",
        corridor("@s.G", **LEVER),
        *(then("T", active_switches=on) for on in ({"s"}, set(), {"s"}, set())),
    ),
    rule(
        "a toggle switch that starts on flips off",
        corridor("@s.G", s=switch(initial_state="on")),
        then("", active_switches={"s"}),
        then("T", active_switches=set()),
    ),
    rule("a one-shot switch goes on for good", corridor("@s.G", s=ONE_SHOT), *[then("T", active_switches={"s"})] * 3),
    rule(
        "a one-shot switch that starts on stays on",
        corridor("@s.G", s=switch(switch_type="one_shot", initial_state="on")),
        then("T", active_switches={"s"}),
    ),
    rule(
        "a hold switch is on under the agent",
        corridor("@s.G", s=HOLD),
        then("F", active_switches={"s"}, agent_position=(2, 1)),
        then("LWR", active_switches={"s"}),
        then("F", active_switches=set()),
    ),
    rule(
        "a hold switch is on under a block",
        corridor("@bs..G", b=block(), s=HOLD),
        then("F", active_switches={"s"}),
        then("W", active_switches={"s"}),
    ),
    rule(
        "a hold switch stays on when the agent replaces the block",
        corridor("@bs..G", b=block(), s=HOLD),
        then("FF", active_switches={"s"}),
        then("F", active_switches=set()),
    ),
    rule(
        "a hold switch does not answer to toggle",
        corridor("@s.G", s=HOLD),
        then("T", active_switches=set()),
        then("FT", active_switches={"s"}),
    ),
    rule(
        "a hold switch with nothing on it is off at the start",
        corridor("@s.gG", s=switch("g", switch_type="hold", initial_state="on"), g=gate()),
        then("", active_switches=set(), open_gates=set()),
    ),
    *(
        rule(
            f"a switch has the type of the rules: {kind}",
            corridor("@s.G", s=switch(), rules={"switch_type": kind}),
            then("T", active_switches=once),
            then("T", active_switches=twice),
        )
        for kind, once, twice in (("toggle", {"s"}, set()), ("one_shot", {"s"}, {"s"}), ("hold", set(), set()))
    ),
    rule(
        "a switch's own type overrides the rules",
        corridor("@s.G", s=ONE_SHOT, rules={"switch_type": "hold"}),
        then("TT", active_switches={"s"}),
    ),
    # gates
    rule(
        "a gate is closed by default",
        without(describe("#####\n#@gG#\n#####", g=gate()), "gates", "initial_state"),
        then("", open_gates=set()),
    ),
    rule(
        "a gate that starts open stays open",
        corridor("@s.gG", s=switch("g"), g=gate("open")),
        *(then(letters, open_gates={"g"}) for letters in ("", "T", "T")),
    ),
    rule(
        "a gate is open while its switch is on",
        corridor("@s.gG", s=switch("g"), g=gate()),
        then("", open_gates=set()),
        then("T", open_gates={"g"}),
        then("T", open_gates=set()),
    ),
    rule(
        "a gate is open from the start if its switch is on",
        corridor("@s.gG", s=switch("g", initial_state="on"), g=gate()),
        then("", open_gates={"g"}),
        then("T", open_gates=set()),
    ),
    rule(
        "a gate is open when any of its switches is on",
        draw("######\n#@s..#\n#t.gG#\n######", s=switch("g"), t=switch("g"), g=gate()),
        *(then(letters, open_gates={"g"}) for letters in ("T", "RT", "LT")),
        then("RT", open_gates=set()),
    ),
    rule(
        "a switch opens all gates that it controls and no other",
        corridor("@sghiG", s=switch("g", "h"), g=gate(), h=gate(), i=gate()),
        then("T", open_gates={"g", "h"}),
    ),
    rule(
        "a gate with the agent in it stays open until it is clear",
        corridor("@sg.G", s=switch("g", switch_type="hold"), g=gate()),
        then("FF", agent_position=(3, 1), active_switches=set(), open_gates={"g"}),
        then("WLR", open_gates={"g"}),
        then("F", open_gates=set()),
    ),
    # teleporters
    rule(
        "entering position_a puts the agent on position_b",
        corridor("@a.bG", ab=teleporter()),
        then("F", agent_position=(4, 1), agent_direction=0),
    ),
    rule("entering position_b leads back", corridor("@b.aG", ab=teleporter()), then("F", agent_position=(4, 1))),
    rule(
        "a one-way teleporter does not lead back",
        corridor("@b.aG", ab=teleporter(False)),
        then("F", agent_position=(2, 1)),
    ),
    rule(
        "a teleporter is bidirectional by default",
        without(describe("#######\n#@b.aG#\n#######", ab=teleporter()), "teleporters", "bidirectional"),
        then("F", agent_position=(4, 1)),
    ),
    rule(
        "the arrival side cools for one step",
        corridor("@a.b.G", ab=teleporter()),
        then("", teleporter_cooldowns={}),
        then("F", teleporter_cooldowns={"ab": 1}),
        then("W", teleporter_cooldowns={}),
    ),
    rule(
        "an agent that comes back is teleported again",
        corridor("@a.b.G", ab=teleporter()),
        then("FF", agent_position=(5, 1)),
        then("LLF", agent_position=(2, 1)),
    ),
    *(
        rule(
            f"an agent that stays is not teleported: {letters}",
            corridor("@a.b.G", ab=teleporter()),
            then("F" + letters, agent_position=(4, 1)),
        )
        for letters in ("W", "L", "R", "WW", "LRLR", "P", "D", "T")
    ),
    rule(
        "an agent that bumps is not teleported",
        corridor("@a.b#G", ab=teleporter()),
        then("FFFF", agent_position=(4, 1)),
    ),
    # the end
    rule(
        "an episode is truncated at max_steps",
        corridor("@.G", max_steps=3),
        then("WW", truncated=False),
        then("W", terminated=False, truncated=True, step_count=3, reward=0),
    ),
    rule(
        "success on the last step is not truncation",
        corridor("@.G", max_steps=2),
        then("FF", terminated=True, truncated=False, goal_reached=True, reward=pytest.approx(0.1)),
    ),
    # goals
    rule(
        "the default target is the maze's goal",
        corridor("@.G"),
        then("F", goal_reached=False),
        then("F", goal_reached=True),
    ),
    rule(
        "the maze's goal does nothing beside another target",
        corridor("@G.t", goal=reach("t")),
        then("F", agent_position=(2, 1), terminated=False),
    ),
    rule(
        "collect_all needs every target key",
        draw(TWO_KEYS, k=key(), l=key(), goal=collect("k", "l")),
        then("PD", terminated=False),
        then("RP", goal_reached=True),
    ),
    rule(
        "collect_all ignores other keys",
        draw(TWO_KEYS, k=key(), l=key(), goal=collect("k")),
        then("P", goal_reached=True),
    ),
    rule(
        "collect_all counts used keys",
        draw("######\n#@d.s#\n#k..G#\n######", s=switch(), goal=collect("k", "s"), **USED_UP),
        then(FETCH + "TFFT", agent_carrying=None, goal_reached=True),
    ),
    rule(
        "collect_all needs every target switch on",
        KEY_AND_SWITCH,
        then("P", terminated=False),
        then("RT", goal_reached=True),
    ),
    rule(
        "collect_all does not count a switch that is off again",
        KEY_AND_SWITCH,
        then("RTTLP", terminated=False),
        then("RT", goal_reached=True),
    ),
    rule(
        "push_block_to is reached with the block on its target",
        corridor("@bt.G", b=block(), goal=push("b", "t")),
        then("F", goal_reached=True),
    ),
    rule("push_block_to needs all blocks", BOTH, then("F", terminated=False), then("LLFLFLF", goal_reached=True)),
    rule(
        "push_block_to needs all blocks at once",
        BOTH,
        then("FF LLFF LFLF", block_positions={"b": (4, 1), "c": (3, 2)}, terminated=False),
    ),
    rule(
        "push_block_to pairs blocks and targets in order",
        draw(TWO_BLOCKS, b=block(), c=block(), goal=push("bc", "ut")),
        then("F LLFLFLF", block_positions={"b": (3, 1), "c": (3, 2)}, terminated=False),
    ),
    rule(
        "survive_steps succeeds with reward 1 at max_steps",
        corridor("@.G", goal={"type": "survive_steps"}, max_steps=3),
        then("WF", terminated=False),
        then("L", terminated=True, truncated=False, goal_reached=True, reward=1),
    ),
]


@pytest.mark.parametrize(("task", "steps"), RULES)
def test_the_rules_hold(task: TaskSpecification, steps: tuple[Step, ...]) -> None:
    episode = begin(task)
    for letters, expected in steps:
        state = play(episode, letters)
        assert {name: getattr(state, name) for name in expected} == expected


def test_events_stand_in_the_order_act_enter_derive_goal() -> None:
    task = corridor(
        "@s.gG",
        s=switch("g", switch_type="hold"),
        g=gate(),
        goal={"type": "collect_all", "target_ids": ["s"]},
    )
    events = begin(task).step(Action.MOVE_FORWARD)
    assert [type(event) for event in events] == [Moved, Switched, Opened, Succeeded]


@pytest.mark.parametrize(
    ("task", "letters"),
    [
        pytest.param(corridor("@G"), "F", id="success"),
        pytest.param(corridor("@h.G", h=hazard()), "F", id="death"),
        pytest.param(corridor("@.G", max_steps=2), "WW", id="truncation"),
        pytest.param(corridor("@.G", goal={"type": "survive_steps"}, max_steps=2), "WW", id="survival"),
    ],
)
@pytest.mark.parametrize("action", Action)
def test_an_action_after_the_end_is_refused_and_changes_nothing(
    task: TaskSpecification, letters: str, action: Action
) -> None:
    episode = begin(task)
    play(episode, letters)
    before = episode.state
    with pytest.raises(EpisodeOver, match="the episode ended after"):
        episode.step(action)
    assert episode.state is before


@pytest.mark.parametrize("action", [-1, 7, 100, None, "2", "move_forward", 2.5, (2,), [2], {}], ids=repr)
def test_an_action_outside_the_seven_is_refused_and_changes_nothing(action: Any) -> None:
    episode = begin(corridor("@.G"))
    before = episode.state
    with pytest.raises(InvalidAction, match="is not in the action space"):
        episode.step(action)
    assert episode.state is before


@pytest.mark.parametrize(
    ("turns", "direction", "ahead"),
    [("", 0, (3, 2)), ("R", 1, (2, 3)), ("RR", 2, (1, 2)), ("RRR", 3, (2, 1)), ("L", 3, (2, 1)), ("LL", 2, (1, 2))],
)
def test_directions_are_right_down_left_up(turns: str, direction: int, ahead: tuple[int, int]) -> None:
    episode = begin(draw(ROOM))
    assert play(episode, turns).agent_direction == direction
    moved = play(episode, "F")
    assert (moved.agent_position, moved.agent_direction) == (ahead, direction)


@pytest.mark.parametrize("letters", ["T", "TRD"])
def test_a_used_key_is_nowhere_and_cannot_be_dropped(letters: str) -> None:
    episode = begin(draw(DOOR_AHEAD, **USED_UP))
    play(episode, FETCH + letters)
    assert episode.world.cells_of(episode.state, episode.world.by_id["k"]) == ()


@pytest.mark.parametrize(
    ("task", "letter"),
    [
        (draw(ROOM), "W"),
        (corridor("@.G"), "D"),
        (corridor("@.G"), "T"),
        (corridor("@g.G", g=gate()), "T"),
        (corridor("@g.G", g=gate("open")), "T"),
    ],
    ids=[
        "done",
        "drop with an empty hand",
        "toggle with nothing to toggle",
        "toggle a closed gate",
        "toggle an open gate",
    ],
)
def test_an_action_without_effect_leaves_the_state(task: TaskSpecification, letter: str) -> None:
    episode = begin(task)
    before = episode.state.key
    play(episode, letter)
    assert episode.state.key == before


@pytest.mark.parametrize(
    ("row", "things"),
    [
        pytest.param("@b#G", {}, id="wall"),
        pytest.param("@bk.G", {"k": key()}, id="key"),
        pytest.param("@bc.G", {"c": block()}, id="block"),
        pytest.param("@bc.G", {"c": block(pushable=False)}, id="fixed block"),
        pytest.param("@bd.G", {"d": door(initial_state="closed")}, id="closed door"),
        pytest.param("@bd.G", {"d": door(initial_state="open")}, id="open door"),
        pytest.param("@bg.G", {"g": gate()}, id="closed gate"),
        pytest.param("@bg.G", {"g": gate("open")}, id="open gate"),
        pytest.param("@bt.uG", {"tu": teleporter()}, id="teleporter"),
    ],
)
def test_a_block_is_not_pushed_onto_anything_else(row: str, things: dict[str, Any]) -> None:
    episode = begin(corridor(row, b=block(), **things))
    state = play(episode, "F")
    assert state.agent_position == (1, 1)
    assert state.block_positions["b"] == (2, 1)


@pytest.mark.parametrize("hazard_type", HAZARD_TYPES)
def test_a_block_is_not_pushed_into_a_hazard(hazard_type: str) -> None:
    state = play(begin(corridor("@bh.G", b=block(), h=hazard(hazard_type))), "F")
    assert state.agent_position == (1, 1)
    assert state.block_positions == {"b": (2, 1)}


@pytest.mark.parametrize(
    ("row", "things"),
    [
        pytest.param("@k#G", {}, id="wall"),
        pytest.param("@kG.", {}, id="goal"),
        pytest.param("@kt.G", {"goal": {"type": "reach_position", "target": "t"}}, id="target"),
        pytest.param("@kl.G", {"l": key("blue")}, id="key"),
        pytest.param("@kb.G", {"b": block()}, id="block"),
        pytest.param("@ks.G", {"s": switch()}, id="switch"),
        pytest.param("@kd.G", {"d": door(initial_state="closed")}, id="closed door"),
        pytest.param("@kd.G", {"d": door(initial_state="open")}, id="open door"),
        pytest.param("@kg.G", {"g": gate()}, id="closed gate"),
        pytest.param("@kg.G", {"g": gate("open")}, id="open gate"),
        pytest.param("@kt.uG", {"tu": teleporter()}, id="teleporter"),
        pytest.param("@kh.G", {"h": hazard()}, id="hazard"),
    ],
)
def test_drop_anywhere_but_on_free_floor_does_nothing(row: str, things: dict[str, Any]) -> None:
    state = play(begin(corridor(row, k=key(), **things)), "PFD")
    assert state.agent_position == (2, 1)
    assert state.agent_carrying == "k"


@pytest.mark.parametrize(
    ("row", "things"),
    [
        pytest.param("@s.G", {}, id="floor"),
        pytest.param("@s#G", {}, id="wall"),
        pytest.param("@sG.", {}, id="goal"),
        pytest.param("@sk.G", {"k": key()}, id="key"),
        pytest.param("@sb.G", {"b": block()}, id="block"),
        pytest.param("@sg.G", {"g": gate()}, id="gate"),
        pytest.param("@st.uG", {"tu": teleporter()}, id="teleporter"),
        pytest.param("@sh.G", {"h": hazard()}, id="hazard"),
        pytest.param("@sp.G", {"p": switch(switch_type="hold")}, id="hold switch"),
    ],
)
def test_toggle_acts_underfoot_if_nothing_in_front_can_be_toggled(row: str, things: dict[str, Any]) -> None:
    state = play(begin(corridor(row, s=switch(), **things)), "FT")
    assert state.agent_position == (2, 1)
    assert state.active_switches == {"s"}


@pytest.mark.parametrize(
    "in_front",
    [
        pytest.param({"x": switch()}, id="switch"),
        pytest.param({"x": door(initial_state="closed")}, id="closed door"),
        pytest.param({"x": door("red"), "k": key("red")}, id="door that stays locked"),
    ],
)
def test_toggle_prefers_the_cell_in_front(in_front: dict[str, Any]) -> None:
    state = play(begin(draw("######\n#@sx.#\n#..kG#\n######", s=switch(), **in_front)), "FT")
    assert "s" not in state.active_switches


def test_a_gate_with_a_block_in_it_stays_open_until_it_is_clear() -> None:
    world = compiled(corridor("@sg..bG", s=switch("g", initial_state="on"), g=gate(), b=block()))
    state = world.start.with_place(world.by_id["b"].index, world.by_id["g"].cells[0])
    gate_after = []
    for letter in "TFFF":  # switch off, step on the switch, push the block on and stand in the gate, leave it
        state, _ = transition(world, state, LETTERS[letter])
        gate_after.append(value_of(world, state, "g"))
    assert value_of(world, state, "s") == "off"
    assert gate_after == ["open", "open", "open", "closed"]


def test_a_closed_gate_does_not_open_because_something_is_in_it() -> None:
    world = compiled(corridor("@.g.bG", g=gate(), b=block()))
    in_gate = world.start.with_place(world.by_id["b"].index, world.by_id["g"].cells[0])
    after, _ = transition(world, in_gate, Action.MOVE_FORWARD)
    assert value_of(world, after, "g") == "closed"


@pytest.mark.parametrize(("value", "position"), [("cooling at b", (4, 1)), ("ready", (2, 1))])
def test_entering_the_arrival_side_while_it_cools_does_not_teleport(value: str, position: tuple[int, int]) -> None:
    world = compiled(corridor("@a.b.G", ab=teleporter()))
    entity = world.by_id["ab"]
    beside = world.start.at(cell_named(world, (3, 1))).with_value(entity.index, entity.type.values.index(value))
    after, _ = transition(world, beside, Action.MOVE_FORWARD)
    assert world.topology.lattice[after.cell] == position


def test_only_the_arrival_side_has_a_cooldown() -> None:
    episode = begin(draw("#####\n#@b.#\n#.aG#\n#####", ab=teleporter(bidirectional=False)))
    assert play(episode, "FRF").agent_position == (2, 1)
    again = episode.step(Action.MOVE_FORWARD)
    assert Teleported in map(type, again)
    assert look(episode).agent_position == (2, 1)


def test_a_blocked_teleporter_exit_makes_it_plain_floor_for_that_step() -> None:
    world = compiled(corridor("@a.b.cG", ab=teleporter(), c=block()))
    exit_cell = cell_named(world, (4, 1))
    blocked = world.start.with_place(world.by_id["c"].index, exit_cell)
    on_floor, events = transition(world, blocked, Action.MOVE_FORWARD)
    assert world.topology.lattice[on_floor.cell] == (2, 1)
    assert Teleported not in map(type, events)
    assert value_of(world, on_floor, "ab") == "ready"


def test_a_teleporter_works_again_after_its_exit_was_blocked() -> None:
    world = compiled(corridor("@a.b.cG", ab=teleporter(), c=block()))
    block_index, free_cell = world.by_id["c"].index, cell_named(world, (6, 1))
    on_floor, _ = transition(world, world.start.with_place(block_index, cell_named(world, (4, 1))), Action.MOVE_FORWARD)
    unblocked = on_floor.with_place(block_index, free_cell).at(world.start.cell)
    arrived, _ = transition(world, unblocked, Action.MOVE_FORWARD)
    assert world.topology.lattice[arrived.cell] == (4, 1)


@pytest.mark.parametrize(
    ("row", "letters", "steps", "max_steps"), [("@G", "F", 1, 10), ("@.G", "LRFF", 4, 10), ("@G", "F", 1, 1)]
)
def test_the_reward_of_a_success_is_minigrids_counted_after_the_step(
    row: str, letters: str, steps: int, max_steps: int
) -> None:
    state = play(begin(corridor(row, max_steps=max_steps)), letters)
    assert state.goal_reached
    assert state.reward == pytest.approx(1 - 0.9 * steps / max_steps)


@pytest.mark.parametrize(
    "goal",
    [
        {"type": "reach_position", "target": "t"},
        {"type": "collect_all", "target_ids": ["k"]},
        {"type": "push_block_to", "target_ids": ["b"], "target_positions": ["t"]},
        {"type": "survive_steps"},
    ],
    ids=lambda goal: goal["type"],
)
def test_the_mazes_goal_is_plain_floor_for_other_goal_types(goal: dict[str, Any]) -> None:
    episode = begin(draw("######\n#@G..#\n#.bt.#\n#...k#\n######", k=key(), b=block(), goal=goal))
    state = play(episode, "FW")
    assert state.agent_position == (2, 1)
    assert not state.terminated
    assert episode.look(cell_named(episode.world, (2, 1))) == CellLook()


# --- Bad input -------------------------------------------------------------------------------------------------


def test_an_unknown_mechanism_type_lists_the_installed_ones() -> None:
    data = describe("####\n#@G#\n####")
    data["mechanisms"]["portcullises"] = [{"id": "p", "position": [1, 1]}]
    with pytest.raises(TaskFormatError) as caught:
        TaskSpecification.from_dict(data)
    (problem,) = caught.value.problems
    assert problem.path == "mechanisms.portcullises"
    assert "installed: blocks, doors, gates, hazards, keys, switches, teleporters" in problem.message
    assert "A plugin that provides it may be missing" in problem.message


def test_an_unknown_goal_type_lists_the_installed_ones() -> None:
    valid, problems = draw("####\n#@G#\n####", goal={"type": "visit_all"}).validate()
    assert not valid
    (problem,) = problems
    assert problem.startswith("goal.type: unknown goal 'visit_all'")
    assert "installed: collect_all, push_block_to, reach_position, survive_steps" in problem
    assert "A plugin that provides it may be missing" in problem


def test_an_unknown_goal_type_with_own_fields_mentions_a_missing_plugin() -> None:
    data = describe("####\n#@G#\n####", goal={"type": "visit_all", "waypoints": [[1, 1]]})
    with pytest.raises(TaskFormatError, match="A plugin that provides it may be missing"):
        TaskSpecification.from_dict(data)
