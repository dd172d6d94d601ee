"""The metrics of this distribution, on recorded episodes that are worked out by hand."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from gridworld.model_interface import AnswerOutcome, ModelInterface, ModelOutput, Usage
from gridworld.plugins import get_registry
from gridworld.task_spec import DependencyChain, DependencyStep, Distractor, TaskSpecification
from multinet_eval import read
from multinet_eval.analysis.metrics.measuring import load_metrics
from multinet_eval.settings.asking import AnswerPolicies
from support.runs import AnsweringModel, ScriptedModel, record_run
from support.worlds import LETTERS, block, corridor, door, draw, gate, hazard, key, switch

Measure = Callable[..., dict[str, Any]]


@pytest.fixture
def measure(tmp_path: Path) -> Measure:
    """Plays one task and records it, and measures the episode."""

    def measured(task: TaskSpecification, model: ModelInterface | str, *names: str, **settings: Any) -> dict[str, Any]:
        player = ScriptedModel(model) if isinstance(model, str) else model
        path = record_run(tmp_path / str(len(list(tmp_path.iterdir()))), [task], player, **settings).path
        (row,) = read(path).metrics(names, by="episode")
        return {name: row[name] for name in names}

    return measured


# --- outcomes and progress -------------------------------------------------------------------------------------

FAR = "@....G"
"""Five actions from the start to the goal."""
PUSHED = """
    ########
    #......#
    #.@B..t#
    #......#
    #.....G#
    ########
"""
PUSH_TO_TARGET = {"type": "push_block_to", "target_ids": ["B"], "target_positions": ["t"]}


@pytest.mark.parametrize(
    ("task", "letters", "expected"),
    [
        # Forward, about turn and back again, then to the goal: 5 actions would do, and 9 were taken.
        (
            corridor(FAR),
            "FLRLR FFFF",
            {"success": 1, "spl": 5 / 9, "optimality_ratio": 5 / 9, "regret_total": 4, "progress_best": 1},
        ),
        # Three forward leave d = 2; each of two turns adds one, and each wait.
        (
            corridor(FAR, max_steps=10),
            "FFFLL WWWWW",
            {
                "success": 0,
                "spl": 0,
                "optimality_ratio": None,
                "regret_total": 2 + 2 + 5,
                "progress_best": 3 / 5,
                "ended": "stuck",
                "structural_no_return": None,
            },
        ),
        # The turn alone takes two more actions than before; the step into the hazard is a loss without regret.
        (
            draw("#####\n#@.G#\n#l..#\n#####", l=hazard()),
            "RF",
            {"ended": "died", "loss": 1, "regret_total": 2, "structural_no_return": 2, "progress_best": 0},
        ),
        # Round the block, which is pushed down twice, to where it can be pushed along the wall alone.
        (
            draw(PUSHED, B=block(), goal=PUSH_TO_TARGET, max_steps=14),
            "LFRFR FF WWWWWWW",
            {"ended": "lost", "loss": 1, "structural_no_return": 7},
        ),
    ],
    ids=["a success with a detour", "near and away again", "death", "a block at the wall"],
)
def test_outcomes_and_progress(
    task: TaskSpecification, letters: str, expected: dict[str, Any], measure: Measure
) -> None:
    found = measure(task, letters, *expected)
    assert found == {name: pytest.approx(each) if type(each) is float else each for name, each in expected.items()}


def test_lost_steps_use_up_the_budget_and_are_no_actions(measure: Measure) -> None:
    model = AnsweringModel(AnswerOutcome.UNPARSABLE, AnswerOutcome.REFUSED, *"FFFF")
    policies = AnswerPolicies("skip", "skip", "skip", "fail")
    found = measure(corridor(FAR, max_steps=6), model, "regret_total", "progress_best", "steps", policies=policies)
    assert found == {
        "regret_total": 0,
        "progress_best": pytest.approx(4 / 5),
        "steps": 6,
    }


@pytest.mark.parametrize(
    ("task", "letters"),
    [
        (corridor("@..G", goal={"type": "survive_steps"}, max_steps=3), "WWW"),
        (corridor("@.#.G", max_steps=3), "FFF"),
    ],
    ids=["it depends on the number of steps", "it cannot be won"],
)
def test_where_distances_say_nothing_all_that_rests_on_them_is_not_defined(
    task: TaskSpecification, letters: str, measure: Measure
) -> None:
    names = ("regret_total", "loss", "structural_no_return", "progress_best", "optimal_overlap")
    assert measure(task, letters, *names) == dict.fromkeys(names)


def test_an_episode_that_an_unusable_answer_ends_is_unanswered(measure: Measure) -> None:
    model = AnsweringModel("F", AnswerOutcome.REFUSED)
    policies = AnswerPolicies("fail", "fail", "fail", "fail")
    assert measure(corridor(FAR), model, "ended", policies=policies) == {"ended": "unanswered"}


# --- mechanisms ------------------------------------------------------------------------------------------------


CHAINED = """
    ########
    #@kDsgG#
    #x######
    ########
