"""Settings of recorded runs, as far as they may be used: in the runs of other people, much has to be given again.

A record may name things outside of its folder: addresses, environment variables, files, and folders. Those that the
user has not recorded (`multinet_eval.record.ownership`) are used only if this call names them. Every command that takes
a model, a backend, examples or a cache from a record gets its settings here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from shlex import join
from typing import Self

import attrs

from gridworld.errors import ArgumentError
from gridworld.hookspecs import BackendInfo, ModelInfo
from gridworld.plugins import get_registry
from gridworld.plugins.arguments import is_free_text
from gridworld.support.wording import visible_line
from multinet_eval.record.fingerprint import backend_of, override_arguments
from multinet_eval.record.ownership import key_problem
from multinet_eval.settings.plugin_objects import BASE_URL
from multinet_eval.settings.run_settings import CacheSettings, RunSettings

Words = tuple[str, ...]
"""Words of a command line."""


def _texts(texts: Iterable[str] | None) -> Words:
    return tuple(texts or ())


@attrs.frozen
class Given:
    """Settings given on a call, in place of recorded ones."""

    model_arguments: tuple[str, ...] = attrs.field(default=(), converter=_texts)
    """Arguments of the model, ``key=value``."""
    backend_arguments: tuple[str, ...] = attrs.field(default=(), converter=_texts)
    """Arguments of the backend, ``key=value``."""
    cache: CacheSettings | None = None
    examples_from: str | None = None

    @classmethod
    def of(cls, settings: RunSettings) -> Self:
        """Give all that settings name."""
        examples = settings.presentation.examples_from
        return cls(settings.model_arguments, settings.backend_arguments, settings.cache, examples)


NOTHING_GIVEN = Given()


class UnconfirmedError(ArgumentError):
    """A record of somebody else names things outside of its folder that the call does not give again.

    Args:
        place: the folder.
        needed: the words that give each of them.
    """

    def __init__(self, place: Path, needed: Iterable[Words]) -> None:
        self.needed = tuple(needed)
        listed = "".join(f"\n  {visible_line(join(words))}" for words in self.needed)
        problem = key_problem()
        key = "" if problem is None else f" ({problem})"
        super().__init__(
            f"{place} was not recorded by you on this machine, or was changed{key}; what it names outside of its "
            f"folder is used only if you give it again:{listed}"
        )


def settings_to_resume(recorded: RunSettings, is_own: bool, place: Path, given: Given) -> RunSettings:
    """Return the settings with which to continue a record.

    Args:
        recorded: its recorded settings.
        is_own: whether the user has recorded them.
        place: its folder, for messages.
        given: settings given on the call.

    Raises:
        UnconfirmedError: the record is not one's own, and the call does not give again what it names.
        ArgumentError: a credential is missing.
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides the model or backend.
    """
    replaced = _replaced(recorded, given)
    arguments = override_arguments(recorded.model_arguments, given.model_arguments, "-M")
    _refuse_unconfirmed(recorded, is_own, place, given, (_in_model, _in_backend, _in_examples, _in_cache))
    return attrs.evolve(replaced, model_arguments=arguments, cache=given.cache or recorded.cache)


def settings_to_replay(recorded: RunSettings, is_own: bool, place: Path, given: Given = NOTHING_GIVEN) -> RunSettings:
    """Return the settings with which to play recorded answers again, without model and cache; raises as above."""
    settings = settings_to_draw(recorded, is_own, place, given)
    _refuse_unconfirmed(recorded, is_own, place, given, (_in_examples,))
    return settings


def settings_to_draw(recorded: RunSettings, is_own: bool, place: Path, given: Given = NOTHING_GIVEN) -> RunSettings:
    """Return the settings with which to make the backend of a record, and nothing else; raises as above."""
    replaced = _replaced(recorded, given)
    _refuse_unconfirmed(recorded, is_own, place, given, (_in_backend,))
    return attrs.evolve(replaced, cache=None)


def _replaced(recorded: RunSettings, given: Given) -> RunSettings:
    """Return the settings with another backend and other examples, if given."""
    arguments = override_arguments(recorded.backend_arguments, given.backend_arguments, "-B")
    presentation = recorded.presentation
    if given.examples_from is not None:
        presentation = attrs.evolve(presentation, examples_from=given.examples_from)
    return attrs.evolve(recorded, backend_arguments=arguments, presentation=presentation)


Named = Callable[[RunSettings, Given], Iterator[Words]]
"""Yields the words that give again what one part of the settings names."""


def _refuse_unconfirmed(recorded: RunSettings, is_own: bool, place: Path, given: Given, parts: Iterable[Named]) -> None:
    if is_own:
        return
    needed = [words for part in parts for words in part(recorded, given)]
    if needed:
        raise UnconfirmedError(place, needed)


def is_harmless(info: ModelInfo | BackendInfo, argument: str) -> bool:
    """Whether an argument, ``key=value``, names nothing outside of a run; raises PluginFault."""
    return argument.partition("=")[0] in info.harmless or not is_free_text(info.load(), argument)


def _in_model(recorded: RunSettings, given: Given) -> Iterator[Words]:
    info = get_registry().models.get(recorded.model)
    for name, text in _not_given(recorded.model_arguments, given.model_arguments):
        if not is_harmless(info, text):
            yield ("--base-url", text.partition("=")[2]) if name == BASE_URL else ("-M", text)


def _in_backend(recorded: RunSettings, given: Given) -> Iterator[Words]:
    info = get_registry().backends.get(backend_of(recorded))
    for _, text in _not_given(recorded.backend_arguments, given.backend_arguments):
        if not is_harmless(info, text):
            yield "-B", text


def _not_given(recorded: Iterable[str], given: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield name and text of recorded arguments that are not given."""
    names = {text.partition("=")[0] for text in given}
    yield from ((name, text) for text in recorded if (name := text.partition("=")[0]) not in names)


def _in_examples(recorded: RunSettings, given: Given) -> Iterator[Words]:
    name = recorded.presentation.examples_from
    if name is not None and given.examples_from is None and name not in get_registry().benchmarks:
        yield "--examples-from", name


def _in_cache(recorded: RunSettings, given: Given) -> Iterator[Words]:
    if recorded.cache is not None and given.cache is None:
        yield "--cache", recorded.cache.folder, *(["--cache-sampled"] if recorded.cache.sampled else [])
