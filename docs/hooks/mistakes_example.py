"""The worked example of the page on mistakes: an episode of ``greedy``, with its distances, mistakes and a picture."""

from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from gridworld.actions import ACTION_SPACE
from gridworld.plugins import get_registry
from gridworld.suites import load_benchmark
from gridworld.task_spec import TaskSpecification
from gridworld_multigrid import MultiGridBackend
from multinet_eval.analysis.metrics.analysed_episodes import Analyst, grouped
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.mistakes.episode_mistakes import EpisodeMistakes, find_mistakes
from multinet_eval.analysis.mistakes.mistake_table import MistakeTable
from multinet_eval.datasets.pictures import draw_start
from multinet_eval.play.observers import RunObserver
from multinet_eval.play.run import new_run
from multinet_eval.record.derived import Records
from multinet_eval.record.manifest import RunOptions, Suite
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS
from multinet_eval.settings.plugin_objects import make_model
from multinet_eval.settings.run_settings import RunSettings

__all__ = ["decisive_moment", "mistakes_example"]

SUITE, TASK_ID, MODEL = "validation_10", "v04_single_key", "greedy"


@cache
def _task() -> TaskSpecification:
    tasks = load_benchmark(get_registry().benchmarks.get(SUITE))
    return next(task for task in tasks if task.task_id == TASK_ID)


@cache
def _played() -> EpisodeAnalysis:
    with TemporaryDirectory() as folder:
        path = Path(folder, "run")
        run = new_run(RunSettings(model=MODEL), Suite(SUITE, (_task(),)), make_model(MODEL, []), path)
        run.play(RunOptions(), RunObserver())
        directory = RunDirectory(path)
        (part,) = grouped(directory.manifest.plan, Records(directory))
        ((_, episode),) = Analyst(directory, MAX_STATES_OF_METRICS).analyses(part)
        return episode


def mistakes_example() -> str:
    """A table of the steps, those that are alike in one row, and how the episode ended."""
    episode = _played()
    found = EpisodeMistakes.of(episode)
    assert found.decisive is not None
    ended = f"The episode ended *{found.ending}* after {len(episode.taken)} steps and wasted {found.wasted_steps}."
    decisive = f"Its decisive mistake is that of step {found.decisive_step}: needed to {found.decisive.needed_words}, "
    lines = [
        "| steps | action | distance before | regret | needed | did |",
        "|---|---|---|---|---|---|",
        *_rows(episode),
        "",
        ended,
        f"{decisive}{found.decisive.did}. The sentence reads:",
        "",
        f"> {MistakeTable.of([(episode.result, found)]).sentence}",
    ]
    return "\n".join(lines)


def _rows(episode: EpisodeAnalysis) -> Iterator[str]:
    mistakes = {each.step: each for each in find_mistakes(episode)}
    cells = []
    for step, distance, regret in zip(episode.taken, episode.distances or (), episode.regrets or (), strict=False):
        mistake = mistakes.get(step.number)
        told = [mistake.kind.needed_words, str(mistake.kind.did)] if mistake else ["", ""]
        action = "none" if step.action is None else ACTION_SPACE[step.action]
        cells.append((step.number, (f"`{action}`", f"{distance:g}", "" if regret is None else f"{regret:g}", *told)))
    for alike, group in groupby(cells, key=lambda each: each[1]):
        numbers = [number for number, _ in group]
        steps = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
        yield f"| {steps} | {' | '.join(map(str, alike))} |"


def decisive_moment(side: int) -> Image.Image:
    """A picture of the board before the decisive mistake, as wide as `side` pixels."""
    step = EpisodeMistakes.of(_played()).decisive_step
    assert step is not None
    backend = MultiGridBackend("square", image_size=side)
    draw_start(backend, _task())
    for each in _played().taken[: step - 1]:
        assert each.action is not None
        backend.step(each.action)
    return Image.fromarray(backend.render())
