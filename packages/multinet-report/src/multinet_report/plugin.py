"""Registration of the commands ``report`` and ``play``, the model ``person``, and the HTML pages."""

from collections.abc import Iterable

from gridworld.hookspecs import CommandInfo, ModelInfo, PageInfo, hookimpl


@hookimpl
def gridworld_commands() -> Iterable[CommandInfo]:
    return [
        CommandInfo("report", "Write a page that shows what a model did.", "multinet_report.command:report"),
        CommandInfo("play", "Play yourself, in a browser.", "multinet_report.play.command:play", extra="play"),
    ]


@hookimpl
def gridworld_models() -> Iterable[ModelInfo]:
    return [
        ModelInfo(
            "person",
            "Somebody in front of a browser.",
            "multinet_report.play.person_model:PersonModel",
            circumstances=("consent", "host", "open", "port"),
            harmless=("name", "consent_hash"),
            extra="play",
        )
    ]


@hookimpl
def gridworld_pages() -> Iterable[PageInfo]:
    return [PageInfo("html", "HTML files that need no network.", "multinet_report.pages:HtmlPages")]
