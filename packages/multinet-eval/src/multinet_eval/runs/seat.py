"""`Seat`: where episodes are played one after another, with a backend for each tiling."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import attrs

from gridworld.backends.base import AbstractGridBackend
from gridworld.errors import PluginFault
from gridworld.model_interface import ModelInterface
from gridworld.runner.record import EpisodeEnd, EpisodeHeader, Step
from multinet_eval.asking.answer_cache import AnswerCache
from multinet_eval.asking.asking import Ask
from multinet_eval.asking.moments import Answer, Resumed
from multinet_eval.evaluation_harness import EvaluationHarness
from multinet_eval.plugin_objects import make_backend
from multinet_eval.runs.episode_writer import EpisodeWriter
from multinet_eval.runs.manifest import answering_fingerprint
from multinet_eval.runs.news import Job, News, Reply
from multinet_eval.runs.settings import RunSettings

__all__ = ["Seat"]


class Seat:
    """Plays episodes, one at a time.

    Args:
        settings: what is asked of the run.
        model: the model.
        kept: folder and digest of what the worker has kept; what is kept is added.
    """

    def __init__(self, settings: RunSettings, model: ModelInterface, kept: set[tuple[str, str]]) -> None:
        self._settings = settings
        self.model = model
        self._kept = kept
        self._harnesses: dict[str | None, EvaluationHarness] = {}

    def play(self, job: Job) -> Generator[News | Ask, Reply | Answer | None, None]:
        """Play an episode.

        Yields:
            News, each of which is replied to; and each `Ask` whose turn has come, to be sent the answer.

        Raises:
            ArgumentError, InvalidTaskError: model, backend and task do not fit together.
            DivergedError: the past, played again, is another one.
        """
        harness = self.harness(job.planned.tiling)
        writer = EpisodeWriter(harness, job, self._kept)
        moments = harness.play(job.task, job.planned.seed, job.past, job.planned.epoch)
        moment = next(moments)
        while not isinstance(moment, EpisodeEnd):
            answer = None
            match moment:
                case Ask():
                    answer = yield from _ask(harness, writer, moment)
                case Step():
                    yield writer.taken(moment)
                case EpisodeHeader() | Resumed():
                    yield writer.begun(moment)
            moment = moments.send(answer)
        yield writer.ended(moment)

    def harness(self, tiling: str | None) -> EvaluationHarness:
        """The harness for a tiling."""
        if tiling not in self._harnesses:
            self._harnesses[tiling] = self._make_harness(tiling)
        return self._harnesses[tiling]

    @property
    def backends(self) -> Iterator[AbstractGridBackend]:
        """The backends that have been made."""
        return (harness.backend for harness in self._harnesses.values())

    def _make_harness(self, tiling: str | None) -> EvaluationHarness:
        settings = self._settings
        return EvaluationHarness(
            self.model,
            make_backend(settings.backend, list(settings.backend_arguments), tiling),
            seed=settings.seed,
            observation=settings.observation,
            mission=settings.mission,
            history_images=settings.history_images,
            history_text=settings.history_text_window > 0,
            history_text_window=settings.history_text_window or 1,
            max_states=settings.max_states,
            policies=settings.policies,
            cache=None if settings.cache is None else AnswerCache(settings.cache, answering_fingerprint(settings)),
        )


def _ask(
    harness: EvaluationHarness, writer: EpisodeWriter, ask: Ask
) -> Generator[News | Ask, Reply | Answer | None, Answer]:
    """Have a request made, and once more for each `Reply.AGAIN`."""
    try:
        while True:
            yield writer.waiting(ask)
            answer = yield ask
            assert not isinstance(answer, Reply | None)
            if isinstance(answer, PluginFault):
                return answer
            if answer.trouble is None or (yield writer.faulted(ask, answer)) is not Reply.AGAIN:
                break
            ask = attrs.evolve(ask, retry=None)
        for adjustment in harness.new_adjustments():
            yield writer.adjusted(adjustment)
    except PluginFault as fault:
        return fault
    yield writer.requested(answer)
    return answer
