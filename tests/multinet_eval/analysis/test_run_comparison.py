"""Recorded runs are compared by what they have in common."""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from gridworld.errors import ArgumentError, UnknownNameError
from gridworld.runner.presentation import Presentation
from gridworld.task_spec import TaskSpecification
from multinet_eval import read
from multinet_eval.analysis.recorded_run import RecordedRun
from multinet_eval.analysis.run_comparison import Comparison, compare_runs
from multinet_eval.analysis.shared_conditions import NotComparable
from multinet_eval.settings.asking import AnswerPolicies
from support.runs import AnsweringModel, record_run
from support.scores import Pair, solved
from support.worlds import corridor

FORWARD = "F" * 40


def task(task_id: str, row: str, max_steps: int = 6, **metadata: str) -> TaskSpecification:
    return attrs.evolve(corridor(row, max_steps=max_steps), task_id=task_id, metadata=metadata)


TASKS = [task("short", "@.G"), task("long", "@...G")]
MATCHED = [task("a-plain", "@.G", base_id="a"), task("a-far", "@...G", base_id="a"), task("b", "@..G")]
PAIRS = [
    task(f"{number:02}-{variant}", "@.G", 2, base_id=f"{number:02}", variant=variant)
    for number in range(40)
    for variant in ("key_first", "switch_first")
]
KEY_FIRST = PAIRS[::2]


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[..., RecordedRun]:
    """Records a run under a name, by a model that plays the letters one after another, and then waits."""

    def record(name: str, letters: str, tasks: Iterable[TaskSpecification] = TASKS, **settings: Any) -> RecordedRun:
        return read(record_run(tmp_path / name, tasks, letters, **settings).path)

    return record


def letters_of(outcomes: Sequence[bool]) -> str:
    """What is played to win some of the pairs' tasks, in two steps each, and not the others."""
    return "".join("FF" if won else "LL" for won in outcomes)


def first_row(found: Comparison) -> dict[str, Any]:
    return found.difference_table()[0]


def test_runs_are_compared_maze_by_maze(recorded: Callable[..., RecordedRun]) -> None:
    found = compare_runs([recorded("good", FORWARD), recorded("bad", "FFFLF")])
    assert [(row["run"], row["score"]) for row in found.run_table()] == [("good", 1), ("bad", 0.5)]
    row = first_row(found)
    assert (row["first"], row["second"], row["difference"], row["better"]) == ("good", "bad", 0.5, 1)
    assert (row["test"], row["p_value"], row["adjusted_p_value"]) == ("exact McNemar", 1, 1)


def test_an_undefined_score_is_not_missing(recorded: Callable[..., RecordedRun]) -> None:
    tasks = [*TASKS, task("walled", "@.#G")]
    found = compare_runs([recorded("good", FORWARD, tasks), recorded("bad", "FF", tasks)], score="spl")
    for row in found.run_table():
        assert (row["mazes"], row["episodes"], row["missing"]) == (2, 2, 0)
        assert row["bounds_low"] == row["bounds_high"] == row["score"]


def test_variants_and_epochs_of_a_maze_count_as_one(recorded: Callable[..., RecordedRun]) -> None:
    """The good run wins all; the other wins one task of maze ``a`` in one of two epochs, and nothing else."""
    found = compare_runs([recorded("good", FORWARD, MATCHED, epochs=2), recorded("bad", "FF", MATCHED, epochs=2)])
    row = first_row(found)
    assert (row["mazes"], row["better"], row["worse"]) == (2, 2, 0)
    assert row["difference"] == (3 / 4 + 1) / 2
    assert row["test"] == "exact sign flips"
    assert found.run_table()[1]["score"] == (1 / 4 + 0) / 2


def test_the_number_of_epochs_need_not_be_the_same(recorded: Callable[..., RecordedRun]) -> None:
    found = compare_runs([recorded("once", FORWARD), recorded("twice", "FF", epochs=2)])
    assert first_row(found)["difference"] == (1 / 2 + 1) / 2


