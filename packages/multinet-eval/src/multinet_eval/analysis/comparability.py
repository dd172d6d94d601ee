"""Conditions that runs must share to be compared, and those that tell them from each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gridworld.errors import ArgumentError, UnknownNameError
from gridworld.support.wording import counted
from multinet_eval.analysis.recorded_run import RecordedRun
from multinet_eval.record.fingerprint import condition_differences, differing_parts, in_words
from multinet_eval.record.manifest import DIGEST_SHOWN, Manifest

Fingerprint = Mapping[str, Any]
DIGESTS = ("examples", "explained", "prompt")
"""The parts that say nothing to a reader, and follow from others."""
UNNAMED = ("arguments", "name")
"""The parts that are called by what they are in."""


def varied_parts(fingerprints: Sequence[Fingerprint]) -> list[str]:
    """The paths of the innermost parts in which some of them are not alike, such as ``model.name``, sorted."""
    return sorted({path for other in fingerprints[1:] for path, _, _ in differing_parts(fingerprints[0], other)})


def part_of(fingerprint: Fingerprint, path: str) -> Any:
    """A part of a fingerprint; None where it has none."""
    found: Any = fingerprint
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def top_name(path: str) -> str:
    """The outermost part that a part is in."""
    return path.partition(".")[0]


def is_within(path: str, names: Iterable[str]) -> bool:
    """Whether a part is one of some parts, or in one of them."""
    return any(path == name or path.startswith(f"{name}.") for name in names)


def distinctions(manifests: Sequence[Manifest], without: Iterable[str] = ()) -> list[str]:
    """Names that tell each of several runs from the others, such as ``hex, seed=3``; empty where nothing differs.

    Args:
        manifests: those of the runs.
        without: the parts of fingerprints that are told elsewhere.
    """
    suites_told = len({each.suite for each in manifests}) > 1
    left_out = [*DIGESTS, *without, *(["suite"] if suites_told else [])]
    varied = varied_parts([each.fingerprint for each in manifests])
    telling = [path for path in varied if not is_within(path, left_out) and _says_itself(manifests, path)]
    telling.sort(key=lambda path: path != "tilings")
    return [called(each, telling) for each in manifests]


def called(manifest: Manifest, paths: Iterable[str]) -> str:
    """Some parts of a run's fingerprint as a name, such as ``hex, seed=3``; those that are empty are left out."""
    return ", ".join(filter(None, (_told(manifest, path) for path in paths)))


def _says_itself(manifests: Sequence[Manifest], path: str) -> bool:
    """Whether it does not follow from other parts, as it does that not all were played with a distribution."""
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
    """Runs that are not alike in what is not declared as varied."""


def check_comparable(runs: Sequence[RecordedRun], declared: Iterable[str] = (), others: Iterable[str] = ()) -> None:
    """Make sure that runs were made under the same conditions.

    All parts of their fingerprints have to be the same but the model, how often infrastructure faults are tried again,
    and what is declared. One of two runs may be without a prompt, and of distributions those versions are compared that
    both have.

    Args:
        runs: at least one.
        declared: what is varied: parts of the fingerprints, such as ``presentation`` or ``presentation.context``.
        others: what can be varied beside them.

    Raises:
        UnknownNameError: there is no such part.
        NotComparable: a run is not like the first, of which every difference is named; or it stopped when its
            comparison with a reference was decided, so that its scores are of mazes that the results chose.
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
    """The innermost parts of the fingerprints in which some runs are not alike, such as ``model.name``, sorted."""
    return varied_parts([run.manifest.fingerprint for run in runs])


def _check_pair(first: RecordedRun, other: RecordedRun, allowed: Sequence[str]) -> None:
    found = list(condition_differences(first.manifest.fingerprint, other.manifest.fingerprint, allowed))
    if found:
        options = " ".join(dict.fromkeys(f"--by {top_name(path)}" for path, _ in found))
        listed = "".join(f"\n  {path}: {text}" for path, text in found)
        raise NotComparable(
            f"{first.path} and {other.path} cannot be compared unless what is not the same in both is what is varied, "
            f"as {options} declares:{listed}"
        )


def _names(facts: Mapping[str, Any], place: str = "") -> Iterator[str]:
    """The paths of all parts, outer and inner ones."""
    for name, value in facts.items():
        yield f"{place}{name}"
        if isinstance(value, dict):
            yield from _names(value, f"{place}{name}.")
