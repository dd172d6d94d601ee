"""Experiment files: a base and conditions that vary it, in TOML.

[base]
model = "random"
suite = "validation_10"

[[condition]]
name = "picture"

[[condition]]
name = "text"
observation = "text"
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from gridworld.errors import AmbiguousNameError, ArgumentError, TaskError, UnknownNameError, describe_value
from gridworld.plugins import get_registry
from gridworld.plugins.arguments import check_names
from gridworld.runner.presentation import Presentation
from gridworld.support.files import unique_file_names
from gridworld.support.toml_files import TOMLError, parse_toml, read_toml
from gridworld.support.wording import nearest_hint, shorten
from multinet_eval.experiments.keys import (
    MODEL_ARGUMENTS,
    SPANS,
    TIER,
    arguments_of,
    check_keys,
    has_default,
    is_arguments,
    read_value,
)
from multinet_eval.record.fingerprint import result_settings, without_secret
from multinet_eval.record.lock import LOCK
from multinet_eval.record.record_folders import EXPERIMENT
from multinet_eval.settings.converting import fields_of
from multinet_eval.settings.defaults import DEFAULT_SUITE
from multinet_eval.settings.plugin_objects import (
    BASE_URL,
    choose_tilings,
    name_model,
    whole_backend,
    whole_model,
)
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.settings.tiers import parse_tiers


@attrs.frozen
class ConditionRun:
    """One run of a condition."""

    condition: str
    """Name of the condition."""
    folder: str
    """Name of the run's folder, unique within the experiment."""
    suite: str
    """The suite as written in the file."""
    settings: RunSettings
    tier: str | None = None
    """Choice of tiers to play; None for all."""


@attrs.frozen
class Condition:
    """A set of settings that vary together."""

    name: str
    varied: Mapping[str, Any]
    """The condition's table without the name, JSON-ready and without credentials."""
    runs: tuple[ConditionRun, ...]
    """The runs of the condition: one for each combination of its models, backends, suites and seeds."""


@attrs.frozen
class Experiment:
    """Contents of an experiment file."""

    name: str
    """Name of the file without its suffix."""
    file: str
    """Path of the file."""
    digest: str
    """Hash of the contents: 32 hexadecimal digits (BLAKE2b)."""
    base: Condition | None
    """The common settings as a condition of their own; None if they do not define a complete run."""
    conditions: tuple[Condition, ...]

    @property
    def runs(self) -> tuple[ConditionRun, ...]:
        """All runs, in order."""
        return tuple(run for condition in self.conditions for run in condition.runs)


def what_decides(run: ConditionRun) -> dict[str, Any]:
    """Return a key that is equal for runs that would play identically, with defaults filled in.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides a name.
        ArgumentError: an argument is unknown or has an invalid value.
    """
    settings, arguments = run.settings, list(run.settings.backend_arguments)
    return {
        **result_settings(settings),
        "suite": run.suite,
        "tiers": run.tier and sorted(parse_tiers(run.tier, TIER)),
        "epochs": settings.epochs,
        "model": (settings.model, whole_model(settings.model, list(settings.model_arguments))),
        "backend": [whole_backend(settings.backend, arguments, tiling) for tiling in settings.tilings],
    }


BASE, CONDITION, NAME = "base", "condition", "name"
RESERVED = (EXPERIMENT.file, LOCK)
"""Reserved names in an experiment's folder."""
NEEDED = {"context_steps": ("context", "conversation"), "context_images": ("context", "conversation")}
"""Keys that have an effect only if another key has a certain value."""
DIGEST_SIZE = 16
BETWEEN = re.compile(r"[^A-Za-z0-9._-]+")
"""Characters that are replaced by a single dash in folder names."""


@attrs.frozen
class _Variant:
    """The table of one run, and the suffix that distinguishes it within its condition."""

    table: Mapping[str, Any]
    labels: tuple[str, ...]


