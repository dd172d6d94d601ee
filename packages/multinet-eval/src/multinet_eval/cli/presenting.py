"""What a model is given at each step, as options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from gridworld.backends.pictures import SMALLEST_PICTURE
from gridworld.errors import ArgumentError
from gridworld.runner.presentation import Presentation
from multinet_eval.cli.commands import taking
from multinet_eval.cli.options import SCORE

__all__ = ["presented"]

PICTURES, HISTORY, CONTEXT = "Pictures", "History", "Context"


class ExplainChoice(StrEnum):
    """The choices of ``--explain``."""

    NONE = "none"
    LEGEND = "legend"
    RULES = "rules"
    FULL = "full"


class StyleChoice(StrEnum):
    """The choices of ``--image-style``."""

    OWN = "own"
    CONTRAST = "contrast"
    LETTERS = "letters"


class ControlChoice(StrEnum):
    """The choices of ``--observation-control``."""

    NONE = "none"
    SWAPPED = "swapped"


class FeedbackChoice(StrEnum):
    """The choices of ``--feedback``."""

    NONE = "none"
    EFFECT = "effect"


class ContextChoice(StrEnum):
    """The choices of ``--context``."""

    FRESH = "fresh"
    CONVERSATION = "conversation"


class MemoryChoice(StrEnum):
    """The choices of ``--memory``."""

    NONE = "none"
    NOTES = "notes"


def read_presentation(
    observation: Annotated[
        str,
        typer.Option(
            "--observation",
            metavar="NAME+...",
            help="What the model is shown at each step: image, text, map, sentences, coordinates or a plugin's format, "
            "several joined by +, or none.",
            rich_help_panel=SCORE,
        ),
    ] = "image",
    image_size: Annotated[
        int | None,
        typer.Option(
            "--image-size",
            metavar="PIXELS",
            min=SMALLEST_PICTURE,
            help="The exact length of the longest side of pictures. By default as large as the backend draws them.",
            rich_help_panel=PICTURES,
        ),
    ] = None,
    image_coordinates: Annotated[
        bool,
        typer.Option(
            "--image-coordinates", help="Number columns and rows in a margin of pictures.", rich_help_panel=PICTURES
        ),
    ] = False,
    image_style: Annotated[
        StyleChoice,
        typer.Option(
            "--image-style",
            help="How pictures are drawn: as the backend does; in bright colours on black; as the backend does, with "
            "a letter on each thing, that of the map.",
            rich_help_panel=PICTURES,
        ),
    ] = StyleChoice.OWN,
    explain: Annotated[
        ExplainChoice,
        typer.Option(
            "--explain",
            help="What the model is told beforehand: how the things look that can occur in the suite, the rules, both, "
            "or nothing.",
            rich_help_panel=SCORE,
        ),
    ] = ExplainChoice.FULL,
    examples: Annotated[
        int,
        typer.Option(
            "--examples",
            metavar="N",
            min=0,
            help="Show the model N other mazes beforehand, with their shortest solutions.",
            rich_help_panel=SCORE,
        ),
    ] = 0,
    examples_from: Annotated[
        str | None,
        typer.Option(
            "--examples-from",
            metavar="SUITE",
            help="Choose them from this suite or folder; worked_examples by default.",
            rich_help_panel=SCORE,
        ),
    ] = None,
    observation_control: Annotated[
        ControlChoice,
        typer.Option(
            "--observation-control",
            help="swapped: show another task of the suite, to learn what is solved without looking.",
            rich_help_panel=SCORE,
        ),
    ] = ControlChoice.NONE,
    history_images: Annotated[
        int,
        typer.Option(
            "--history-images", min=0, help="How many earlier images the model is shown.", rich_help_panel=HISTORY
        ),
    ] = 0,
    history_text: Annotated[
        bool,
        typer.Option(
            "--history-text/--no-history-text",
            help="Give the model a text summary of its last steps.",
            rich_help_panel=HISTORY,
        ),
    ] = False,
    history_text_window: Annotated[
        int | None,
        typer.Option(
            "--history-text-window",
            min=1,
            help="How many steps the summary covers; 10 by default.",
            rich_help_panel=HISTORY,
        ),
    ] = None,
    feedback: Annotated[
        FeedbackChoice,
        typer.Option(
            "--feedback", help="Whether the model is told what its last actions did.", rich_help_panel=CONTEXT
        ),
    ] = FeedbackChoice.NONE,
    context: Annotated[
        ContextChoice,
        typer.Option(
            "--context",
            help="Whether each question stands alone, or follows earlier ones and their answers as one chat.",
            rich_help_panel=CONTEXT,
        ),
    ] = ContextChoice.FRESH,
    context_steps: Annotated[
        int | None,
        typer.Option(
            "--context-steps",
            min=0,
            help="How many earlier questions and answers a conversation holds; 8 by default.",
            rich_help_panel=CONTEXT,
        ),
    ] = None,
    context_images: Annotated[
        int | None,
        typer.Option(
            "--context-images",
            min=0,
            help="How many of the earlier questions still have their pictures; 2 by default.",
            rich_help_panel=CONTEXT,
        ),
    ] = None,
    memory: Annotated[
        MemoryChoice,
        typer.Option(
            "--memory",
            help="Whether the model may leave itself a note, which it is given with the next question.",
            rich_help_panel=CONTEXT,
        ),
    ] = MemoryChoice.NONE,
    note_length: Annotated[
        int | None,
        typer.Option(
            "--note-length", min=1, help="How many characters a note may have; 500 by default.", rich_help_panel=CONTEXT
        ),
    ] = None,
) -> Presentation:
    """What the options ask for; their names, defaults and help are read off this signature.

    Raises:
        ArgumentError: two options exclude each other, or one has no effect.
    """
    converses, notes = context is ContextChoice.CONVERSATION, memory is MemoryChoice.NOTES
    _refuse_idle("--examples-from", examples_from, bool(examples), "--examples")
    _refuse_idle("--history-text-window", history_text_window, history_text, "--history-text")
    _refuse_idle("--context-steps", context_steps, converses, "--context conversation")
    _refuse_idle("--context-images", context_images, converses, "--context conversation")
    _refuse_idle("--note-length", note_length, notes, "--memory notes")
    return Presentation(
        observation=observation,
        image_size=image_size,
        image_coordinates=image_coordinates,
        image_style=image_style.value,
        observation_control=observation_control.value,
        history_images=history_images,
        history_text_window=(history_text_window or 10) if history_text else 0,
        feedback=feedback.value,
        context=context.value,
        context_steps=8 if context_steps is None else context_steps,
        context_images=2 if context_images is None else context_images,
        note_length=(note_length or 500) if notes else 0,
        explain=explain.value,
        examples=examples,
        examples_from=examples_from,
    )


def _refuse_idle(option: str, given: int | str | None, has_effect: bool, needed: str) -> None:
    if given is not None and not has_effect:
        raise ArgumentError(f"{option} has no effect without {needed}")


presented = taking("presentation", read_presentation)
"""Gives a command the options of `read_presentation` in place of its parameter ``presentation``."""
