"""What a model is told when it is asked again, since its last answer could not be used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface.answers import AnswerOutcome
from gridworld.support.wording import shorten

if TYPE_CHECKING:
    from gridworld.model_interface.reply_form import ReplyForm
    from gridworld.runner.record import Request

__all__ = ["correction_after"]


def correction_after(requests: Sequence[Request], form: ReplyForm) -> str | None:
    """What was wrong with the last answer, to follow words such as "your answer could not be used:".

    Args:
        requests: the requests for a decision so far.
        form: what the answer is to hold.

    Returns:
        A sentence; None where there was no answer that could be wrong, since infrastructure faults are none.
    """
    answers = [request for request in requests if request.outcome is not AnswerOutcome.INFRASTRUCTURE]
    if not answers:
        return None
    names = ", ".join(ACTION_SPACE.values())
    wrong = shorten(answers[-1].message).rstrip(".") or str(answers[-1].outcome)
    wanted = "exactly one" if form.holds_one_action else "actions out"
    return f"{wrong}; answer in the form asked for, with {wanted} of {names}."
