"""What tells runs from each other: the parts of their fingerprints that are not the same in all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from multinet_eval.record.manifest import Manifest, differing_parts, in_words
from multinet_eval.record.played_suite import DIGEST_SHOWN

__all__ = ["called", "distinctions", "is_within", "part_of", "top_name", "varied_parts"]

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
    """What tells each of several runs from the others, such as ``hex, seed=3``; empty where nothing does.

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
