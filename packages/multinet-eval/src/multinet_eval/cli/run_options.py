"""Options of the commands that ask models, as fields of the classes that make settings of a run of them."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

import attrs
import typer

from gridworld.backends.pictures import SMALLEST_PICTURE, PictureStyle
from gridworld.errors import ArgumentError
from gridworld.explaining.explanation import ExplainLevel
from gridworld.runner.presentation import ContextMode, FeedbackMode, ObservationControl, Presentation
from gridworld.support.suggestions import nearest_hint
from multinet_eval.cli.commands import option
from multinet_eval.cli.echo import echo
from multinet_eval.cli.options import SCORE, BackendArgument, BackendName, Mission, ProtocolText, Tilings
from multinet_eval.cli.output_files import refuse_idle_page, refuse_output, refuse_page
from multinet_eval.settings.defaults import PATIENCE

if TYPE_CHECKING:
    from multinet_eval.play.observers import RunObserver
    from multinet_eval.play.run import UntilDecided
    from multinet_eval.record.manifest import RunOptions
    from multinet_eval.settings.asking import AnswerPolicies
    from multinet_eval.settings.run_settings import CacheSettings, RunSettings
    from multinet_eval.settings.spending import BudgetLimits, Prices

PICTURES, HISTORY, CONTEXT, ANSWERS = "Pictures", "History", "Context", "Unusable answers"
PLAYING, COST, RECORD, OBSERVERS, OUTPUT = "How to play", "Cost", "Record", "Observers", "Output"
"""Panels in ``--help``."""
NO_RECORD = "MULTINET_NO_RECORD"
"""The environment variable by which runs without ``--run-dir`` are not recorded, unless it is empty."""
GIVEN = ("COMMANDLINE", "ENVIRONMENT")
"""Parameter sources that count as given."""
NONE = "none"
"""In place of a limit: that there is none."""

Number = TypeVar("Number", int, float)
FindPrices = Callable[..., "Prices | None"]
"""From the name of a model, and its prices otherwise, to its prices."""


# --- settings --------------------------------------------------------------------------------------------------


@attrs.frozen
class BackendOptions:
    """Where tasks are played."""

    backend: BackendName = None
    backend_arg: BackendArgument = None
    tiling: Tilings = None

    def settings(self, **others: Any) -> RunSettings:
        """Settings of a run, with the fields that these options do not fill."""
        from multinet_eval.settings.plugin_objects import choose_tilings
        from multinet_eval.settings.run_settings import RunSettings

        tilings = tuple(choose_tilings(self.tiling))
        return RunSettings(backend=self.backend, backend_arguments=self.backend_arg, tilings=tilings, **others)


@attrs.frozen
class EpisodeOptions:
    """Fields of `RunSettings` that say which episodes are played, and how the model is asked in them."""

    seed: int | None = option(None, "The seed of every episode. By default each task's own.", panel=SCORE)
    epochs: int = option(
        1, "How many times each task is played, the first time with the seed of a single run.", min=1, panel=SCORE
    )
    budget_factor: str | None = option(
        None,
        "Each task has so many times its optimum of steps, rounded up, on the tiling that is played. By "
        "default only tasks that say so, such as matched pairs; none for max_steps of all tasks.",
        metavar="C|none",
        panel=SCORE,
    )
    mission: Mission = "goal"
    protocol: ProtocolText = "step"

    def settings(self) -> dict[str, Any]:
        """Arguments of `RunSettings`."""
        return attrs.asdict(self, filter=lambda each, value: value is not None)


IDLE_WITHOUT = {
    "examples_from": "--examples",
    "history_text_window": "--history-text",
    "context_steps": "--context conversation",
    "context_images": "--context conversation",
    "note_length": "--memory notes",
}
"""Field to the option without which it has no effect."""
USUAL = attrs.fields(Presentation)


@attrs.frozen
class PresentationOptions:
    """Fields of `Presentation`, and two words that stand for one that is not 0."""

    observation: str = option(
        USUAL.observation.default,
        "What the model is shown at each step: image, text, map, sentences, coordinates or a plugin's format, "
        "several joined by +, or none.",
        metavar="NAME+...",
        panel=SCORE,
    )
    image_size: int | None = option(
        None,
        "The exact length of the longest side of pictures. By default as large as the backend draws them.",
        metavar="PIXELS",
        min=SMALLEST_PICTURE,
        panel=PICTURES,
    )
    image_coordinates: bool = option(False, "Number columns and rows in a margin of pictures.", panel=PICTURES)
    image_style: PictureStyle = option(
        USUAL.image_style.default,
        "How pictures are drawn: as the backend does; in bright colours on black; as the backend does, with "
        "a letter on each thing, that of the map.",
        panel=PICTURES,
    )
    explain: ExplainLevel = option(
        USUAL.explain.default,
        "What the model is told beforehand: how the things look that can occur in the suite, the rules, both, "
        "or nothing.",
        panel=SCORE,
    )
    examples: int = option(
        USUAL.examples.default,
        "Show the model N other mazes beforehand, with their shortest solutions.",
        metavar="N",
        min=0,
        panel=SCORE,
    )
    examples_from: str | None = option(
        None, "Choose them from this suite or folder; worked_examples by default.", metavar="SUITE", panel=SCORE
    )
    observation_control: ObservationControl = option(
        USUAL.observation_control.default,
        "swapped: show another task of the suite, to learn what is solved without looking.",
        panel=SCORE,
    )
    history_images: int = option(
        USUAL.history_images.default, "How many earlier images the model is shown.", min=0, panel=HISTORY
    )
    history_text: bool = option(
        False,
        "Give the model a text summary of its last steps.",
        "--history-text/--no-history-text",
        panel=HISTORY,
    )
    history_text_window: int | None = option(
        None, "How many steps the summary covers; 10 by default.", min=1, panel=HISTORY
    )
    feedback: FeedbackMode = option(
        USUAL.feedback.default, "Whether the model is told what its last actions did.", panel=CONTEXT
    )
    context: ContextMode = option(
        USUAL.context.default,
        "Whether each question stands alone, or follows earlier ones and their answers as one chat.",
        panel=CONTEXT,
    )
    context_steps: int | None = option(
        None, "How many earlier questions and answers a conversation holds; 8 by default.", min=0, panel=CONTEXT
    )
    context_images: int | None = option(
        None, "How many of the earlier questions still have their pictures; 2 by default.", min=0, panel=CONTEXT
    )
    memory: Literal["none", "notes"] = option(
        "none", "Whether the model may leave itself a note, which it is given with the next question.", panel=CONTEXT
    )
    note_length: int | None = option(None, "How many characters a note may have; 500 by default.", min=1, panel=CONTEXT)

    def make(self) -> Presentation:
        """What the options ask for.

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
        for name, needed in IDLE_WITHOUT.items():
            if name in given and not effective[needed]:
                raise ArgumentError(f"--{name.replace('_', '-')} has no effect without {needed}")
        usual = {**({"history_text_window": 10} if history else {}), **({"note_length": 500} if notes else {})}
        return Presentation(**{**usual, **given})


