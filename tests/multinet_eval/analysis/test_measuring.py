"""The metrics of whole runs, as plain tables."""

import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

from gridworld.errors import AmbiguousNameError, ArgumentError, GridworldError, PluginFault, UnknownNameError
from gridworld.hookspecs import MetricInfo
from gridworld.model_interface import AnswerOutcome
from gridworld.plugins import Provided, get_registry, using_registry
from gridworld.task_spec import TaskSpecification
from multinet_eval import read
from multinet_eval.analysis.metrics.aggregation import (
    AMOUNT,
    MEAN,
    PER_SUCCESS,
    RATE,
    SHARES,
    STEPS,
    Mean,
    Measurement,
)
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.measured_run import MeasuredRun
from multinet_eval.analysis.metrics.measuring import load_metrics, measure_run
from multinet_eval.analysis.metrics.metric_type import Metric, metric, weighted_metric
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.asking import AnswerPolicies
from multinet_eval.statistics.clusters import Observation
from multinet_eval.statistics.intervals import bounded_mean_interval
from multinet_eval.statistics.paired_differences import estimate_score
from support.plugins import with_item
from support.runs import AnsweringModel, record_run
from support.worlds import corridor

Row = dict[str, Any]
SHIPPED = Path(__file__).with_name("weighty.toml")


def task(task_id: str, row: str, max_steps: int = 6, **metadata: str) -> TaskSpecification:
    return attrs.evolve(corridor(row, max_steps=max_steps), task_id=task_id, metadata=metadata)


TASKS = [task("near", "@.G"), task("far", "@......G")]
MATCHED = [task("a-near", "@.G", base_id="a"), task("a-far", "@......G", base_id="a"), task("b", "@..G")]
BROKEN = AnswerPolicies("skip", "skip", "skip", "fail")


def named(rows: list[Row], metric: str, **place: Any) -> list[Row]:
    return [row for row in rows if row["metric"] == metric and place.items() <= row.items()]


def only(rows: list[Row], metric: str, category: str | None = None, **place: Any) -> Row:
    (row,) = named(rows, metric, category=category, **place)
    return row


# --- tables ----------------------------------------------------------------------------------------------------


def test_a_run_has_a_row_for_each_metric_and_for_each_word_of_those_in_words(tmp_path: Path) -> None:
    rows = read(record_run(tmp_path / "run", TASKS, "F" * 20).path).metrics()
    assert {row["metric"] for row in rows} == set(get_registry().metrics.names())
    assert [(row["category"], row["value"]) for row in named(rows, "ended")] == [("out of steps", 0.5), ("solved", 0.5)]
    success = only(rows, "success")
    assert (success["run"], success["model"], success["value"], success["mazes"]) == ("run", "scripted", 0.5, 2)
    assert (success["episodes"], success["undefined"], success["missing"]) == (2, 0, 0)
    ratio = only(rows, "optimality_ratio")
    assert (ratio["value"], ratio["episodes"], ratio["undefined"]) == (1, 1, 1)


def test_a_rate_has_the_interval_that_comparisons_give_it(tmp_path: Path) -> None:
    run = read(record_run(tmp_path / "run", MATCHED, "F" * 30).path)
    row = only(run.metrics(["success"]), "success")
    expected = estimate_score([Observation("a", 1, 1.0), Observation("a", 2, 0.0), Observation("b", 3, 1.0)])
    assert (row["value"], row["interval_low"], row["interval_high"]) == (expected.score, *expected.interval)
    assert row["value"] == 0.75  # the maze 'a' counts once
    assert row["mazes"] == 2


def test_a_task_has_its_own_rows_on_each_tiling_over_its_epochs(tmp_path: Path) -> None:
    settings = {"tilings": ("hex", "square"), "compares_tilings": True, "backend_arguments": (), "epochs": 2}
    run = read(record_run(tmp_path / "run", TASKS, "F" * 60, **settings).path)
    rows = run.metrics(["success"], by="task")
    assert [(row["task_id"], row["tiling"]) for row in named(rows, "success")] == [
        (task_id, tiling) for tiling in ("hex", "square") for task_id in ("near", "far")
    ]
    assert {row["episodes"] for row in named(rows, "success")} == {2}


def test_an_episode_has_a_row_in_the_order_of_the_plan_with_a_column_for_each_metric(tmp_path: Path) -> None:
    run = read(record_run(tmp_path / "run", TASKS, "F" * 30, epochs=2).path)
    rows = run.metrics(["progress_best", "ended"], by="episode")
    assert [(row["episode"], row["task_id"], row["epoch"], row["ended"]) for row in rows] == [
        (0, "near", 0, "solved"),
        (1, "far", 0, "out of steps"),
        (2, "near", 1, "solved"),
        (3, "far", 1, "out of steps"),
    ]
    assert [row["progress_best"] for row in rows] == [1, pytest.approx(6 / 7)] * 2


