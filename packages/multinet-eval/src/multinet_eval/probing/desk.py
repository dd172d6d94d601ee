"""`Desk`: puts questions to a model, several at once if there are several workers."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from queue import Empty, SimpleQueue

from gridworld.model_interface import ModelInterface
from gridworld.plugins.faults import blaming
from gridworld.runner.record import Request
from multinet_eval.play.budget import Budget
from multinet_eval.play.outages import Outage, ServerGone
from multinet_eval.probing.asking import OutOfBudget, put
from multinet_eval.probing.questions import Asked
from multinet_eval.settings.players import require_open
from multinet_eval.settings.plugin_objects import make_model
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.support.starting import starting

__all__ = ["Desk"]

LOOK = 0.2
"""Seconds between two looks at the queue of answers, so that signals are handled meanwhile."""

Put = tuple[Asked, tuple[Request, ...]]
"""A question, and the requests that it took."""


class Desk:
    """Asks questions; with one worker in the thread that calls, so that models that are bound to one work.

    Args:
        model: the model; where it cannot be shared, each further worker makes its own.
        settings: what models are made from.
        workers: how many questions are asked at once, at least 1.
        budget: what may be spent.
        patience: the seconds for which a server may answer nothing before nothing more is asked; 0 to count such faults
            like any other.
    """

    def __init__(
        self, model: ModelInterface, settings: RunSettings, workers: int, budget: Budget, patience: float
    ) -> None:
        self._budget = budget
        self._outage = Outage(patience)
        self._halt = threading.Event()
        self._own = [] if model.shareable else [_made_anew(settings) for _ in range(workers - 1)]
        self._models = [require_open(each) for each in ([model] * workers if model.shareable else [model, *self._own])]
        self._busy = 0
        self.stopped: str | None = None
        """Why nothing is asked any more; None as long as something is."""

    @property
    def in_flight(self) -> int:
        """How many questions have been handed out and not been answered."""
        return self._busy

    def stop(self, message: str) -> None:
        """Ask nothing more; may be called by any thread."""
        self.stopped = self.stopped or message
        self._halt.set()

    def ask(self, questions: Iterable[Asked]) -> Iterator[Put]:
        """Ask questions, which are made as they are needed, and yield them as they are answered.

        Raises:
            PluginFault: the model failed.
        """
        if len(self._models) > 1:
            yield from self._ask_in_threads(iter(questions))
            return
        for asked in questions:
            if self.stopped is not None:
                return
            self._busy = 1
            answered = self._put(0, asked)
            self._busy = 0
            if answered is not None:
                yield answered

    def close(self) -> None:
        """Close the models that were made here; raises PluginFault."""
        for model in self._own:
            with blaming(f"model '{model.model_name}'", "when it was closed"):
                model.close()

    def _put(self, number: int, asked: Asked) -> Put | None:
        """Ask; None if it is not to be asked any more."""
        try:
            requests = put(self._models[number], asked.parts, self._budget, self._outage, self._halt)
        except (OutOfBudget, ServerGone) as reason:
            self.stop(str(reason))
            return None
        return None if requests is None else (asked, requests)

    def _ask_in_threads(self, questions: Iterator[Asked]) -> Iterator[Put]:
        inbox: SimpleQueue[Asked | None] = SimpleQueue()
        outbox: SimpleQueue[Put | BaseException | None] = SimpleQueue()
        for number in range(len(self._models)):
            # Daemons, so that whoever interrupts does not wait for requests: they end with the program.
            thread = threading.Thread(
                target=self._work, args=(number, inbox, outbox), name=f"asking-{number}", daemon=True
            )
            with starting("a thread for a worker"):
                thread.start()
        try:
            while True:
                for asked in islice(questions, 0 if self.stopped else len(self._models) - self._busy):
                    self._busy += 1
                    inbox.put(asked)
                if not self._busy:
                    return
                with suppress(Empty):
                    answered = outbox.get(timeout=LOOK)
                    self._busy -= 1
                    if isinstance(answered, BaseException):
                        raise answered
                    if answered is not None:
                        yield answered
        finally:
            for _ in self._models:
                inbox.put(None)

    def _work(
        self, number: int, inbox: SimpleQueue[Asked | None], outbox: SimpleQueue[Put | BaseException | None]
    ) -> None:
        while (asked := inbox.get()) is not None:
            try:
                outbox.put(self._put(number, asked))
            except BaseException as error:  # whatever it is, it is raised where the answers are waited for
                outbox.put(error)


def _made_anew(settings: RunSettings) -> ModelInterface:
    return make_model(settings.model, list(settings.model_arguments))