POLICY = "skip|fail|retry:N"


@attrs.frozen
class PolicyOptions:
    """Fields of `AnswerPolicies`, as texts."""

    on_unparsable: str = option(
        "retry:2,skip",
        "After an unparsable, empty or truncated answer. skip: lose the step; fail: end the episode.",
        metavar=POLICY,
        panel=ANSWERS,
    )
    on_refused: str = option("skip", "After a refusal to answer.", metavar=POLICY, panel=ANSWERS)
    on_illegal: str = option("skip", "After an action outside the action space.", metavar=POLICY, panel=ANSWERS)
    on_infrastructure: str = option(
        "retry:5,fail",
        "After a time-out or a server error. An episode that ends by one is not scored.",
        metavar="retry:N|fail",
        panel=ANSWERS,
    )

    def make(self) -> AnswerPolicies:
        """The policies; raises ArgumentError where a text is none."""
        from multinet_eval.settings.asking import AnswerPolicies

        policies = AnswerPolicies()
        for name, text in attrs.asdict(self).items():
            try:
                policies = attrs.evolve(policies, **{name: text})
            except ValueError as error:
                raise ArgumentError(f"--{name.replace('_', '-')}: {error}") from error
        return policies


# --- playing ---------------------------------------------------------------------------------------------------


def _limit(text: str) -> float | None:
    """Parse a limit, a number of at least 0; None for ``none``."""
    return _number(text, float, "a number")


def _whole_limit(text: str) -> int | None:
    """Parse a whole-number limit; None for ``none``."""
    return _number(text, int, "a whole number")


def _number(text: str, kind: Callable[[str], Number], name: str) -> Number | None:
    try:
        number = None if text == NONE else kind(text)
        if number is None or number >= 0:
            return None if number == math.inf else number
    except ValueError:
        pass
    raise typer.BadParameter(f"expected {name} of at least 0, or {NONE}, got '{text}'")


