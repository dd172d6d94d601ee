"""The texts of a moment, written by the installed formats of observations."""

from __future__ import annotations

from gridworld.errors import UnknownNameError
from gridworld.plugins import get_registry
from gridworld.plugins.faults import blaming_in
from gridworld.runner.observation_format import IMAGE, NONE, ObservationFormat
from gridworld.support.import_strings import load_object
from gridworld.world import Episode

__all__ = ["check_installed", "write_texts"]


def check_installed(formats: ObservationFormat) -> None:
    """Make sure that the formats of texts are there.

    Raises:
        UnknownNameError: nothing installed provides one of them.
        AmbiguousNameError: more than one plugin does, and the name is not qualified.
    """
    for name in formats.texts:
        try:
            get_registry().observations.get(name)
        except UnknownNameError as error:
            raise _with_other_names(error) from error


def write_texts(formats: ObservationFormat, episode: Episode, when: str) -> str | None:
    """The texts of the present moment, one below the other; None where there are none.

    Args:
        formats: what is asked for.
        episode: the episode.
        when: what is being done, for faults, such as ``before step 3``.

    Raises:
        PluginFault: a format failed; it is named.
    """
    return "\n\n".join(_written(name, episode, when) for name in formats.texts) if formats.texts else None


def _written(name: str, episode: Episode, when: str) -> str:
    with blaming_in(episode.world.task, get_registry().observations.describe(name), when):
        return str(load_object(get_registry().observations.get(name).target)(episode))


def _with_other_names(error: UnknownNameError) -> UnknownNameError:
    """The same with the names that are none of a plugin's."""
    return UnknownNameError(error.kind, error.name, sorted({*error.known, IMAGE, NONE}), error.advice)
