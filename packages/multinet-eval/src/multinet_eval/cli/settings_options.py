"""Options that affect results: where episodes are played, what the model is shown, and what its answers count for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import attrs
import typer

from gridworld.backends.pictures import SMALLEST_PICTURE, PictureStyle
from gridworld.errors import ArgumentError
from gridworld.explaining.explanation import ExplainLevel
from gridworld.runner.presentation import ContextMode, FeedbackMode, ObservationControl, Presentation
from multinet_eval.cli.commands import from_options
from multinet_eval.cli.options import (
    ANSWERS,
    EXAMPLES_FROM,
    SEEN,
    TASKS,
    BackendArgument,
    BackendName,
    Mission,
    ProtocolText,
    Tilings,
)

if TYPE_CHECKING:
    from multinet_eval.settings.asking import AnswerPolicies
    from multinet_eval.settings.run_settings import RunSettings


@attrs.frozen
class BackendOptions:
    """The backend and its tilings."""

    backend: BackendName = None
    backend_arg: BackendArgument = None
    tiling: Tilings = None

    def settings(self, **others: Any) -> RunSettings:
        """Make the settings of a run, with values for the other fields."""
        from multinet_eval.settings.plugin_objects import choose_tilings
        from multinet_eval.settings.run_settings import RunSettings

        tilings = tuple(choose_tilings(self.tiling))
        return RunSettings(backend=self.backend, backend_arguments=self.backend_arg, tilings=tilings, **others)


@attrs.frozen(field_transformer=from_options)
class EpisodeOptions:
    """Fields of `RunSettings` about the episodes and the protocol."""

    seed: int | None = typer.Option(
        None, help="Seed of every episode; by default each task's own.", rich_help_panel=TASKS
    )
    epochs: int = typer.Option(1, min=1, help="Number of times each task is played.", rich_help_panel=TASKS)
    budget_factor: str | None = typer.Option(
        None,
        metavar="FACTOR|none",
        help="Step budget as a multiple of the shortest plan; by default each task's own.",
        rich_help_panel=TASKS,
    )
    mission: Mission = "goal"
    protocol: ProtocolText = "step"

    def settings(self) -> dict[str, Any]:
        """Return the arguments of `RunSettings`."""
        return attrs.asdict(self, filter=lambda each, value: value is not None)


NEEDED_OPTION = {
    "examples_from": "--examples",
    "history_text_window": "--history-text",
    "context_steps": "--context conversation",
    "context_images": "--context conversation",
    "note_length": "--memory notes",
}
"""Field to the option without which it has no effect."""
DEFAULTS = attrs.fields(Presentation)


@attrs.frozen(field_transformer=from_options)
class PresentationOptions:
    """Fields of `Presentation`, and switches for two of them."""

    observation: str = typer.Option(
        DEFAULTS.observation.default,
        metavar="NAME+...",
        help="Formats of the observation, joined by +, such as image+text; or none.",
        rich_help_panel=SEEN,
    )
    image_size: int | None = typer.Option(
        None,
        metavar="PIXELS",
        min=SMALLEST_PICTURE,
        help="Longest side of pictures in pixels; by default the backend's own size.",
        rich_help_panel=SEEN,
    )
    image_coordinates: bool = typer.Option(
        False, "--image-coordinates", help="Number the columns and rows in a margin of pictures.", rich_help_panel=SEEN
    )
    image_style: PictureStyle = typer.Option(
        DEFAULTS.image_style.default,
        help="Style of pictures: the backend's own, bright on black, or with map letters.",
        rich_help_panel=SEEN,
    )
    explain: ExplainLevel = typer.Option(
        DEFAULTS.explain.default,
        help="Briefing: nothing, how the suite's objects look, the rules, or both.",
        rich_help_panel=SEEN,
    )
    examples: int = typer.Option(
        DEFAULTS.examples.default,
        metavar="N",
        min=0,
        help="Number of other mazes shown beforehand with their shortest solutions.",
        rich_help_panel=SEEN,
    )
    examples_from: str | None = EXAMPLES_FROM
    observation_control: ObservationControl = typer.Option(
        DEFAULTS.observation_control.default,
        help="Control for success without looking; swapped shows another task.",
        rich_help_panel=SEEN,
    )
    history_images: int = typer.Option(
        DEFAULTS.history_images.default,
        min=0,
        help="Number of earlier pictures shown with the current one.",
        rich_help_panel=SEEN,
    )
    history_text: bool = typer.Option(
        False,
        "--history-text/--no-history-text",
        show_default=False,
        help="Summarize the last steps in text.",
        rich_help_panel=SEEN,
    )
    history_text_window: int | None = typer.Option(
        None, min=1, help="Number of steps in the summary; 10 by default.", rich_help_panel=SEEN
    )
    feedback: FeedbackMode = typer.Option(
        DEFAULTS.feedback.default, help="Tell the model the effect of its last actions.", rich_help_panel=SEEN
    )
    context: ContextMode = typer.Option(
        DEFAULTS.context.default,
        help="Ask each question afresh, or in a conversation with earlier answers.",
        rich_help_panel=SEEN,
    )
    context_steps: int | None = typer.Option(
        None, min=0, help="Number of earlier questions kept in a conversation; 8 by default.", rich_help_panel=SEEN
    )
    context_images: int | None = typer.Option(
        None, min=0, help="Number of earlier questions that keep their pictures; 2 by default.", rich_help_panel=SEEN
    )
    memory: Literal["none", "notes"] = typer.Option(
        "none", help="Let the model leave itself a note for the next question.", rich_help_panel=SEEN
    )
    note_length: int | None = typer.Option(
        None, min=1, help="Maximum length of a note in characters; 500 by default.", rich_help_panel=SEEN
    )

    def make(self) -> Presentation:
        """Make the presentation.

        Raises:
            ArgumentError: two options exclude each other, or one has no effect.
        """
        given = attrs.asdict(self, filter=lambda each, value: value is not None)
        history, notes = given.pop("history_text"), given.pop("memory") == "notes"
        effective = {
            "--examples": self.examples > 0,
            "--history-text": history,
            "--context conversation": self.context == "conversation",
            "--memory notes": notes,
        }
        for name, needed in NEEDED_OPTION.items():
            if name in given and not effective[needed]:
                raise ArgumentError(f"--{name.replace('_', '-')} has no effect without {needed}")
        usual = {**({"history_text_window": 10} if history else {}), **({"note_length": 500} if notes else {})}
        return Presentation(**{**usual, **given})


POLICY = "[retry:N,]skip|fail"


@attrs.frozen(field_transformer=from_options)
class PolicyOptions:
    """Fields of `AnswerPolicies`, as texts."""

    on_unparsable: str = typer.Option(
        "retry:2,skip",
        metavar=POLICY,
        help="After an unparsable answer: ask again, then lose the step or end the episode.",
        rich_help_panel=ANSWERS,
    )
    on_refused: str = typer.Option("skip", metavar=POLICY, help="After a refusal to answer.", rich_help_panel=ANSWERS)
    on_illegal: str = typer.Option(
        "skip", metavar=POLICY, help="After an action outside the action space.", rich_help_panel=ANSWERS
    )
    on_truncated: str = typer.Option(
        "retry:1,skip", metavar=POLICY, help="After an answer cut off at its maximum length.", rich_help_panel=ANSWERS
    )
    on_infrastructure: str = typer.Option(
        "retry:5,fail",
        metavar="[retry:N,]fail",
        help="After a time-out or a server error; a failed episode is not scored.",
        rich_help_panel=ANSWERS,
    )

    def make(self) -> AnswerPolicies:
        """Make the policies; raises ArgumentError for an invalid one."""
        from multinet_eval.settings.asking import AnswerPolicies

        policies = AnswerPolicies()
        for name, text in attrs.asdict(self).items():
            try:
                policies = attrs.evolve(policies, **{name: text})
            except ValueError as error:
                raise ArgumentError(f"--{name.replace('_', '-')}: {error}") from error
        return policies