@attrs.frozen
class AskingOptions:
    """Fields of `RunOptions` and `BudgetLimits`, without effect on results: how much is asked at once, and how long."""

    workers: int = option(1, "How many requests are made at once.", min=1, panel=PLAYING)
    max_requests: int | None = option(
        None, "Maximum number of requests.", parser=_whole_limit, metavar="N|none", panel=PLAYING
    )
    max_tokens: int | None = option(
        None, "Maximum number of tokens.", parser=_whole_limit, metavar="N|none", panel=PLAYING
    )
    max_time: float | None = option(
        None, "Maximum duration of this session.", parser=_limit, metavar="SECONDS|none", panel=PLAYING
    )
    max_cost: float | None = option(
        None, "Maximum cost, in the currency of --prices.", parser=_limit, metavar="MONEY|none", panel=COST
    )
    patience: float = option(
        PATIENCE,
        "Stop when the server has answered nothing for so long; 0 counts such faults like any other.",
        min=0,
        metavar="SECONDS",
        panel=PLAYING,
    )
    prices: Path | None = option(
        None,
        "What a million tokens cost: for each model a table with input and output.",
        metavar="FILE.toml",
        panel=COST,
    )

    @property
    def limits(self) -> BudgetLimits:
        """What may be spent; raises ArgumentError if a limit is not a number of at least 0."""
        from multinet_eval.settings.spending import BudgetLimits

        return BudgetLimits(self.max_requests, self.max_tokens, self.max_cost, self.max_time)

    def for_run(self, **others: Any) -> RunOptions:
        """How a run is played by them and by other fields of `RunOptions`; raises as `limits` does."""
        from multinet_eval.record.manifest import RunOptions

        return RunOptions(workers=self.workers, limits=self.limits, patience=self.patience, **others)

    def read_prices(self) -> FindPrices:
        """Read the file with prices, if one is given; raises as `multinet_eval.settings.spending.read_prices` does.

        Returns:
            Finds the prices of a model by the name under which results are reported, or else those that it is given as
            a second argument. It raises ArgumentError where there is a limit, and the model has no prices.
        """
        from multinet_eval.settings.spending import read_prices

        tables = {} if self.prices is None else read_prices(self.prices)

        def find(model_name: str, otherwise: Prices | None = None) -> Prices | None:
            prices = tables.get(model_name, otherwise)
            if prices is not None:
                return prices
            lacking = f"--prices has no table ['{model_name}']{nearest_hint(model_name, tables)}"
            if self.max_cost is not None:
                given = lacking if tables else f"give --prices FILE.toml with a table ['{model_name}']"
                raise ArgumentError(f"--max-cost needs the prices of '{model_name}': {given}")
            if tables:
                echo(f"note: {lacking}; only tokens are counted", err=True)
            return None

        return find


@attrs.frozen
class PlayingOptions(AskingOptions):
    """Fields of `RunOptions`: how a run is played."""

    batch_size: int = option(
        1,
        "How many episodes each worker plays in lockstep, for local models that answer several questions at once.",
        min=1,
        panel=PLAYING,
    )
    executor: str = option("local", "Where episodes are played: local, processes or ray.", panel=PLAYING)
    ray_address: str | None = option(
        None,
        "The address of the Ray cluster, for --executor ray. By default a new one of this machine.",
        metavar="ADDRESS",
        envvar="RAY_ADDRESS",
        show_envvar=True,
        panel=PLAYING,
    )

    def for_run(self, **others: Any) -> RunOptions:
        """How a run is played by them and by other fields of `RunOptions`.

        Raises:
            UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides the executor.
            ArgumentError: what the executor needs is not installed, or a limit is not a number of at least 0.
        """
        from multinet_eval.play.pools.pool import find_pool

        find_pool(self.executor)
        address = None if self.executor == "local" else self.ray_address
        return super().for_run(batch_size=self.batch_size, executor=self.executor, address=address, **others)

    def or_else(self, recorded: RunOptions, call: typer.Context) -> Self:
        """These, with those that a run was played with in place of each that a call does not give."""
        limits = recorded.limits
        instead: dict[str, Any] = {
            "workers": recorded.workers,
            "max_requests": limits.requests,
            "max_tokens": limits.tokens,
            "max_time": limits.seconds,
            "max_cost": limits.cost,
            "patience": recorded.patience,
            "batch_size": recorded.batch_size,
            "executor": recorded.executor,
            "ray_address": recorded.address,
        }
        sources = {name: call.get_parameter_source(name) for name in instead}
        given = {name for name, source in sources.items() if source is not None and source.name in GIVEN}
        if "executor" in given and self.executor != recorded.executor:
            given.add("ray_address")  # which is not that of another executor
        return attrs.evolve(self, **{name: value for name, value in instead.items() if name not in given})


