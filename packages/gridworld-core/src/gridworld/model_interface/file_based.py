"""A model in another process; requests and answers are files in a folder (``docs/reference/file-protocol.md``)."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from gridworld.errors import describe_value
from gridworld.model_interface.answers import AnswerFault, AnswerOutcome, Usage, read_action
from gridworld.model_interface.base import EpisodeInfo, ModelInput, ModelOutput, ReplyForm
from gridworld.model_interface.capabilities import AttendedModel, CheckedModel, PreflightCheck
from gridworld.model_interface.exchange_files import (
    EpisodeFolder,
    NoAnswerYet,
    Settling,
    new_run_id,
    read_if_there,
    wait_for_answer,
)
from gridworld.support.files import parse_json, write_bytes, write_text
from gridworld.support.png import encode_png
from gridworld.support.wording import make_visible, nearest_hint, visible_line

if TYPE_CHECKING:
    from gridworld.explaining.explanation import Explanation
    from gridworld.model_interface.steps import Step


SCHEMA_VERSION = 1
"""Version of the request and answer files."""

FIELDS = (
    "schema_version",
    "request_id",
    "action",
    "actions",
    "subgoal",
    "note",
    "reasoning",
    "confidence",
    "fault",
    "message",
)
FAULTS = tuple(outcome.value for outcome in AnswerOutcome if outcome not in (AnswerOutcome.OK, AnswerOutcome.NO_EFFECT))


class AnswerFile:
    """The answer file for one request.

    Args:
        path: the file.
        request_id: the id that the answer must repeat.
        action_space: action id to name.
        settled_after: seconds without change after which an invalid JSON file counts as complete.
    """

    def __init__(
        self, path: Path, request_id: str, action_space: Mapping[int, str], settled_after: float = 1.0
    ) -> None:
        self.path = path
        self._request_id = request_id
        self._action_space = action_space
        self._settling = Settling(settled_after)

    def read(self) -> ModelOutput:
        """Read the answer.

        Raises:
            NoAnswerYet: the file is missing, still being written, or answers another request.
            AnswerFault: the answer states a fault, or violates the protocol.
        """
        raw = read_if_there(self.path)
        answer = self._parse(raw)
        given = answer.get("request_id")
        if given != self._request_id and isinstance(given, str):
            raise NoAnswerYet(f"it answers another request, '{given}'")
        try:
            return attrs.evolve(_Reader(answer, self._action_space).output(), raw_output=_text(raw))
        except AnswerFault as fault:
            raise AnswerFault(fault.outcome, f"{self.path}: {fault.message}", raw_output=_text(raw)) from None

    def _parse(self, raw: bytes) -> dict[str, Any]:
        """Parse the file; relies on a partly written object never being valid JSON."""
        try:
            answer = parse_json(raw.decode(json.detect_encoding(raw)), number=float)  # some shells write UTF-16
        except ValueError as error:
            raise self._incomplete(raw, f"it is not JSON: {error}") from error
        if not isinstance(answer, dict):
            raise self._incomplete(raw, f"expected a JSON object, got {describe_value(answer)}")
        return answer

    def _incomplete(self, raw: bytes, reason: str) -> Exception:
        if not self._settling.has_settled(raw):
            return NoAnswerYet(reason, AnswerOutcome.UNPARSABLE)
        return AnswerFault(AnswerOutcome.UNPARSABLE, f"{self.path}: {reason}", raw_output=_text(raw))


class _Reader:
    """Parses an answer object; faults begin with the field name."""

    def __init__(self, answer: dict[str, Any], action_space: Mapping[int, str]) -> None:
        self._answer = answer
        self._action_space = action_space

    def output(self) -> ModelOutput:
        """Read the whole answer."""
        self._check_fields()
        if "fault" in self._answer:
            raise self._fault()
        actions = self._actions()
        return ModelOutput(
            action=actions[0],
            actions=actions if "actions" in self._answer else None,
            confidence=self._confidence(),
            reasoning=self._text("reasoning"),
            subgoal=self._text("subgoal"),
            note=self._text("note"),
        )

    def _check_fields(self) -> None:
        for name in self._answer:
            if name not in FIELDS:
                raise _unparsable(f"{name}: no such field{nearest_hint(name, FIELDS)}; there are {', '.join(FIELDS)}")
        if not isinstance(self._answer.get("request_id"), str):
            raise _unparsable("request_id: missing, or different from that of the request")
        version = self._answer.get("schema_version")
        if version != SCHEMA_VERSION:
            raise _unparsable(f"schema_version: expected {SCHEMA_VERSION}, got {describe_value(version)}")

    def _actions(self) -> tuple[int, ...]:
        """Read one or more actions."""
        if "actions" not in self._answer:
            if "action" not in self._answer:
                raise _unparsable("action: missing; an answer without one needs a fault")
            return (self._action("action", self._answer["action"]),)
        if "action" in self._answer:
            raise _unparsable("actions: an answer has either action or actions, not both")
        given = self._answer["actions"]
        if not isinstance(given, list) or not given:
            raise _unparsable(f"actions: expected a list of actions, got {describe_value(given)}")
        return tuple(self._action(f"actions[{number}]", each) for number, each in enumerate(given))

    def _action(self, place: str, value: Any) -> int:
        try:
            return read_action(value, self._action_space)
        except AnswerFault as fault:
            raise AnswerFault(fault.outcome, f"{place}: {fault.message}") from None

    def _confidence(self) -> float | None:
        given = self._answer.get("confidence")
        if given is None:
            return None
        if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 <= given <= 1:
            raise _unparsable(f"confidence: expected a number from 0 to 1, got {describe_value(given)}")
        return float(given)

    def _text(self, field: str) -> str | None:
        given = self._answer.get(field)
        if given is not None and not isinstance(given, str):
            raise _unparsable(f"{field}: expected a string, got {describe_value(given)}")
        return given

    def _fault(self) -> AnswerFault:
        given = self._answer["fault"]
        if given not in FAULTS:
            hint = nearest_hint(given, FAULTS) if isinstance(given, str) else ""
            return _unparsable(f"fault: expected one of {', '.join(FAULTS)}, got {describe_value(given)}{hint}")
        if "action" in self._answer or "actions" in self._answer:
            return _unparsable("fault: an answer has either an action or a fault")
        return AnswerFault(AnswerOutcome(given), self._text("message") or "no reason is given")


def _unparsable(message: str) -> AnswerFault:
    return AnswerFault(AnswerOutcome.UNPARSABLE, message)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


class FileBasedModelInterface(AttendedModel, CheckedModel):
    """Writes requests into a folder and waits for another process to answer them.

    Every instance has its own folder inside `folder`, with one folder per episode, so any number of runs can share
    `folder`.

    Args:
        folder: the folder; created if missing.
        timeout: maximum wait for an answer in seconds, above 0; ``inf`` waits forever.
        poll_interval: seconds between two checks for an answer, above 0.

    Raises:
        ValueError: an argument is out of range, or `folder` is a file.
    """

    def __init__(self, folder: Path | str, timeout: float = 300.0, poll_interval: float = 0.1) -> None:
        self._folder = Path(folder)
        if self._folder.exists() and not self._folder.is_dir():
            raise ValueError(f"folder: {self._folder} is not a folder")
        if not timeout > 0:
            raise ValueError(f"timeout must be more than 0, got {timeout}")
        if not poll_interval > 0:
            raise ValueError(f"poll_interval must be more than 0, got {poll_interval}")
        self._timeout = timeout
        self._poll_interval = poll_interval
        self._run_id = new_run_id()
        self._episode: EpisodeFolder | None = None

    @property
    def model_name(self) -> str:
        """Name of the model, ``file``."""
        return "file"

    def notice(self) -> str:
        """Return the folder of the requests and the name of a program that answers them."""
        return f"requests are written into {self._folder / self._run_id}; '{self._answerer}' answers them"

    @property
    def _answerer(self) -> str:
        return f"python examples/answer_files.py {self._folder}"

    def check_ready(self) -> None:
        """Create the folder of this instance.

        Raises:
            AnswerFault: permanent `INFRASTRUCTURE`, the folder cannot be created.
        """
        try:
            (self._folder / self._run_id).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable(error) from error

    def preflight(self) -> list[PreflightCheck]:
        """Return no checks, since only a real request shows whether something answers."""
        return []

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Use a new folder for this episode's requests."""
        self._episode = self._folder_of(episode)

    def can_reply(self, form: ReplyForm) -> bool:
        """Return True for every form."""
        return True

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Continue in a new folder: every request is self-contained."""
        return True

    def predict(self, input: ModelInput) -> ModelOutput:
        """Write a request and wait for its answer.

        Raises:
            AnswerFault: `INFRASTRUCTURE` if no answer came in time, permanent if the request cannot be written; the
                stated fault; or `UNPARSABLE` or `ILLEGAL` for an invalid answer.
        """
        self._episode = self._episode or self._folder_of(EpisodeInfo("unnamed", 0, input.text_prompt, input.max_steps))
        try:
            answer = self._write(self._episode, input)
        except OSError as error:
            raise self._unwritable(error) from error
        started = time.monotonic()
        try:
            output = wait_for_answer(answer.read, self._timeout, self._poll_interval)
        except NoAnswerYet as nothing:
            raise self._timed_out(answer, nothing) from None
        return attrs.evolve(output, usage=Usage(seconds=time.monotonic() - started))

    def _write(self, episode: EpisodeFolder, input: ModelInput) -> AnswerFile:
        """Write the next request; its JSON file comes last, to signal that all files are complete.

        Raises:
            OSError: a file cannot be written.
        """
        folder, number = episode.next_question()
        name, request_id = f"request_{number}", f"{self._run_id}/{folder.name}/{number}"
        answer = AnswerFile(folder / f"answer_{number}.json", request_id, dict(input.action_space))
        request = {
            "schema_version": SCHEMA_VERSION,
            "request_id": request_id,
            "answer_file": answer.path.name,
            "answer_within_seconds": self._timeout if math.isfinite(self._timeout) else None,
            "task_id": visible_line(episode.info.task_id),
            "seed": episode.info.seed,
            **_write_pictures(folder / name, input),
            "legend_images": _write_tiles(folder, input.explanation),
            **_in_words(input),
        }
        write_text(folder / f"{name}.json", json.dumps(request, indent=2) + "\n")
        return answer

    def _unwritable(self, error: OSError) -> AnswerFault:
        message = f"cannot write a request into {self._folder}: {error.strerror}"
        return AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, permanent=True)

    def _folder_of(self, episode: EpisodeInfo) -> EpisodeFolder:
        return EpisodeFolder(self._folder / self._run_id, episode)

    def _timed_out(self, answer: AnswerFile, nothing: NoAnswerYet) -> AnswerFault:
        return AnswerFault(
            nothing.outcome,
            f"no answer after {self._timeout:g} s in {answer.path} ({nothing.reason}); is '{self._answerer}' running?",
        )


def _write_pictures(stem: Path, input: ModelInput) -> dict[str, Any]:
    """Write current and earlier observations; return their file names."""
    image = None
    if input.image is not None:
        image = f"{stem.name}.png"
        write_bytes(stem.with_name(image), encode_png(input.image))
    if input.prior_images is None:
        return {"image": image, "prior_images": None}
    prior = [f"{stem.name}.prior_{number}.png" for number in range(len(input.prior_images))]
    for name, pixels in zip(prior, input.prior_images, strict=True):
        write_bytes(stem.with_name(name), encode_png(pixels))
    return {"image": image, "prior_images": prior}


def _write_tiles(folder: Path, explanation: Explanation | None) -> list[dict[str, str]] | None:
    """Write the explanation's pictures once per episode; return their names and labels."""
    if explanation is None or not explanation.pictures:
        return None
    named = [(f"legend_{number:02d}.png", each) for number, each in enumerate(explanation.pictures)]
    for name, picture in named:
        if not (folder / name).exists():
            write_bytes(folder / name, encode_png(picture.image))
    return [{"file": name, "label": make_visible(picture.label)} for name, picture in named]


def _in_words(input: ModelInput) -> dict[str, Any]:
    """Return the input without pictures, safe to print."""
    told = {} if input.explanation is None else input.explanation.texts()
    return {
        "mission": make_visible(input.text_prompt),
        "action_space": {str(number): name for number, name in sorted(input.action_space.items())},
        "step": input.step_number,
        "max_steps": input.max_steps,
        "history": _visible(input.additional_context),
        "text_observation": _visible(input.text_observation),
        **{name: _visible(told.get(name)) for name in ("legend", "rules", "examples")},
        "correction": _visible(input.correction),
        "feedback": _visible(input.feedback),
        "note": _visible(input.note),
        "reply": attrs.asdict(input.reply),
    }


def _visible(text: str | None) -> str | None:
    return None if text is None else make_visible(text)
