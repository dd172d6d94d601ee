"""Answers that another program writes: looked for until they are there, or the time is over."""

import math

import pytest

from gridworld.model_interface.exchange_files import NoAnswerYet, wait_for_answer


def test_it_is_looked_for_until_it_is_there() -> None:
    looks = iter([NoAnswerYet("not yet"), NoAnswerYet("not yet"), None])

    def read() -> str:
        if error := next(looks):
            raise error
        return "here"

    assert wait_for_answer(read, math.inf, 0.001) == "here"


def test_after_the_time_the_last_reason_is_told() -> None:
    def read() -> str:
        raise NoAnswerYet("it is blank")

    with pytest.raises(NoAnswerYet, match="it is blank"):
        wait_for_answer(read, 0.002, 0.001)
