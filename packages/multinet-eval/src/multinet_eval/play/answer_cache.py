"""`AnswerCache`: a folder of answers, so that no request is sent twice.

An entry is a file named after the digest of everything that determines an answer: the model with its arguments, the
facts of the episode, the epoch, the whole input with its pictures, the rendered prompt, and the schema of the answer.
Only usable answers are stored, without credentials. Files are written under a temporary name and renamed, so processes
may share a folder; a damaged file counts as missing and is replaced.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import cattrs

from gridworld.errors import ArgumentError, GridworldError
from gridworld.model_interface import (
    AdjustingModel,
    CacheableModel,
    EpisodeInfo,
    ModelInput,
    ModelInterface,
    PromptedModel,
    PromptText,
)
from gridworld.plugins.registry import owner_of
from gridworld.runner.record import Request, record_converter
from gridworld.support.faults import calling
from gridworld.support.files import write_bytes
from multinet_eval.settings.run_settings import CacheSettings

if TYPE_CHECKING:
    import numpy as np


CACHE_VERSION = 4
"""Version of the digest's parts and of the entry format; increase it for every change to either."""
DIGEST_SIZE = 20
"""Size of a digest in bytes."""


class CacheError(GridworldError):
    """An answer cannot be written to the cache."""


def check_cacheable(model: ModelInterface, settings: CacheSettings) -> None:
    """Check that a model's answers may be cached; otherwise raises ArgumentError with the reason."""
    if not isinstance(model, CacheableModel):
        raise ArgumentError(
            f"the answers of model '{model.model_name}' cannot be kept in a cache: it does not declare that they "
            "depend on its input alone (gridworld.model_interface.CacheableModel)"
        )
    if not _allowed(model, settings):
        raise ArgumentError(
            f"model '{model.model_name}' samples its answers, so one cached answer would stand for many: "
            "set its temperature to 0, or allow it with --cache-sampled"
        )


def _allowed(model: CacheableModel, settings: CacheSettings) -> bool:
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
        if not isinstance(model, CacheableModel):
            return None
        decided_by = [CACHE_VERSION, self._fingerprint, attrs.asdict(episode), epoch]
        return EpisodeCache(self.settings, model, decided_by)


class EpisodeCache:
    """Cached answers of one model in one episode; made by `AnswerCache.of_episode`."""

    def __init__(self, settings: CacheSettings, model: CacheableModel, decided_by: list[Any]) -> None:
        self._settings = settings
        self._model = model
        self._decided_by = json.dumps(decided_by, sort_keys=True).encode()

    def find(self, input: ModelInput) -> Request | None:
        """Find the answer to an input, marked as cached; None without an entry."""
        if not _allowed(self._model, self._settings):
            return None
        return _read(self._path(input))

    def keep(self, input: ModelInput, request: Request) -> None:
        """Store an answer if it is usable and its request was complete.

        Raises:
            CacheError: the answer cannot be written.
        """
        if request.action is None or not self._is_usual(request) or not _allowed(self._model, self._settings):
            return
        path = self._path(input)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(path, _entry(request))
        except OSError as error:
            raise CacheError(f"cannot write into the cache {self._settings.folder}: {error.strerror}") from error

    def _is_usual(self, request: Request) -> bool:
        """Whether a request lacks only parts that the server rejects in all requests."""
        adjusted = self._model.adjustments() if isinstance(self._model, AdjustingModel) else ()
        return {each.refused for each in adjusted}.issuperset(request.left_out)

    def _path(self, input: ModelInput) -> Path:
        digest = hashlib.blake2b(self._decided_by, digest_size=DIGEST_SIZE)
        for part in (*_parts_of_input(input), *self._prompt(input)):
            digest.update(len(part).to_bytes(8))  # so that different lists of parts are different bytes
            digest.update(part)
        name = digest.hexdigest()
        return Path(self._settings.folder) / name[:2] / f"{name}.json"

    def _prompt(self, input: ModelInput) -> Iterator[bytes]:
        """Yield the schema of the answer, and the prompt, which depends on templates and on what the server rejects."""
        if not isinstance(self._model, PromptedModel):
            return
        with calling(owner_of("model", self._model, self._model.model_name), "rendered_prompt"):
            schema, parts = self._model.answer_schema(input), self._model.rendered_prompt(input)
        yield _encoded(schema)
        for part in parts:
            if isinstance(part, PromptText):
                yield _encoded([part.role, part.text])
            else:
                yield _encoded(part.label)
                yield from _parts_of_picture(part.image)


def _parts_of_input(value: Any) -> Iterator[bytes]:
    """Yield the texts, numbers and pictures of a value in order, including those in collections and attrs classes."""
    match value:
        case None | str() | int() | float():
            yield _encoded(value)
        case dict():
            yield _encoded([str(key) for key in value])
            for each in value.values():
                yield from _parts_of_input(each)
        case Sequence():
            yield _encoded([len(value)])
            for each in value:
                yield from _parts_of_input(each)
        case _ if attrs.has(type(value)):
            yield from _parts_of_input(attrs.asdict(value, recurse=False))
        case _:
            yield from _parts_of_picture(value)


def _parts_of_picture(picture: np.ndarray) -> Iterator[bytes]:
    yield _encoded(picture.shape)
    yield picture.tobytes()


def _encoded(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True).encode()


def _entry(request: Request) -> bytes:
    """Encode an entry: a line with the digest of the answer, to detect damage, and the answer as JSON."""
    content = json.dumps(record_converter.unstructure(attrs.evolve(request, usage=None)), sort_keys=True).encode()
    return _digest(content) + b"\n" + content + b"\n"


def _read(path: Path) -> Request | None:
    """Read the answer in an entry; None for a missing or damaged file."""
    try:
        digest, _, content = path.read_bytes().partition(b"\n")
        if digest != _digest(content.removesuffix(b"\n")):
            return None
        request: Request = record_converter.structure(json.loads(content), Request)
    except (OSError, ValueError, cattrs.BaseValidationError):
        return None
    return attrs.evolve(request, cached=True)


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=DIGEST_SIZE).hexdigest().encode()
