"""`AnswerCache`: a folder of answers, so that no request is sent twice.

An entry is a file named after the digest of everything that determines an answer: the model with its arguments, the
facts of the episode, the epoch, the step, the attempt, the prompt with its pictures, and the settings of the request.
Only usable answers are stored, without credentials. Files are written under a temporary name and renamed, so processes
may share a folder; a damaged file counts as missing and is replaced.
"""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import cattrs

from gridworld.errors import ArgumentError, GridworldError
from gridworld.model_interface import EpisodeInfo, ModelInput, ModelInterface, Prompt, Sent
from gridworld.model_interface.chat_model import ChatModel
from gridworld.plugins.registry import owner_of
from gridworld.runner.record import Request, record_converter
from gridworld.support.faults import calling
from gridworld.support.files import MIB, FileError, parse_json, read_plain, store_bytes
from multinet_eval.play.model_caller import Made
from multinet_eval.record.lines import USABLE
from multinet_eval.settings.run_settings import CacheSettings

CACHE_VERSION = 5
"""Version of the digest's parts and of the entry format; increase it for every change to either."""
LARGEST_ENTRY = 16 * MIB
OCCUPIED = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR)
"""Errors where something that is not a file has its name."""
DIGEST_SIZE = 20
"""Size of a digest in bytes."""


class CacheError(GridworldError):
    """An answer cannot be written to the cache."""


def check_cacheable(model: ModelInterface, settings: CacheSettings) -> None:
    """Check that a model's answers may be cached; otherwise raises ArgumentError with the reason."""
    if not isinstance(model, ChatModel):
        raise ArgumentError(
            f"the answers of model '{model.model_name}' cannot be kept in a cache: it is not asked with prompts "
            "(gridworld.model_interface.ChatModel), on which its answers would depend alone"
        )
    if not _allowed(model, settings):
        raise ArgumentError(
            f"model '{model.model_name}' samples its answers, so one cached answer would stand for many: "
            "set its temperature to 0, or allow it with --cache-sampled"
        )


def _allowed(model: ChatModel, settings: CacheSettings) -> bool:
    with calling(owner_of("model", model, model.model_name), "samples"):
        return settings.sampled or not model.samples


class AnswerCache:
    """Cached answers of one model.

    Args:
        settings: the settings of the cache.
        fingerprint: everything that determines the model's answers besides its inputs; JSON-ready.
    """

    def __init__(self, settings: CacheSettings, fingerprint: Mapping[str, Any]) -> None:
        self.settings = settings
        self._fingerprint = dict(fingerprint)

    def of_episode(self, model: ModelInterface, episode: EpisodeInfo, epoch: int) -> EpisodeCache | None:
        """Return the cache for one episode; None for a model whose answers cannot be cached."""
        if not isinstance(model, ChatModel):
            return None
        decided_by = [CACHE_VERSION, self._fingerprint, attrs.asdict(episode), epoch]
        return EpisodeCache(self.settings, model, decided_by)


class EpisodeCache:
    """Cached answers of one model in one episode; made by `AnswerCache.of_episode`."""

    def __init__(self, settings: CacheSettings, model: ChatModel, decided_by: list[Any]) -> None:
        self._settings = settings
        self._model = model
        self._decided_by = json.dumps(decided_by, sort_keys=True)

    def find(self, input: ModelInput, prompt: Prompt) -> Made | None:
        """Find the answer to an adapted prompt, marked as cached; None without an entry."""
        if not _allowed(self._model, self._settings):
            return None
        with calling(owner_of("model", self._model, self._model.model_name), "settings_in_use"):
            sent = Sent(prompt, self._model.settings_in_use())
        request = _read(self._path(input, sent))
        return None if request is None else Made(request, (sent,))

    def keep(self, input: ModelInput, made: Made) -> None:
        """Store an answer if it is usable and came of a single request.

        Raises:
            CacheError: the answer cannot be written.
        """
        if made.request.action is None or len(made.sent) != 1 or not _allowed(self._model, self._settings):
            return
        path = self._path(input, made.sent[0])
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.parent.is_symlink():
                store_bytes(path, _entry(made.request))
        except OSError as error:
            if error.errno in OCCUPIED and Path(self._settings.folder).is_dir():
                return  # something that is not a file has the name of the entry
            raise CacheError(f"cannot write into the cache {self._settings.folder}: {error.strerror}") from error

    def _path(self, input: ModelInput, sent: Sent) -> Path:
        parts = [
            self._decided_by,
            input.step_number,
            input.attempt,
            sent.prompt.digest,
            sent.prompt.seed,
            sent.settings,
        ]
        content = json.dumps(parts, sort_keys=True).encode()
        name = hashlib.blake2b(content, digest_size=DIGEST_SIZE).hexdigest()
        return Path(self._settings.folder) / name[:2] / f"{name}.json"


def _entry(request: Request) -> bytes:
    """Encode an entry: a line with the digest of the answer, to detect damage, and the answer as JSON."""
    content = json.dumps(record_converter.unstructure(attrs.evolve(request, usage=None)), sort_keys=True).encode()
    return _digest(content) + b"\n" + content + b"\n"


def _read(path: Path) -> Request | None:
    """Read the answer in an entry; None for a missing or damaged file."""
    if path.parent.is_symlink():
        return None
    try:
        digest, _, content = read_plain(path, LARGEST_ENTRY).partition(b"\n")
        if digest != _digest(content.removesuffix(b"\n")):
            return None
        request: Request = record_converter.structure(parse_json(content), Request)
    except (FileError, cattrs.BaseValidationError, ValueError):
        return None
    is_usable = request.action is not None and request.outcome in USABLE
    return attrs.evolve(request, cached=True) if is_usable else None


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=DIGEST_SIZE).hexdigest().encode()
