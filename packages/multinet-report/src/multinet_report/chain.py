"""How far an episode came along the dependency chain of its task."""

from __future__ import annotations

from typing import Any

from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis

__all__ = ["chain_of"]


def chain_of(episode: EpisodeAnalysis) -> list[dict[str, Any]] | None:
    """The elements of the chain in its order.

    Returns:
        JSON-ready: of each element its ``id``, its ``type``, and ``used``, the moment after which it had first taken
        part in anything, or None. None for a task without a chain, and where the backend does not report what happens.
    """
    uses, chain = episode.first_uses, episode.chain
    if uses is None or not chain:
        return None
    types = {spec.id: name for name, specs in episode.task.mechanisms.groups() for spec in specs}
    return [{"id": each, "type": types.get(each), "used": uses.get(each)} for each in chain]
