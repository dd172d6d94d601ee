"""The composite score and action efficiency, on episodes that are worked out by hand."""

from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.errors import ArgumentError
from gridworld.model_interface import ModelOutput, Usage
from gridworld.solver import measure_difficulty
from gridworld.support.import_strings import load_object
from gridworld.task_spec import TaskSpecification
from multinet_eval import read
from multinet_eval.analysis.metrics.aggregation import Mean
from multinet_eval.analysis.metrics.builtin.composite import DifficultyWeights, relative_difficulty
from multinet_eval.analysis.metrics.measuring import load_metrics
from multinet_eval.record.run_directory import RunDirectory
from support.runs import AnsweringModel, record_run
from support.worlds import LETTERS, compiled, corridor, door, key

SHIPPED = Path(load_object("multinet_eval.analysis.metrics.builtin.composite:SHIPPED"))


def task(task_id: str, row: str, **options: Any) -> TaskSpecification:
    return attrs.evolve(corridor(row, **options), task_id=task_id)


LIGHT, HEAVY = task("light", "@G"), task("heavy", "@.........G")
"""Of 1 and of 10 actions, both of which greedy solves."""
LOCKED = task("locked", "@kD..G", k=key(), D=door("red"), max_steps=20)
PLAN = "PFTFFFF"
"""The shortest plan of it; greedy bumps into the door."""


