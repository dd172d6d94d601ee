"""The plugin of this distribution: the command ``multinet report``."""

from collections.abc import Iterable

from gridworld.hookspecs import CommandInfo, hookimpl


@hookimpl
def gridworld_commands() -> Iterable[CommandInfo]:
    return [CommandInfo("report", "Write a page that shows what a model did.", "multinet_report.command:report")]