def read_experiment(path: Path, changes: Iterable[str] = ()) -> Experiment:
    """Read an experiment file.

    Args:
        path: the file.
        changes: ``key=value`` that replace entries of the base. A value that is not TOML is a string.

    Raises:
        ArgumentError: the file cannot be read, has an unknown key or an invalid value, or two conditions have the same
            name or content; the message names the place.
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides a name.
        PluginFault: a plugin fails.
    """
    file = read_toml(path)
    base, tables = _split(file.tables, str(path))
    base = _read_table(base, f"{path}: {BASE}")
    base = _merged(base, _read_changes(changes))
    if NAME in base:
        raise ArgumentError(f"{path}: {BASE}.{NAME}: only conditions have names")
    places = [f"{path}: {CONDITION}[{number}]" for number in range(len(tables))]
    conditions = [_condition(table, base, place) for table, place in zip(tables, places, strict=True)]
    _refuse_equal(conditions, places)
    return Experiment(
        name=path.stem,
        file=str(path),
        digest=hashlib.blake2b(file.content, digest_size=DIGEST_SIZE).hexdigest(),
        base=_condition({NAME: BASE}, base, f"{path}: {BASE}") if {"model", "models"} & base.keys() else None,
        conditions=tuple(_with_folders(conditions)),
    )


@contextmanager
def naming(place: str) -> Iterator[None]:
    """Prefix errors raised in the block with a place.

    Raises:
        ArgumentError: the block raised an error about its input; the message begins with the place.
    """
    try:
        yield
    except (AmbiguousNameError, ArgumentError, TaskError, UnknownNameError, ValueError) as error:
        raise ArgumentError(f"{place}: {error}") from error


def _parse_change(text: str) -> dict[str, Any]:
    """Parse ``key=value``; a value that is not TOML is a string."""
    key, equals, value = text.partition("=")
    if not equals:
        raise ArgumentError(f"--set: expected KEY=VALUE, got '{shorten(text)}'")
    try:
        return parse_toml(f"{key} = {value}")
    except TOMLError:
        try:
            return parse_toml(f"{key} = {json.dumps(value)}")
        except TOMLError as error:
            raise ArgumentError(f"--set {shorten(text)}: {error}") from error