def played(path: Path, tasks: list[TaskSpecification], letters: str, tokens: int | None = 100) -> RunDirectory:
    """A run in which each action takes so many tokens."""
    usage = Usage() if tokens is None else Usage(tokens // 2, tokens - tokens // 2)
    answers = [ModelOutput(LETTERS[letter], usage=usage) for letter in letters.replace(" ", "")]
    return record_run(path, tasks, AnsweringModel(*answers))


def weights(path: Path, text: str = "", efficiency: str = "steps = 1", difficulty: str = "") -> Path:
    file = path / "weights.toml"
    tables = ("[composite]", text, "[composite.efficiency]", efficiency, "[composite.difficulty]", difficulty)
    file.write_text("\n".join(tables) + "\n", encoding="utf-8")
    return file


def scores(directory: RunDirectory, file: Path | None = None) -> list[float | None]:
    return [row["composite"] for row in read(directory.path).metrics(["composite"], "episode", file)]


# --- the formula -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("clipped", "score"), [("true", 0.0), ("false", -0.4)])
def test_a_perfect_win_of_a_light_task_that_greedy_solves_is_worth_less_than_nothing(
    clipped: str, score: float, tmp_path: Path
) -> None:
    """A tenth of the hardest task's difficulty, less the penalty: 1 x 0.1 - 0.5."""
    file = weights(tmp_path, f"greedy_penalty = 0.5\nclipped = {clipped}", difficulty="optimal_length = 1")
    found = scores(played(tmp_path / "run", [LIGHT, HEAVY], "F" * 11), file)
    assert found == [pytest.approx(score), pytest.approx(1 - 0.5)]


def test_efficiency_is_the_weighted_mean_of_steps_overlap_and_tokens(tmp_path: Path) -> None:
    """Two turns more than the 7 actions of a shortest plan, all on its cells; 900 tokens where 7 x 50 would do."""
    shares = "steps = 2\noverlap = 1\ntokens = 1"
    file = weights(tmp_path, "baseline_tokens = 50", efficiency=shares, difficulty="size = 1")
    found = scores(played(tmp_path / "run", [LOCKED], f"LR{PLAN}"), file)
    assert found == [pytest.approx((2 * 7 / 9 + 1 + 350 / 900) / 4)]


def test_what_is_shipped_has_the_shape_of_multinet_v2(tmp_path: Path) -> None:
    """Thirds of each part; 0.5 for greedy; 12 dimensions alike; clipped at 0."""
    directory = played(tmp_path / "run", [LOCKED, HEAVY], PLAN + "F" * 10, tokens=2000)
    dimensions = [measure_difficulty(compiled(each)).dimensions() for each in (LOCKED, HEAVY)]
    greatest = {name: max(each[name] or 0 for each in dimensions) for name in dimensions[0]}
    sums = [sum((each[name] or 0) / greatest[name] for name in greatest if greatest[name]) for each in dimensions]
    efficiency = (1 + 1 + 1000 / 2000) / 3
    assert scores(directory) == [
        pytest.approx(efficiency * sums[0] / max(sums)),
        pytest.approx(max(0, efficiency * sums[1] / max(sums) - 0.5)),
    ]


def test_a_score_that_may_be_below_0_is_a_mean_no_less_than_the_penalty(tmp_path: Path) -> None:
    directory = played(tmp_path / "run", [LIGHT, HEAVY], "F" * 11)
    (row,) = read(directory.path).metrics(["composite"], weights=weights(tmp_path, "clipped = false"))
    assert (row["value"], row["interval_high"], row["bounds_low"]) == (1, 1, None)
    made = load_metrics(["composite"], weights=weights(tmp_path, "clipped = false\ngreedy_penalty = 0.5"))["composite"]
    assert made.aggregation == Mean(low=-0.5, high=1.0)


# --- what is not known -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("letters", ["F", "W" * 100], ids=["success", "failure"])
def test_it_is_not_defined_where_no_server_says_what_tokens_it_took(letters: str, tmp_path: Path) -> None:
    directory = played(tmp_path / "run", [LIGHT], letters, tokens=None)
    assert scores(directory) == [None]
    assert scores(directory, weights(tmp_path)) == [float(letters == "F")]


def test_it_is_not_defined_for_survival_whose_paths_are_not_known(tmp_path: Path) -> None:
    survival = task("survival", "@.G", goal={"type": "survive_steps"}, max_steps=5)
    directory = played(tmp_path / "run", [survival, HEAVY], "W" * 5 + "F" * 10)
    assert scores(directory) == [None, pytest.approx(0.5)]


# --- difficulty ------------------------------------------------------------------------------------------------

NAMES = ["optimal_length", "size"]
DIMENSIONS = st.fixed_dictionaries({name: st.floats(0, 100) for name in NAMES})


@given(
    st.lists(DIMENSIONS, min_size=1, max_size=6), st.sampled_from([{"size": 1.0}, {"size": 1.0, "optimal_length": 3.0}])
)
def test_the_most_difficult_task_counts_whole_and_no_other_more(
    suite: list[dict[str, float | None]], shares: dict[str, float]
) -> None:
    found = [relative_difficulty(shares, each, suite) for each in suite]
    assert all(each is not None and 0 <= each <= 1 for each in found)
    assert max(each or 0 for each in found) == 1


def test_a_task_of_which_a_dimension_is_not_known_has_no_difficulty_and_is_not_held_against_others() -> None:
    suite = [{"size": 4.0, "optimal_length": None}, {"size": 2.0, "optimal_length": 5.0}]
    shares = {"size": 1.0, "optimal_length": 1.0}
    assert [relative_difficulty(shares, each, suite) for each in suite] == [None, 1]
    assert relative_difficulty(shares, None, suite) is None


def test_every_static_dimension_can_be_weighed() -> None:
    assert set(attrs.fields_dict(DifficultyWeights)) == set(measure_difficulty(compiled(LIGHT)).dimensions())


# --- weights ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "there are no weights, expected a table for each metric"),
        ("[composite", "it is not TOML"),
        ("[composit]", r"composit: no computed metric with this name has weights .*\(did you mean 'composite'\?\)"),
        ("[spl]", "spl: no computed metric with this name has weights"),
        ("[composite]", "composite: efficiency is missing"),
        ("[composite]\nefficiency = 1", "composite.efficiency: expected a table, got 1"),
        (
            "[composite.efficiency]\nstep = 1",
            r"composite.efficiency: unknown key 'step' \(did you mean 'steps'\?\)",
        ),
        ("[composite.efficiency]\nsteps = 'all'", "composite.efficiency.steps: expected a number, got 'all'"),
        ("[composite.efficiency]\nsteps = -1", "composite.efficiency: 'steps' must be a number of 0 or more: -1"),
        ("[composite.efficiency]\nsteps = nan", "composite.efficiency: 'steps' must be a number of 0 or more: nan"),
        ("[composite.efficiency]\nsteps = 0", "one of steps, overlap, tokens must be more than 0"),
        (
            "[composite.efficiency]\nsteps = 1\n[composite.difficulty]\nlength = 1",
            r"composite.difficulty: unknown key 'length'",
        ),
    ],
)
def test_what_is_wrong_with_weights_is_told_with_its_place(text: str, complaint: str, tmp_path: Path) -> None:
    run = read(played(tmp_path / "run", [LIGHT], "F").path)
    file = tmp_path / "wrong.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ArgumentError, match=f"^{file}: .*{complaint}"):
        run.metrics(["composite", "spl"], weights=file)


# --- action efficiency -----------------------------------------------------------------------------------------


def test_action_efficiency_is_the_square_of_the_share_of_actions_that_were_needed(tmp_path: Path) -> None:
    directory = played(tmp_path / "run", [HEAVY, LIGHT], "LLLL" + "F" * 10 + "W" * 100)
    rows = read(directory.path).metrics(["action_efficiency"], "episode")
    assert [row["action_efficiency"] for row in rows] == [pytest.approx((10 / 14) ** 2), 0]
