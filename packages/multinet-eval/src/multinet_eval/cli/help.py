"""The text of ``--help``: usage, description, and parameters under headings, the same on a terminal and on a pipe."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import typer

from multinet_eval.cli.echo import line_width, styled, with_style, writing_output

MOST_OPTIONS = 25
"""Maximum number of options of a command with all of them on ``--help``."""
HELP_ALL = "help_all"
"""Name of the option that shows all options of a longer command."""
NAMES_WIDTH = 30
"""Maximum width of names before their description moves to the next line."""
PIPE_WIDTH, LEAST_WIDTH, WIDEST = 80, 20, 100
"""Width of lines on a pipe, and bounds of it on a terminal."""
ARGUMENTS, OTHERS = "Arguments", "Options"
"""Headings of parameters without one: arguments come first, options last."""
REWORDED = (
    (re.compile(r"; x>=[01](?![\d.])|\[x>=[01]\]"), ""),  # goes without saying
    (re.compile(r"x>=(\d+(?:\.\d+)?)"), r"at least \1"),
    (re.compile(r"(\d+)<=x<=(\d+)"), r"\1 to \2"),
    (re.compile(r"(\[default: \d+)\.0\b"), r"\1"),
)
"""Typer's words for defaults and ranges, and ours."""

Section = tuple[str, list[tuple[str, str]]]
"""A heading, and entries: names and description."""


def print_help(text: str) -> None:
    """Print a help text as it is, since Typer adds the last line feed; raises `OutputError` if that fails."""
    with writing_output():
        typer.echo(text, nl=False)


def help_text(command: Any, ctx: Any, left_out: Collection[str] = ()) -> str:
    """Return the help of a command or a group, without the last line feed.

    Args:
        command: the command.
        ctx: its context.
        left_out: names of parameters to leave out.
    """
    width = min(line_width() or PIPE_WIDTH, WIDEST)
    paragraphs = [f"{_heading('Usage')} {' '.join([ctx.command_path, *usage_pieces(command, ctx)])}"]
    paragraphs += ["\n".join(_wrapped(text, width)) for text in (command.help or "").split("\n\n") if text]
    shown = [each for each in command.get_params(ctx) if each.name not in left_out]
    paragraphs += _sections([*parameter_sections(shown, ctx), *_commands(command, ctx)], width)
    if left_out:
        paragraphs.append(f"{len(left_out)} more options: {ctx.command_path} --help-all")
    return "\n\n".join(paragraphs)


def usage_pieces(command: Any, ctx: Any) -> list[str]:
    """Return the words of the form of a call after the name."""
    arguments = [each for each in command.get_params(ctx) if each.param_type_name == "argument"]
    names = [name if each.required else f"[{name}]" for each in arguments for name in [_argument_name(each)]]
    return ["[OPTIONS]", *names, *(["COMMAND", "[ARGS]..."] if _has_commands(command) else [])]


def parameter_sections(parameters: Iterable[Any], ctx: Any) -> list[Section]:
    """Return the headings of parameters in order, each with its parameters."""
    sections: dict[str, list[tuple[str, str]]] = {ARGUMENTS: []}
    others: list[tuple[str, str]] = []
    for each in parameters:
        record = each.get_help_record(ctx)
        if record is None:
            continue
        names, text = record
        for theirs, ours in REWORDED:
            text = theirs.sub(ours, text)
        is_argument = each.param_type_name == "argument"
        heading = getattr(each, "rich_help_panel", None) or (ARGUMENTS if is_argument else OTHERS)
        entries = others if heading == OTHERS else sections.setdefault(heading, [])
        if is_argument:
            names, text = _argument_name(each), text.replace("[required]", "")  # the usage says that
        entries.append((names, " ".join(text.split())))
    return [(heading, entries) for heading, entries in [*sections.items(), (OTHERS, others)] if entries]


def _argument_name(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())


def _has_commands(command: Any) -> bool:
    return hasattr(command, "list_commands")


def _commands(command: Any, ctx: Any) -> Iterator[Section]:
    """Yield the section with the commands of a group."""
    names = command.list_commands(ctx) if _has_commands(command) else []
    found = [(name, command.get_command(ctx, name)) for name in names]
    entries = [(name, (each.help or "").split("\n\n")[0]) for name, each in found if each and not each.hidden]
    if entries:
        yield "Commands", entries


def _sections(sections: list[Section], width: int) -> Iterator[str]:
    """Yield a paragraph for each section, with descriptions below each other."""
    fitting = [len(name) for _, entries in sections for name, _ in entries if len(name) <= NAMES_WIDTH]
    indent = max(fitting, default=0) + 4
    for heading, entries in sections:
        lines = [_heading(heading)]
        for name, text in entries:
            described = _wrapped(text, width - indent)
            if described and len(name) + 4 <= indent:
                name = f"{name:<{indent - 2}}{described.pop(0)}"
            lines += [f"  {name}", *(" " * indent + line for line in described)]
        yield "\n".join(lines)


def _heading(text: str) -> str:
    return with_style(styled(f"{text}:", bold=True))


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(width, LEAST_WIDTH), break_long_words=False, break_on_hyphens=False)
