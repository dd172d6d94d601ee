"""A model in a web chat: its questions are written as packets of text and pictures, its replies are pasted back."""

# The annotations stay objects, since the command line reads them from the constructor.
import sys
import time
from collections.abc import Sequence
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
from gridworld.support.wording import visible_line
from multinet_adapters.answer_formats import describe_line
from multinet_adapters.answers import ModelReply, read_output
from multinet_adapters.packets import write_packet
from multinet_adapters.prompt_parts import prompt_parts
from multinet_adapters.templates import load_template

__all__ = ["ManualModel"]

END = "."
"""The line that ends a pasted reply."""
FRESH_LINE = "\r\x1b[K"
"""Over what a progress bar has left on the present line of a terminal."""


class ManualModel(PromptedModel, CheckedModel, AttendedModel):
    """Writes each question as a packet into a folder of its episode, and waits for the reply that somebody pastes back.

    A packet is a text, ``question_0000.txt``, and its pictures, ``question_0000.picture_1.png`` and so on. Every
    instance makes a folder of its own inside `folder`, so that any number of runs can share it; use one worker.

    Args:
        folder: where packets are written; it is made if it is not there.
        replies: ``terminal``: a reply is pasted into the terminal, and ended by a line with a full stop alone;
            ``file``: it is saved beside the packet, as ``answer_0000.txt``.
        prompt: the name of a template (minimal, standard, verbose, chain_of_thought) or the path of a file.
        timeout: how long to wait for a file, in seconds, more than 0; ``inf`` waits for ever.
        poll_interval: how long to wait between two looks for a file, in seconds, more than 0.

    Raises:
        ValueError: an argument outside its range, or `folder` is a file.
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
                raise ValueError(f"{name} has to be more than 0, got {seconds}")
        self._template = load_template(prompt)
        self._replies: _Replies = _PastedReplies() if replies == "terminal" else _SavedReplies(timeout, poll_interval)
        self._run_folder = self._folder / new_run_id()
        self._episode: EpisodeFolder | None = None

    @property
    def model_name(self) -> str:
        """``manual``."""
        return "manual"

    def notice(self) -> str:
        """Where the questions are, and where their replies go."""
        return f"questions are written into {self._run_folder}; {self._replies.instruction}"

    def can_reply(self, form: ReplyForm) -> bool:
        """Any form can be asked for."""
        return True

    def check_ready(self) -> None:
        """Make the folder of this instance, by which it is known whether questions can be written.

        Raises:
            AnswerFault: it cannot be made; the outcome is `INFRASTRUCTURE`, and permanent.
        """
        try:
            self._run_folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable(error) from error

    def preflight(self) -> list[PreflightCheck]:
        """None of its own: whoever answers is found out by a question."""
        return []

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Use another folder from the next question on."""
        self._episode = EpisodeFolder(self._run_folder, episode)

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Go on in a new folder: every packet holds all that is needed to answer it."""
        return True

    def rendered_prompt(self, input: ModelInput) -> list[PromptText | PromptImage]:
        """What a packet holds, in order; nothing is written."""
        return prompt_parts(input, self._template, describe_line)

    def predict(self, input: ModelInput) -> ModelOutput:
        """Write a packet and wait for its reply.

        Raises:
            AnswerFault: the reply has no usable answer; or `INFRASTRUCTURE` if there is none: it did not come in time,
                standard input has ended or, for good, no packet could be written.
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
    """Which question it is, and what was wrong with the last answer to it."""
    step = f"{visible_line(episode.task_id)}: step {input.step_number + 1} of {input.max_steps}"
    return f"{step}, asked again: {visible_line(input.correction)}" if input.correction else step


def _tell(line: str) -> None:
    sys.stderr.write(f"{FRESH_LINE if sys.stderr.isatty() else ''}{line}\n")
    sys.stderr.flush()


class _PastedReplies:
    """Replies from standard input."""

    instruction = f"paste each reply here, and after it a line with '{END}' alone"

    def wait_for(self, packet: Sequence[Path], answer: Path) -> str:
        _tell(f"  send {', '.join(map(str, packet))}; {self.instruction}:")
        lines: list[str] = []
        for line in iter(sys.stdin.readline, ""):
            if line.strip() == END:
                return "".join(lines)
            lines.append(line)
        message = f"standard input has ended before a line with '{END}' alone"
        raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, raw_output="".join(lines) or None, permanent=True)


class _SavedReplies:
    """Replies in files beside the packets."""

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
