"""Writes what happens in a run as scalars, which TensorBoard draws as curves."""

from pathlib import Path

from tensorboardX import SummaryWriter

from gridworld.runner import Request, Step
from multinet_eval import PlannedEpisode, RecordedPose, RunObserver, RunStart, TaskResult

__all__ = ["TensorBoardObserver"]


class TensorBoardObserver(RunObserver):
    """Writes scalars of each step and each episode into a folder that is called like the run.

    Curves of steps go by the number of steps that were taken in the whole run, those of episodes by the number of
    episodes that have ended; a run that is resumed goes on with both.

    Args:
        folder: where the folders of runs are; what ``tensorboard --logdir`` is given.
        each_step: whether to write something for each step, too.
    """

    def __init__(self, folder: Path = Path("tensorboard"), each_step: bool = True) -> None:
        self._folder = folder
        self._each_step = each_step

    def run_started(self, run: RunStart) -> None:
        """Open the file of this session."""
        # The file is called by the second: another session in the same one would write over it.
        suffix = f".{len(run.finished)}"
        self._writer = SummaryWriter(str(self._folder / run.name), filename_suffix=suffix)
        self._writer.add_text("model", run.model)
        self._writer.add_text("suite", run.suite)
        self._steps = sum(result.steps_taken for result in run.finished)
        self._ended = len(run.finished)
        self._scored = sum(result.scored for result in run.finished)
        self._solved = sum(result.scored and result.success for result in run.finished)
        self._tokens = run.spent.tokens

    def request_made(self, episode: PlannedEpisode, request: Request) -> None:
        """Add up the tokens."""
        if request.usage is not None:
            self._tokens += (request.usage.prompt_tokens or 0) + (request.usage.completion_tokens or 0)

    def step_taken(self, episode: PlannedEpisode, step: Step, place: RecordedPose) -> None:
        """Write what the step brought, and what it took."""
        self._steps += 1
        if self._each_step:
            self._write("step", self._steps, reward=step.reward, requests=len(step.requests), tokens=self._tokens)

    def episode_finished(self, episode: PlannedEpisode, result: TaskResult) -> None:
        """Write how it ended; one that is not scored changes no rate."""
        self._ended += 1
        self._scored += result.scored
        self._solved += result.scored and result.success
        self._write("episode", self._ended, steps=result.steps_taken, reward=result.total_reward)
        if result.scored:
            self._write("episode", self._ended, success=result.success, success_rate=self._solved / self._scored)
        self._writer.flush()

    def run_finished(self, results: tuple[TaskResult, ...], stopped: str | None) -> None:
        """Close the file."""
        self._writer.close()

    def _write(self, group: str, number: int, **scalars: float) -> None:
        for name, value in scalars.items():
            self._writer.add_scalar(f"{group}/{name}", float(value), number)
