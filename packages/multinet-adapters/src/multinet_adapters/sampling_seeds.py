"""Seeds of sampling that follow from a model's seed and the episode, whatever is asked before or beside it."""

from __future__ import annotations

import hashlib
import threading

from gridworld.model_interface import EpisodeInfo

__all__ = ["AskedIn", "seed_of"]


class AskedIn(threading.local):
    """The episode that this thread asks in; none before the first one."""

    episode: EpisodeInfo | None = None


def seed_of(limit: int, seed: int, episode: EpisodeInfo | None, *asked: object) -> int:
    """A seed from 0 to below a limit.

    Args:
        limit: the first number that is too large, at most 2**64.
        seed: the model's.
        episode: the episode; None outside of any.
        asked: what else decides it.
    """
    within = () if episode is None else (episode.seed, episode.task_id)
    text = "/".join(map(str, (seed, *within, *asked)))
    return int.from_bytes(hashlib.sha256(text.encode(errors="surrogatepass")).digest()[:8]) % limit
