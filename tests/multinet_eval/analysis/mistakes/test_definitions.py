"""What counts as a mistake, what it is called, which one is decisive, and how an episode ended."""

from collections.abc import Sequence

import attrs
import pytest

from gridworld.actions import Action
from gridworld.model_interface import AnswerOutcome
from gridworld.plugins import using_registry
from gridworld.runner.record import EndReason, Request
from gridworld.task_spec import TaskSpecification
from gridworld.world import World
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.known_tasks import KnownTask
from multinet_eval.analysis.mistakes.episode_mistakes import EpisodeMistakes, Mistake, find_mistakes
from support.plugins import example_catalogs
from support.scores import analysed
from support.tilings import compiled_on
from support.worlds import LETTERS, Thing, block, compiled, corridor, door, draw, gate, hazard, key, switch, teleporter

FAR = "@....G"
"""Five actions from the start to the goal."""


def episode_of(task: TaskSpecification | World, letters: str) -> EpisodeAnalysis:
    """The episode of some letters; a dot is a lost step."""
    world = task if isinstance(task, World) else compiled(task)
    return analysed(world, [LETTERS.get(letter) for letter in letters.replace(" ", "")])


def told(mistakes: Sequence[Mistake]) -> list[str]:
    """Step, need, deed, and waste of each mistake."""
    return [
        f"{each.step}: {each.kind.needed_words} | {each.kind.did} | {'lost' if each.is_losing else each.wasted}"
        for each in mistakes
    ]


def mistakes_of(task: TaskSpecification | World, letters: str) -> list[str]:
    return told(find_mistakes(episode_of(task, letters)))


# --- Steps -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "letters", "expected"),
    [
        (corridor(FAR), "FFFFF", []),
        (corridor(FAR), "F.FW", ["2: go on | no usable answer | 1", "4: go on | waited | 1"]),
        (
            corridor(FAR),
            "LRR",
            ["1: go on | turned | 2", "3: go on | turned | 2"],
        ),
        (draw("####\n#@G#\n#..#\n####"), "RFLF", ["1: go on | turned | 2", "2: turn | moved away | 3"]),
        (
            corridor("@DG", D=door("red", "closed")),
            "F P TTT",
            [
                "1: toggle a door | walked into a door | 1",
                "2: toggle a door | picked up nothing | 1",
                "4: go on | toggled a door | 2",
            ],
        ),
        (corridor("k@DG", k=key(), D=door("red")), "T", ["1: turn | tried to toggle a door | 1"]),
        (
            corridor("@k.DG", k=key(), D=door("red")),
            "T P D PFT",
            [
                "1: pick up a key | toggled nothing | 1",
                "3: go on | dropped a key | 2",
                "6: go on | toggled nothing | 1",
            ],
        ),
    ],
    ids=["none", "lost and waiting", "turns", "away", "door", "locked door", "key"],
)
def test_steps_that_waste_something(task: TaskSpecification, letters: str, expected: list[str]) -> None:
    assert mistakes_of(task, letters) == expected


TRAP = "######\n#@.G.#\n##h###\n######"
PUSHED = "########\n#......#\n#.@B..t#\n#......#\n#.....G#\n########"
PUSH_TO_TARGET = {"type": "push_block_to", "target_ids": ["B"], "target_positions": ["t"]}


def test_a_losing_step_wastes_1_and_after_it_there_are_no_mistakes() -> None:
    to_the_wall = "LFRFR FF WW."
    found = find_mistakes(episode_of(draw(PUSHED, B=block(), goal=PUSH_TO_TARGET), to_the_wall))
    assert (found[-1].step, found[-1].is_losing, found[-1].wasted) == (7, True, 1)
    assert str(found[-1].kind.did) == "pushed a block"
    assert [each.is_losing for each in found[:-1]] == [False] * (len(found) - 1)
    assert mistakes_of(draw(TRAP, h=hazard()), "F R F") == [
        "2: go on | turned | 2",
        "3: turn | entered a hazard | lost",
    ]


def test_losing_does_not_depend_on_the_budget() -> None:
    episode = episode_of(corridor(FAR, max_steps=6), "LRLRLR")
    assert [each.is_losing for each in find_mistakes(episode)] == [False] * 3
    assert episode.structural_no_return is None