"""
THROUGH = "P F T F T FFF"
"""Takes the key, opens the door, switches the gate open and walks on to the goal."""


def chained(**changes: Any) -> TaskSpecification:
    """A key opens a door, behind which a switch opens a gate; another key is of no use."""
    task = draw(CHAINED, k=key("red"), D=door("red"), s=switch("g"), g=gate(), x=key("blue"))
    steps = (DependencyStep(1, "key-door", "k", "D"), DependencyStep(2, "switch-gate", "s", "g"))
    given = {"dependency_chain": DependencyChain(2, steps), "distractors": (Distractor("useless_key", "x"),)}
    return attrs.evolve(task, **{**given, **changes})


ORDERS = ("mechanism_order", "distractor_interactions")


def test_the_order_of_things_is_that_in_which_they_first_took_part(measure: Measure) -> None:
    assert measure(chained(), THROUGH, "success", *ORDERS) == {
        "success": 1,
        "mechanism_order": "keys > doors > switches > gates",
        "distractor_interactions": 0,
    }


def test_a_distractor_counts_each_time_that_something_is_done_with_it(measure: Measure) -> None:
    """Bumping into it is nothing; it is taken, put down, and taken again."""
    assert measure(chained(), "R F P D P", *ORDERS) == {"mechanism_order": "keys", "distractor_interactions": 3}


def test_without_distractors_there_is_nothing_to_say_of_them(measure: Measure) -> None:
    assert measure(corridor(FAR), "F", *ORDERS) == {"mechanism_order": "nothing", "distractor_interactions": None}


# --- ways ------------------------------------------------------------------------------------------------------

ROUND = """
    ######
    #@...#
    #.##.#
    #...G#
    ######
"""


def test_the_route_is_the_named_one_that_was_walked_to_its_end(measure: Measure) -> None:
    routes = {
        "above": {"cells": [[2, 1], [3, 1], [4, 1]], "mechanisms": []},
        "below": {"cells": [[1, 3], [2, 3], [3, 3]], "mechanisms": []},
    }
    task = attrs.evolve(draw(ROUND), metadata={"routes": routes})
    assert measure(task, "RFFLFFF", "route") == {"route": "below"}
    assert measure(task, "FFFRFF", "route") == {"route": "above"}
    assert measure(task, "FF", "route") == {"route": "neither"}
    assert measure(draw(ROUND), "FF", "route") == {"route": None}


def test_the_overlap_is_with_the_nearest_of_several_shortest_paths(measure: Measure) -> None:
    """Of the two ways round, that on the right begins without a turn: by actions it is the only shortest one."""
    both = draw("#####\n#@..#\n#.#.#\n#..G#\n#####")
    assert measure(both, "FFRFF", "optimal_overlap") == {"optimal_overlap": 1}
    assert measure(both, "RFFLFF", "optimal_overlap") == {"optimal_overlap": pytest.approx(2 / 8)}
    straight = draw("#####\n#...#\n#G#@#\n#...#\n#####")
    assert measure(straight, "LFLFFLF", "optimal_overlap") == {"optimal_overlap": 1}
    assert measure(straight, "RFRFFRF", "optimal_overlap") == {"optimal_overlap": 1}
    assert measure(straight, "RFRF", "optimal_overlap") == {"optimal_overlap": pytest.approx(3 / 5)}


def test_revisits_are_of_cells_and_loops_of_states(measure: Measure) -> None:
    """There and back and there again; then four turns on the spot, and a step of waiting, which changes nothing."""
    found = measure(corridor("@..G", max_steps=12), "F LLF LLF RRRR W", "revisits", "loops")
    assert found["revisits"] == 2
    assert found["loops"] == 2 + 3  # back at the start and onwards; all turns but the first


# --- what it took ----------------------------------------------------------------------------------------------


def told(letter: str, prompt: int | None, completion: int | None, seconds: float | None) -> ModelOutput:
    return ModelOutput(LETTERS[letter], usage=Usage(prompt, completion, seconds))


def test_requests_and_tokens_are_those_of_all_requests_of_an_episode(measure: Measure) -> None:
    answers = [told("F", 100, 10, 1.5), AnswerOutcome.ILLEGAL, told("F", 120, 20, 2.5)]
    policies = AnswerPolicies("retry:1,skip", "retry:1,skip", "retry:1,skip", "fail")
    found = measure(corridor("@.G"), AnsweringModel(*answers), "answered", "tokens", "steps", policies=policies)
    assert found == {"answered": 3, "tokens": 251, "steps": 2}


def test_tokens_that_no_server_tells_are_not_defined(measure: Measure) -> None:
    names = ("tokens", "tokens_per_success")
    assert measure(corridor("@.G"), "FF", *names) == dict.fromkeys(names)


# --- all of them -----------------------------------------------------------------------------------------------


def test_all_of_them_are_registered_under_the_names_of_their_functions() -> None:
    assert {name: each.__name__ for name, each in load_metrics().items()} == {
        name: name for name in get_registry().metrics.names()
    }
