"""Findings of the solver about a task: each where it is due, and nowhere else."""

import json
from collections.abc import Iterable
from typing import Any

import attrs
import pytest

from gridworld.actions import Action
from gridworld.solver import Finding, TaskReport, check_task, solve
from gridworld.task_spec import DependencyChain, DependencyStep, Distractor, TaskSpecification
from gridworld.world import State, Status, World, transition
from support.worlds import LETTERS, block, compiled, corridor, door, draw, gate, hazard, key, switch, teleporter

ENOUGH = 50_000
LOCKED = corridor("@kD.G", k=key(), D=door("red"))
UNTIMED = 10**9
Links = list[tuple[str, str]]


def pushing(target: str) -> dict[str, Any]:
    return {"type": "push_block_to", "target_ids": ["b"], "target_positions": [target]}


def annotated(
    task: TaskSpecification, chain: Links | None = None, decoys: list[str] | None = None, decoy_type: str = "decoy"
) -> TaskSpecification:
    """A task with a dependency chain of ``(element, unlocks)`` links, and with distractors."""
    links = chain or []
    steps = [DependencyStep(number, "link", *link) for number, link in enumerate(links, start=1)]
    return attrs.evolve(
        task,
        dependency_chain=DependencyChain(len(links), steps) if links else None,
        distractors=[Distractor(decoy_type, decoy) for decoy in decoys or []],
    )


def report_on(task: TaskSpecification, max_states: int = ENOUGH) -> TaskReport:
    return check_task(compiled(task), max_states, max_states)


def found(task: TaskSpecification, max_states: int = ENOUGH) -> list[tuple[str, str, str]]:
    """(severity, path, message) of each finding."""
    return [attrs.astuple(finding) for finding in report_on(task, max_states).findings]


def just_enough(task: TaskSpecification) -> int:
    """Least number of states with which the plan is found."""
    return solve(compiled(task)).states_seen


# --- Can it be won? ----------------------------------------------------------------------------------------------


def test_a_good_task_has_no_findings() -> None:
    report = report_on(annotated(LOCKED, [("k", "D"), ("D", "goal")]))
    assert report.ok
    assert report.findings == ()
    assert (report.task_id, report.verdict, report.optimal_steps, report.max_steps) == ("drawn", "solved", 6, 100)
    assert report.states_seen == solve(compiled(LOCKED)).states_seen
    assert report.dead_end is None


LONG = corridor("@.........#G")


@pytest.mark.parametrize(
    ("task", "max_states", "finding", "verdict"),
    [
        (corridor("@.#G"), ENOUGH, ("error", "goal", "cannot be reached: all 8 states were searched"), "unsolvable"),
        (LONG, ENOUGH, ("error", "goal", "cannot be reached: all 40 states were searched"), "unsolvable"),
        (LONG, 20, ("undecided", "goal", "no plan found within 20 states; raise max_states"), "gave up"),
        (
            corridor("@......G"),
            5,
            ("undecided", "goal", "no plan found within 5 states; raise max_states"),
            "gave up",
        ),
    ],
)
def test_a_task_without_a_plan(
    task: TaskSpecification, max_states: int, finding: tuple[Any, ...], verdict: str
) -> None:
    report = report_on(task, max_states)
    assert not report.ok
    assert report.findings == (Finding(*finding),)
    assert (report.verdict, report.optimal_steps, report.dead_end) == (verdict, None, None)


@pytest.mark.parametrize(("max_steps", "ok"), [(6, True), (5, False)])
def test_a_budget_below_the_shortest_plan_is_an_error(max_steps: int, ok: bool) -> None:
    report = report_on(attrs.evolve(LOCKED, max_steps=max_steps))
    assert (report.ok, report.optimal_steps, report.max_steps) == (ok, 6, max_steps)
    assert report.findings == (() if ok else (Finding("error", "max_steps", "5 is too few: a shortest plan takes 6"),))


# --- Annotations -------------------------------------------------------------------------------------------------

KEY_AND_DOOR = {"k": key(), "D": door("red")}
WAY_ROUND = draw("#######\n#@kD.G#\n#.###.#\n#.....#\n#######", **KEY_AND_DOOR)
"""Around the door it takes more actions than through it."""
SHORT_CUT = draw("#####\n#@.G#\n#kD.#\n#####", **KEY_AND_DOOR)
LEVER = corridor("@s.gG", s=switch("g"), g=gate())
ONE_SHOT = switch(switch_type="one_shot")
TWO_LAMPS = corridor("s@tG", s=ONE_SHOT, t=ONE_SHOT, goal={"type": "collect_all", "target_ids": ["s", "t"]})
"""The agent faces the second lamp: it is shorter to light that one first."""
TWO_DOORS = corridor("@kDlE.G", **KEY_AND_DOOR, l=key("blue"), E=door("blue"))
TWO_KEYS = draw("#######\n#.k####\n#@.D.G#\n#.l####\n#######", l=key(), **KEY_AND_DOOR)