def test_all_optimal_actions_are_needed_as_kinds() -> None:
    both_ways = draw("#####\n#...#\n#.#.#\n#@#G#\n#.#.#\n#...#\n#####")
    (first, *_) = mistakes_of(both_ways, "W")
    assert first == "1: turn | waited | 1"
    (first, *_) = mistakes_of(draw("#####\n#@..#\n#...#\n#..G#\n#####"), "P")
    assert first == "1: go on | picked up nothing | 1"


def test_another_thing_of_the_needed_kind_is_told_apart() -> None:
    task = draw("######\n#@b###\n#.####\n#k.DG#\n######", k=key("red"), b=key("blue"), D=door("red"))
    assert mistakes_of(task, "P") == ["1: turn | picked up another key | 2"]
    assert mistakes_of(task, "T") == ["1: turn | toggled nothing | 1"]


@pytest.mark.parametrize("tiling", ["hex", "488"])
def test_acts_have_the_same_names_on_other_tilings(tiling: str) -> None:
    task = corridor("@DG", D=door("red", "closed"))
    assert mistakes_of(compiled_on(tiling, task), "F") == ["1: toggle a door | walked into a door | 1"]


def test_things_of_plugins_go_by_their_own_nouns() -> None:
    with using_registry(example_catalogs()):
        around = draw("######\n#@a.G#\n#....#\n######", a=Thing("one_way", {"direction": "left"}))
        assert mistakes_of(around, "F") == ["1: turn | walked into a one-way floor | 1"]


# --- Towards ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "towards"),
    [
        (corridor(FAR), ("goal", None)),
        (corridor("@.k.D.G", k=key(), D=door("red")), ("key", "k")),
        (corridor("@.ab.G", ab=teleporter()), ("teleporter", "ab")),
        (draw("######\n#s####\n#@.gG#\n######", s=switch("g"), g=gate()), ("switch", "s")),
        (draw(PUSHED, B=block(), goal=PUSH_TO_TARGET), ("block", "B")),
    ],
    ids=["goal", "key", "teleporter", "switch", "block"],
)
def test_towards_is_the_next_thing_that_the_plan_uses(task: TaskSpecification, towards: tuple[str, str | None]) -> None:
    (mistake,) = find_mistakes(episode_of(task, "W"))
    assert (mistake.towards, mistake.towards_id) == towards


# --- Exploring -------------------------------------------------------------------------------------------------


def test_a_way_behind_the_view_cone_is_unseen() -> None:
    behind = corridor("G.@.", rules={"observability": "view_cone", "view_size": 5})
    assert mistakes_of(behind, "F") == ["1: explore | explored | 2"]


def test_a_seen_way_makes_a_mistake_and_an_unseen_one_exploring() -> None:
    rules = {"observability": "fog_of_war", "view_size": 3}
    assert mistakes_of(corridor("@G", rules=rules), "W") == ["1: go on | waited | 1"]
    assert mistakes_of(corridor("@......G", rules=rules), "W") == ["1: explore | waited | 1"]
    assert mistakes_of(corridor("@......G", rules=rules), ".") == ["1: go on | no usable answer | 1"]


def test_a_hidden_thing_that_the_plan_uses_is_unseen_until_it_is_discovered() -> None:
    things = {"s": switch("g"), "g": gate(), "rules": {"hidden_mechanisms": ["s"]}}
    task = draw("######\n#s####\n#@.gG#\n######", **things)
    assert mistakes_of(task, "W") == ["1: explore | waited | 1"]


# --- Replies ---------------------------------------------------------------------------------------------------


def test_only_the_first_mistake_of_a_reply_is_named() -> None:
    episode = episode_of(corridor(FAR, max_steps=9), "FWWW FWWWW")
    asked = (Request(AnswerOutcome.OK),)
    steps = [attrs.evolve(step, requests=asked if step.number in (1, 5) else ()) for step in episode.steps]
    in_two_replies = attrs.evolve(episode, steps=tuple(steps))
    assert told(find_mistakes(in_two_replies)) == [
        "2: go on | waited | 1",
        "3: None | carried on | 1",
        "4: None | carried on | 1",
        "6: go on | waited | 1",
        "7: None | carried on | 1",
        "8: None | carried on | 1",
        "9: None | carried on | 1",
    ]
    found = EpisodeMistakes.of(in_two_replies)
    assert found.decisive is not None
    assert (str(found.decisive.did), found.decisive_step, found.wasted_steps) == ("waited", 6, 7)


