"""Putting open questions to models: again after faults of infrastructure, never again because of what was said."""

from __future__ import annotations

from collections.abc import Callable

from gridworld.errors import describe_value
from gridworld.model_interface import AnswerFault, AnswerOutcome, OpenAnswer, OpenModel
from gridworld.plugins.faults import fault_of
from gridworld.runner.record import Request
from multinet_eval.asking.backoff import Backoff
from multinet_eval.asking.model_caller import request_of
from multinet_eval.asking.policies import AnswerPolicies, FaultPolicy
from multinet_eval.probing.questions import Parts
from multinet_eval.runs.budget import Budget

__all__ = ["ASK_ONCE", "OutOfBudget", "put"]

ONCE = FaultPolicy()
ASK_ONCE = AnswerPolicies(ONCE, ONCE, ONCE, "retry:5,fail")
"""A wrong answer is a result like any other."""


class OutOfBudget(Exception):
    """No request may be made any more; the message says why."""


def put(
    model: OpenModel,
    parts: Parts,
    budget: Budget,
    backoff: Backoff,
    policies: AnswerPolicies = ASK_ONCE,
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[Request, ...]:
    """The requests that a question took; the last one holds the answer, `Request.raw_output`, or the fault.

    Args:
        model: who is asked.
        parts: the question.
        budget: what may be spent.
        backoff: how to wait before asking again.
        policies: how often to ask again after which fault.
        stopped: whether nobody waits for the answer any more, so that it is not asked again.

    Raises:
        OutOfBudget: a request would go beyond the budget.
        PluginFault: the model raised something else than an `AnswerFault`.
    """
    requests: list[Request] = []
    while True:
        reason = budget.reserve()
        if reason is not None:
            raise OutOfBudget(reason)
        request = None
        try:
            request = _ask(model, parts)
        finally:
            budget.settle(request)
        requests.append(request)
        last = request.outcome is AnswerOutcome.OK or request.permanent or stopped()
        if last or len(requests) > policies.of(request.outcome).retries:
            return tuple(requests)
        backoff.wait(len(requests) - 1, request.retry_after)


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