def test_what_a_success_took_has_no_value_for_a_failure_and_counts_it_in_all(tmp_path: Path) -> None:
    run = read(record_run(tmp_path / "run", TASKS, "F" * 30).path)
    rows = run.metrics([steps_per_success], by="episode")
    assert [row["steps_per_success"] for row in rows] == [2, None]
    assert [row["value"] for row in run.metrics([steps_per_success], by="task")] == [2, None]
    assert [row["value"] for row in run.metrics([steps_per_success])] == [2 + 6]


@pytest.mark.parametrize(("arguments", "hint"), [((["succes"],), "success"), (((), "episodes"), "episode")])
def test_an_unknown_metric_or_table_is_refused_with_the_nearest(
    arguments: tuple[Any, ...], hint: str, tmp_path: Path
) -> None:
    run = read(record_run(tmp_path / "run", TASKS, "F").path)
    with pytest.raises(UnknownNameError, match=f"did you mean '{hint}'"):
        run.metrics(*arguments)


# --- what is missing, and what is not defined ------------------------------------------------------------------


def test_episodes_that_ended_by_infrastructure_are_missing_but_for_how_they_ended(tmp_path: Path) -> None:
    model = AnsweringModel("F", AnswerOutcome.INFRASTRUCTURE, *"FFFFFF")
    run = read(record_run(tmp_path / "run", TASKS, model, policies=BROKEN).path)
    rows = run.metrics()
    success, spl = only(rows, "success"), only(rows, "spl")
    assert (success["value"], success["episodes"], success["missing"]) == (0, 1, 1)
    assert (success["bounds_low"], success["bounds_high"]) == (0, 0.5)
    assert (spl["undefined"], spl["missing"]) == (0, 1)
    assert {row["category"]: row["value"] for row in named(rows, "ended")} == {"stopped": 0.5, "out of steps": 0.5}
    assert run.metrics(["success", "steps"], by="episode")[0]["success"] is None


def test_a_run_of_nothing_but_faults_has_no_value_and_says_why(tmp_path: Path) -> None:
    model = AnsweringModel(*[AnswerOutcome.INFRASTRUCTURE] * 9)
    rows = read(record_run(tmp_path / "run", TASKS, model, policies=BROKEN).path).metrics()
    told = [row for row in rows if row["metric"] != "ended"]
    assert {(row["value"], row["interval_low"], row["episodes"], row["missing"]) for row in told} == {
        (None, None, 0, 2)
    }
    assert [(row["category"], row["value"]) for row in named(rows, "ended")] == [("stopped", 1)]


def test_what_rests_on_distances_is_not_defined_for_tasks_of_more_states_than_are_tabulated(tmp_path: Path) -> None:
    directory = record_run(tmp_path / "run", TASKS, "F" * 30)
    rows = measure_run(directory, ["regret_total", "success", "revisits"], max_table_states=10).table("run")
    assert (only(rows, "regret_total")["episodes"], only(rows, "regret_total")["undefined"]) == (1, 1)
    assert only(rows, "success")["episodes"] == only(rows, "revisits")["episodes"] == 2


# --- analyses --------------------------------------------------------------------------------------------------


def test_an_episode_that_did_something_else_than_its_actions_do_is_refused(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS, "F" * 30).path
    file = path / "episodes" / "1.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace('"action":2', '"action":0', 2), encoding="utf-8")
    run = read(path)
    with pytest.raises(GridworldError, match="'far', played again, is another episode than was recorded from step 1"):
        run.metrics(["regret_total"])
    assert run.metrics(["success"])


# --- metrics of others -----------------------------------------------------------------------------------------


@metric(MEAN)
def turns(episode: EpisodeAnalysis) -> float | None:
    """The number of turns; 0 or more."""
    return float(sum(step.action in (0, 1) for step in episode.steps))


@metric(PER_SUCCESS)
def steps_per_success(episode: EpisodeAnalysis) -> float | None:
    """The steps of all episodes by success; 0 or more."""
    return float(len(episode.steps))


@metric(SHARES)
def first_action(episode: EpisodeAnalysis) -> str | None:
    """The first action."""
    return None if not episode.steps else str(episode.steps[0].action)


@metric(RATE)
def failing(episode: EpisodeAnalysis) -> float | None:
    """Fails."""
    raise ZeroDivisionError("by the way")


