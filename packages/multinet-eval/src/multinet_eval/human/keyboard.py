"""Single keys from the terminal, without Enter."""

from __future__ import annotations

import sys
from codecs import getincrementaldecoder
from typing import Any

if sys.platform == "win32":
    import msvcrt
else:
    import os
    import select
    import termios
    import tty

__all__ = ["Keyboard"]

ESCAPE = "\x1b"
ESCAPE_SECONDS = 0.05
"""The characters of an arrow key come together; after Escape itself nothing comes for so long."""

if sys.platform == "win32":
    ARROWS = {"H": "up", "P": "down", "K": "left", "M": "right"}

    class Keyboard:
        """Reads keys from the console of Windows."""

        def read(self) -> str:
            """The next key: a character, or ``up``, ``down``, ``left`` or ``right``."""
            key = msvcrt.getwch()
            return ARROWS.get(msvcrt.getwch(), "") if key in ("\x00", "\xe0") else key

        def close(self) -> None:
            """Nothing to give back."""

else:
    ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}

    class Keyboard:
        """Reads keys from standard input, a terminal, which shows none of them from the first one on, until `close`."""

        def __init__(self) -> None:
            self._file = sys.stdin.fileno()
            self._decoder = getincrementaldecoder("utf-8")("replace")
            self._before: list[Any] | None = None

        def read(self) -> str:
            """The next key: a character, ``up``, ``down``, ``left`` or ``right``, or empty for any other key.

            Raises:
                EOFError: the terminal is gone.
            """
            if self._before is None:
                self._before = termios.tcgetattr(self._file)
                tty.setcbreak(self._file, termios.TCSADRAIN)
            key = self._character()
            return self._special_key() if key == ESCAPE else key

        def close(self) -> None:
            """Leave the terminal as it was."""
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
            """What comes after Escape: ``[`` or ``O``, and characters up to a letter or a tilde."""
            sequence = ""
            while select.select([self._file], [], [], ESCAPE_SECONDS)[0]:
                sequence += self._character()
                if len(sequence) > 1 and (sequence[-1].isalpha() or sequence[-1] == "~"):
                    break
            return ARROWS.get(sequence[1:], "")
