"""What runs have to have in common to be compared, and what of it may be varied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gridworld.errors import ArgumentError, UnknownNameError
from multinet_eval.analysis.distinctions import is_within, top_name, varied_parts
from multinet_eval.analysis.recorded_run import RecordedRun
from multinet_eval.record.manifest import differing_parts, in_words

__all__ = ["NotComparable", "check_comparable", "varied_conditions"]

FREE = ("model", "policies.on_infrastructure")
"""What need not be the same: what is compared anyway, and what decides of no score but whether it is missing."""
OPTIONAL = ("prompt", "versions")
"""What may be missing in one of two runs: a baseline has no prompt, and models come from several distributions."""


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
        NotComparable: a run is not like the first; every difference is named.
    """
    known = sorted({*others, *(name for run in runs for name in _names(run.manifest.fingerprint))})
    allowed = list(declared)
    for name in allowed:
        if name not in known:
            raise UnknownNameError("condition", name, known, listed_as="there are")
    for other in runs[1:]:
        _check_pair(runs[0], other, [*FREE, *allowed])


def varied_conditions(runs: Sequence[RecordedRun]) -> list[str]:
    """The innermost parts of the fingerprints in which some runs are not alike, such as ``model.name``, sorted."""
    return varied_parts([run.manifest.fingerprint for run in runs])


def _check_pair(first: RecordedRun, other: RecordedRun, allowed: Sequence[str]) -> None:
    found = [
        (path, f"{in_words(one)} and {in_words(another)}")
        for path, one, another in differing_parts(first.manifest.fingerprint, other.manifest.fingerprint)
        if not is_within(path, allowed) and not (top_name(path) in OPTIONAL and None in (one, another))
    ]
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
