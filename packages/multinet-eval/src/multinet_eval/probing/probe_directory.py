"""A recorded probing on disk.

* ``probe.json``: the `ProbeManifest`, written once;
* ``tasks/``: the tasks, each named after its hash;
* ``answers.jsonl``: one line per answered question (`AnsweredQuestion`), in the order of the answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import attrs
import cattrs

from gridworld.model_interface import AnswerFault, AnswerOutcome
from gridworld.model_interface.answers import read_object
from gridworld.runner.record import Request, record_converter
from gridworld.support.checks import describe_structure_error
from gridworld.support.files import FileError, JSONError, MissingFileError, parse_json, read_lines
from gridworld.task_spec import TaskSpecification
from multinet_eval.probing.probe import ProbeQuestion, Unreadable
from multinet_eval.probing.questions import ProbeSettings, QuestionKey
from multinet_eval.record.journal import AttemptFile
from multinet_eval.record.manifest import Manifest
from multinet_eval.record.record_folders import (
    PROBING,
    TASKS,
    RunError,
    begin_record,
    read_signed,
    read_task,
    task_files,
)
from multinet_eval.record.run_directory import manifest_problems
from multinet_eval.settings.converting import converter

Said = Mapping[str, Any]
"""The JSON object of an answer."""


@attrs.frozen
class AnsweredQuestion:
    """A question, with the requests made for it."""

    place: QuestionKey
    digest: str
    """Digest of the prompt."""
    question: ProbeQuestion
    requests: tuple[Request, ...]
    """Requests made for the question, at least one."""
    sent: tuple[dict[str, Any], ...] = ()
    """What was sent for each of them (`multinet_eval.record.sent_requests`)."""

    @property
    def outcome(self) -> AnswerOutcome:
        """Outcome of the last request; also `OK` for an answer in the wrong form."""
        return self.requests[-1].outcome

    @property
    def reply(self) -> str:
        """Text of the last reply; the message about it if there is no text."""
        last = self.requests[-1]
        return last.raw_output or last.message

    def said(self) -> Said:
        """Return the JSON object of the answer.

        Raises:
            Unreadable: the question has no answer, or the answer contains no JSON object.
        """
        last = self.requests[-1]
        if last.outcome is not AnswerOutcome.OK:
            raise Unreadable(f"{last.outcome}: {last.message}")
        try:
            found = read_object((last.raw_output or "").strip())
        except AnswerFault as fault:
            raise Unreadable(fault.message) from fault
        if found is None:
            raise Unreadable("expected a JSON object, alone or in a code block at the end")
        return found

    def to_line(self) -> bytes:
        """Encode the question as one line of JSON."""
        return json.dumps(record_converter.unstructure(self), separators=(",", ":")).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes, source: str) -> Self:
        """Parse a line; raises RunError, naming the source, if it is malformed."""
        try:
            data = parse_json(line)
        except JSONError as error:
            raise RunError(f"{source}: it is not JSON: {error}") from error
        if not isinstance(data, Mapping):
            raise RunError(f"{source}: expected an object, got {data!r:.60}")
        try:
            return record_converter.structure(data, cls)
        except cattrs.BaseValidationError as error:
            raise RunError(f"{source}: {describe_structure_error(error, 'line')}") from error


ANSWERS = "answers.jsonl"


@attrs.frozen
class ProbeManifest:
    """Settings of a probing."""

    run: Manifest
    """Manifest of the model, the suite and the presentation; each task is planned once on each tiling."""
    probing: ProbeSettings
    kind: str = "probe"

    def to_dict(self) -> dict[str, Any]:
        """Return the manifest as a JSON-ready dictionary."""
        return {**attrs.asdict(self, recurse=False), "run": self.run.to_dict(), "probing": attrs.asdict(self.probing)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Build a manifest from the result of `to_dict`.

        Raises:
            cattrs.BaseValidationError: the value is malformed.
        """
        return converter.structure(data, cls)


class ProbeDirectory:
    """A recorded probing.

    Args:
        path: folder of the probing, made by `create`.

    Raises:
        RunError: the folder contains no readable probing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.root = path.absolute()
        """Absolute path of the folder, since a model may change the working directory."""
        data, self.is_own = read_signed(path, PROBING)
        """Contents of its file, and whether this user has recorded it (`multinet_eval.record.ownership`)."""
        try:
            self.manifest = ProbeManifest.from_dict(data)
        except cattrs.BaseValidationError as error:
            problem = describe_structure_error(error, "probing")
            raise RunError(f"{path / PROBING.file} is damaged: {problem}") from error
        for each in manifest_problems(self.manifest.run):
            raise RunError(f"{path / PROBING.file} is damaged: run.{each}")

    @classmethod
    def create(cls, path: Path, manifest: ProbeManifest, tasks: Iterable[TaskSpecification]) -> ProbeDirectory:
        """Create the folder of a new probing.

        Raises:
            RunError: the folder is not empty or cannot be written.
        """
        begin_record(path, PROBING, manifest.to_dict(), task_files(tasks), (TASKS,))
        return cls(path)

    def tasks(self) -> tuple[TaskSpecification, ...]:
        """Return the tasks in order; raises RunError if a task is missing or changed."""
        first = self.manifest.run.settings.tilings[0]
        digests = [each.task for each in self.manifest.run.plan if each.tiling == first]
        return tuple(read_task(self.root, digest, self.manifest.run.played_with) for digest in digests)

    def answered(self) -> Iterator[AnsweredQuestion]:
        """Yield the answers so far, in order of arrival; raises as `asked` does."""
        return (each for each in self.asked() if each.outcome is not AnswerOutcome.INFRASTRUCTURE)

    def asked(self) -> Iterator[AnsweredQuestion]:
        """Yield the asked questions, including those without an answer; an incomplete last line is ignored.

        Raises:
            RunError: a line cannot be read; the message names it.
        """
        path = self.root / ANSWERS
        try:
            for number, line in read_lines(path):
                yield AnsweredQuestion.from_line(line, f"{path}, line {number}")
        except MissingFileError:
            return
        except FileError as error:
            raise RunError(str(error)) from error

    def open_answers(self) -> AttemptFile:
        """Open the file of answers for appending; raises OSError."""
        return AttemptFile(self.root / ANSWERS)
