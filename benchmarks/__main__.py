"""Measures the toolkit beside its peers: ``nox -s benchmarks``, or ``python benchmarks [--only MODULE[.SECTION]]...``.

Each section runs in a process of its own, so that memory and imports are those of one section. The first line of each
unit in a section is what the others are told as ratios to; only these mean anything on another machine. Peers that are
not installed are passed over.
"""

import argparse
import json
import math
import multiprocessing
import os
import platform
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import Any

import attrs

from figures import Effort, Figure, measure

MODULES = (
    "steps",
    "tilings",
    "vector",
    "growth",
    "startup",
    "throughput",
    "recording",
    "reading",
    "solver",
    "ablation",
    "generation",
)
INTERRUPTED = 130
SPAWN = multiprocessing.get_context("spawn")


def sections_of(module: str) -> list[str]:
    """The full names of a module's sections."""
    return [f"{module}.{name}" for name in import_module(module).MEASURES]


def chosen_sections(wanted: list[str]) -> list[str]:
    """The sections that are named, or all of modules that are named; all where nothing is.

    Raises:
        ValueError: where a name is not one.
    """
    chosen = []
    for name in wanted or MODULES:
        module = name.partition(".")[0]
        known = sections_of(module) if module in MODULES else []
        if name not in (*MODULES, *known):
            near = get_close_matches(name if known else module, known or MODULES, 1) or known or MODULES
            raise ValueError(f"--only {name}: there is no such benchmark; did you mean {' or '.join(near)}?")
        chosen += known if name == module else [name]
    return chosen


def measured_elsewhere(section: str, effort: Effort, limit: float | None = None) -> Iterator[Figure]:
    """The figures of a section, measured in a process of its own.

    Raises:
        SystemExit: where that process failed; it has said why.
    """
    module, _, name = section.partition(".")
    here, there = SPAWN.Pipe(duplex=False)
    process = SPAWN.Process(target=measure, args=(module, name, effort, there.send))
    process.start()
    there.close()
    try:
        yield from _until_closed(here, limit)
    except KeyboardInterrupt:
        process.terminate()
        raise
    finally:
        process.join(limit and 1.0)  # one that has sent all its figures ends by itself
        stopped = limit is not None and process.is_alive()
        if stopped:
            process.terminate()
        process.join()
    if process.exitcode and not stopped:
        sys.exit(1)


def _until_closed(pipe: Connection, limit: float | None) -> Iterator[Figure]:
    ends = None if limit is None else monotonic() + limit
    while pipe.poll(None if ends is None else max(0.0, ends - monotonic())):
        try:
            yield pipe.recv()
        except EOFError:
            return


def told(figure: Figure, reference: float | None) -> str:
    """A line of the report: the ratio first."""
    if figure.value is None or reference is None:
        return f"{'':>10} {figure.name:52} {figure.note}"
    ratio = f"{figure.value / reference:,.3g} x"
    return f"{ratio:>10} {figure.name:52} {figure.value:>16,.6g} {figure.unit:14} {figure.note}".rstrip()


def read_kept(path: Path) -> dict[str, Any]:
    """The figures that a JSON file has; none where there is no file.

    Raises:
        ValueError: it has none, or could not be written.
    """
    if not os.access(path.parent, os.W_OK) or path.is_dir():
        raise ValueError(f"--json {path}: no file can be written there")
    if not path.exists():
        return {}
    try:
        content = json.loads(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"--json {path}: what is there is no JSON: {error}") from None
    if not isinstance(content, dict) or not isinstance(content.get("sections"), dict):
        raise ValueError(f"--json {path}: what is there has no figures of benchmarks")
    sections: dict[str, Any] = content["sections"]
    return sections


def keep(path: Path, sections: dict[str, list[Figure]]) -> None:
    """Write figures to a JSON file; sections that were not measured now keep those that it has."""
    kept = read_kept(path) | {name: [attrs.asdict(figure) for figure in figures] for name, figures in sections.items()}
    order = {name: place for place, name in enumerate(MODULES)}
    ordered = dict(sorted(kept.items(), key=lambda item: order.get(item[0].partition(".")[0], len(order))))
    content = {"python": platform.python_version(), "machine": platform.machine(), "sections": ordered}
    written = path.with_name(f".{path.name}.part")
    written.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    written.replace(path)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="how often each is played")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the steps of a round")
    parser.add_argument("--limit", type=float, help="seconds after which a section is stopped; by default none is")
    parser.add_argument("--only", metavar="NAME", action="append", default=[], help="a module, or MODULE.SECTION")
    parser.add_argument("--json", type=Path, help="write the figures to this file too, beside those that it has")
    options = parser.parse_args()
    if options.rounds < 1 or not 0 < options.scale < math.inf:
        parser.error("--rounds is at least 1, and --scale a number above 0")
    try:
        chosen = chosen_sections(options.only)
        if options.json:
            read_kept(options.json)
    except ValueError as error:
        parser.error(str(error))
    try:
        for section in chosen:
            figures = print_section(section, Effort(options.rounds, options.scale), options.limit)
            if options.json:
                keep(options.json, {section: figures})
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def print_section(section: str, effort: Effort, limit: float | None = None) -> list[Figure]:
    """Measure a section, for so many seconds if there is a limit, and print each figure as soon as it is known."""
    print(f"\n{section}", flush=True)
    references: dict[str, float] = {}
    figures = []
    for figure in measured_elsewhere(section, effort, limit):
        figures.append(figure)
        if figure.value is not None:
            references.setdefault(figure.unit, figure.value)
        print(told(figure, references.get(figure.unit)), flush=True)
    return figures


if __name__ == "__main__":
    main()
