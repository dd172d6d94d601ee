"""Words that a command does not take: what they name, and which option is given it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gridworld.support.files import exists, is_folder
from gridworld.support.suggestions import nearest
from gridworld.support.wording import listed, visible_line

BENCHMARK, MODEL, TASK_DIR = "--benchmark", "--model", "--task-dir"
RESUME, RUNS = "--resume", "--runs"


def refusal_of(call: Any, words: Sequence[str]) -> str:
    """What is said of the words that are left of a call when all that its command takes has been read.

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
    told = "; ".join(hints) or f"expected {_taken(call.command)}"
    return f"Unexpected argument{'s' if len(words) > 1 else ''} {called}: {told}"


def _taken(command: Any) -> str:
    """What a command takes besides options."""
    taken = [str(each.metavar or each.name).upper() for each in command.params if each.param_type_name == "argument"]
    return f"nothing but {listed(taken)} and options" if taken else "options alone"


def _hints(word: str, options: set[str]) -> Iterator[str]:
    """What to write in place of a word, for all that it may name; the likeliest first."""
    quoted = shlex.quote(visible_line(word))
    if is_folder(word):
        yield from _record_hint(Path(word), quoted, options)
    if RUNS in options:
        yield f"a folder of recorded runs is given as {RUNS} {quoted}"
    if BENCHMARK in options and _is_suite(word):
        yield f"a suite is given as {BENCHMARK} {quoted}"
    if TASK_DIR in options and is_folder(word):
        yield f"a folder of tasks is given as {TASK_DIR} {quoted}"
    if TASK_DIR in options and exists(word):
        yield f"tasks of one's own are given as {TASK_DIR}, which takes a folder"
    yield from _name_hints(word, options)


def _record_hint(folder: Path, quoted: str, options: set[str]) -> Iterator[str]:
    """How to read what is recorded in a folder, or to go on with it where the command does such things."""
    from multinet_eval.record.record_folders import kind_of

    kind = kind_of(folder)
    if kind is None:
        return
    if RESUME in options and kind.go_on_with is not None:
        yield f"it is a recorded {kind.name}, with which '{kind.go_on_with} {quoted}' goes on"
    yield f"it is a recorded {kind.name}, which '{kind.read_with} {quoted}' reads"


def _is_suite(word: str) -> bool:
    """Whether a word names a suite that is installed or generated."""
    from gridworld.generation.recipe_texts import SCHEME
    from gridworld.plugins import get_registry
    from gridworld.suites.recipes import RECIPES

    return word in get_registry().benchmarks or word.startswith(SCHEME) or word.endswith(RECIPES)


def _name_hints(word: str, options: set[str]) -> Iterator[str]:
    """The option for a model of this name, or for the suite or model that is called most like it."""
    from gridworld.plugins import get_registry

    if not {BENCHMARK, MODEL} & options:
        return
    registry = get_registry()
    if MODEL in options and word in registry.models:
        yield f"a model is given as {MODEL} {word}"
    catalogs = ((BENCHMARK, registry.benchmarks), (MODEL, registry.models))
    named = {name: option for option, catalog in catalogs if option in options for name in catalog.names()}
    meant = nearest(word, named)
    if meant is not None:
        yield f"did you mean {named[meant]} {meant}?"
