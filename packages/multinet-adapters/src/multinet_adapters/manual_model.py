"""A model in a web chat: questions are written to files for a person to send, and replies are pasted back."""

# The annotations stay objects, since the command line reads them from the constructor.
import sys
import time
from collections.abc import Iterable, Sequence
from math import inf
from pathlib import Path
from typing import Literal

from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    AttendedModel,
    CheckedModel,
    EpisodeInfo,
    ModelInput,
    ModelOutput,
    PreflightCheck,
    PromptedModel,
    PromptImage,
    PromptText,
    ReplyForm,
    Usage,
)
from gridworld.model_interface.exchange_files import EpisodeFolder, NoAnswerYet, TextAnswer, new_run_id, wait_for_answer
from gridworld.runner.record import Step
from gridworld.support.files import write_bytes, write_text
from gridworld.support.png import encode_png
from gridworld.support.wording import make_visible, visible_line
from multinet_adapters.answers import ModelReply, describe_line, read_output
from multinet_adapters.prompt_parts import by_speaker, prompt_parts
from multinet_adapters.templates import load_template


def write_packet(path: Path, parts: Sequence[PromptText | PromptImage]) -> list[Path]:
    """Write a prompt; its text comes last, so that its presence means that the prompt is complete.

    Pictures are numbered from 1 in the order of the prompt; the text refers to them by number.

    Args:
        path: the text file; pictures are written next to it, as ``NAME.picture_1.png`` and so on.
        parts: the prompt.

    Returns:
        The paths of the text and of the pictures, in order.

    Raises:
        OSError: a file cannot be written.
    """
    images = [part for part in parts if isinstance(part, PromptImage)]
    pictures = [path.with_name(f"{path.stem}.picture_{number}.png") for number in range(1, len(images) + 1)]
    for picture, part in zip(pictures, images, strict=True):
        write_bytes(picture, encode_png(part.image))
    write_text(path, make_visible("\n\n".join(_paragraphs(parts))) + "\n")
    return [path, *pictures]


def _paragraphs(parts: Iterable[PromptText | PromptImage]) -> Iterable[str]:
    number = 0
    for speaker, said in by_speaker(parts):
        if speaker == "assistant":
            yield "You answered:"
        for part in said:
            if isinstance(part, PromptText):
                yield part.text
            else:
                number += 1
                yield f"[Picture {number}: {part.label}]"


END = "."
"""Line that ends a pasted reply."""
FRESH_LINE = "\r\x1b[K"
"""Control sequence that erases the progress bar on the current line of a terminal."""


