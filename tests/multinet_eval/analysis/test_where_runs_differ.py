"""A comparison of two runs says where they differ, and no more than its intervals."""

import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

import gridworld
from gridworld.actions import Action
from gridworld.model_interface import EpisodeInfo, ModelInput, ModelOutput, OracleInterface
from gridworld.solver import OptimalModel
from gridworld.task_spec import TaskSpecification
from gridworld.world import State, World
from multinet_eval import read
from multinet_eval.analysis.difference_in_words import Words, sum_up
from multinet_eval.analysis.recorded_run import RecordedRun
from multinet_eval.analysis.run_comparison import Comparison, compare_runs
from multinet_eval.analysis.where_runs_differ import Group, compare_groups
from multinet_eval.statistics.clusters import Observation
from multinet_eval.statistics.paired_differences import compare_pairs
from support.runs import record_run
from support.worlds import corridor

MAZES = 8
FAMILIES: dict[str, dict[str, Any]] = {
    "doors + keys": {"family": "perfect_maze", "depth": 1, "size": 9, "steps": "key"},
    "gates + switches": {"family": "perfect_maze", "depth": 1, "size": 9, "steps": "toggle"},
    "hazards": {"family": "lava_rivers", "rivers": 1},
    "teleporters": {"family": "teleporter_house", "size": 9, "depth": 1, "decoys": 0},
    "blocks": {"family": "warehouse", "size": 7, "blocks": 1},
}
"""A family of mazes for each mechanism, or for two that always occur together."""


class Erring(OracleInterface):
    """Follows a shortest plan, except for some random steps; may be unable to open doors."""

    model_name = "erring"
    looks_at_pictures = False

    def __init__(self, seed: int, opens_doors: bool = True) -> None:
        self._seed = seed
        self._opens_doors = opens_doors
        self._planner = OptimalModel()

    def begin_episode(self, episode: EpisodeInfo) -> None:
        self._episode = f"{self._seed} {episode.task_id}"

    def look_into(self, world: World) -> None:
        self._has_doors = bool(world.task.mechanisms.doors)
        self._planner.look_into(world)

    def observe(self, state: State) -> None:
        self._planner.observe(state)

    def predict(self, input: ModelInput) -> ModelOutput:
        dice, planned = random.Random(f"{self._episode} {input.step_number}"), self._planner.predict(input)
        if dice.random() < 0.15:
            return ModelOutput(dice.choice((Action.MOVE_FORWARD, Action.TURN_LEFT, Action.TURN_RIGHT)))
        is_beyond_it = planned.action == Action.TOGGLE and self._has_doors and not self._opens_doors
        return ModelOutput(Action.MOVE_FORWARD) if is_beyond_it else planned


@pytest.fixture(scope="module")
def mazes() -> list[TaskSpecification]:
    """Generated mazes of one tier, with one mechanism each, and a tight budget."""
    tasks = (task for family in FAMILIES.values() for task in gridworld.generate(**family, count=MAZES, seed=3))
    return [attrs.evolve(task, difficulty_tier=3) for task in tasks]


def test_a_model_that_cannot_open_doors_differs_from_itself_where_there_are_doors(
    mazes: list[TaskSpecification], tmp_path: Path
) -> None:
    models = {"opens": Erring(1), "stuck": Erring(2, opens_doors=False)}
    runs = [read(record_run(tmp_path / name, mazes, model, budget_factor="1.6").path) for name, model in models.items()]
    found = compare_runs(runs)
    doors, *others = found.where_table()
    assert (doors["by"], doors["group"], doors["mazes"]) == ("mechanism", "doors + keys", MAZES)
    assert 0 < doors["interval_low"] <= doors["difference"] <= doors["interval_high"]
    assert {row["group"] for row in others} == set(FAMILIES) - {"doors + keys"}
    assert any(row["difference"] for row in others)
    assert all(row["interval_low"] <= 0 <= row["interval_high"] for row in others)
    (sentence,) = found.to_dict()["sentences"]
    assert sentence.startswith("stuck solves ")
    assert "percentage points fewer than opens" in sentence
    assert "most of it where there are doors + keys" in sentence


