"""Files that somebody else writes: read when they are complete, and not before."""

import math
from pathlib import Path

import pytest

from gridworld.model_interface.exchange_files import NoAnswerYet, TextAnswer, wait_for_answer


def test_missing_blank_and_new_texts_are_no_answers(tmp_path: Path) -> None:
    answer = TextAnswer(tmp_path / "answer.txt", settled_after=math.inf)
    with pytest.raises(NoAnswerYet, match="no such file"):
        answer.read()
    answer.path.write_text(" \n")
    with pytest.raises(NoAnswerYet, match="blank"):
        answer.read()
    answer.path.write_text("Action: 2")
    for _ in range(2):
        with pytest.raises(NoAnswerYet, match="still being written"):
            answer.read()


def test_a_text_that_stays_the_same_is_complete(tmp_path: Path) -> None:
    answer = TextAnswer(tmp_path / "answer.txt", settled_after=0)
    answer.path.write_bytes(b"\xef\xbb\xbfAction: \xff2\n")
    assert answer.read() == "Action: \ufffd2\n"


def test_what_cannot_be_read_is_no_answer_yet(tmp_path: Path) -> None:
    with pytest.raises(NoAnswerYet, match="cannot be read"):
        TextAnswer(tmp_path).read()


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
