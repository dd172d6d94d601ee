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


def test_a_success_with_a_detour(measure: Measure) -> None:
    """Forward, about turn and back again, then to the goal: 5 actions would do, and 9 were taken."""
    names = ("success", "spl", "optimality_ratio", "regret_total", "regret_mean", "progress_best", "progress_final")
    assert measure(corridor(FAR), "FLRLR FFFF", *names) == {
        "success": 1,
        "spl": pytest.approx(5 / 9),
        "optimality_ratio": pytest.approx(5 / 9),
        "regret_total": 4,
        "regret_mean": pytest.approx(4 / 9),
        "progress_best": 1,
        "progress_final": 1,
    }


def test_an_episode_that_comes_near_and_turns_away(measure: Measure) -> None:
    """Three forward leave d = 2; each of two turns adds one; d = 4 with 5 of 10 steps left."""
    names = ("success", "spl", "optimality_ratio", "regret_total", "progress_best", "progress_final", "ended")
    found = measure(corridor(FAR, max_steps=10), "FFFLL WWWWW", *names, "budget_no_return", "structural_no_return")
    assert found == {
        "success": 0,
        "spl": 0,
        "optimality_ratio": None,
        "regret_total": 2 + 2 + 5,
        "progress_best": pytest.approx(3 / 5),
        "progress_final": pytest.approx(1 / 5),
        "ended": "budget",
        "budget_no_return": 7,  # d = 4 with 3 steps left
        "structural_no_return": None,
    }


def test_an_episode_that_goes_further_away_than_it_began_has_made_no_progress(measure: Measure) -> None:
    found = measure(corridor("...@.G", max_steps=4), "LLFF", "progress_best", "progress_final", "regret_total")
    assert found == {"progress_best": 0, "progress_final": 0, "regret_total": 2 * 4}


def test_lost_steps_use_up_the_budget_and_are_no_actions(measure: Measure) -> None:
    """Two steps are lost: with 5 of 6 left and d = 5 all is well, with 4 left it is not."""
    model = AnsweringModel(AnswerOutcome.UNPARSABLE, AnswerOutcome.REFUSED, *"FFFF")
    policies = AnswerPolicies("skip", "skip", "skip", "fail")
    names = ("budget_no_return", "regret_total", "progress_final", "lost_steps", "unparsable_share", "refused_share")
    found = measure(corridor(FAR, max_steps=6), model, *names, "illegal_share", policies=policies)
    assert found == {
        "budget_no_return": 2,
        "regret_total": 0,
        "progress_final": pytest.approx(4 / 5),
        "lost_steps": 2,
        "unparsable_share": pytest.approx(1 / 6),
        "refused_share": pytest.approx(1 / 6),
        "illegal_share": 0,
    }


def test_to_wait_is_an_action_with_an_effect(measure: Measure) -> None:
    """Of a bump, a wait, and two turns the bump alone changed nothing."""
    assert measure(corridor("G.@#", max_steps=4), "FWLR", "no_effect_share") == {"no_effect_share": 1 / 4}


def test_a_budget_that_never_sufficed_has_its_point_of_no_return_at_the_start(measure: Measure) -> None:
    assert measure(corridor(FAR, max_steps=4), "FFFF", "budget_no_return", "regret_total") == {
        "budget_no_return": 0,
        "regret_total": 0,
    }


def test_death_is_a_loss_without_regret(measure: Measure) -> None:
    task = draw("#####\n#@.G#\n#l..#\n#####", l=hazard())
    names = ("ended", "loss", "regret_total", "regret_mean", "structural_no_return", "progress_best", "progress_final")
    assert measure(task, "RF", *names) == {
        "ended": "hazard",
        "loss": 1,
        "regret_total": 2,  # the turn alone: two more actions than before
        "regret_mean": 2,
        "structural_no_return": 2,
        "progress_best": 0,
        "progress_final": 0,
    }


PUSHED = """
    ########
    #......#
    #.@B..t#
    #......#
    #.....G#
    ########
"""


def test_a_block_at_the_wall_is_a_dead_end_however_long_one_goes_on(measure: Measure) -> None:
    """The agent walks round the block and pushes it down twice, to where it can be pushed along the wall alone."""
    goal = {"type": "push_block_to", "target_ids": ["B"], "target_positions": ["t"]}
    task = draw(PUSHED, B=block(), goal=goal, max_steps=14)
    names = ("ended", "loss", "structural_no_return", "budget_no_return")
    found = measure(task, "LFRFR FF WWWWWWW", *names)
    assert found == {"ended": "dead end", "loss": 1, "structural_no_return": 7, "budget_no_return": 6}


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
    names = (
        "regret_total", "regret_mean", "loss", "structural_no_return", "budget_no_return", "progress_best",
        "progress_final", "optimal_overlap", "optimal_path",
    )  # fmt: skip
    assert measure(task, letters, *names) == dict.fromkeys(names)


def test_an_episode_that_stops_short_was_stopped(measure: Measure) -> None:
    model = AnsweringModel("F", AnswerOutcome.REFUSED)
    policies = AnswerPolicies("fail", "fail", "fail", "fail")
    assert measure(corridor(FAR), model, "ended", policies=policies) == {"ended": "stopped"}


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


ORDERS = ("chain_kept", "chain_used", "mechanism_order", "distractor_interactions")


