"""The reference of the programs, made from their Typer applications."""

from collections.abc import Iterable, Iterator

import typer
from typer.core import TyperGroup

from multinet_eval.cli.app import multinet, own_command
from multinet_eval.cli.commands import help_sections

__all__ = ["cli_page"]

INTRODUCTION = """\
# Command line

Two programs: `multinet` with its commands, and `multinet-run-eval`, which is `multinet eval` under a name of its own.
`python run_eval.py` in a clone does the same.

Exit codes: 0 done, 1 the work failed or something is missing from the output, 2 the call was wrong, 128 and the number
of the signal if interrupted: 130 by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP, which a closed terminal sends.
Results go to the standard output, progress and messages to the standard error.

| environment variable | |
|---|---|
| `GRIDWORLD_CACHE` | where tables of states are kept, by default the platform's cache folder; empty for nowhere |
| `GRIDWORLD_DISABLE_PLUGINS` | names separated by commas: does what `--disable-plugin` does |
| `MULTINET_RUNS` | the folder in which runs are recorded, by default `runs` |
| `MULTINET_STATE` | the folder of the key that tells your own runs from those of others; empty for none |
| `MULTINET_NO_RECORD` | if it is not empty, runs without `--run-dir` are not recorded |
| `RAY_ADDRESS` | the Ray cluster of `--executor ray`; without it, Ray starts one on this machine |
"""


def cli_page() -> str:
    """The whole page."""
    programs = {"multinet": typer.main.get_command(multinet), "multinet-run-eval": own_command("eval", "eval")}
    contexts = [each.make_context(name, [], resilient_parsing=True) for name, each in programs.items()]
    return "\n".join([INTRODUCTION, *(line for each in contexts for line in _command(each.command, each, 2))])


def _command(command, context, level: int) -> Iterator[str]:
    """A command's section, and those of the commands below it."""
    yield f"{'#' * level} `{context.command_path}`\n"
    yield _plain(command.help or "") + "\n"
    yield f"```text\n{' '.join([context.command_path, *command.collect_usage_pieces(context)])}\n```\n"
    for heading, entries in help_sections(command, context).items():
        yield _table(heading, entries)
    for name in command.list_commands(context) if isinstance(command, TyperGroup) else ():
        below = command.get_command(context, name)
        inner = below.make_context(name, [], parent=context, resilient_parsing=True)
        yield from _command(inner.command, inner, min(level + 1, 4))


def _table(heading: str, entries: Iterable[tuple[str, str]]) -> str:
    cells = [(names, " ".join(text.split()).replace("|", "\\|")) for names, text in entries]  # only code may have bars
    return "\n".join([f"| {heading} | |", "|---|---|", *(f"| `{names}` | {text} |" for names, text in cells)]) + "\n"


def _plain(text: str) -> str:
    """A help text on one line for each paragraph."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