def test_an_unfinished_run_is_compared_by_what_it_has(recorded: Callable[..., RecordedRun]) -> None:
    found = compare_runs([recorded("whole", "LL"), recorded("left", FORWARD, requests=4)])
    assert [(row["complete"], row["finished"], row["missing"]) for row in found.run_table()] == [
        (True, 2, 0),
        (False, 1, 1),
    ]
    row = first_row(found)
    assert (row["mazes"], row["difference"]) == (1, -1)
    assert (row["bounds_low"], row["bounds_high"]) == (-1, -0.5)


def test_episodes_that_the_model_is_not_to_blame_for_are_missing(tmp_path: Path) -> None:
    """Nor does it matter how often a server that does not answer is asked again."""
    broken = AnsweringModel(LookupError("out of words"), *FORWARD)
    path = record_run(tmp_path / "broken", TASKS, broken, policies=AnswerPolicies(on_infrastructure="fail")).path
    found = compare_runs([read(path), read(record_run(tmp_path / "good", TASKS, FORWARD).path)])
    row = found.run_table()[0]
    assert (row["complete"], row["missing"], row["score"]) == (True, 1, 1)
    assert (row["bounds_low"], row["bounds_high"]) == (0.5, 1)
    assert first_row(found)["mazes"] == 1


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ({"presentation": Presentation("text")}, "presentation.observation"),
        ({"protocol": "plan"}, "protocol"),
        ({"seed": 5}, "seed"),
        ({"mission": "both"}, "mission"),
        ({"budget_factor": "3"}, "budget_factor"),
        ({"policies": AnswerPolicies(on_illegal="fail")}, "policies.on_illegal"),
        ({"backend_arguments": ("tile_size=9",)}, "backend.arguments"),
        ({"tilings": ("hex",), "backend_arguments": ()}, "tilings"),
    ],
)
def test_runs_under_other_conditions_are_refused_unless_these_are_what_is_varied(
    settings: dict[str, Any], path: str, tmp_path: Path
) -> None:
    class Planner(AnsweringModel):
        def can_reply(self, form: object) -> bool:
            return True

    usual = read(record_run(tmp_path / "usual", TASKS, Planner(*FORWARD)).path)
    other = read(record_run(tmp_path / "other", TASKS, Planner(*FORWARD), **settings).path)
    refused = rf"(?s)usual and .*other cannot be compared.*--by {path}.*:\n.*  {path}: "
    with pytest.raises(NotComparable, match=refused):
        compare_runs([usual, other])
    declared = ["backend", "tilings"] if path == "tilings" else [path]
    found = compare_runs([usual, other], declared)
    assert first_row(found)["mazes"] == 2
    assert path in found.varied


def test_other_tasks_are_refused_unless_the_suites_are_varied_and_then_paired_by_their_maze(
    recorded: Callable[..., RecordedRun],
) -> None:
    plain = recorded("plain", FORWARD, [task("1-x", "@.G", base_id="1"), task("2-x", "@.G", base_id="2")])
    other = recorded("other", "FFF", [task("1-y", "@..G", base_id="1"), task("3-y", "@.G", base_id="3")])
    with pytest.raises(NotComparable, match="--by suite"):
        compare_runs([plain, other])
    found = compare_runs([plain, other], ["suite"])
    assert (first_row(found)["mazes"], first_row(found)["difference"]) == (1, 0)


def test_tilings_that_are_not_varied_are_paired_one_by_one(recorded: Callable[..., RecordedRun]) -> None:
    settings = {"tilings": ("square", "hex"), "compares_tilings": True, "backend_arguments": ()}
    found = compare_runs([recorded("good", FORWARD, **settings), recorded("bad", "FF", **settings)])
    row = first_row(found)
    assert (row["mazes"], row["difference"]) == (2, (1 / 2 + 1) / 2)


