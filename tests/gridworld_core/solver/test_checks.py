"""What the solver says about a task: each finding where it is due, and nowhere else."""

import json
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
    """The allowance with which the plan is found, and not a state more."""
    return solve(compiled(task)).states_seen


# --- Can it be won? ----------------------------------------------------------------------------------------------


def test_of_a_good_task_there_is_nothing_to_say() -> None:
    report = report_on(annotated(LOCKED, [("k", "D"), ("D", "goal")]))
    assert report.ok
    assert report.findings == ()
    assert (report.task_id, report.verdict, report.optimal_steps, report.max_steps) == ("drawn", "solved", 6, 100)
    assert report.states_seen == solve(compiled(LOCKED)).states_seen
    assert report.dead_end is None


def test_a_task_that_cannot_be_won_is_an_error() -> None:
    report = report_on(corridor("@.#G"))
    assert not report.ok
    assert report.findings == (Finding("error", "goal", "cannot be reached: all 8 states were searched"),)
    assert (report.verdict, report.optimal_steps, report.dead_end) == ("unsolvable", None, None)


def test_where_the_search_gave_up_nothing_is_said_to_be_impossible() -> None:
    report = report_on(corridor("@......G"), max_states=5)
    assert not report.ok
    (finding,) = report.findings
    assert (finding.severity, finding.path) == ("undecided", "goal")
    assert finding.message == "no plan found within 5 states; raise max_states"
    assert report.verdict == "gave up"
    assert report.optimal_steps is None


def test_an_unsolvable_task_too_large_to_be_searched_is_undecided() -> None:
    assert found(corridor("@.........#G"), max_states=20)[0][:2] == ("undecided", "goal")
    assert found(corridor("@.........#G"))[0][:2] == ("error", "goal")


@pytest.mark.parametrize(("max_steps", "ok"), [(6, True), (5, False)])
def test_a_budget_below_the_shortest_plan_is_an_error(max_steps: int, ok: bool) -> None:
    report = report_on(attrs.evolve(LOCKED, max_steps=max_steps))
    assert report.ok == ok
    assert (report.optimal_steps, report.max_steps) == (6, max_steps)
    if not ok:
        assert report.findings == (Finding("error", "max_steps", "5 is too few: a shortest plan takes 6"),)


def test_surviving_takes_the_whole_budget_and_no_more() -> None:
    report = report_on(corridor("@.hG", h=hazard(), goal={"type": "survive_steps"}, max_steps=5))
    assert (report.ok, report.optimal_steps, report.max_steps) == (True, 5, 5)


# --- The dependency chain ----------------------------------------------------------------------------------------

WAY_ROUND = "#######\n#@kD.G#\n#.###.#\n#.....#\n#######"
"""Around the door it takes more actions than through it."""
SHORT_CUT = "#####\n#@.G#\n#kD.#\n#####"
LEVER = corridor("@s.gG", s=switch("g"), g=gate())
TWO_LAMPS = corridor(
    "s@tG",
    s=switch(switch_type="one_shot"),
    t=switch(switch_type="one_shot"),
    goal={"type": "collect_all", "target_ids": ["s", "t"]},
)


@pytest.mark.parametrize(
    ("task", "chain"),
    [
        pytest.param(LOCKED, [("k", "D")], id="key and door"),
        pytest.param(LOCKED, [("k", "D"), ("D", "goal")], id="up to the goal"),
        pytest.param(LEVER, [("s", "g")], id="switch and gate"),
        pytest.param(draw(WAY_ROUND, k=key(), D=door("red")), [("k", "D")], id="a longer way round"),
        pytest.param(
            corridor("@kDlE.G", k=key(), D=door("red"), l=key("blue"), E=door("blue")),
            [("k", "D"), ("D", "l"), ("l", "E")],
            id="one behind the other",
        ),
        pytest.param(TWO_LAMPS, [("t", "s")], id="the other order is longer"),
        pytest.param(draw("#######\n#@b...#\n#.##G.#\n#######", b=block()), [("b", "G")], id="block in the way"),
        pytest.param(corridor("@a#b.G", ab=teleporter()), [("ab", "goal")], id="teleporter"),
    ],
)
def test_of_a_true_chain_nothing_is_said(task: TaskSpecification, chain: Links) -> None:
    assert found(annotated(task, chain)) == []


