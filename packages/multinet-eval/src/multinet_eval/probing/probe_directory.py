"""`ProbeDirectory`: a recorded probing on disk.

* ``probe.json``: the `ProbeManifest`, written once;
* ``tasks/``: the tasks, each named by its hash;
* ``answers.jsonl``: a line for each question that was answered (`AnsweredQuestion`), in the order of the answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import attrs
import cattrs

from gridworld.runner.record import RecordingError
from gridworld.support.structuring import describe_structure_error
from gridworld.task_spec import TaskSpecification
from multinet_eval.probing.answered import AnsweredQuestion
from multinet_eval.probing.questions import ProbeSettings
from multinet_eval.record.manifest import Manifest
from multinet_eval.record.record_folders import (
    PROBING,
    TASKS,
    RunError,
    begin_record,
    read_record,
    read_task,
    task_files,
)
from multinet_eval.record.run_directory import AttemptFile, parsed_lines
from multinet_eval.settings.converting import converter

__all__ = ["ProbeDirectory", "ProbeManifest"]

PROBE_VERSION = 1
"""The version of ``probe.json``; it grows with every change that an older reader would misunderstand."""
ANSWERS = "answers.jsonl"


@attrs.frozen
class ProbeManifest:
    """What a probing is."""

    run: Manifest
    """Model, suite, and what is shown; each task once on each tiling."""
    probing: ProbeSettings
    kind: str = "probe"
    version: int = PROBE_VERSION

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {**attrs.asdict(self, recurse=False), "run": self.run.to_dict(), "probing": attrs.asdict(self.probing)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`.

        Raises:
            cattrs.BaseValidationError: it is not of this form.
        """
        return converter.structure(data, cls)


class ProbeDirectory:
    """A recorded probing.

    Args:
        path: its folder, made by `create`.

    Raises:
        RunError: it holds none, or one that cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._root = path.absolute()  # the model may change the working directory
        self.manifest = _read_manifest(path)

    @classmethod
    def create(cls, path: Path, manifest: ProbeManifest, tasks: Iterable[TaskSpecification]) -> ProbeDirectory:
        """Make the folder of a new probing.

        Raises:
            RunError: the folder exists and is not empty, or it cannot be written.
        """
        begin_record(path, PROBING, manifest.to_dict(), task_files(tasks), (TASKS,))
        return cls(path)

    def tasks(self) -> tuple[TaskSpecification, ...]:
        """The tasks in order; raises RunError if one is missing or has been changed."""
        first = self.manifest.run.settings.tilings[0]
        digests = [each.task for each in self.manifest.run.plan if each.tiling == first]
        return tuple(read_task(self._root, digest, self.manifest.run.played_with) for digest in digests)

    def answered(self) -> Iterator[AnsweredQuestion]:
        """The answers so far, in the order in which they came; a line that was cut off is left out.

        Raises:
            RunError: a line cannot be read; it is named.
        """
        path = self._root / ANSWERS
        try:
            for place, line in parsed_lines(path):
                yield AnsweredQuestion.from_dict(line, place)
        except FileNotFoundError:
            return
        except OSError as error:
            raise RunError(f"cannot read {path}: {error.strerror}") from error
        except RecordingError as error:
            raise RunError(str(error)) from error

    def open_answers(self) -> AttemptFile:
        """The file of answers, to add to; raises OSError."""
        return AttemptFile(self._root / ANSWERS)


def _read_manifest(path: Path) -> ProbeManifest:
    data = read_record(path, PROBING, PROBE_VERSION)
    try:
        return ProbeManifest.from_dict(data)
    except cattrs.BaseValidationError as error:
        raise RunError(f"{path / PROBING.file} is damaged: {describe_structure_error(error, 'probing')}") from error
