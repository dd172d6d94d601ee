"""A person at the terminal as the model, who sees model inputs and answers with single keys."""

from __future__ import annotations

import sys
from codecs import getincrementaldecoder
from collections.abc import Mapping, Sequence
from typing import Any

from PIL import Image
from rich.color import Color
from rich.console import Group, RenderableType
from rich.control import Control
from rich.segment import ControlType
from rich.style import Style
from rich.text import Text

from gridworld.errors import ArgumentError
from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    AttendedModel,
    EpisodeInfo,
    ModelInput,
    ModelOutput,
)
from gridworld.runner.record import Step
from gridworld.support.wording import make_visible, visible_line
from multinet_eval.human.persons import keys_of
from multinet_eval.support.rich_console import make_console

UPPER_HALF = "▀"


def half_blocks(picture: Image.Image, columns: int, lines: int) -> Text:
    """Render a picture in characters, scaled down to fit.

    Args:
        picture: an RGB picture; not modified.
        columns: maximum width in characters, at least 1.
        lines: maximum height in characters, at least 1.
    """
    small = picture.copy()
    small.thumbnail((columns, 2 * lines), Image.Resampling.BOX)
    width, height = small.size
    padded = Image.new("RGB", (width, height + height % 2))
    padded.paste(small)
    text = Text(no_wrap=True)
    for y in range(0, padded.height, 2):
        for x in range(width):
            text.append(UPPER_HALF, Style(color=_color(padded, x, y), bgcolor=_color(padded, x, y + 1)))
        text.append("\n")
    return text


def _color(picture: Image.Image, x: int, y: int) -> Color:
    pixel = picture.getpixel((x, y))
    assert isinstance(pixel, tuple)
    red, green, blue = pixel
    return Color.from_rgb(red, green, blue)


if sys.platform == "win32":
    import msvcrt
else:
    import os
    import select
    import termios
    import tty


ESCAPE = "\x1b"
ESCAPE_SECONDS = 0.05
"""Time limit in seconds between the characters of an arrow key, which distinguishes it from Escape."""

if sys.platform == "win32":
    ARROWS = {"H": "up", "P": "down", "K": "left", "M": "right"}

    class Keyboard:
        """Keyboard input from the Windows console."""

        def read(self) -> str:
            """Read the next key: a character, or ``up``, ``down``, ``left`` or ``right``."""
            key = msvcrt.getwch()
            return ARROWS.get(msvcrt.getwch(), "") if key in ("\x00", "\xe0") else key

        def close(self) -> None:
            """Do nothing: the console needs no reset."""

else:
    ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}

    class Keyboard:
        """Keyboard input from a terminal, with echo off until `close`."""

        def __init__(self) -> None:
            self._file = sys.stdin.fileno()
            self._decoder = getincrementaldecoder("utf-8")("replace")
            self._before: list[Any] | None = None

        def read(self) -> str:
            """Read the next key: a character, ``up``, ``down``, ``left`` or ``right``, or empty for any other key.

            Raises:
                EOFError: the terminal is closed.
            """
            if self._before is None:
                self._before = termios.tcgetattr(self._file)
                tty.setcbreak(self._file, termios.TCSADRAIN)
            key = self._character()
            return self._special_key() if key == ESCAPE else key

        def close(self) -> None:
            """Restore the terminal."""
            if self._before is not None:
                termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)
                self._before = None

        def _character(self) -> str:
            character = ""
            while not character:
                character = self._decoder.decode(self._byte())
            return character

        def _byte(self) -> bytes:
            try:
                read = os.read(self._file, 1)
            except OSError as error:
                raise EOFError from error
            if not read:
                raise EOFError
            return read

        def _special_key(self) -> str:
            """Read the rest of an escape sequence: ``[`` or ``O``, and characters up to a letter or a tilde."""
            sequence = ""
            while select.select([self._file], [], [], ESCAPE_SECONDS)[0]:
                sequence += self._character()
                if len(sequence) > 1 and (sequence[-1].isalpha() or sequence[-1] == "~"):
                    break
            return ARROWS.get(sequence[1:], "")


EXPLAIN = "?"
SIGNS = {"up": "↑", "left": "←", "right": "→", " ": "space"}
QUIT = ("q", "\x03", "\x04")
"""Keys that quit: q, Ctrl-C (where it does not interrupt), and Ctrl-D."""

FRESH_LINE = Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2))
"""Control sequence that erases the progress bar on the current line."""

SPARE_LINES = 3
"""Number of lines for the blank line below a picture, a message about a wrong key, and a progress bar."""

FEWEST_LINES = 4
"""Minimum height of a picture in lines, however long the text."""