def task(task_id: str, row: str = "@.G", tier: int = 1, **metadata: str) -> TaskSpecification:
    return attrs.evolve(corridor(row, max_steps=2), task_id=task_id, difficulty_tier=tier, metadata=metadata)


@pytest.fixture
def compared(tmp_path: Path) -> Callable[..., Comparison]:
    """Records runs A and B, which win a task with ``W`` and lose it with another letter, and compares them."""

    def compare(
        first: str, second: str, tasks: Iterable[TaskSpecification], requests: int | None = None, **settings: Any
    ) -> Comparison:
        def recorded(name: str, outcomes: str, requests: int | None = None) -> RecordedRun:
            letters = "".join("FF" if each == "W" else "LL" for each in outcomes)
            return read(record_run(tmp_path / name, tasks, letters, requests=requests, **settings).path)

        return compare_runs([recorded("A", first, requests), recorded("B", second)])

    return compare


def test_tiers_and_tilings_have_rows_with_the_largest_difference_first(compared: Callable[..., Comparison]) -> None:
    """The first run wins all but one of tier 1; the other half of tier 1, on hexagons only, and none of tier 2."""
    tasks = [task("1"), task("2"), task("3", tier=2), task("4", tier=2)]
    tilings = {"tilings": ("square", "hex"), "compares_tilings": True, "backend_arguments": ()}
    found = compared("LWWW WWWW".replace(" ", ""), "LLLL WWLL".replace(" ", ""), tasks, **tilings)
    rows = [
        (row["by"], row["group"], row["mazes"], row["first_score"], row["second_score"], row["difference"])
        for row in found.where_table()
    ]
    assert rows == [
        ("tier", "2", 2, 1.0, 0.0, 1.0),
        ("tier", "1", 2, 0.75, 0.5, 0.25),
        ("tiling", "square", 4, 0.75, 0.0, 0.75),
        ("tiling", "hex", 4, 1.0, 0.5, 0.5),
    ]


def test_what_all_tasks_have_is_no_row(compared: Callable[..., Comparison]) -> None:
    assert compared("WW", "WL", [task("1"), task("2")]).where_table() == []


def test_a_maze_counts_as_solved_if_half_of_its_plays_are(compared: Callable[..., Comparison]) -> None:
    """Of two epochs, the first run wins 2, 1, 1, 0 and 0, the other 1, 0, 0, 2 and 0."""
    tasks = [task(str(number)) for number in range(5)]
    (row,) = compared("WWWLL" + "WLLLL", "WLLWL" + "LLLWL", tasks, epochs=2).difference_table()
    solved = {name.removeprefix("solved_by_"): value for name, value in row.items() if name.startswith("solved_by")}
    assert solved == {"both": 1, "first_only": 2, "second_only": 1, "neither": 1}


def test_values_of_any_kind_are_compared_by_group_kind_by_kind() -> None:
    """Such as shares of wasted steps by mistake, which come with columns of their own."""
    walked, turned = (Group("mistake", name, {"did": name}) for name in ("walked into a door", "turned"))
    shares = {
        Group("tier", "1"): {"a": (0.5, 0.25)},
        turned: {"a": (0.25, 0.25), "b": (0.0, 0.125)},
        Group("tier", "2"): {},
        walked: dict.fromkeys("abcdefgh", (0.0, 0.75)),
    }
    rows = [each.to_row() for each in compare_groups(shares, seed=0)]
    assert [(row["by"], row["group"], row.get("did"), row["difference"]) for row in rows] == [
        ("tier", "1", None, 0.25),
        ("mistake", "walked into a door", "walked into a door", -0.75),
        ("mistake", "turned", "turned", -0.0625),
    ]
    walking = rows[1]
    assert (walking["first_score"], walking["second_score"], walking["mazes"], walking["worse"]) == (0, 0.75, 8, 8)
    assert walking["interval_low"] < walking["interval_high"] < 0
    assert (walking["p_value"], walking["adjusted_p_value"]) == (2 / 2**8, 3 * 2 / 2**8)