@metric(MEAN)
def endless(episode: EpisodeAnalysis) -> float | None:
    """Is endless."""
    return float("inf")


@metric(RATE)
def undecided(episode: EpisodeAnalysis) -> float | None:
    """Is neither 0 nor 1."""
    return 0.5


@metric(RATE)
def wordy(episode: EpisodeAnalysis) -> float | str | None:
    """Says a word."""
    return "word"


@metric(MEAN)
def partly_failing(episode: EpisodeAnalysis) -> float | None:
    """Fails for the first task."""
    return turns(episode) / (episode.task.task_id != "near")


@attrs.frozen
class Factor:
    """The weights of `weighty`."""

    factor: float


@weighted_metric(Factor, SHIPPED)
def weighty(weights: Factor) -> Metric[float | None]:
    """The plans of all tasks, times a factor; 0 or more."""

    @metric(MEAN)
    def product(episode: EpisodeAnalysis) -> float | None:
        tasks = () if episode.suite is None else episode.suite.dimensions
        return weights.factor * sum(each["optimal_length"] or 0 for each in tasks)

    return product


def not_a_metric(episode: EpisodeAnalysis) -> float:
    """Is a plain function."""
    return 1.0


@pytest.fixture
def computed(tmp_path: Path) -> Callable[[str], MeasuredRun]:
    """Computes a metric of this module, registered by a plugin, of a run that was recorded before."""
    directory = record_run(tmp_path / "run", TASKS, "LRFF" * 9)

    def compute(name: str) -> MeasuredRun:
        info = MetricInfo(name, "One of somebody else.", f"{__name__}:{name}")
        with using_registry(with_item(get_registry(), "metric", info)):
            return measure_run(RunDirectory(directory.path), [name])

    return compute


def test_a_metric_of_somebody_else_is_computed_for_runs_that_were_recorded_before(
    computed: Callable[[str], MeasuredRun],
) -> None:
    assert only(computed("turns").table("run"), "turns")["value"] == 3
    assert [row["category"] for row in computed("first_action").table("run")] == ["0"]


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        (
            "not_a_metric",
            "metric 'not_a_metric' \\(.*\\) failed in target: .*expected the result of",
        ),
        ("not_there", "metric 'not_there' .*cannot load"),
    ],
)
def test_what_is_no_metric_is_named(name: str, complaint: str, computed: Callable[[str], MeasuredRun]) -> None:
    with pytest.raises(PluginFault, match=complaint):
        computed(name)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("failing", "metric 'failing' .*by the way"),
        ("endless", "failed in endless for an episode of 'near': returned inf, expected a finite number, or None"),
        ("wordy", "failed in wordy for an episode of 'near': returned 'word', expected 0 or 1, or None"),
        ("undecided", "failed in undecided for an episode of 'near': returned 0.5, expected 0 or 1, or None"),
    ],
)
def test_where_a_metric_fails_it_has_no_value_and_is_named(
    name: str, complaint: str, computed: Callable[[str], MeasuredRun]
) -> None:
    found = computed(name)
    row = only(found.table("run"), name)
    assert (row["value"], row["episodes"], row["undefined"], row["missing"], row["failed"]) == (None, 0, 0, 0, 2)
    assert [row[name] for row in found.table("episode")] == [None, None]
    ((fault, times),) = found.faults().values()
    assert re.search(complaint, fault)
    assert times == 2


def measurements(values: Sequence[float], budget: int = 10) -> list[Measurement]:
    """One for each of as many mazes."""
    return [Measurement(f"maze {number}", number, value, budget=budget) for number, value in enumerate(values)]


def test_an_amount_has_an_interval_of_its_median_from_six_mazes_on() -> None:
    mean, middle = AMOUNT.summarize(measurements([1, 2, 3, 4, 5, 45]))
    assert (mean.value, mean.interval) == (10, None)
    assert (middle.value, middle.category, middle.interval) == (3.5, "median", (1, 45))
    assert [each.interval for each in AMOUNT.summarize(measurements([1, 2, 3, 4, 5]))] == [None, None]


def test_steps_have_an_interval_of_their_share_of_the_budget() -> None:
    values = [2, 4, 4, 10, 25]
    mean, share = STEPS.summarize(measurements(values))
    low, high = bounded_mean_interval([0.2, 0.4, 0.4, 1.0, 1.0], 0, 1)
    assert (mean.value, mean.interval) == (9, None)
    assert (share.value, share.category) == (pytest.approx(0.6), "share of budget")
    assert share.interval == pytest.approx((float(low), float(high)))


