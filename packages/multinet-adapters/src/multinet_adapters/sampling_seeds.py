"""Sampling seeds derived from the model's seed and the episode, independent of other requests."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable

from gridworld.model_interface import EpisodeInfo, PromptImage, PromptText


class AskedIn(threading.local):
    """The current episode and question of each thread."""

    episode: EpisodeInfo | None = None
    """The current episode; None before the first episode."""
    question: tuple[object, ...] = ()
    """Key of the question within the episode."""
    sent_at: float = 0.0
    """Time of the latest request on the monotonic clock, in seconds."""


def seed_of(limit: int, seed: int, episode: EpisodeInfo | None, *asked: object) -> int:
    """Derive a sampling seed in ``[0, limit)``.

    Args:
        limit: exclusive upper bound, at most 2**64.
        seed: the model's seed.
        episode: the episode; None outside episodes.
        asked: the key of the question within the episode.
    """
    within = () if episode is None else (episode.seed, episode.task_id)
    text = "/".join(map(str, (seed, *within, *asked)))
    return int.from_bytes(hashlib.sha256(text.encode(errors="surrogatepass")).digest()[:8]) % limit


def digest_of(parts: Iterable[PromptText | PromptImage]) -> str:
    """Return the SHA-256 digest of a prompt and its pictures, in hexadecimal."""
    digest = hashlib.sha256()
    for part in parts:
        shown = part.text.encode(errors="surrogatepass") if isinstance(part, PromptText) else part.image.tobytes()
        digest.update(len(shown).to_bytes(8))  # makes the encoding injective
        digest.update(shown)
    return digest.hexdigest()
