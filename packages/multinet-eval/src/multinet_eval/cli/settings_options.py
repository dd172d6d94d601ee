"""Options that affect results: where episodes are played, what the model is shown, and what its answers count for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import attrs

from gridworld.backends.pictures import SMALLEST_PICTURE, PictureStyle
from gridworld.errors import ArgumentError
from gridworld.explaining.explanation import ExplainLevel
from gridworld.runner.presentation import ContextMode, FeedbackMode, ObservationControl, Presentation
from multinet_eval.cli.commands import option
from multinet_eval.cli.options import ANSWERS, SEEN, TASKS, BackendArgument, BackendName, Mission, ProtocolText, Tilings

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


@attrs.frozen
class EpisodeOptions:
    """Fields of `RunSettings` about the episodes and the protocol."""

    seed: int | None = option(None, "Seed of every episode; by default each task's own.", panel=TASKS)
    epochs: int = option(1, "Number of times each task is played.", min=1, panel=TASKS)
    budget_factor: str | None = option(
        None,
        "Step budget as a multiple of the shortest plan; by default each task's own.",
        metavar="FACTOR|none",
        panel=TASKS,
        rare=True,
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


@attrs.frozen
class PresentationOptions:
    """Fields of `Presentation`, and switches for two of them."""

    observation: str = option(
        DEFAULTS.observation.default,
        "Formats of the observation, joined by +, such as image+text; or none.",
        metavar="NAME+...",
        panel=SEEN,
    )
    image_size: int | None = option(
        None,
        "Longest side of pictures in pixels; by default the backend's own size.",
        metavar="PIXELS",
        min=SMALLEST_PICTURE,
        panel=SEEN,
        rare=True,
    )
    image_coordinates: bool = option(
        False, "Number the columns and rows in a margin of pictures.", panel=SEEN, rare=True
    )
    image_style: PictureStyle = option(
        DEFAULTS.image_style.default,
        "Style of pictures: the backend's own, bright on black, or with map letters.",
        panel=SEEN,
        rare=True,
    )
    explain: ExplainLevel = option(
        DEFAULTS.explain.default,
        "Briefing: nothing, how the suite's objects look, the rules, or both.",
        panel=SEEN,
    )
    examples: int = option(
        DEFAULTS.examples.default,
        "Number of other mazes shown beforehand with their shortest solutions.",
        metavar="N",
        min=0,
        panel=SEEN,
        rare=True,
    )
    examples_from: str | None = option(
        None, "Suite or folder of the examples; worked_examples by default.", metavar="SUITE", panel=SEEN, rare=True
    )
    observation_control: ObservationControl = option(
        DEFAULTS.observation_control.default,
        "Control for success without looking; swapped shows another task.",
        panel=SEEN,
        rare=True,
    )
    history_images: int = option(
        DEFAULTS.history_images.default,
        "Number of earlier pictures shown with the current one.",
        min=0,
        panel=SEEN,
        rare=True,
    )
    history_text: bool = option(
        False,
        "Summarize the last steps in text.",
        "--history-text/--no-history-text",
        show_default=False,
        panel=SEEN,
        rare=True,
    )
    history_text_window: int | None = option(
        None, "Number of steps in the summary; 10 by default.", min=1, panel=SEEN, rare=True
    )
    feedback: FeedbackMode = option(
        DEFAULTS.feedback.default, "Tell the model the effect of its last actions.", panel=SEEN, rare=True
    )
    context: ContextMode = option(
        DEFAULTS.context.default, "Ask each question afresh, or in a conversation with earlier answers.", panel=SEEN
    )
    context_steps: int | None = option(
        None, "Number of earlier questions kept in a conversation; 8 by default.", min=0, panel=SEEN, rare=True
    )
    context_images: int | None = option(
        None, "Number of earlier questions that keep their pictures; 2 by default.", min=0, panel=SEEN, rare=True
    )
    memory: Literal["none", "notes"] = option(
        "none", "Let the model leave itself a note for the next question.", panel=SEEN, rare=True
    )
    note_length: int | None = option(
        None, "Maximum length of a note in characters; 500 by default.", min=1, panel=SEEN, rare=True
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


@attrs.frozen
class PolicyOptions:
    """Fields of `AnswerPolicies`, as texts."""

    on_unparsable: str = option(
        "retry:2,skip",
        "After an unparsable answer: ask again, lose the step, or end the episode.",
        metavar=POLICY,
        panel=ANSWERS,
        rare=True,
    )
    on_refused: str = option("skip", "After a refusal to answer.", metavar=POLICY, panel=ANSWERS, rare=True)
    on_illegal: str = option(
        "skip", "After an action outside the action space.", metavar=POLICY, panel=ANSWERS, rare=True
    )
    on_truncated: str = option(
        "retry:1,skip", "After an answer cut off at its maximum length.", metavar=POLICY, panel=ANSWERS, rare=True
    )
    on_infrastructure: str = option(
        "retry:5,fail",
        "After a time-out or a server error; a failed episode is not scored.",
        metavar="[retry:N,]fail",
        panel=ANSWERS,
        rare=True,
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