@pytest.mark.parametrize(
    ("names", "aggregation"),
    [(("answered", "tokens"), AMOUNT), (("steps", "revisits", "loops", "regret_total"), STEPS)],
)
def test_counts_are_amounts_and_what_is_counted_in_steps_is_divided_by_the_budget(
    names: tuple[str, ...], aggregation: object
) -> None:
    assert all(load_metrics([name])[name].aggregation == aggregation for name in names)


def test_a_mean_within_a_range_says_what_it_expects() -> None:
    assert MEAN.expected == "a finite number"
    assert Mean(low=-0.5, high=1).expected == "a finite number of at least -0.5 and of at most 1"
    assert [Mean(low=-0.5, high=1).accepts(value) for value in (-0.6, -0.5, 1, 1.1)] == [False, True, True, False]


def test_a_metric_that_fails_for_one_episode_keeps_its_values_of_others(
    computed: Callable[[str], MeasuredRun],
) -> None:
    found = computed("partly_failing")
    row = only(found.table("run"), "partly_failing")
    assert (row["value"], row["episodes"], row["failed"]) == (4, 1, 1)
    assert (row["interval_low"], row["bounds_low"]) == (None, None)
    assert [each["partly_failing"] for each in found.table("episode")] == [None, 4]
    assert list(found.faults()) == ["partly_failing"]


@pytest.mark.parametrize(("weights", "value"), [(None, 2 * 9), ("[weighty]\nfactor = 3", 3 * 9)])
def test_a_metric_of_somebody_else_can_have_weights_and_know_all_tasks_of_the_run(
    weights: str | None, value: float, tmp_path: Path
) -> None:
    directory = record_run(tmp_path / "run", TASKS, "F" * 20)
    file = None
    if weights is not None:
        file = tmp_path / "own.toml"
        file.write_text(weights, encoding="utf-8")
    info = MetricInfo("weighty", "One with weights.", f"{__name__}:weighty")
    with using_registry(with_item(get_registry(), "metric", info)):
        row = only(measure_run(directory, ["weighty"], weights=file).table("run"), "weighty")
    assert (row["value"], row["weights_sha256"]) == (value, hashlib.sha256((file or SHIPPED).read_bytes()).hexdigest())


def test_metrics_of_one_name_are_each_computed_by_the_names_that_tell_them_apart(tmp_path: Path) -> None:
    directory = record_run(tmp_path / "run", TASKS, "LRFF" * 9)
    infos = [MetricInfo("turns", "One of two.", f"{__name__}:{name}") for name in ("turns", "first_action")]
    others = [
        Provided(info, distribution, "metrics") for info, distribution in zip(infos, ("here", "there"), strict=True)
    ]
    registry = get_registry().with_provided("metric", [*get_registry().metrics, *others])
    with using_registry(registry):
        found = measure_run(directory)
        assert {"here/turns", "there/turns", "success"} <= set(found.metrics)
        assert only(measure_run(directory, ["here/turns"]).table("run"), "here/turns")["value"] == 3
        with pytest.raises(AmbiguousNameError, match=r"here/turns.*there/turns"):
            measure_run(directory, ["turns"])


def test_a_metric_that_is_installed_nowhere_is_computed_beside_those_that_are(tmp_path: Path) -> None:
    run = read(record_run(tmp_path / "run", TASKS, "LRFF" * 9).path)
    rows = run.metrics([turns, weighty, "success"])
    assert {row["metric"]: row["value"] for row in rows} == {"turns": 3, "weighty": 18, "success": 0.5}
    weights = tmp_path / "own.toml"
    weights.write_text("[weighty]\nfactor = 3", encoding="utf-8")
    assert only(run.metrics([weighty], weights=weights), "weighty")["value"] == 27
    assert [row["metric"] for row in run.metrics([turns, turns])] == ["turns"]


@pytest.mark.parametrize(
    ("chosen", "complaint"),
    [
        ("spl", "metrics: got 'spl' alone, expected a list of metrics and their names, such as ['spl']"),
        (turns, "metrics: got the metric 'turns' alone, expected a list"),
        ([not_a_metric], "expected the name of a metric, or the result of the decorator 'metric'"),
        ([turns, metric(MEAN)(turns.__wrapped__)], "metrics: two are called 'turns'"),
    ],
)
def test_what_is_no_list_of_metrics_is_refused_in_words(chosen: Any, complaint: str, tmp_path: Path) -> None:
    run = read(record_run(tmp_path / "run", TASKS[:1], "FF").path)
    with pytest.raises(ArgumentError, match=re.escape(complaint)):
        run.metrics(chosen)