def _split(data: dict[str, Any], place: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the base and the conditions of a file."""
    tables = data.pop(CONDITION, None)
    base = data.pop(BASE, data)
    hints = [f": '{key}'{hint}" for key in data if (hint := nearest_hint(key, [CONDITION]))]
    if tables is None and hints:
        raise ArgumentError(f"{place}: there are no tables [[{CONDITION}]]{hints[0]}")
    if base is not data and data:
        others = ", ".join(f"'{key}'" for key in data)
        raise ArgumentError(f"{place}: {others} beside the tables [{BASE}] and [[{CONDITION}]]: expected in [{BASE}]")
    if not isinstance(base, dict):
        raise ArgumentError(f"{place}: {BASE}: expected a table, got {describe_value(base)}")
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise ArgumentError(f"{place}: expected tables [[{CONDITION}]], each with a name and the settings it varies")
    return base, tables


def _read_changes(changes: Iterable[str]) -> dict[str, Any]:
    """Read changes of the base as one table: their order does not matter, except for two of the same key."""
    table: dict[str, Any] = {}
    for change in changes:
        read = _read_values(_parse_change(change), f"--set {shorten(change)}")
        table |= {**read, **_mixed_arguments(table, read)}
    check_keys(table, "--set")
    return _with_plugin_names(table, "--set")


def _read_table(table: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Read a table, converting values to the types of the fields, and ``NAME:MODEL`` to a name and an argument."""
    return _with_plugin_names(_read_values(table, place), place)


def _with_plugin_names(table: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Turn a model ``NAME:MODEL`` into its name and an argument, and ``base_url`` into a key.

    Raises:
        ArgumentError: one is given in two ways.
    """
    arguments = dict(table.get(MODEL_ARGUMENTS, {}))
    with naming(place):
        address = table.get(BASE_URL)
        plugin, given = name_model(table.get("model", ""), address, arguments, BASE_URL, f"{MODEL_ARGUMENTS}.")
    for number, entry in enumerate(table.get("models", ())):
        entry_names = entry.keys() & {BASE_URL} | entry.get(MODEL_ARGUMENTS, {}).keys() & {"model"}
        for name in sorted(entry_names & {*given, *arguments}):
            raise ArgumentError(f"{place}.models[{number}]: {name} is given for all models, too: leave out one of them")
    read = dict(table)
    if BASE_URL in arguments:
        read[BASE_URL] = arguments.pop(BASE_URL)
    if "model" in given:
        read["model"], arguments = plugin, {"model": given["model"], **arguments}
    return {**read, MODEL_ARGUMENTS: arguments} if MODEL_ARGUMENTS in table or arguments else read


def _read_values(table: Mapping[str, Any], place: str) -> dict[str, Any]:
    check_keys(table, place)
    return {
        key: _read_span(key, value, f"{place}.{key}") if key in SPANS else read_value(key, value, f"{place}.{key}")
        for key, value in table.items()
    }


def _read_span(key: str, value: Any, place: str) -> list[dict[str, Any]]:
    """Return the entries of a list-valued key, each as a table."""
    if not isinstance(value, list) or not value:
        raise ArgumentError(f"{place}: expected a list with at least one entry, got {describe_value(value)}")
    entries = [_read_entry(SPANS[key], each, f"{place}[{number}]") for number, each in enumerate(value)]
    for number, each in enumerate(entries):
        first = entries.index(each)
        if first != number:
            raise ArgumentError(f"{place}[{number}]: the same as {place}[{first}]")
    return entries


def _read_entry(key: str, value: Any, place: str) -> dict[str, Any]:
    others = (arguments_of(key), *((BASE_URL,) if key == "model" else ()))
    allowed = [key, *(name for name in others if name is not None)]
    if not isinstance(value, dict):
        read = {key: read_value(key, value, place)}
    elif key not in value or not set(value) <= set(allowed):
        expected = f"expected a table with {key} and optionally {', '.join(allowed[1:])}"
        raise ArgumentError(f"{place}: {expected}, got {describe_value(value)}")
    else:
        read = {name: read_value(name, each, f"{place}.{name}") for name, each in value.items()}
    return _with_plugin_names(read, place)


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Merge a table over the base.

    Arguments are merged one by one, but another model or backend starts without arguments. A ``base_url`` stays for
    another model of the same plugin, and replaces those of single models of the base.
    """
    kept = dict(base)
    if "models" in base and BASE_URL in over:
        kept["models"] = [{key: each[key] for key in each if key != BASE_URL} for each in base["models"]]
    if _plugins(base) and not _plugins(over) <= _plugins(base):
        kept.pop(BASE_URL, None)
    for span, single in SPANS.items():
        named = {span, single} & base.keys() or has_default(single)
        if named and {span, single} & over.keys():
            for dropped in (span, single, arguments_of(single)):
                kept.pop(str(dropped), None)
    return {**kept, **over, **_mixed_arguments(kept, over)}


def _mixed_arguments(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Merge the arguments that two tables both have."""
    return {key: {**base[key], **over[key]} for key in over.keys() & base.keys() if is_arguments(key)}


def _plugins(table: Mapping[str, Any]) -> set[str]:
    """Return the plugins of the models that a table names."""
    return {entry["model"] for entry in (table, *table.get("models", ())) if "model" in entry}


def _condition(table: Mapping[str, Any], base: Mapping[str, Any], place: str) -> Condition:
    """Build a condition whose runs do not have folder names yet."""
    over = _read_table(table, place)
    name = over.pop(NAME, "")
    if not name:
        raise ArgumentError(f"{place}: a condition needs a {NAME}")
    merged = _merged(base, over)
    if "model" not in merged and "models" not in merged:
        raise ArgumentError(f"{place} ('{name}'): no model: name one here or in [{BASE}]")
    with naming(f"{place} ('{name}')"):
        _refuse_idle(over, merged)
        _check_shared_address(merged)
        runs = tuple(_run(name, variant) for variant in _variants(merged))
    return Condition(name, _shown({key: value for key, value in table.items() if key != NAME}), runs)


def _refuse_idle(over: Mapping[str, Any], merged: Mapping[str, Any]) -> None:
    """Check that each varied setting has an effect."""
    for key in over:
        needed, value = NEEDED.get(key, (None, None))
        if needed is not None and merged.get(needed) != value:
            raise ArgumentError(f"{key} has no effect without {needed} = {json.dumps(value)}")


def _check_shared_address(merged: Mapping[str, Any]) -> None:
    """Check that each model of a list takes a ``base_url`` that is given for all of them."""
    for entry in merged.get("models", ()) if BASE_URL in merged else ():
        name = entry["model"]
        try:
            check_names(get_registry().models.get(name).load(), [BASE_URL], f"model '{name}'")
        except ArgumentError as error:
            own = f"{BASE_URL} is given for all models: write it into the entries of 'models' that take it"
            raise ArgumentError(f'{error}; {own}, such as {{ model = "openai:NAME", {BASE_URL} = ... }}') from error


def _shown(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table for display, without credentials."""
    return {
        key: [without_secret(text) for text in _texts(read_value(key, value, key))]
        if is_arguments(key)
        else without_secret(f"{key}={value}").partition("=")[2]
        if key == BASE_URL
        else _entries(value)
        for key, value in table.items()
    }


def _entries(value: Any) -> Any:
    return [_shown(each) if isinstance(each, dict) else each for each in value] if isinstance(value, list) else value


def _variants(merged: Mapping[str, Any]) -> Iterator[_Variant]:
    """Yield the runs of a condition: one for each combination of its list entries."""
    spans = [span for span in SPANS if span in merged]
    common = {key: value for key, value in merged.items() if key not in spans}
    labels = {span: _labels(merged[span], SPANS[span]) if len(merged[span]) > 1 else [None] for span in spans}
    combinations = itertools.product(*(zip(merged[span], labels[span], strict=True) for span in spans))
    for combination in combinations:
        table = dict(common)
        for entry, _ in combination:
            added = {key: {**value, **common.get(key, {})} for key, value in entry.items() if isinstance(value, dict)}
            table |= {**entry, **added}
        if BASE_URL in table:
            table[MODEL_ARGUMENTS] = {**table.get(MODEL_ARGUMENTS, {}), BASE_URL: table.pop(BASE_URL)}
        yield _Variant(table, tuple(label for _, label in combination if label is not None))


def _labels(entries: Sequence[Mapping[str, Any]], key: str) -> list[str]:
    """Name the entries of a list-valued key: a model as on its server, with its plugin or its arguments if needed."""
    found = [_detailed_names(entry, key) for entry in entries]
    shared = Counter(name for names in found for name in set(names))
    return [next((name for name in names if shared[name] == 1), names[-1]) for names in found]


def _detailed_names(entry: Mapping[str, Any], key: str) -> list[str]:
    """Return names of an entry, the shortest first."""
    plugin, arguments = str(entry[key]), dict(entry.get(str(arguments_of(key)), {}))
    model = [str(arguments.pop("model"))] if key == "model" and "model" in arguments else []
    details = [without_secret(f"{name}={text}") for name, text in arguments.items() if name != BASE_URL]
    whole = [plugin, *model]
    return ["-".join(words) for words in (model or whole, whole, [*(model or whole), *details])]


def _run(condition: str, variant: _Variant) -> ConditionRun:
    table: dict[str, Any] = {key: _texts(value) if is_arguments(key) else value for key, value in variant.table.items()}
    tilings = tuple(each for name in table.pop("tilings", (None,)) for each in choose_tilings(name))
    suite, tier = table.pop("suite", DEFAULT_SUITE), table.pop(TIER, None)
    given = {name: table[name] for name in fields_of(RunSettings) if name in table}
    presentation = Presentation(**{name: table[name] for name in fields_of(Presentation) if name in table})
    settings = RunSettings(**given, tilings=tilings, compares_tilings=len(tilings) > 1, presentation=presentation)
    return ConditionRun(condition, BETWEEN.sub("-", "-".join([condition, *variant.labels])), suite, settings, tier)


def _texts(arguments: Mapping[str, str]) -> tuple[str, ...]:
    """Format arguments as on the command line."""
    return tuple(f"{name}={text}" for name, text in arguments.items())


def _with_folders(conditions: Iterable[Condition]) -> Iterator[Condition]:
    """Yield the conditions with unique folder names filled in."""
    conditions = list(conditions)
    wanted = [run.folder for each in conditions for run in each.runs]
    names = iter(unique_file_names([*RESERVED, *wanted])[len(RESERVED) :])
    for each in conditions:
        yield attrs.evolve(each, runs=tuple(attrs.evolve(run, folder=next(names)) for run in each.runs))


def _refuse_equal(conditions: Sequence[Condition], places: Sequence[str]) -> None:
    first_of: dict[str, int] = {}
    known: list[list[Any]] = []
    for number, condition in enumerate(conditions):
        first = first_of.setdefault(condition.name, number)
        if first != number:
            raise ArgumentError(f"{places[number]}: '{condition.name}' is already the name of {CONDITION}[{first}]")
        with naming(f"{places[number]} ('{condition.name}')"):
            decided = [what_decides(run) for run in condition.runs]
            if any(run in decided[:index] for index, run in enumerate(decided)):
                raise ArgumentError("it would play the same run twice: its models, or other entries, end up equal")
        for other, each in enumerate(known):
            if len(each) == len(decided) and all(run in each for run in decided):
                raise ArgumentError(
                    f"{places[number]} ('{condition.name}') would play the same runs as "
                    f"{CONDITION}[{other}] ('{conditions[other].name}'): change a setting, or remove one of the two"
                )
        known.append(decided)
