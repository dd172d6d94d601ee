"""``multinet tasks schema``: the JSON Schema of task files, with what is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multinet_eval.cli.echo import echo_json
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import DisablePlugin, load_plugins
from multinet_eval.support.output import json_text, writing_to

__all__ = ["schema"]


def schema(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write it there instead of printing it.")
    ] = None,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Print the JSON Schema (draft 2020-12) of task files, for editors and validators.

    It knows every installed mechanism and goal type, those of third parties too.
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from gridworld.plugins import get_registry
        from gridworld.task.schema import task_schema

        found = task_schema(get_registry())
        if output is None:
            echo_json(found)
        else:
            _save(json_text(found) + "\n", output)


def _save(text: str, output: Path) -> None:
    from gridworld.support.files import write_text

    with writing_to(output):
        write_text(output, text)