@pytest.mark.parametrize("rates", [Pair(0.9, 0.5), Pair(0.4, 0.8), Pair(0.7, 0.7)])
def test_the_effect_of_what_differs_within_matched_pairs_is_found(
    rates: Pair, recorded: Callable[..., RecordedRun]
) -> None:
    """A model wins tasks of either order with other probabilities, of pairs that are not equally hard."""
    outcomes = np.stack(solved(rates, (1, 40), 1, np.random.default_rng(7)), axis=-1).ravel() == 1
    found = compare_runs([recorded("pairs", letters_of(outcomes), PAIRS)], ["variant"])
    (row,) = found.difference_table()
    assert (row["first"], row["second"], row["mazes"]) == ("key_first", "switch_first", 40)
    assert row["difference"] == pytest.approx(outcomes[::2].mean() - outcomes[1::2].mean())
    assert row["interval_low"] < rates.first - rates.second < row["interval_high"]
    assert (row["interval_low"] < 0 < row["interval_high"]) == (rates.first == rates.second)
    assert row["test"] == "exact McNemar"
    assert found.varied == ("variant",)


def test_of_variants_of_several_runs_those_that_differ_in_the_variant_or_the_run_are_compared(
    recorded: Callable[..., RecordedRun],
) -> None:
    """One model wins all, and the other what has the key first; what is no variant is left out."""
    tasks = [*PAIRS[:4], task("alone", "@.G", 2)]
    runs = [recorded("good", "F" * 10, tasks), recorded("ordered", "FFLLFFLLFF", tasks)]
    found = compare_runs(runs, ["variant"])
    assert [(row["run"], row["episodes"], row["score"]) for row in found.run_table()] == [
        ("good: key_first", 2, 1),
        ("good: switch_first", 2, 1),
        ("ordered: key_first", 2, 1),
        ("ordered: switch_first", 2, 0),
    ]
    assert [(row["first"], row["second"], row["difference"]) for row in found.difference_table()] == [
        ("good: key_first", "good: switch_first", 0),
        ("good: key_first", "ordered: key_first", 0),
        ("good: switch_first", "ordered: switch_first", 1),
        ("ordered: key_first", "ordered: switch_first", 1),
    ]


def test_it_is_said_in_which_of_two_runs_a_variant_matters_more(recorded: Callable[..., RecordedRun]) -> None:
    """One model wins all, and the other what has the key first."""
    tasks = PAIRS[:4]
    runs = [recorded("good", "F" * 8, tasks), recorded("ordered", "FFLLFFLL", tasks)]
    (row,) = compare_runs(runs, ["variant"]).interaction_table()
    assert (row["variants"], row["first"], row["second"]) == ("key_first - switch_first", "good", "ordered")
    assert (row["first_effect"], row["second_effect"], row["difference"], row["mazes"]) == (0, 1, -1, 2)
    assert row["interval_low"] < -1 < row["interval_high"]
    assert compare_runs(runs).interaction_table() == []


def test_variants_are_paired_tiling_by_tiling(recorded: Callable[..., RecordedRun]) -> None:
    """Without its counterpart, which was not played, the win on hexagons does not count."""
    settings = {"tilings": ("square", "hex"), "compares_tilings": True, "backend_arguments": ()}
    run = recorded("run", "LLFFFF", PAIRS[:2], requests=6, **settings)
    found = compare_runs([run], ["variant"])
    assert [(row["score"], row["missing"]) for row in found.run_table()] == [(0.5, 0), (1, 1)]
    assert first_row(found)["difference"] == -1


def test_a_run_of_fewer_than_two_variants_is_refused_by_variant(recorded: Callable[..., RecordedRun]) -> None:
    with pytest.raises(ArgumentError, match=r"plain: expected at least two variants .*, but no task is one"):
        compare_runs([recorded("plain", "F")], ["variant"])
    with pytest.raises(ArgumentError, match=r"half: expected at least two variants .*, but all are 'key_first'"):
        compare_runs([recorded("half", "F", KEY_FIRST[:1])], ["variant"])


@pytest.fixture
def crossed(recorded: Callable[..., RecordedRun]) -> list[RecordedRun]:
    """Runs of eight mazes by observation and mission: text costs two mazes, the other mission four more with text."""
    tasks = [task(str(number), "@.G", 2) for number in range(8)]
    won = {("image", "goal"): 8, ("text", "goal"): 6, ("image", "both"): 8, ("text", "both"): 2}
    return [
        recorded(
            f"{observation}-{mission}",
            letters_of([True] * number + [False] * (8 - number)),
            tasks,
            presentation=Presentation(observation),
            mission=mission,
        )
        for (observation, mission), number in won.items()
    ]