@attrs.frozen
class CacheOptions:
    """Where answers are kept to be used again: fields of `CacheSettings`."""

    cache: Path | None = option(
        None,
        "Keep answers here, and take them from here instead of asking for the same again.",
        metavar="FOLDER",
        panel=COST,
    )
    cache_sampled: bool = option(
        False, "Let --cache keep the answers of a model that samples, too (temperature above 0).", panel=COST
    )

    def make(self) -> CacheSettings | None:
        """Where answers are kept, if anywhere.

        Raises:
            ArgumentError: it is not a folder, or none is given although one is needed.
        """
        from multinet_eval.settings.run_settings import CacheSettings

        if self.cache is None:
            if self.cache_sampled:
                raise ArgumentError("--cache-sampled needs --cache FOLDER")
            return None
        if self.cache.exists() and not self.cache.is_dir():
            raise ArgumentError(f"--cache: {self.cache} is not a folder")
        return CacheSettings(str(self.cache.resolve()), self.cache_sampled)


@attrs.frozen
class ObserverOptions:
    """Which observers are told of a run."""

    observer: list[str] | None = option(
        None, "An installed observer to tell of the run. Repeatable.", metavar="NAME", panel=OBSERVERS
    )
    observer_arg: list[str] | None = option(
        None, "An argument of an observer. Repeatable.", metavar="NAME.KEY=VALUE", panel=OBSERVERS
    )

    def make(self) -> list[RunObserver]:
        """The observers that are named, in their order.

        Raises:
            ArgumentError: a name is given twice, or an argument is for none of them or not what its observer takes.
            UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides a name.
            PluginFault: one cannot be made.
        """
        from multinet_eval.play.observers import make_observer

        given: dict[str, list[str]] = {}
        for name in self.observer or ():
            if name in given:
                raise ArgumentError(f"--observer {name} is given twice")
            given[name] = []
        for text in self.observer_arg or ():
            name = _owner(text, tuple(given))
            given[name].append(text[len(name) + 1 :])
        return [make_observer(name, texts) for name, texts in given.items()]


def _owner(text: str, names: Sequence[str]) -> str:
    """The observer that an argument is for: of names that begin alike, the longest one."""
    owners = [name for name in names if text.startswith(f"{name}.")]
    if owners:
        return max(owners, key=len)
    name, dot, _ = text.partition("=")[0].rpartition(".")
    if not dot:
        raise ArgumentError(f"--observer-arg: expected NAME.KEY=VALUE, got '{text}'")
    listed = ", ".join(names) or "none"
    raise ArgumentError(f"--observer-arg {text}: no --observer '{name}'{nearest_hint(name, names)}; chosen: {listed}")


DEFAULT_ALPHA = 0.05


@attrs.frozen
class SequentialOptions:
    """A comparison that stops a run as soon as it is decided."""

    until_decided: bool = option(False, "Stop as soon as the comparison with --against is decided.", panel=COST)
    against: Path | None = option(
        None, "The finished run to compare with: same suite, conditions and epochs.", metavar="RUN", panel=COST
    )
    alpha: float | None = option(
        None, "Probability of deciding between equal models, at most; 0.05 by default.", panel=COST
    )

    def make(self, recorded: bool) -> UntilDecided | None:
        """The comparison, if one is asked for.

        Args:
            recorded: whether the run is.

        Raises:
            ArgumentError: an option is missing, without effect, or outside its range, the run is not recorded, or the
                reference is unfinished.
            RunError: the reference cannot be read.
        """
        from multinet_eval.play.run import UntilDecided
        from multinet_eval.record.run_directory import RunDirectory
        from multinet_eval.record.sequential import Reference

        if not self.until_decided:
            for name in ("against", "alpha"):
                if attrs.asdict(self)[name] is not None:
                    raise ArgumentError(f"--{name} has no effect without --until-decided")
            return None
        if self.against is None:
            raise ArgumentError("--until-decided needs a finished run to compare with: give --against RUN")
        alpha = DEFAULT_ALPHA if self.alpha is None else self.alpha
        if not 0 < alpha < 1:
            raise ArgumentError(f"--alpha: expected a number between 0 and 1, got {alpha:g}")
        if not recorded:
            raise ArgumentError("--until-decided is fixed in the record: leave out --no-record, or name a --run-dir")
        directory = RunDirectory(self.against)
        return UntilDecided(Reference.of(self.against, directory.manifest, directory.ends()), alpha)