class ManualModel(PromptedModel, CheckedModel, AttendedModel):
    """Writes each question into its episode's folder and waits for a person to paste the reply.

    A question is a text, ``question_0000.txt``, and pictures, ``question_0000.picture_1.png`` and so on. Every instance
    creates its own folder inside `folder`, so that runs can share it. Use one worker.

    Args:
        folder: folder for the questions; created if missing.
        replies: ``terminal``: paste a reply into the terminal and end it with a line that holds only a full stop;
            ``file``: save it next to the question, as ``answer_0000.txt``.
        prompt: the name of a template (minimal, standard, verbose, chain_of_thought) or the path of a file.
        timeout: maximum wait for a file in seconds, above 0; ``inf`` for no limit.
        poll_interval: seconds between two checks for a file, above 0.

    Raises:
        ValueError: an argument is out of range, or `folder` is a file.
    """

    def __init__(
        self,
        folder: Path,
        replies: Literal["terminal", "file"] = "terminal",
        prompt: str = "standard",
        timeout: float = inf,
        poll_interval: float = 0.5,
    ) -> None:
        self._folder = Path(folder)
        if self._folder.exists() and not self._folder.is_dir():
            raise ValueError(f"folder: {self._folder} is not a folder")
        for name, seconds in (("timeout", timeout), ("poll_interval", poll_interval)):
            if not seconds > 0:
                raise ValueError(f"{name} must be above 0, got {seconds}")
        self._template = load_template(prompt)
        self._replies: _Replies = _PastedReplies() if replies == "terminal" else _SavedReplies(timeout, poll_interval)
        self._run_folder = self._folder / new_run_id()
        self._episode: EpisodeFolder | None = None

    @property
    def model_name(self) -> str:
        """The name in results: ``manual``."""
        return "manual"

    def notice(self) -> str:
        """Return the folder of the questions, and how to reply."""
        return f"questions are written into {self._run_folder}; {self._replies.instruction}"

    def can_reply(self, form: ReplyForm) -> bool:
        """Return True: any form can be requested."""
        return True

    def check_ready(self) -> None:
        """Create the folder of this instance.

        Raises:
            AnswerFault: permanent `INFRASTRUCTURE`, if that fails.
        """
        try:
            self._run_folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable(error) from error

    def preflight(self) -> list[PreflightCheck]:
        """Return no checks: only a question could test the model."""
        return []

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Use a new folder for this episode's questions."""
        self._episode = EpisodeFolder(self._run_folder, episode)

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Return True, and resume in a new folder: every question is self-contained."""
        return True

    def rendered_prompt(self, input: ModelInput) -> list[PromptText | PromptImage]:
        """Return the whole prompt for this input, without writing anything."""
        return prompt_parts(input, self._template, describe_line)

    def predict(self, input: ModelInput) -> ModelOutput:
        """Write a question and wait for the reply.

        Raises:
            AnswerFault: the reply has no valid answer; `INFRASTRUCTURE` if no reply arrived in time, standard input
                ended, or (permanent) the question could not be written.
        """
        unnamed = EpisodeInfo("unnamed", 0, input.text_prompt, input.max_steps)
        self._episode = self._episode or EpisodeFolder(self._run_folder, unnamed)
        try:
            folder, number = self._episode.next_question()
            packet = write_packet(folder / f"question_{number}.txt", self.rendered_prompt(input))
        except OSError as error:
            raise self._unwritable(error) from error
        started = time.monotonic()
        _tell(_place(self._episode.info, input))
        text = self._replies.wait_for(packet, folder / f"answer_{number}.txt")
        return read_output(ModelReply(text, usage=Usage(seconds=time.monotonic() - started)), input)

    def _unwritable(self, error: OSError) -> AnswerFault:
        message = f"cannot write a question into {self._folder}: {error.strerror}"
        return AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, permanent=True)


def _place(episode: EpisodeInfo, input: ModelInput) -> str:
    """Return the task and step of a question, and the error in the previous answer."""
    step = f"{visible_line(episode.task_id)}: step {input.step_number + 1} of {input.max_steps}"
    return f"{step}, asked again: {visible_line(input.correction)}" if input.correction else step


def _tell(line: str) -> None:
    sys.stderr.write(f"{FRESH_LINE if sys.stderr.isatty() else ''}{line}\n")
    sys.stderr.flush()


class _PastedReplies:
    """Replies from standard input."""

    instruction = f"paste each reply here, followed by a line with only '{END}'"

    def wait_for(self, packet: Sequence[Path], answer: Path) -> str:
        _tell(f"  send {', '.join(map(str, packet))}; {self.instruction}:")
        lines: list[str] = []
        for line in iter(sys.stdin.readline, ""):
            if line.strip() == END:
                return "".join(lines)
            lines.append(line)
        message = f"standard input ended before a line with only '{END}'"
        raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, raw_output="".join(lines) or None, permanent=True)


class _SavedReplies:
    """Replies in files next to the questions."""

    instruction = "save each reply beside its question, as answer_0000.txt and so on"

    def __init__(self, timeout: float, poll_interval: float) -> None:
        self._timeout = timeout
        self._poll_interval = poll_interval

    def wait_for(self, packet: Sequence[Path], answer: Path) -> str:
        _tell(f"  send {', '.join(map(str, packet))}; save the reply as {answer}")
        try:
            return wait_for_answer(TextAnswer(answer).read, self._timeout, self._poll_interval)
        except NoAnswerYet as nothing:
            message = f"no answer after {self._timeout:g} s in {answer} ({nothing.reason})"
            raise AnswerFault(nothing.outcome, message) from None


_Replies = _PastedReplies | _SavedReplies
