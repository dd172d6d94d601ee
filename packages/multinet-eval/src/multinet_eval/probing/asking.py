"""Putting open questions to models: again after faults of infrastructure, never again because of what was said."""

from __future__ import annotations

import threading
import time

from gridworld.errors import describe_value
from gridworld.model_interface import AnswerFault, AnswerOutcome, OpenAnswer, OpenModel
from gridworld.plugins.faults import fault_of
from gridworld.runner.record import Request
from multinet_eval.play.backoff import Backoff
from multinet_eval.play.budget import Budget
from multinet_eval.play.model_caller import request_of
from multinet_eval.play.outages import Outage, Troubles
from multinet_eval.play.retries import Retries
from multinet_eval.probing.questions import Parts
from multinet_eval.settings.policies import AnswerPolicies, FaultPolicy

__all__ = ["OutOfBudget", "put"]

ONCE = FaultPolicy()
ASK_ONCE = AnswerPolicies(ONCE, ONCE, ONCE)
"""A wrong answer is a result like any other."""
BACKOFF = Backoff()


class OutOfBudget(Exception):
    """No request may be made any more; the message says why."""


def put(
    model: OpenModel, parts: Parts, budget: Budget, outage: Outage, halt: threading.Event
) -> tuple[Request, ...] | None:
    """The requests that a question took; the last one holds the answer, `Request.raw_output`, or the fault.

    Args:
        model: who is asked.
        parts: the question.
        budget: what may be spent.
        outage: what all requests tell of the server.
        halt: is set when nobody waits for the answer any more.

    Returns:
        None if nobody waits for the answer any more.

    Raises:
        OutOfBudget: a request would go beyond the budget.
        ServerGone: the server has answered nobody for too long.
        PluginFault: the model raised something else than an `AnswerFault`.
    """
    requests: list[Request] = []
    retries, troubles = Retries(ASK_ONCE), Troubles(outage)
    while not halt.is_set():
        request = _request(model, parts, budget, outage)
        wait = None if request.trouble is None else troubles.wait_after(request)
        if wait is None:
            requests.append(request)
            retry = None if request.outcome is AnswerOutcome.OK else retries.after(request)
            if retry is None:
                return tuple(requests)
            wait = BACKOFF.delay(retry.number - 1, retry.retry_after)
        halt.wait(wait)
    return None


def _request(model: OpenModel, parts: Parts, budget: Budget, outage: Outage) -> Request:
    """Ask, if the budget allows it."""
    reached = budget.reserve()
    if reached is not None:
        raise OutOfBudget(reached.message)
    request, made = None, time.monotonic()
    try:
        request = _ask(model, parts)
    finally:
        budget.settle(request)
    outage.note(request, made)
    return request


def _ask(model: OpenModel, parts: Parts) -> Request:
    try:
        answer = model.ask(parts)
        if not isinstance(answer, OpenAnswer):
            raise TypeError(f"ask returned {describe_value(answer)}, expected an OpenAnswer")
    except AnswerFault as fault:
        return request_of(fault)
    except (Exception, SystemExit) as error:  # a plugin's model may raise anything
        raise fault_of(error, f"model '{model.model_name}'", "when it was asked an open question") from error
    return Request(AnswerOutcome.OK, raw_output=answer.text, usage=answer.usage)
