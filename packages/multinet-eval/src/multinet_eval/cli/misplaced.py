"""Messages for surplus words of a call: what each word may name, and the option to use for it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gridworld.support.files import exists, is_folder
from gridworld.support.wording import listed, nearest, visible_line

BENCHMARK, MODEL, TASK_DIR = "--benchmark", "--model", "--task-dir"
RESUME, RUNS = "--resume", "--runs"


def refusal_of(call: Any, words: Sequence[str]) -> str:
    """Return the message for words that a command does not take.

    Args:
        call: the context of the command, its options read.
        words: at least one.
    """
    options = {name for parameter in call.command.params for name in parameter.opts}
    if {BENCHMARK, MODEL} & options:
        from multinet_eval.cli.commands import load_plugins
        from multinet_eval.cli.errors import exit_on_error

        with exit_on_error():
            load_plugins(call.params.get("disable_plugin"), call.params.get("plugin_file"))
    called = listed([f"'{visible_line(word)}'" for word in words])
    hints = [hint for word in words if (hint := next(_hints(word, options), None)) is not None]
    if not hints:
        arguments = (each for each in call.command.params if each.param_type_name == "argument")
        taken = [str(each.metavar or each.name).upper() for each in arguments]
        hints = [f"expected {f'only {listed(taken)} and options' if taken else 'only options'}"]
    return f"Unexpected argument{'s' if len(words) > 1 else ''} {called}: {'; '.join(hints)}"


def _hints(word: str, options: set[str]) -> Iterator[str]:
    """Yield suggestions for a word, the likeliest first."""
    quoted = shlex.quote(visible_line(word))
    if is_folder(word):
        yield from _record_hint(Path(word), quoted, options)
    if RUNS in options:
        yield f"give a folder of recorded runs as {RUNS} {quoted}"
    if BENCHMARK in options and _is_suite(word):
        yield f"give a suite as {BENCHMARK} {quoted}"
    if TASK_DIR in options and is_folder(word):
        yield f"give a folder of tasks as {TASK_DIR} {quoted}"
    if TASK_DIR in options and exists(word):
        yield f"give your own tasks as {TASK_DIR}, which takes a folder"
    yield from _name_hints(word, options)


def _record_hint(folder: Path, quoted: str, options: set[str]) -> Iterator[str]:
    """Yield a suggestion to read a record, or to resume the record if the command can."""
    from multinet_eval.record.record_folders import kind_of

    kind = kind_of(folder)
    if kind is None:
        return
    if RESUME in options and kind.resume_with is not None:
        yield f"this is a recorded {kind.name}; continue it with '{kind.resume_with} {quoted}'"
    yield f"this is a recorded {kind.name}; read it with '{kind.read_with} {quoted}'"


def _is_suite(word: str) -> bool:
    """Whether a word names an installed or generated suite."""
    from gridworld.generation.recipe import SCHEME
    from gridworld.plugins import get_registry
    from gridworld.suites.named import RECIPES

    return word in get_registry().benchmarks or word.startswith(SCHEME) or word.endswith(RECIPES)


def _name_hints(word: str, options: set[str]) -> Iterator[str]:
    """Yield suggestions for the name of a model, and for the nearest name of a suite or model."""
    from gridworld.plugins import get_registry

    if not {BENCHMARK, MODEL} & options:
        return
    registry = get_registry()
    if MODEL in options and word in registry.models:
        yield f"give a model as {MODEL} {word}"
    catalogs = ((BENCHMARK, registry.benchmarks), (MODEL, registry.models))
    named = {name: option for option, catalog in catalogs if option in options for name in catalog.names()}
    meant = nearest(word, named)
    if meant is not None:
        yield f"did you mean {named[meant]} {meant}?"
