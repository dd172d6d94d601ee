"""A person at the terminal as the model: sees what a model is given, and answers with single keys."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

from PIL import Image
from rich.console import Group, RenderableType
from rich.control import Control
from rich.segment import ControlType
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
from multinet_eval.human.action_keys import keys_of
from multinet_eval.human.half_blocks import half_blocks
from multinet_eval.human.keyboard import Keyboard
from multinet_eval.support.rich_console import make_console

__all__ = ["HumanModel"]

EXPLAIN = "?"
SIGNS = {"up": "↑", "left": "←", "right": "→", " ": "space"}
QUIT = ("q", "\x03", "\x04")
"""q, Ctrl-C where it does not interrupt, and Ctrl-D."""

FRESH_LINE = Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2))
"""Over what a progress bar has left on the present line."""

SPARE_LINES = 3
"""For the empty line below a picture, a word about a wrong key, and a progress bar."""

FEWEST_LINES = 4
"""No picture has fewer lines, however much text there is beside it."""


class HumanModel(AttendedModel):
    """Shows each step on standard error and waits for a key; ``q`` stops the run with what has been finished.

    What is explained is shown before the first step to which it belongs, and again for the question mark.

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
        """What has been explained last."""

    @property
    def model_name(self) -> str:
        """``human``."""
        return "human"

    def notice(self) -> str:
        """Who has to do what."""
        return "you play: each step waits for one of the keys below the picture"

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Note which task is played."""
        self._task_id = episode.task_id

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Go on: all that the person has to know is shown at each step."""
        return True

    def predict(self, input: ModelInput) -> ModelOutput:
        """Show the step and wait for a key that stands for an action.

        Raises:
            KeyboardInterrupt: the person quits.
            AnswerFault: `INFRASTRUCTURE`, the terminal is gone.
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
        """Leave the terminal as it was."""
        self._keyboard.close()

    def _read(self) -> str:
        try:
            return self._keyboard.read()
        except EOFError:
            raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, "the terminal has been closed") from None

    def _explain(self, input: ModelInput) -> None:
        """Show what is explained until a key is pressed."""
        self._explained = _explanations(input)
        if input.explanation is None:
            return
        shown: list[RenderableType] = [Control.home(), Control.clear()]
        shown += [Text(f"{make_visible(text)}\n") for text in self._explained]
        for tiles in input.explanation.pictures if self._shows_pictures else ():
            width, height = self._console.size
            shown += [Text(make_visible(tiles.label)), half_blocks(Image.fromarray(tiles.image), width, height // 2)]
        self._console.print(Group(*shown, Text("any key goes on  ? shows this again  q quit", style="dim")))
        if self._read() in QUIT:
            raise KeyboardInterrupt

    def _show(self, input: ModelInput) -> None:
        place = f"{visible_line(self._task_id)}  step {input.step_number + 1} of {input.max_steps}"
        head = Text(f"{place}\n{make_visible(input.text_prompt)}\n")
        texts = [*_texts(input), _help(input.action_space)]
        shown: list[RenderableType] = [Control.home(), Control.clear(), head]
        if input.image is not None:
            shown.append(self._picture(input, len(self._console.render_lines(Group(head, *texts)))))
        # In one piece, so that no progress bar is drawn in between.
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
    """The texts that explain, the rules last, where they are at hand when the first step is shown."""
    told = {} if input.explanation is None else input.explanation.texts()
    return tuple(told[name] for name in ("examples", "legend", "rules") if name in told)


def _texts(input: ModelInput) -> Iterator[Text]:
    for text in (input.text_observation, input.additional_context, input.correction):
        if text:
            yield Text(f"{make_visible(text)}\n")


def _help(action_space: Mapping[int, str]) -> Text:
    parts = [
        f"{'/'.join(SIGNS.get(key, key) for key in keys)} {action_space[number]}"
        for number, keys in keys_of(action_space).items()
    ]
    return Text("  ".join([*parts, "q quit"]), style="dim")