def test_the_order_of_things_is_that_in_which_they_first_took_part(measure: Measure) -> None:
    assert measure(chained(), THROUGH, "success", *ORDERS) == {
        "success": 1,
        "chain_kept": 1,
        "chain_used": 1,
        "mechanism_order": "keys > doors > switches > gates",
        "distractor_interactions": 0,
    }


def test_a_distractor_counts_each_time_that_something_is_done_with_it(measure: Measure) -> None:
    """Bumping into it is nothing; it is taken, put down, and taken again."""
    assert measure(chained(), "R F P D P", *ORDERS) == {
        "chain_kept": None,
        "chain_used": 0,
        "mechanism_order": "keys",
        "distractor_interactions": 3,
    }


def test_a_chain_that_is_begun_elsewhere_is_not_kept(measure: Measure) -> None:
    turned = DependencyChain(2, (DependencyStep(1, "switch-gate", "s", "g"), DependencyStep(2, "key-door", "k", "D")))
    found = measure(chained(dependency_chain=turned), "P F T", *ORDERS)
    assert (found["chain_kept"], found["chain_used"]) == (0, 0.5)


def test_without_chain_and_distractors_there_is_nothing_to_say_of_them(measure: Measure) -> None:
    assert measure(corridor(FAR), "F", *ORDERS) == {
        "chain_kept": None,
        "chain_used": None,
        "mechanism_order": "nothing",
        "distractor_interactions": None,
    }


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
    names = ("route", "route_overlap")
    assert measure(task, "RFFLFFF", *names) == {"route": "below", "route_overlap": 1}
    assert measure(task, "FFFRFF", *names) == {"route": "above", "route_overlap": 1}
    assert measure(task, "FF", *names) == {"route": "neither", "route_overlap": pytest.approx(2 / 3)}
    assert measure(draw(ROUND), "FF", *names) == dict.fromkeys(names)


def test_which_of_several_shortest_paths_was_walked_and_how_near_it_was(measure: Measure) -> None:
    """Of the two ways round, that on the right begins without a turn: by actions it is the only shortest one."""
    names = ("optimal_path", "optimal_overlap")
    both = draw("#####\n#@..#\n#.#.#\n#..G#\n#####")
    assert measure(both, "FFRFF", *names) == {"optimal_path": None, "optimal_overlap": 1}
    assert measure(both, "RFFLFF", *names) == {"optimal_path": None, "optimal_overlap": pytest.approx(2 / 8)}
    straight = draw("#####\n#...#\n#G#@#\n#...#\n#####")
    assert measure(straight, "LFLFFLF", *names) == {"optimal_path": "1 of 2", "optimal_overlap": 1}
    assert measure(straight, "RFRFFRF", *names) == {"optimal_path": "2 of 2", "optimal_overlap": 1}
    assert measure(straight, "RFRF", *names) == {"optimal_path": "other", "optimal_overlap": pytest.approx(3 / 5)}


def test_revisits_are_of_cells_and_loops_of_states(measure: Measure) -> None:
    """There and back and there again; then four turns on the spot, and a step of waiting, which changes nothing."""
    names = ("revisits", "loops", "no_effect_share")
    found = measure(corridor("@..G", max_steps=12), "F LLF LLF RRRR W", *names)
    assert found["revisits"] == 2
    assert found["loops"] == 2 + 3  # back at the start and onwards; all turns but the first


# --- what it took ----------------------------------------------------------------------------------------------


def told(letter: str, prompt: int | None, completion: int | None, seconds: float | None) -> ModelOutput:
    return ModelOutput(LETTERS[letter], usage=Usage(prompt, completion, seconds))


def test_tokens_and_seconds_are_those_of_all_requests_of_an_episode(measure: Measure) -> None:
    answers = [told("F", 100, 10, 1.5), AnswerOutcome.ILLEGAL, told("F", 120, 20, 2.5)]
    policies = AnswerPolicies("retry:1,skip", "retry:1,skip", "retry:1,skip", "fail")
    names = ("requests", "requests_per_step", "tokens", "tokens_per_step", "seconds", "seconds_per_step", "steps")
    found = measure(corridor("@.G"), AnsweringModel(*answers), *names, "illegal_share", policies=policies)
    assert found == {
        "requests": 3,
        "requests_per_step": 1.5,
        "tokens": 251,
        "tokens_per_step": 125.5,
        "seconds": pytest.approx(4.0),
        "seconds_per_step": pytest.approx(2.0),
        "steps": 2,
        "illegal_share": pytest.approx(1 / 3),
    }


def test_tokens_that_no_server_tells_are_not_defined(measure: Measure) -> None:
    names = ("tokens", "tokens_per_step", "tokens_per_success", "seconds", "seconds_per_step", "seconds_per_success")
    assert measure(corridor("@.G"), "FF", *names) == dict.fromkeys(names)


# --- all of them -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", get_registry().metrics.names())
def test_every_metric_tells_its_range(name: str) -> None:
    (each,) = load_metrics([name]).values()
    ranges = ("in [0, 1]", "in (0, 1]", "0 or more", "1 or more", "otherwise 0")
    assert each.aggregation.accepts("word") or any(text in (each.__doc__ or "") for text in ranges)


def test_all_of_them_are_registered_under_the_names_of_their_functions() -> None:
    assert {name: each.__name__ for name, each in load_metrics().items()} == {
        name: name for name in get_registry().metrics.names()
    }