class HumanModel(AttendedModel):
    """Shows each step on standard error and waits for a key; ``q`` stops the run and keeps finished episodes.

    Explanations are shown before the first step to which they apply, and again when the question mark is pressed.

    Keys: up or f moves forward, left or l and right or r turn, p picks up, d drops, t or space toggles, w or the full
    stop waits; a digit is the action with that id.

    Raises:
        ArgumentError: standard input or standard error is not a terminal.
    """

    def __init__(self) -> None:
        for name, stream in (("input", sys.stdin), ("error", sys.stderr)):
            if not stream.isatty():
                raise ArgumentError(f"model 'human' needs a terminal: standard {name} is not one")
        self._console = make_console()
        self._keyboard = Keyboard()
        self._task_id = ""
        self._explained: tuple[str, ...] = ()
        """The last explanation shown."""

    @property
    def model_name(self) -> str:
        """The name in results: ``human``."""
        return "human"

    def notice(self) -> str:
        """Return instructions for the person."""
        return "you play: each step waits for one of the keys below the picture"

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Record the current task."""
        self._task_id = episode.task_id

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Return True: each step shows everything that the person needs."""
        return True

    def predict(self, input: ModelInput) -> ModelOutput:
        """Show the step and wait for an action key.

        Raises:
            KeyboardInterrupt: the person quits.
            AnswerFault: `INFRASTRUCTURE`, if the terminal is closed.
        """
        keys = {key: number for number, keys in keys_of(input.action_space).items() for key in keys}
        if _explanations(input) != self._explained:
            self._explain(input)
        self._show(input)
        while True:
            key = self._read()
            if key in QUIT:
                raise KeyboardInterrupt
            if key == EXPLAIN and self._explained:
                self._explain(input)
                self._show(input)
                continue
            if key in keys:
                return ModelOutput(action=keys[key], raw_output=key)
            shown = f"'{key}'" if len(key) == 1 and key.isprintable() else "that key"
            self._console.print(Group(FRESH_LINE, Text(f"no action on {shown}")))

    def close(self) -> None:
        """Restore the terminal."""
        self._keyboard.close()

    def _read(self) -> str:
        try:
            return self._keyboard.read()
        except EOFError:
            raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, "the terminal has been closed") from None

    def _explain(self, input: ModelInput) -> None:
        """Show explanations until a key is pressed."""
        self._explained = _explanations(input)
        if input.explanation is None:
            return
        shown: list[RenderableType] = [Control.home(), Control.clear()]
        shown += [Text(f"{make_visible(text)}\n") for text in self._explained]
        for tiles in input.explanation.pictures if self._shows_pictures else ():
            width, height = self._console.size
            shown += [Text(make_visible(tiles.label)), half_blocks(Image.fromarray(tiles.image), width, height // 2)]
        self._console.print(Group(*shown, Text("any key continues  ? shows this again  q quit", style="dim")))
        if self._read() in QUIT:
            raise KeyboardInterrupt

    def _show(self, input: ModelInput) -> None:
        place = f"{visible_line(self._task_id)}  step {input.step_number + 1} of {input.max_steps}"
        head = Text(f"{place}\n{make_visible(input.text_prompt)}\n")
        told = filter(None, (input.text_observation, input.additional_context, input.correction))
        texts = [*(Text(f"{make_visible(text)}\n") for text in told), _help(input.action_space)]
        shown: list[RenderableType] = [Control.home(), Control.clear(), head]
        if input.image is not None:
            shown.append(self._picture(input, len(self._console.render_lines(Group(head, *texts)))))
        # Everything is printed in one piece, so that no progress bar is drawn in between.
        self._console.print(Group(*shown, *texts))

    @property
    def _shows_pictures(self) -> bool:
        return not self._console.no_color and self._console.color_system is not None

    def _picture(self, input: ModelInput, other_lines: int) -> Text:
        if not self._shows_pictures:
            return Text("(This terminal shows no colours, and so no pictures: use --observation text.)\n")
        assert input.image is not None
        width, height = self._console.size
        return half_blocks(Image.fromarray(input.image), width, max(FEWEST_LINES, height - other_lines - SPARE_LINES))


def _explanations(input: ModelInput) -> tuple[str, ...]:
    """Return the explanatory texts, with the rules last, so that they stay visible next to the first step."""
    told = {} if input.explanation is None else input.explanation.texts()
    return tuple(told[name] for name in ("examples", "legend", "rules") if name in told)


def _help(action_space: Mapping[int, str]) -> Text:
    parts = [
        f"{'/'.join(SIGNS.get(key, key) for key in keys)} {action_space[number]}"
        for number, keys in keys_of(action_space).items()
    ]
    return Text("  ".join([*parts, "q quit"]), style="dim")