# --- output and record -----------------------------------------------------------------------------------------


@attrs.frozen(slots=False)
class Printed:
    """What is printed of results."""

    as_json: bool = option(False, "Print the results as JSON instead of tables.", "--json", panel=OUTPUT)
    quiet: bool = option(False, "Show no progress and print no tables.", "-q", panel=OUTPUT)


@attrs.frozen(slots=False)
class Watched(Printed):
    """What is printed of a run."""

    verbose: bool = option(False, "Print every step.", "-v", panel=OUTPUT)


@attrs.frozen(slots=False)
class ResultOutput(Printed):
    """What is printed and written of results."""

    output: Path | None = option(
        None,
        "Write the results to this file.",
        "-o",
        metavar="FILE.json",
        panel=OUTPUT,
        validator=lambda options, attribute, output: refuse_output(output),
    )


@attrs.frozen(slots=False)
class OutputOptions(Watched, ResultOutput):
    """What is printed and written of a run."""


@attrs.frozen(slots=False)
class RunOutput(OutputOptions):
    """What is printed and written of a run that is played alone."""

    report: Path | None = option(
        None,
        "Write a page that shows the run to this file, be it finished or not. Needs multinet-report.",
        metavar="FILE.html",
        panel=OUTPUT,
    )
    page: str | None = option(
        None, "The writer of the page; by default the first that is installed.", metavar="NAME", panel=OUTPUT
    )

    def refuse_report(self, recorded: bool) -> None:
        """Make sure that the page could be written, if one is asked for.

        Args:
            recorded: whether the run is.

        Raises:
            UnknownNameError: no such writer of pages is installed.
            ArgumentError: ``--page`` has no effect, the run is not recorded, or the file could not be written.
        """
        if self.report is None:
            refuse_idle_page(self.page, "--report")
            return
        refuse_page("--report", self.report, self.page)
        if not recorded:
            raise ArgumentError("--report shows what is recorded of a run: leave out --no-record, or name a --run-dir")


@attrs.frozen
class RunFolderOption:
    """A place of its own for the record of a run."""

    run_dir: Path | None = option(
        None,
        "Record the run in this new folder. By default runs/<time>-<suite>-<model>.",
        metavar="DIR",
        panel=RECORD,
    )

    def choose(self, call: typer.Context, suite: str, model: str) -> Path | None:
        """Where to record a run; None for nowhere.

        A folder of a name that is not asked for is reserved until the command ends.
        """
        from multinet_eval.record.record_folders import reserved_folder, runs_folder

        if self.run_dir is None and os.environ.get(NO_RECORD):
            return None
        return self.run_dir or call.with_resource(reserved_folder(suite, model, runs_folder()))


@attrs.frozen
class RecordOptions(RunFolderOption):
    """Where a run is recorded, if it is."""

    no_record: bool = option(False, "Keep no record; the run cannot be resumed.", panel=RECORD)

    def choose(self, call: typer.Context, suite: str, model: str) -> Path | None:
        """Like `RunFolderOption.choose`; raises ArgumentError where both a place and no record are asked for."""
        if self.run_dir is not None and self.no_record:
            raise ArgumentError("--run-dir and --no-record exclude each other")
        return None if self.no_record else super().choose(call, suite, model)


BESIDE_RESUME = {"resume", "model_arg", "disable_plugin", "plugin_file", "strict_plugins"}.union(
    field.name for group in (PlayingOptions, RunOutput, CacheOptions, ObserverOptions) for field in attrs.fields(group)
)
"""The parameters of commands that decide nothing of what is recorded."""


def refuse_beside_resume(call: typer.Context, allowed: Collection[str] = ()) -> None:
    """Make sure that a call that goes on with something recorded asks for nothing that is settled by it.

    Args:
        call: the call of a command with ``--resume``.
        allowed: parameters of the command that decide nothing, beside those that several commands share.

    Raises:
        ArgumentError: it does.
    """
    for name, said in given_parameters(call):
        if name not in BESIDE_RESUME.union(allowed):
            raise ArgumentError(f"--resume goes on with what was begun: leave out {said}")


def given_parameters(call: typer.Context) -> Iterator[tuple[str, str]]:
    """The parameters of a command that a call has given: the name of each, and how it is written."""
    for parameter in call.command.params:
        name = parameter.name or ""
        source = call.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            longest = max(parameter.opts, key=len)
            yield name, longest if longest.startswith("-") else longest.upper()