CROSSED = ("presentation.observation", "mission")


def test_only_pairs_that_change_one_condition_are_tested_and_adjusted_together(crossed: list[RecordedRun]) -> None:
    found = compare_runs(crossed, CROSSED)
    rows = {(row["first"], row["second"]): row for row in found.difference_table()}
    assert list(rows) == [
        ("image-goal", "text-goal"),
        ("image-goal", "image-both"),
        ("text-goal", "text-both"),
        ("image-both", "text-both"),
    ]
    lowest = rows["image-both", "text-both"]
    assert lowest["p_value"] == 2 / 2**6
    assert lowest["adjusted_p_value"] == 4 * 2 / 2**6
    assert [sorted(each.changed) for each in found.untested] == [sorted(CROSSED)] * 2


def test_the_effect_of_a_condition_is_averaged_with_the_others_held_fixed(crossed: list[RecordedRun]) -> None:
    observation, mission = compare_runs(crossed, CROSSED).effect_table()
    assert (observation["condition"], observation["first"], observation["second"]) == (
        "presentation.observation", "observation=image", "observation=text",
    )  # fmt: skip
    assert (observation["pairs"], observation["mazes"], observation["difference"]) == (2, 8, (2 / 8 + 6 / 8) / 2)
    assert (mission["first"], mission["second"]) == ("mission=goal", "mission=both")
    assert (mission["pairs"], mission["difference"]) == (2, (0 + 4 / 8) / 2)
    assert observation["adjusted_p_value"] == 2 * observation["p_value"]


def test_a_pair_alone_is_compared_in_whatever_it_differs(crossed: list[RecordedRun]) -> None:
    found = compare_runs([crossed[0], crossed[3]], CROSSED)
    assert (first_row(found)["difference"], found.untested, found.effects) == (6 / 8, (), ())


def test_several_runs_of_which_no_two_differ_in_one_condition_are_refused(
    crossed: list[RecordedRun], recorded: Callable[..., RecordedRun]
) -> None:
    tasks = [task(str(number), "@.G", 2) for number in range(8)]
    other = recorded("other", "", tasks, presentation=Presentation("map"), mission="description")
    with pytest.raises(ArgumentError, match=r"several conditions \(the first in mission and presentation\.observation"):
        compare_runs([crossed[0], crossed[3], other], CROSSED)


def test_a_condition_that_there_is_not_is_refused_with_the_nearest(recorded: Callable[..., RecordedRun]) -> None:
    runs = [recorded("one", "F"), recorded("two", "F")]
    with pytest.raises(UnknownNameError, match=r"unknown condition 'tiling' \(did you mean 'tilings'\?\)"):
        compare_runs(runs, ["tiling"])
    with pytest.raises(UnknownNameError, match=r"\(did you mean 'variant'\?\)"):
        compare_runs(runs, ["varient"])
    with pytest.raises(UnknownNameError, match=r"unknown metric 'sucess' \(did you mean 'success'\?\)"):
        compare_runs(runs, score="sucess")


def test_fewer_than_two_runs_and_one_run_twice_are_refused(recorded: Callable[..., RecordedRun]) -> None:
    run = recorded("one", "F")
    for runs in ([], [run]):
        with pytest.raises(ArgumentError, match=f"at least 2 runs, got {len(runs)}"):
            compare_runs(runs)
    with pytest.raises(ArgumentError, match="is given 2 times"):
        compare_runs([run, run])


def test_runs_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    runs = [read(record_run(tmp_path / folder / "run", TASKS, "F").path) for folder in ("a", "b")]
    assert [row["run"] for row in compare_runs(runs).run_table()] == [str(run.path) for run in runs]


def test_it_goes_through_json_and_is_the_same_again(recorded: Callable[..., RecordedRun]) -> None:
    runs = [recorded("good", FORWARD), recorded("bad", "FF"), recorded("worse", "")]
    data = compare_runs(runs, seed=3).to_dict()
    assert json.loads(json.dumps(data)) == data == compare_runs(runs, seed=3).to_dict()
    assert [len(data[table]) for table in ("runs", "differences")] == [3, 3]