def told(first: Sequence[float | None], second: Sequence[float | None], score: str = "success", **known: Any) -> str:
    """The sentence about two runs with these scores by maze."""
    runs = [[Observation(str(maze), None, each) for maze, each in enumerate(run)] for run in (first, second)]
    (found,) = compare_pairs(runs, seed=0)
    return sum_up(found, Words(score, "A", "B"), **known)


@pytest.mark.parametrize(
    ("first", "second", "begins", "has"),
    [
        ([1] * 10, [0] * 6 + [1] * 4, "B solves 60 percentage points fewer than A (95 % interval ", ")."),
        ([0] * 6 + [1] * 4, [1] * 10, "B solves 60 percentage points more than A (95 % interval ", ")."),
        ([1] * 10, [0] + [1] * 9, "No clear difference: B solves 10 percentage points fewer than A", "fewer to "),
        ([1, 0] * 5, [0, 1] * 5, "No clear difference: B solves as many as A", "fewer to "),
        ([1] * 8, [1] * 8, "A and B score the same in all 8 base mazes; a true difference of ", " is not excluded."),
        ([1], [1], "A and B score the same in the one base maze; ", " is not excluded."),
        ([1, None], [None, 1], "No base maze is scored in both A and B.", ""),
        ([1] * 1000, [1] * 991 + [0] * 9, "B solves 0.9 percentage points fewer than A", ""),
    ],
    ids=["fewer", "more", "unclear", "balanced", "equal", "one maze", "nothing in common", "little"],
)
def test_the_sentence_claims_what_the_interval_shows(
    first: list[float | None], second: list[float | None], begins: str, has: str
) -> None:
    sentence = told(first, second)
    assert sentence.startswith(begins)
    assert has in sentence


def test_the_sentence_names_other_scores() -> None:
    assert told([0.9] * 8, [0.4] * 8, score="spl").startswith("B has a mean spl 0.500 lower than A (95 % interval ")


def test_the_sentence_says_which_run_is_unfinished(compared: Callable[..., Comparison]) -> None:
    found = compared("WWW", "LLL", [task(each) for each in "123"], requests=4)
    (sentence,) = found.to_dict()["sentences"]
    assert sentence.endswith("; A is unfinished, so this is over the 2 base mazes scored in both.")


def test_a_clear_difference_within_an_unclear_one_is_named(compared: Callable[..., Comparison]) -> None:
    """The first run wins all of tier 1, the other all of tier 2, and both all of tier 3."""
    tasks = [task(f"{tier}-{number}", tier=tier) for tier in (1, 2, 3) for number in range(10)]
    (sentence,) = compared("W" * 10 + "L" * 7 + "W" * 13, "L" * 10 + "W" * 20, tasks).to_dict()["sentences"]
    assert sentence.startswith("No clear difference: B solves 10 percentage points fewer than A")
    assert sentence.endswith("; but clear in tier 1 (100 percentage points fewer in 10 base mazes).")


def test_a_difference_that_is_spread_evenly_has_no_place(compared: Callable[..., Comparison]) -> None:
    tasks = [task(f"{tier}-{number}", tier=tier) for tier in (1, 2) for number in range(8)]
    (sentence,) = compared("W" * 16, "L" * 16, tasks).to_dict()["sentences"]
    assert sentence.startswith("B solves 100 percentage points fewer than A")
    assert "most of it" not in sentence


def test_of_several_runs_each_is_placed_beside_the_first(tmp_path: Path) -> None:
    tasks = [task("1"), task("2", tier=2)]
    runs = [
        read(record_run(tmp_path / name, tasks, letters).path)
        for name, letters in zip("ABC", ("FFFF", "FF", "LLFF"), strict=True)
    ]
    data = compare_runs(runs).to_dict()
    assert [(row["first"], row["second"], row["group"]) for row in data["where"]] == [
        ("A", "B", "2"), ("A", "B", "1"), ("A", "C", "1"), ("A", "C", "2"),
    ]  # fmt: skip
    assert len(data["sentences"]) == 2
    assert [row["solved_by_both"] for row in data["differences"]] == [1, 1, 0]