def one_key(consumed: bool) -> TaskSpecification:
    """Two doors of one colour: the upper one leads to the goal, the lower one nowhere."""
    picture = "######\n#@D.G#\n#kE###\n#.####\n######"
    return draw(picture, **KEY_AND_DOOR, E=door("red"), rules={"key_consumption": consumed})


@pytest.mark.parametrize(
    ("task", "chain", "findings"),
    [
        (LOCKED, [("k", "D")], []),
        (LOCKED, [("k", "D"), ("D", "goal")], []),
        (LEVER, [("s", "g")], []),
        (WAY_ROUND, [("k", "D")], []),
        (TWO_DOORS, [("k", "D"), ("D", "l"), ("l", "E")], []),
        (TWO_LAMPS, [("t", "s")], []),
        (draw("#######\n#@b...#\n#.##G.#\n#######", b=block()), [("b", "G")], []),
        (corridor("@a#b.G", ab=teleporter()), [("ab", "goal")], []),
        (
            SHORT_CUT,
            [("k", "D")],
            [
                "[0].element: 'k' is not necessary: without it 2 actions suffice",
                "[0].unlocks: 'D' is not necessary: without it 2 actions suffice",
            ],
        ),
        (
            TWO_KEYS,
            [("k", "D")],
            [
                "[0].element: 'k' is not necessary: without it 8 actions suffice",
                "[0].unlocks: 'D' need not wait for 'k': 8 actions suffice",
            ],
        ),
        (
            draw("#######\n#@kDsG#\n#######", **KEY_AND_DOOR, s=switch()),
            [("k", "D"), ("s", "goal")],
            ["[1].element: 's' is not necessary: without it 6 actions suffice"],
        ),
        (TWO_LAMPS, [("s", "t")], ["[0].unlocks: 't' need not wait for 's': 4 actions suffice"]),
        (TWO_DOORS, [("E", "k")], ["[0].unlocks: 'k' need not wait for 'E': 10 actions suffice"]),
    ],
)
def test_dependency_chains(task: TaskSpecification, chain: Links, findings: list[str]) -> None:
    expected = [("error", *f"dependency_chain.sequence{finding}".split(": ", 1)) for finding in findings]
    assert found(annotated(task, chain)) == expected


@pytest.mark.parametrize(
    ("task", "decoys", "findings"),
    [
        (draw("#####\n#@.G#\n#k..#\n#####", k=key()), "k", []),
        (draw("#####\n#@.G#\n#s..#\n#####", s=switch()), "s", []),
        (one_key(consumed=False), "E", []),
        (draw("#####\n#@.G#\n#a.b#\n#####", ab=teleporter()), ["ab"], []),
        (corridor("@G#k", k=key()), "k", []),
        (draw("#####\n#@.G#\n#h..#\n#####", h=hazard()), "h", []),
        (TWO_KEYS, "k", []),
        (LOCKED, "k", ["[0]: 'k' is not a distractor: every shortest plan uses it"]),
        (
            one_key(consumed=True),
            "Ek",
            [
                "[0]: 'E' is not safe: touching it can lose the task",
                "[1]: 'k' is not a distractor: every shortest plan uses it",
            ],
        ),
    ],
)
def test_distractors(task: TaskSpecification, decoys: Iterable[str], findings: list[str]) -> None:
    split = [finding.split(": ", 1) for finding in findings]
    expected = [("error", f"distractors{number}.element_id", message) for number, message in split]
    assert found(annotated(task, decoys=list(decoys))) == expected


def test_a_distractor_is_not_blamed_for_the_quickest_way_to_it() -> None:
    """The wrong door, which uses up the key, is on the quickest way to the switch; a longer one costs nothing."""
    task = draw(
        "#########\n#.DG#####\n#.#######\n#.E.x...#\n#@#####.#\n#k......#\n#########",
        **KEY_AND_DOOR,
        E=door("red"),
        x=switch(),
        rules={"key_consumption": True},
    )
    touched = [LETTERS[letter] for letter in "RPF LFFFFFF LFF LFFT".replace(" ", "")]
    state = states_of(compiled(task), touched)[-1]
    index = compiled(task).by_id["x"].index
    assert state.values[index] != compiled(task).start.values[index]
    assert wins_from(compiled(task), state)
    assert found(annotated(task, decoys=["x"])) == []


@pytest.mark.parametrize("label", ["the east wing", "k"])
def test_the_label_of_a_branch_is_not_checked(label: str) -> None:
    assert found(annotated(LOCKED, decoys=[label], decoy_type="distractor_chain")) == []


# --- Dead ends ---------------------------------------------------------------------------------------------------


def states_of(world: World, actions: list[Action] | tuple[Action, ...]) -> list[State]:
    """The states of a run without a budget."""
    arena = attrs.evolve(world, max_steps=UNTIMED)
    states = [arena.start]
    for action in actions:
        states.append(transition(arena, states[-1], action)[0])
    return states


def wins_from(world: World, start: State) -> bool:
    """Whether any actions win from a state, by a separate search."""
    arena = attrs.evolve(world, max_steps=UNTIMED)
    seen, waiting = {start.key}, [start]
    while waiting:
        state = waiting.pop()
        for action in Action:
            following, _ = transition(arena, state, action)
            if following.status == Status.SUCCEEDED:
                return True
            if following.status == Status.RUNNING and following.key not in seen:
                seen.add(following.key)
                waiting.append(following)
    return False


