"""The plugin of this distribution: the command ``multinet report``, and the pages that other commands write."""

from collections.abc import Iterable

from gridworld.hookspecs import CommandInfo, PageInfo, hookimpl


@hookimpl
def gridworld_commands() -> Iterable[CommandInfo]:
    return [CommandInfo("report", "Write a page that shows what a model did.", "multinet_report.command:report")]


@hookimpl
def gridworld_pages() -> Iterable[PageInfo]:
    return [PageInfo("html", "HTML files that need no network.", "multinet_report.pages:HtmlPages")]
