"""Options that the commands about experiments share, and how they read an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gridworld.suites import Suite

__all__ = ["Changes", "ExperimentFile", "read_suite"]

ExperimentFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A TOML file with a table \\[base] and tables \\[\\[condition]].")
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="What the base says instead, such as model=optimal or model_arguments.model=NAME. Repeatable.",
    ),
]


def read_suite(name: str) -> Suite:
    """What a suite or folder holds; what is odd about its files is told on standard error.

    Raises:
        UnknownNameError, SuiteError, ArgumentError: as `gridworld.suites.read_suite` does.
    """
    from gridworld import suites
    from multinet_eval.cli.tasks.common import tell_what_is_odd
    from multinet_eval.cli.tasks.making import prepare_suite

    prepare_suite(name)
    suite = suites.read_suite(name)
    tell_what_is_odd(suite)
    return suite
