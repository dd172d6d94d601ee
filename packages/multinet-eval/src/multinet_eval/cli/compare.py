"""``multinet compare``: paired comparison of recorded runs, with intervals and tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from gridworld.errors import ArgumentError
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import Styled, echo, echo_json
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import AsJson, RunFolders, ScoreName, VariedBy, Weights, refuse_experiments
from multinet_eval.cli.table import Cell, Column, numeric, print_facts, print_table
from multinet_eval.support.output import csv_text

if TYPE_CHECKING:
    from multinet_eval.analysis.export import Row
    from multinet_eval.analysis.run_comparison import Comparison

ALPHA = 0.05


@command()
def compare(
    runs: RunFolders,
    by: VariedBy = None,
    score: ScoreName = "success",
    weights: Weights = None,
    seed: int = typer.Option(0, min=0, help="Seed of sampled tests and intervals."),
    as_json: AsJson = False,
    as_csv: bool = typer.Option(False, "--csv", help="Print the differences as CSV."),
) -> None:
    """Compare pairs of runs by base maze, with intervals and tests.

    With --by variant, variants of matched tasks are compared in the same way, within a run too; with several runs,
    also in which run a variant matters more. Runs must not differ in more than the model and what --by names.
    """
    from multinet_eval.analysis.recorded_run import read
    from multinet_eval.analysis.run_comparison import compare_runs

    if as_json and as_csv:
        raise ArgumentError("--json and --csv exclude each other")
    refuse_experiments(runs, "compare", ())
    found = compare_runs([read(path) for path in runs], by or (), score, seed, weights)
    if as_json:
        echo_json(found.to_dict())
    elif as_csv:
        echo(csv_text(found.difference_table()).removesuffix("\n"))
    else:
        _print(found)
    _print_unfinished(found)
    if not any(each.clusters for each in found.differences):
        echo("error: no task is scored in two of the runs", err=True)
        raise typer.Exit(FAILED)


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
    _print_runs(found)
    _print_persons(found)
    _print_differences(found)
    _print_tests(found)
    _print_interactions(found)


def _print_runs(found: Comparison) -> None:
    from multinet_eval.cli.result_tables import short_interval_note

    columns = [
        Column("Run"),
        Column("Model", 2),
        numeric("Mazes", 3),
        numeric("Episodes", 4),
        numeric("Missing", 1),
        numeric("Score"),
        numeric("95 % interval"),
        numeric("Bounds", 5),
    ]
    print_table(columns, [_run_cells(row) for row in found.run_table()], "Runs")
    for arm, estimate in zip(found.arms, found.estimates, strict=True):
        short = short_interval_note(estimate)
        if short is not None:
            echo(Styled(f"{arm.name}: {short}", "yellow"))


def _print_persons(found: Comparison) -> None:
    """Print the pooled score of persons, each of whom has a row."""
    pooled = found.persons
    if pooled is not None:
        low, high = pooled.interval
        who = f"{pooled.persons} persons on {pooled.mazes} mazes"
        echo(f"{who}: {pooled.score:.3f}, for others on other mazes {low:.3f} to {high:.3f} (95 %)")
        echo()


def _run_cells(row: Row) -> list[Cell]:
    return [
        row["run"],
        row["model"],
        str(row["clusters"]),
        str(row["episodes"]),
        str(row["missing"]),
        "-" if row["score"] is None else f"{row['score']:.3f}",
        _range(row, "interval", ".3f"),
        _range(row, "bounds", ".3f") if row["missing"] else "-",
    ]


def _print_differences(found: Comparison) -> None:
    columns = [
        Column("First"),
        Column("Second"),
        numeric("Mazes", 2),
        numeric("Better", 3),
        numeric("Worse", 4),
        numeric("Difference"),
        numeric("95 % interval", 1),
        numeric("Bounds", 5),
    ]
    counts = [each.missing for each in found.estimates]
    missing = [counts[each.first] + counts[each.second] for each in found.differences]
    rows = zip(found.difference_table(), missing, strict=True)
    print_table(columns, [_difference_cells(row, lacking) for row, lacking in rows], "Differences")


def _difference_cells(row: Row, missing: int) -> list[Cell]:
    return [
        row["first"],
        row["second"],
        str(row["clusters"]),
        str(row["better"]),
        str(row["worse"]),
        "-" if row["difference"] is None else f"{row['difference']:+.3f}",
        _range(row, "interval", "+.3f"),
        _range(row, "bounds", "+.3f") if missing else "-",
    ]


def _print_tests(found: Comparison) -> None:
    columns = [
        Column("First"),
        Column("Second"),
        Column("Test", 2),
        numeric("p", 1),
        numeric("p (Holm)"),
        numeric("Could show", 3),
        numeric("Mazes to show 0.05", 4),
    ]
    rows = found.difference_table()
    print_table(columns, [_test_cells(row) for row in rows], "Tests")
    for row in rows:
        if row["majority_disagrees"]:
            echo(Styled(majority_note(row), "yellow"))


def majority_note(row: Row) -> str:
    """Return a note on a pair in which most mazes favour the run with the lower mean."""
    higher, lower = ("first", "second") if row["difference"] > 0 else ("second", "first")
    return majority_text(row[higher], row[lower], max(row["better"], row["worse"]), row["clusters"])


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
        "-" if row["could_show"] is None else f"{row['could_show']:.3f}",
        "-" if row["needed"] is None else f"{row['needed']:,}",
    ]


def _print_interactions(found: Comparison) -> None:
    columns = [
        Column("Variants"),
        Column("First"),
        Column("Second"),
        numeric("Mazes", 1),
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
    effects = [f"{row[name]:+.3f}" for name in ("first_effect", "second_effect", "difference")]
    places = [row["variants"], row["first"], row["second"], str(row["clusters"])]
    tested = [_probability(row[name]) for name in ("p_value", "adjusted_p_value")]
    return [*places, *effects, _range(row, "interval", "+.3f"), *tested]


def _probability(value: float | None) -> Cell:
    if value is None:
        return "-"
    text = f"{value:.3f}" if value >= 0.001 else f"{value:.1e}"
    return Styled(text, bold=True) if value <= ALPHA else text


def _range(row: Row, name: str, form: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return "-" if low is None else f"{low:{form}} to {high:{form}}"
