"""``multinet compare``: paired comparison of recorded runs, with intervals and tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gridworld.errors import ArgumentError
from gridworld.support.wording import counted
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import Styled, echo, echo_json
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import AsJson, ScoreName, VariedBy, Weights, refuse_experiments
from multinet_eval.cli.table import Cell, Column, numeric, print_facts, print_prose, print_table
from multinet_eval.support.output import csv_text

if TYPE_CHECKING:
    from multinet_eval.analysis.export import Row
    from multinet_eval.analysis.run_comparison import Comparison

ALPHA = 0.05
MOST_MISTAKES = 5
"""Maximum number of kinds of mistakes listed."""
COMPARED = (
    numeric("Base mazes", 1),
    numeric("A", 3),
    numeric("B", 4),
    numeric("A - B"),
    numeric("95 % interval"),
    numeric("p (Holm)", 5),
)
"""Columns of a difference between two runs within a group."""
MISSING = "If missing were lost / won"
"""Heading of the bounds of a number."""


@command()
def compare(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN", help="Folders of recorded runs, or of an experiment with several.")
    ],
    by: VariedBy = None,
    score: ScoreName = "success",
    weights: Weights = None,
    seed: int = typer.Option(0, min=0, help="Seed of sampled tests and intervals."),
    as_json: AsJson = False,
    as_csv: bool = typer.Option(False, "--csv", help="Print the differences as CSV."),
) -> None:
    """Compare pairs of runs by base maze, with intervals and tests.

    Two runs are also compared by mechanism, tier and tiling; of several, --json does so for the first with each other.

    With --by variant, variants of matched tasks are compared in the same way, within a run too; with several runs,
    also in which run a variant matters more. Runs must not differ in more than the model and what --by names. Of
    several runs, only pairs that differ in one condition are compared. For an experiment, --by is what its conditions
    vary, and the effect of each is shown with the others held fixed.
    """
    from multinet_eval.analysis.recorded_run import read
    from multinet_eval.analysis.run_comparison import compare_runs
    from multinet_eval.analysis.shared_conditions import undeclared_conditions

    if as_json and as_csv:
        raise ArgumentError("--json and --csv exclude each other")
    folders = _runs_in(runs)
    refuse_experiments(folders, "compare", ())
    recorded = [read(path) for path in folders]
    varied = list(by or ())
    if folders != runs:
        varied += undeclared_conditions([run.manifest for run in recorded], varied)
    found = compare_runs(recorded, varied, score, seed, weights)
    if as_json:
        echo_json(found.to_dict())
    elif as_csv:
        echo(csv_text(_csv_rows(found)).removesuffix("\n"))
    else:
        _print(found)
    _print_unfinished(found)
    if not any(each.clusters for each in found.differences):
        echo("error: no task is scored in two of the runs", err=True)
        raise typer.Exit(FAILED)


def _runs_in(folders: Sequence[Path]) -> list[Path]:
    """Replace the folders of experiments by those of their runs."""
    from multinet_eval.experiments.experiment_folder import recorded_runs
    from multinet_eval.record.record_folders import EXPERIMENT, kind_of

    return [run for each in folders for run in (recorded_runs(each) if kind_of(each) is EXPERIMENT else [each])]


def _csv_rows(found: Comparison) -> list[Row]:
    """Return the rows of differences, of the whole suite and within groups, with the columns of both."""
    rows = [{"by": "all", "group": "all", **row} for row in found.difference_table()]
    rows += [*found.where_table(), *found.mistake_table()]
    columns = dict.fromkeys(name for row in rows for name in row)
    return [{name: row.get(name) for name in columns} for row in rows]


def _print_unfinished(found: Comparison) -> None:
    for row in found.run_table():
        if not row["complete"]:
            text = f"{row['finished']} of {row['episodes']} episodes have ended; it is compared by these"
            echo(f"{row['run']} is unfinished: {text}", err=True)


def _print(found: Comparison) -> None:
    from multinet_eval.record.manifest import suites_told

    given = {} if found.weights is None else {"weights": f"{found.weights.path.name}, SHA-256 {found.weights.sha256}"}
    suites = suites_told(arm.suite for arm in found.arms)
    print_facts({"suite": suites, "score": found.score, **given, "varied": ", ".join(found.varied) or "nothing"})
    echo()
    for sentence in found.sentences():
        print_prose(sentence)
    echo()
    _print_runs(found)
    _print_persons(found)
    _print_effects(found)
    _print_differences(found)
    _print_tests(found)
    _print_untested(found)
    if len(found.arms) == 2:
        _print_where(found)
        _print_mistakes(found)
        _print_solved(found)
    _print_interactions(found)


def _print_runs(found: Comparison) -> None:
    columns = [
        Column("Run"),
        Column("Model", 2),
        numeric("Base mazes", 3),
        numeric("Episodes", 4),
        numeric("Missing", 1),
        numeric("Score"),
        numeric("95 % interval"),
        *_bounds_column(found),
    ]
    print_table(columns, [_run_cells(found, row) for row in found.run_table()], "Runs")


def _bounds_column(found: Comparison) -> list[Column]:
    """Return the column of bounds; none if nothing is missing."""
    return [numeric(MISSING, 5)] if any(each.missing for each in found.estimates) else []


def _bounds_cell(found: Comparison, row: Row, form: str, missing: int) -> list[Cell]:
    """Return the cell of `_bounds_column`, a dash if nothing of the row is missing."""
    return [_range(row, "bounds", form) if missing else "-"] if _bounds_column(found) else []


def _print_persons(found: Comparison) -> None:
    """Print the pooled score of persons, each of whom has a row."""
    pooled = found.persons
    if pooled is not None:
        low, high = pooled.interval
        who = f"{pooled.persons} persons on {pooled.mazes} mazes"
        echo(f"{who}: {pooled.score:z.3f}, 95 % interval, with persons and mazes as samples, {low:z.3f} to {high:z.3f}")
        echo()


def _run_cells(found: Comparison, row: Row) -> list[Cell]:
    return [
        row["run"],
        row["model"],
        str(row["mazes"]),
        str(row["episodes"]),
        str(row["missing"]),
        "-" if row["score"] is None else f"{row['score']:z.3f}",
        _range(row, "interval", ".3f"),
        *_bounds_cell(found, row, ".3f", row["missing"]),
    ]


def _print_differences(found: Comparison) -> None:
    columns = [
        Column("A"),
        Column("B"),
        numeric("Base mazes", 2),
        numeric("Won by A", 3),
        numeric("Won by B", 4),
        numeric("A - B"),
        numeric("95 % interval", 1),
        *_bounds_column(found),
    ]
    counts = [each.missing for each in found.estimates]
    missing = [counts[each.first] + counts[each.second] for each in found.differences]
    rows = zip(found.difference_table(), missing, strict=True)
    print_table(columns, [_difference_cells(found, row, lacking) for row, lacking in rows], "Differences")


def _difference_cells(found: Comparison, row: Row, missing: int) -> list[Cell]:
    return [
        row["first"],
        row["second"],
        str(row["mazes"]),
        str(row["better"]),
        str(row["worse"]),
        "-" if row["difference"] is None else f"{row['difference']:+z.3f}",
        _range(row, "interval", "+z.3f"),
        *_bounds_cell(found, row, "+z.3f", missing),
    ]


def _print_tests(found: Comparison) -> None:
    columns = [
        Column("A"),
        Column("B"),
        Column("Test", 2),
        numeric("p", 1),
        numeric("p (Holm)"),
    ]
    rows = found.difference_table()
    print_table(columns, [_test_cells(row) for row in rows], "Tests")
    for row in rows:
        if row["majority_disagrees"]:
            echo(Styled(majority_note(row), "yellow"))


def majority_note(row: Row) -> str:
    """Return a note on a pair in which most mazes favour the run with the lower mean."""
    higher, lower = ("first", "second") if row["difference"] > 0 else ("second", "first")
    return majority_text(row[higher], row[lower], max(row["better"], row["worse"]), row["mazes"])


def majority_text(higher: str, lower: str, more: int, mazes: int) -> str:
    """Explain that the run with the lower mean is better in more mazes."""
    return (
        f"the mean favours {higher}, but {lower} is better in {more} of {mazes} mazes: that they are not "
        "interchangeable does not say which of them is better"
    )


def _test_cells(row: Row) -> list[Cell]:
    return [
        row["first"],
        row["second"],
        row["test"] or "-",
        _probability(row["p_value"]),
        _probability(row["adjusted_p_value"]),
    ]


def _print_effects(found: Comparison) -> None:
    """Print the effect of each condition with the others held fixed."""
    columns = [
        Column("Condition"),
        Column("A", prose=True),
        Column("B", prose=True),
        numeric("Pairs of runs", 3),
        numeric("Base mazes", 2),
        numeric("A - B"),
        numeric("95 % interval"),
        numeric("p", 4),
        numeric("p (Holm)", 1),
    ]
    if found.effects:
        cells = [_effect_cells(row) for row in found.effect_table()]
        print_table(columns, cells, "Effect of each condition, with the others held fixed")


def _effect_cells(row: Row) -> list[Cell]:
    return [
        row["condition"],
        row["first"],
        row["second"],
        str(row["pairs"]),
        str(row["mazes"]),
        f"{row['difference']:+z.3f}",
        _range(row, "interval", "+z.3f"),
        _probability(row["p_value"]),
        _probability(row["adjusted_p_value"]),
    ]


def _print_untested(found: Comparison) -> None:
    if found.untested:
        print_prose(
            f"{counted(len(found.untested), 'pair')} of runs not compared, since they differ in several conditions."
        )


def _print_where(found: Comparison) -> None:
    """Print the differences of two runs by mechanism, tier and tiling, with those that are clear in bold."""
    columns = [Column("By", 2), Column("Where", prose=True), *COMPARED]
    rows = found.where_table()
    if rows:
        first, second = (arm.name for arm in found.arms)
        print_table(columns, list(map(_where_cells, rows)), f"Where {first} (A) and {second} (B) differ")


def _where_cells(row: Row) -> list[Cell]:
    return [row["by"], row["group"], *_compared_cells(row)]


def _compared_cells(row: Row) -> list[Cell]:
    difference = f"{row['difference']:+z.3f}"
    clear = not row["interval_low"] <= 0 <= row["interval_high"]
    return [
        str(row["mazes"]),
        f"{row['first_score']:z.3f}",
        f"{row['second_score']:z.3f}",
        Styled(difference, bold=True) if clear else difference,
        _range(row, "interval", "+z.3f"),
        _probability(row["adjusted_p_value"]),
    ]


def _print_mistakes(found: Comparison) -> None:
    """Print the kinds of mistakes in which two runs differ most, by the share of steps that they waste."""
    rows = found.mistake_table()[:MOST_MISTAKES]
    if rows:
        columns = [Column("Needed to", prose=True), Column("Did", prose=True), *COMPARED]
        cells = [[row["needed"] or "-", row["did"], *_compared_cells(row)] for row in rows]
        first, second = (arm.name for arm in found.arms)
        print_table(columns, cells, f"Share of steps wasted by {first} (A) and {second} (B)")


def _print_solved(found: Comparison) -> None:
    """Print how many base mazes both, one or neither of two runs solve."""
    (row,), (first, second) = found.difference_table(), (arm.name for arm in found.arms)
    counts = {
        "by both": row["solved_by_both"],
        f"only by {first}": row["solved_by_first_only"],
        f"only by {second}": row["solved_by_second_only"],
        "by neither": row["solved_by_neither"],
    }
    told = ", ".join(f"{who} {number}" for who, number in counts.items())
    print_prose(f"Base mazes solved in at least half of their plays: {told}.")


def _print_interactions(found: Comparison) -> None:
    columns = [
        Column("Variants"),
        Column("First"),
        Column("Second"),
        numeric("Base mazes", 1),
        numeric("In first", 3),
        numeric("In second", 4),
        numeric("Difference"),
        numeric("95 % interval"),
        numeric("p", 3),
        numeric("p (Holm)", 2),
    ]
    if found.interactions:
        cells = [_interaction_cells(row) for row in found.interaction_table()]
        print_table(columns, cells, "Differences of effects")


def _interaction_cells(row: Row) -> list[Cell]:
    effects = [f"{row[name]:+z.3f}" for name in ("first_effect", "second_effect", "difference")]
    places = [row["variants"], row["first"], row["second"], str(row["mazes"])]
    tested = [_probability(row[name]) for name in ("p_value", "adjusted_p_value")]
    return [*places, *effects, _range(row, "interval", "+z.3f"), *tested]


def _probability(value: float | None) -> Cell:
    if value is None:
        return "-"
    text = f"{value:z.3f}" if value >= 0.001 else f"{value:.1e}"
    return Styled(text, bold=True) if value <= ALPHA else text


def _range(row: Row, name: str, form: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return "-" if low is None else f"{low:{form}} to {high:{form}}"