def living_states(world: World, actions: int) -> list[State]:
    """All running states within a number of actions."""
    arena = attrs.evolve(world, max_steps=UNTIMED)
    seen, layer = {arena.start.key: arena.start}, [arena.start]
    for _ in range(actions):
        following = [transition(arena, state, action)[0] for state in layer for action in Action]
        layer = [state for state in following if state.status == Status.RUNNING and state.key not in seen]
        seen |= {state.key: state for state in layer}
    return list(seen.values())


@pytest.mark.parametrize(
    ("task", "length"),
    [
        pytest.param(draw("#####\n#@..#\n#.bt#\n#..G#\n#####", b=block(), goal=pushing("t")), 3, id="to the wall"),
        pytest.param(
            draw("######\n#....#\n#@b..#\n#..t.#\n#..G.#\n######", b=block(), goal=pushing("t")),
            2,
            id="into the corner",
        ),
        pytest.param(draw("######\n#@..##\n#.b.G#\n######", b=block()), 4, id="into the way"),
        pytest.param(one_key(consumed=True), 5, id="the wrong door"),
        pytest.param(corridor("a@G#b", ab=teleporter(bidirectional=False)), 3, id="no way back"),
    ],
)
def test_a_dead_end_is_a_shortest_way_to_a_lost_living_state(task: TaskSpecification, length: int) -> None:
    world = compiled(task)
    dead_end = report_on(task).dead_end
    assert dead_end is not None
    assert len(dead_end) == length
    states = states_of(world, dead_end)
    assert [state.status for state in states] == [Status.RUNNING] * (length + 1)
    assert not wins_from(world, states[-1])
    assert all(wins_from(world, state) for state in living_states(world, length - 1))


@pytest.mark.parametrize(
    "task",
    [
        pytest.param(LOCKED, id="nothing to lose"),
        pytest.param(one_key(consumed=False), id="key that lasts"),
        pytest.param(draw("#####\n#@h.#\n#..G#\n#####", h=hazard()), id="death is no dead end"),
    ],
)
def test_no_dead_end_where_every_living_state_can_win(task: TaskSpecification) -> None:
    world = compiled(task)
    assert all(wins_from(world, state) for state in living_states(world, 30))
    report = report_on(task)
    assert (report.dead_end, report.findings) == (None, ())


def test_unsearched_dead_ends_are_a_note() -> None:
    task = draw("######\n#@..##\n#.b.G#\n######", b=block())
    report = report_on(task, just_enough(task))
    assert report.dead_end is None
    assert [finding.severity for finding in report.findings] == ["note"]
    assert "dead ends were not looked for" in report.findings[0].message
    assert report.ok


# --- What is not found out ---------------------------------------------------------------------------------------

LAMP_ACROSS_THE_ROOM = draw(
    "#######\n#.....#\n#@...s#\n#....g#\n#....G#\n#######",
    s=switch("g"),
    g=gate(),
    goal={"type": "collect_all", "target_ids": ["s"]},
)


def undecided(task: TaskSpecification, max_states: int) -> list[tuple[str, str]]:
    """(path, message) of the undecided findings, the only ones."""
    findings = [finding for finding in report_on(task, max_states).findings if finding.severity != "note"]
    assert {finding.severity for finding in findings} <= {"undecided"}
    assert report_on(task, max_states).ok == (not findings)
    return [(finding.path, finding.message) for finding in findings]


def test_annotations_are_decided_once_a_plan_is_found() -> None:
    chained, decoyed = annotated(LAMP_ACROSS_THE_ROOM, [("s", "g")]), annotated(LAMP_ACROSS_THE_ROOM, decoys=["s"])
    needed = ("error", "distractors[0].element_id", "'s' is not a distractor: every shortest plan uses it")
    assert undecided(chained, just_enough(chained)) == []
    assert found(decoyed, just_enough(decoyed))[0] == found(decoyed)[0] == needed


@pytest.mark.parametrize(
    ("max_states", "questions"),
    [(10, ["whether 'k' can be touched"]), (38, ["whether 'k' is safe"]), (ENOUGH, [])],
)
def test_the_safety_of_a_distractor_may_be_undecided(max_states: int, questions: list[str]) -> None:
    task = annotated(corridor("k........@G", k=key()), decoys=["k"])
    answers = undecided(task, max_states)
    assert [message.partition(" was not")[0] for _, message in answers] == questions


# --- As JSON -----------------------------------------------------------------------------------------------------


def test_a_report_as_json() -> None:
    task = corridor("a@G#b", ab=teleporter(bidirectional=False), max_steps=1)
    plain = json.loads(json.dumps(report_on(task, 1000).to_dict()))
    assert plain == {
        "ok": True,
        "task_id": "drawn",
        "verdict": "solved",
        "optimal_steps": 1,
        "max_steps": 1,
        "states_seen": 1,
        "findings": [],
        "dead_end": ["turn_left", "turn_left", "move_forward"],
    }
