"""`Seat`: where episodes are played one after another, with a backend for each tiling."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import attrs

from gridworld.backends.base import AbstractGridBackend
from gridworld.errors import PluginFault
from gridworld.model_interface import ModelInterface
from gridworld.runner.record import EpisodeEnd, EpisodeHeader, Step
from multinet_eval.play.answer_cache import AnswerCache
from multinet_eval.play.asking import Ask
from multinet_eval.play.episode_runner import EpisodeRunner
from multinet_eval.play.moments import Answer, Resumed
from multinet_eval.play.news import Faulted, Job, News, Reply, Waiting
from multinet_eval.record.manifest import answering_fingerprint
from multinet_eval.record.recorder import EpisodeRecorder, Known, NoRecorder, Recorder
from multinet_eval.settings.plugin_objects import make_backend, make_protocol
from multinet_eval.settings.run_settings import RunSettings

__all__ = ["Seat"]


class Seat:
    """Plays episodes, one at a time.

    Args:
        settings: what is asked of the run.
        model: the model.
        known: what the worker has passed on to be kept; what is kept is added.
    """

    def __init__(self, settings: RunSettings, model: ModelInterface, known: Known) -> None:
        self._settings = settings
        self.model = model
        self._known = known
        self._runners: dict[str | None, EpisodeRunner] = {}

    def play(self, job: Job) -> Generator[News | Ask, Reply | Answer | None, None]:
        """Play an episode.

        Yields:
            News, each of which is replied to; and each `Ask` whose turn has come, to be sent the answer.

        Raises:
            ArgumentError, InvalidTaskError: model, backend and task do not fit together.
            DivergedError: the past, played again, is another one.
        """
        runner = self.runner(job.planned.tiling)
        recorder = self._recorder(runner, job)
        moments = runner.play(job.task, job.planned.seed, job.past, job.planned.epoch, job.swapped)
        moment = next(moments)
        while not isinstance(moment, EpisodeEnd):
            answer = None
            match moment:
                case Ask():
                    answer = yield from _ask(runner, recorder, moment)
                case Step() | EpisodeHeader() | Resumed():
                    yield recorder.news(moment)
            moment = moments.send(answer)
        yield recorder.news(moment)

    def runner(self, tiling: str | None) -> EpisodeRunner:
        """The runner for a tiling."""
        if tiling not in self._runners:
            self._runners[tiling] = self._make_runner(tiling)
        return self._runners[tiling]

    @property
    def backends(self) -> Iterator[AbstractGridBackend]:
        """The backends that have been made."""
        return (backend for runner in self._runners.values() for backend in runner.backends)

    def _recorder(self, runner: EpisodeRunner, job: Job) -> Recorder:
        if not job.recorded:
            return NoRecorder(runner.backend, job.planned)
        return EpisodeRecorder(self.model, runner.backend, job.planned, self._known)

    def _make_runner(self, tiling: str | None) -> EpisodeRunner:
        settings = self._settings
        swaps, arguments = settings.presentation.swaps_observations, list(settings.backend_arguments)
        return EpisodeRunner(
            self.model,
            make_backend(settings.backend, arguments, tiling),
            swapped_backend=make_backend(settings.backend, arguments, tiling) if swaps else None,
            seed=settings.seed,
            mission=settings.mission,
            presentation=settings.presentation,
            briefing=settings.briefing,
            protocol=make_protocol(settings.protocol),
            max_states=settings.max_states,
            policies=settings.policies,
            cache=None if settings.cache is None else AnswerCache(settings.cache, answering_fingerprint(settings)),
        )


def _ask(runner: EpisodeRunner, recorder: Recorder, ask: Ask) -> Generator[News | Ask, Reply | Answer | None, Answer]:
    """Have a request made, and once more for each `Reply.AGAIN`."""
    try:
        while True:
            recorder.show(ask)
            yield News(recorder.number, Waiting(ask.step, ask.retry, ask.known is not None))
            answer = yield ask
            assert not isinstance(answer, Reply | None)
            if isinstance(answer, PluginFault):
                return answer
            if answer.trouble is None:
                break
            if (yield recorder.news(Faulted(ask.step, answer))) is not Reply.AGAIN:
                break
            ask = attrs.evolve(ask, retry=None)
        for adjustment in runner.new_adjustments():
            yield recorder.news(adjustment)
    except PluginFault as fault:
        return fault
    yield recorder.news(answer)
    return answer