def test_an_element_that_can_be_done_without_is_not_necessary() -> None:
    assert found(annotated(draw(SHORT_CUT, k=key(), D=door("red")), [("k", "D")])) == [
        ("error", "dependency_chain.sequence[0].element", "'k' is not necessary: without it 2 actions suffice"),
        ("error", "dependency_chain.sequence[0].unlocks", "'D' is not necessary: without it 2 actions suffice"),
    ]


def test_one_of_two_keys_that_are_as_good_is_not_necessary_and_the_door_need_not_wait_for_it() -> None:
    task = draw("#######\n#.k####\n#@.D.G#\n#.l####\n#######", k=key(), l=key(), D=door("red"))
    assert found(annotated(task, [("k", "D")])) == [
        ("error", "dependency_chain.sequence[0].element", "'k' is not necessary: without it 8 actions suffice"),
        ("error", "dependency_chain.sequence[0].unlocks", "'D' need not wait for 'k': 8 actions suffice"),
    ]


def test_each_wrong_link_is_named_by_its_number() -> None:
    task = draw("#######\n#@kDsG#\n#######", k=key(), D=door("red"), s=switch())
    paths = [path for _, path, _ in found(annotated(task, [("k", "D"), ("s", "goal")]))]
    assert paths == ["dependency_chain.sequence[1].element"]


def test_an_order_that_is_not_forced_is_an_error() -> None:
    """The agent faces the second lamp: to light it first is shorter."""
    assert found(annotated(TWO_LAMPS, [("s", "t")])) == [
        ("error", "dependency_chain.sequence[0].unlocks", "'t' need not wait for 's': 4 actions suffice")
    ]


def test_a_chain_told_backwards_is_an_error() -> None:
    task = corridor("@kDlE.G", k=key(), D=door("red"), l=key("blue"), E=door("blue"))
    assert ("error", "dependency_chain.sequence[0].unlocks") in [
        (severity, path) for severity, path, _ in found(annotated(task, [("E", "k")]))
    ]


# --- Distractors -------------------------------------------------------------------------------------------------

ONE_KEY = "######\n#@D.G#\n#kE###\n#.####\n######"
"""Two doors of one colour: the upper one leads to the goal, the lower one nowhere."""


def one_key(consumed: bool) -> TaskSpecification:
    return draw(ONE_KEY, k=key(), D=door("red"), E=door("red"), rules={"key_consumption": consumed})


@pytest.mark.parametrize(
    ("task", "decoy"),
    [
        pytest.param(draw("#####\n#@.G#\n#k..#\n#####", k=key()), "k", id="key for nothing"),
        pytest.param(draw("#####\n#@.G#\n#s..#\n#####", s=switch()), "s", id="switch for nothing"),
        pytest.param(one_key(consumed=False), "E", id="second door"),
        pytest.param(draw("#####\n#@.G#\n#a.b#\n#####", ab=teleporter()), "ab", id="teleporter"),
        pytest.param(corridor("@G#k", k=key()), "k", id="out of reach"),
        pytest.param(draw("#####\n#@.G#\n#h..#\n#####", h=hazard()), "h", id="what never changes"),
        pytest.param(
            draw("#######\n#.k####\n#@.D.G#\n#.l####\n#######", k=key(), l=key(), D=door("red")), "k", id="one of two"
        ),
    ],
)
def test_of_a_harmless_distractor_nothing_is_said(task: TaskSpecification, decoy: str) -> None:
    assert found(annotated(task, decoys=[decoy])) == []


def test_a_distractor_that_every_shortest_plan_uses_is_an_error() -> None:
    assert found(annotated(LOCKED, decoys=["k"])) == [
        ("error", "distractors[0].element_id", "'k' is no distractor: every shortest plan uses it")
    ]


def test_a_distractor_that_costs_the_task_when_it_is_touched_is_an_error() -> None:
    """The wrong door uses up the only key."""
    assert found(annotated(one_key(consumed=True), decoys=["E"])) == [
        ("error", "distractors[0].element_id", "'E' is not safe: touching it can lose the task")
    ]


