"""Seeds of sampling that follow from a model's seed and the episode, whatever is asked before or beside it."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable

from gridworld.model_interface import EpisodeInfo, PromptImage, PromptText

__all__ = ["AskedIn", "digest_of", "seed_of"]


class AskedIn(threading.local):
    """Current episode and question of this thread."""

    episode: EpisodeInfo | None = None
    """None before the first one."""
    question: tuple[object, ...] = ()
    """What tells the question from the others of the episode."""
    sent_at: float = 0.0
    """When the latest request was sent, by the monotonic clock."""


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


def digest_of(parts: Iterable[PromptText | PromptImage]) -> str:
    """A digest of a prompt, its pictures included."""
    digest = hashlib.sha256()
    for part in parts:
        shown = part.text.encode(errors="surrogatepass") if isinstance(part, PromptText) else part.image.tobytes()
        digest.update(len(shown).to_bytes(8))  # so that no two lists of parts are the same bytes
        digest.update(shown)
    return digest.hexdigest()
