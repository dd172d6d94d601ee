"""A model in another process: requests and answers are files in a folder (``docs/file-protocol.md``)."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from gridworld.model_interface.answer_file import SCHEMA_VERSION, AnswerFile
from gridworld.model_interface.answers import AnswerFault, AnswerOutcome, Usage
from gridworld.model_interface.awaited_files import NoAnswerYet, wait_for_answer
from gridworld.model_interface.base import EpisodeInfo, ModelInput, ModelOutput
from gridworld.model_interface.episode_folder import EpisodeFolder, new_run_id
from gridworld.model_interface.inspection import AttendedModel, CheckedModel, PreflightCheck
from gridworld.model_interface.reply_form import ReplyForm
from gridworld.support.files import write_bytes, write_text
from gridworld.support.png import encode_png
from gridworld.support.wording import make_visible, visible_line

if TYPE_CHECKING:
    from gridworld.explaining.explanation import Explanation
    from gridworld.runner.record import Step

__all__ = ["FileBasedModelInterface"]


class FileBasedModelInterface(AttendedModel, CheckedModel):
    """Writes each request into a folder of its episode, and waits there for the answer of another process.

    Every instance makes a folder of its own inside `folder`, and every episode another one inside that, so that any
    number of runs can share `folder`, at once or one after another.

    Args:
        folder: where to write; it is made if it is not there.
        timeout: how long to wait for an answer, in seconds, more than 0; ``inf`` waits for ever.
        poll_interval: how long to wait between two looks, in seconds, more than 0.

    Raises:
        ValueError: an argument outside its range, or `folder` is a file.
    """

    def __init__(self, folder: Path | str, timeout: float = 300.0, poll_interval: float = 0.1) -> None:
        self._folder = Path(folder)
        if self._folder.exists() and not self._folder.is_dir():
            raise ValueError(f"folder: {self._folder} is not a folder")
        if not timeout > 0:
            raise ValueError(f"timeout has to be more than 0, got {timeout}")
        if not poll_interval > 0:
            raise ValueError(f"poll_interval has to be more than 0, got {poll_interval}")
        self._timeout = timeout
        self._poll_interval = poll_interval
        self._run_id = new_run_id()
        self._episode: EpisodeFolder | None = None

    @property
    def model_name(self) -> str:
        """``file``."""
        return "file"

    def notice(self) -> str:
        """Where the requests are, and a program that answers them."""
        return f"requests are written into {self._folder / self._run_id}; '{self._answerer}' answers them"

    @property
    def _answerer(self) -> str:
        return f"python examples/answer_files.py {self._folder}"

    def check_ready(self) -> None:
        """Make the folder of this instance, by which it is known whether requests can be written.

        Raises:
            AnswerFault: it cannot be made; the outcome is `INFRASTRUCTURE`, and permanent.
        """
        try:
            (self._folder / self._run_id).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable(error) from error

    def preflight(self) -> list[PreflightCheck]:
        """None of its own: what answers it is found out by a question."""
        return []

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Use another folder from the next request on."""
        self._episode = self._folder_of(episode)

    def can_reply(self, form: ReplyForm) -> bool:
        """Any form can be written."""
        return True

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Go on in a new folder: every request holds all that is needed to answer it."""
        return True

    def predict(self, input: ModelInput) -> ModelOutput:
        """Write a request and wait for its answer.

        Raises:
            AnswerFault: `INFRASTRUCTURE` if no answer came in time or, for good, if no request could be written;
                otherwise as the answer says, or `UNPARSABLE` or `ILLEGAL` if it is none.
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
        """Write the next request, its description last, so that its presence means that all is there.

        Raises:
            OSError: it cannot be written.
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
    """Write the observations, present and prior, and name their files."""
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
    """Write the pictures of what is explained, once an episode, and name their files."""
    if explanation is None or not explanation.pictures:
        return None
    named = [(f"legend_{number:02d}.png", each) for number, each in enumerate(explanation.pictures)]
    for name, picture in named:
        if not (folder / name).exists():
            write_bytes(folder / name, encode_png(picture.image))
    return [{"file": name, "label": make_visible(picture.label)} for name, picture in named]


def _in_words(input: ModelInput) -> dict[str, Any]:
    """Everything that a model is given, but for the pictures; the other process may print it."""
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