def test_a_losing_step_is_named_and_decisive_wherever_it_is_in_a_reply() -> None:
    episode = episode_of(draw("#####\n#@.G#\n#l..#\n#####", l=hazard()), "WRF")
    first = attrs.evolve(episode.steps[0], requests=(Request(AnswerOutcome.OK),))
    in_one_reply = attrs.evolve(episode, steps=(first, *episode.steps[1:]))
    assert told(find_mistakes(in_one_reply)) == [
        "1: go on | waited | 1",
        "2: None | carried on | 2",
        "3: turn | entered a hazard | lost",
    ]
    assert EpisodeMistakes.of(in_one_reply).decisive_step == 3


# --- The decisive mistake --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "letters", "expected"),
    [
        (corridor(FAR, max_steps=9), "WWWW F F PPD", ("picked up nothing", 7)),
        (corridor(FAR, max_steps=9), "PPWWF FFF.", ("no usable answer", 9)),
        (corridor(FAR, max_steps=6), "PWWWFF", ("waited", 2)),
        (draw(TRAP, h=hazard()), "PPPP F R F", ("entered a hazard", 7)),
        (corridor(FAR), "FFFFF", None),
        (corridor(FAR), "WFFFFF", None),
    ],
    ids=["since progress", "a lost step", "of all", "losing step", "without waste", "solved"],
)
def test_the_decisive_mistake(task: TaskSpecification, letters: str, expected: tuple[str, int] | None) -> None:
    found = EpisodeMistakes.of(episode_of(task, letters))
    assert expected == (found.decisive and (str(found.decisive.did), found.decisive_step))


# --- Endings ---------------------------------------------------------------------------------------------------

ROOM = "#####\n#@..#\n#...#\n#..G#\n#####"


@pytest.mark.parametrize(
    ("ending", "task", "letters"),
    [
        ("solved", corridor(FAR), "FFFFF"),
        ("died", draw(TRAP, h=hazard()), "FRF"),
        ("lost", draw(PUSHED, B=block(), goal=PUSH_TO_TARGET, max_steps=9), "LFRFRFF WW"),
        ("unanswered", corridor(FAR, max_steps=5), "F...F"),
        ("stopped", corridor(FAR), "FF"),
        ("circling", draw(ROOM, max_steps=24), "FLLFLL FLLFLL FLLFLL FLLFLL"),
        ("stuck", corridor(FAR, max_steps=9), "FFF LLLLLL"),
        ("out of steps", corridor(FAR, max_steps=6), "WWFWFF"),
        ("unanswered", corridor("@..G", goal={"type": "survive_steps"}, max_steps=3), "..."),
        ("solved", corridor("@..G", goal={"type": "survive_steps"}, max_steps=3), "WWW"),
        ("died", draw(TRAP, h=hazard(), goal={"type": "survive_steps"}, max_steps=9), "FRF"),
        ("unknown", corridor("@.#.G", max_steps=3), "FFF"),
    ],
)
def test_how_an_episode_ended(ending: str, task: TaskSpecification, letters: str) -> None:
    assert EpisodeMistakes.of(episode_of(task, letters)).ending == ending


def test_an_episode_without_a_usable_answer_at_its_end_is_unanswered() -> None:
    episode = episode_of(corridor(FAR), "FF")
    ended = attrs.evolve(episode, end=attrs.evolve(episode.end, reason=EndReason.ANSWER))
    assert EpisodeMistakes.of(ended).ending == "unanswered"


@pytest.mark.parametrize(
    ("task", "most_states"),
    [
        (corridor(FAR, max_steps=6), 3),
        (corridor("@..G", goal={"type": "survive_steps"}, max_steps=6), 1_000),
        (corridor("@.#.G", max_steps=6), 1_000),
    ],
    ids=["too many states", "timed goal", "unsolvable"],
)
def test_without_distances_mistakes_are_unknown(task: TaskSpecification, most_states: int) -> None:
    world = compiled(task)
    known = KnownTask(world, most_states)
    found = EpisodeMistakes.of(analysed(world, [Action.TURN_LEFT] * 5, known))
    assert (found.is_known, found.wasted_steps, found.counts, found.decisive) == (False, None, (), None)
    assert analysed(world, [Action.TURN_LEFT] * 5, known).regrets is None
