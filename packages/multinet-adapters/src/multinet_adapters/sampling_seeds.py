"""Sampling seeds derived from the model's seed and the episode, independent of other requests."""

from __future__ import annotations

import hashlib

from gridworld.model_interface import EpisodeInfo


def seed_of(limit: int, seed: int, episode: EpisodeInfo, *asked: object) -> int:
    """Derive a sampling seed in ``[0, limit)``.

    Args:
        limit: exclusive upper bound, at most 2**64.
        seed: the model's seed.
        episode: the episode.
        asked: the key of the question within the episode.
    """
    text = "/".join(map(str, (seed, episode.seed, episode.task_id, *asked)))
    return int.from_bytes(hashlib.sha256(text.encode(errors="surrogatepass")).digest()[:8]) % limit
