"""Conditions that runs must share to be compared, and conditions that distinguish them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gridworld.errors import ArgumentError, UnknownNameError
from gridworld.support.wording import counted, first_lines
from multinet_eval.analysis.recorded_run import RecordedRun
from multinet_eval.record.fingerprint import condition_differences, differing_parts, in_words
from multinet_eval.record.manifest import DIGEST_SHOWN, Manifest

Fingerprint = Mapping[str, Any]
DIGESTS = ("examples", "explained", "prompt")
"""Parts that follow from others and are meaningless to readers."""
UNNAMED = ("arguments", "name")
"""Parts that are displayed under the name of their parent."""


def varied_parts(fingerprints: Sequence[Fingerprint]) -> list[str]:
    """Return the paths of the innermost parts in which fingerprints differ, such as ``model.name``, sorted."""
    return sorted({path for other in fingerprints[1:] for path, _, _ in differing_parts(fingerprints[0], other)})


def part_of(fingerprint: Fingerprint, path: str) -> Any:
    """Return a part of a fingerprint; None if it is missing."""
    found: Any = fingerprint
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def top_name(path: str) -> str:
    """Return the outermost component of a part's path."""
    return path.partition(".")[0]


def is_within(path: str, names: Iterable[str]) -> bool:
    """Whether a part is, or lies within, one of the named parts."""
    return any(path == name or path.startswith(f"{name}.") for name in names)


def distinctions(manifests: Sequence[Manifest], without: Iterable[str] = ()) -> list[str]:
    """Return names that distinguish several runs, such as ``hex, seed=3``; empty if nothing differs.

    Args:
        manifests: manifests of the runs.
        without: parts of fingerprints that are displayed elsewhere.
    """
    suites_told = len({each.suite for each in manifests}) > 1
    left_out = [*DIGESTS, *without, *(["suite"] if suites_told else [])]
    varied = varied_parts([each.fingerprint for each in manifests])
    telling = [path for path in varied if not is_within(path, left_out) and _says_itself(manifests, path)]
    telling.sort(key=lambda path: path != "tilings")
    return [called(each, telling) for each in manifests]


def called(manifest: Manifest, paths: Iterable[str]) -> str:
    """Describe some parts of a run's fingerprint, such as ``hex, seed=3``, omitting empty ones."""
    return ", ".join(filter(None, (_told(manifest, path) for path in paths)))


def _says_itself(manifests: Sequence[Manifest], path: str) -> bool:
    """Whether a part differs independently of others, unlike the versions of differing sets of distributions."""
    return top_name(path) != "versions" or all(part_of(each.fingerprint, path) is not None for each in manifests)


def _told(manifest: Manifest, path: str) -> str:
    value = part_of(manifest.fingerprint, path)
    if path == "tilings":
        return ", ".join(manifest.tilings)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    name = top_name(path) if path.rpartition(".")[2] in UNNAMED else path.rpartition(".")[2]
    text = "none" if value is None else in_words(value)
    return f"{name}={text[:DIGEST_SHOWN] if path == 'suite' else text}"


class NotComparable(ArgumentError):
    """Runs differ in an undeclared condition."""


def check_comparable(runs: Sequence[RecordedRun], declared: Iterable[str] = (), others: Iterable[str] = ()) -> None:
    """Check that runs were made under the same conditions.

    All parts of their fingerprints must be equal except the model, the retries after infrastructure faults, and
    declared conditions. A run without a prompt is comparable with one that has a prompt, and only versions of common
    distributions are compared.

    Args:
        runs: the runs, at least one.
        declared: varied conditions: parts of the fingerprints, such as ``presentation`` or ``presentation.context``.
        others: further conditions that can be varied.

    Raises:
        UnknownNameError: a declared part does not exist.
        NotComparable: a run differs from the first (the message lists every difference), or stopped when its comparison
            with a reference was decided, so that its results determined its mazes.
    """
    for run in runs:
        state = run.sequential
        if state is not None and state.stopped:
            raise NotComparable(
                f"{run.path} stopped when it was decided, after {state.looked} of {counted(state.mazes, 'maze')}: "
                f"expected runs that were played to their end; 'multinet runs show {run.path}' tells what it shows"
            )
    known = sorted({*others, *(name for run in runs for name in _names(run.manifest.fingerprint))})
    allowed = list(declared)
    for name in allowed:
        if name not in known:
            raise UnknownNameError("condition", name, known, listed_as="there are")
    for other in runs[1:]:
        _check_pair(runs[0], other, allowed)


def varied_conditions(runs: Sequence[RecordedRun]) -> list[str]:
    """Find the innermost parts of the fingerprints in which runs differ, such as ``model.name``, sorted."""
    return varied_parts([run.manifest.fingerprint for run in runs])


def undeclared_conditions(manifests: Sequence[Manifest], declared: Iterable[str] = ()) -> list[str]:
    """Return the narrowest names of the conditions to declare, so that `check_comparable` accepts the runs."""
    allowed, (first, *others) = list(declared), [each.fingerprint for each in manifests]
    paths = (path for other in others for path, _ in condition_differences(first, other, allowed))
    # Distributions are upgraded together, so their versions have one name.
    return list(dict.fromkeys(top_name(path) if top_name(path) == "versions" else path for path in paths))


def _check_pair(first: RecordedRun, other: RecordedRun, allowed: Sequence[str]) -> None:
    found = list(condition_differences(first.manifest.fingerprint, other.manifest.fingerprint, allowed))
    if found:
        names = undeclared_conditions([first.manifest, other.manifest], allowed)
        options = " ".join(f"--by {name}" for name in names)
        listed = "".join(f"\n  {line}" for line in first_lines(f"{path}: {text}" for path, text in found))
        raise NotComparable(
            f"{first.path} and {other.path} cannot be compared: undeclared conditions differ; "
            f"declare them as varied with {options}:{listed}"
        )


def _names(facts: Mapping[str, Any], place: str = "") -> Iterator[str]:
    """Yield the paths of all parts, outer and inner."""
    for name, value in facts.items():
        yield f"{place}{name}"
        if isinstance(value, dict):
            yield from _names(value, f"{place}{name}.")
