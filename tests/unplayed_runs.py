"""Makes small runs in this process that have not been played yet, for tests of what is told while they are."""

from pathlib import Path

from evaluating import write_corridor
from gridworld.model_interface import AnswerOutcome, ModelInterface
from gridworld.suites import load_folder
from multinet_eval.play.run import Run, new_run
from multinet_eval.record.manifest import Suite
from multinet_eval.settings.policies import AnswerPolicies
from multinet_eval.settings.run_settings import RunSettings

__all__ = ["UNSTEADY", "make_run"]

UNSTEADY = ("F", AnswerOutcome.UNPARSABLE, "F", "F", AnswerOutcome.REFUSED, AnswerOutcome.EMPTY, "L", "F", "F", "F")
"""Answers for `evaluating.AnsweringModel`: two of three corridors are won with them, with faults on the way."""


def make_run(folder: Path, model: ModelInterface, *, tasks: int = 3, recorded: bool = True) -> Run:
    """A run of a few corridors of three cells and six steps at most.

    Args:
        folder: where to put the folder ``tasks`` and, if it is recorded, ``run``.
        model: who plays.
        tasks: how many corridors.
        recorded: whether it is recorded.
    """
    for number in range(tasks):
        write_corridor(folder / "tasks", f"corridor_{number}")
    settings = RunSettings(
        "random", backend_arguments=["render_mode=none"], policies=AnswerPolicies(on_unparsable="skip")
    )
    suite = Suite("corridors", tuple(load_folder(folder / "tasks")))
    return new_run(settings, suite, model, folder / "run" if recorded else None)