def test_a_distractor_is_not_blamed_for_what_the_quickest_way_to_it_costs() -> None:
    """The wrong door, which uses up the key, is on the quickest way to the switch; a longer one costs nothing."""
    task = draw(
        "#########\n#.DG#####\n#.#######\n#.E.x...#\n#@#####.#\n#k......#\n#########",
        k=key(),
        D=door("red"),
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


def test_each_distractor_is_named_by_its_number() -> None:
    paths = [path for _, path, _ in found(annotated(one_key(consumed=True), decoys=["E", "k"]))]
    assert paths == ["distractors[0].element_id", "distractors[1].element_id"]


@pytest.mark.parametrize("label", ["the east wing", "k"])
def test_a_label_for_a_branch_is_left_alone(label: str) -> None:
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
    """Whether anything wins from a state, by a search of the test's own."""
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
    """All states that so many actions or fewer lead to."""
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
def test_a_dead_end_is_a_shortest_way_to_a_living_agent_that_cannot_win(task: TaskSpecification, length: int) -> None:
    world = compiled(task)
    dead_end = report_on(task).dead_end
    assert dead_end is not None
    assert len(dead_end) == length
    states = states_of(world, dead_end)
    assert [state.status for state in states] == [Status.RUNNING] * (length + 1)
    assert not wins_from(world, states[-1])
    assert all(wins_from(world, state) for state in living_states(world, length - 1))


def test_a_dead_end_is_no_fault() -> None:
    assert report_on(one_key(consumed=True)).ok


@pytest.mark.parametrize(
    "task",
    [
        pytest.param(LOCKED, id="nothing to lose"),
        pytest.param(one_key(consumed=False), id="key that lasts"),
        pytest.param(draw("#####\n#@h.#\n#..G#\n#####", h=hazard()), id="death is no dead end"),
    ],
)
def test_where_every_living_state_can_win_there_is_no_dead_end(task: TaskSpecification) -> None:
    world = compiled(task)
    assert all(wins_from(world, state) for state in living_states(world, 30))
    report = report_on(task)
    assert (report.dead_end, report.findings) == (None, ())


def test_dead_ends_that_were_not_looked_for_are_noted_and_no_fault() -> None:
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
    """(path, message) of what was left undecided; nothing is wrong."""
    findings = [finding for finding in report_on(task, max_states).findings if finding.severity != "note"]
    assert {finding.severity for finding in findings} <= {"undecided"}
    assert report_on(task, max_states).ok == (not findings)
    return [(finding.path, finding.message) for finding in findings]


def test_where_a_plan_is_found_its_chain_and_its_distractors_are_decided() -> None:
    """They are questions about the shortest plans, which have been met with the first of them."""
    chained, decoyed = annotated(LAMP_ACROSS_THE_ROOM, [("s", "g")]), annotated(LAMP_ACROSS_THE_ROOM, decoys=["s"])
    needed = ("error", "distractors[0].element_id", "'s' is no distractor: every shortest plan uses it")
    assert undecided(chained, just_enough(chained)) == []
    assert found(decoyed, just_enough(decoyed))[0] == found(decoyed)[0] == needed


@pytest.mark.parametrize(
    ("max_states", "questions"),
    [(10, ["whether 'k' can be touched"]), (38, ["whether 'k' is safe"]), (ENOUGH, [])],
)
def test_whether_a_distractor_is_safe_may_remain_undecided(max_states: int, questions: list[str]) -> None:
    """It lies far behind an agent that has the goal in front."""
    task = annotated(corridor("k........@G", k=key()), decoys=["k"])
    answers = undecided(task, max_states)
    assert [message.partition(" was not")[0] for _, message in answers] == questions


# --- As JSON -----------------------------------------------------------------------------------------------------


def test_a_report_is_written_as_json_with_its_actions_by_name() -> None:
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


def test_findings_are_written_with_their_fields_by_name() -> None:
    plain = json.loads(json.dumps(report_on(corridor("@.#G")).to_dict()))
    assert (plain["ok"], plain["optimal_steps"], plain["dead_end"]) == (False, None, None)
    (finding,) = plain["findings"]
    assert (finding["severity"], finding["path"]) == ("error", "goal")
