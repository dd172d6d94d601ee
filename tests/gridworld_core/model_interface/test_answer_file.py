"""What an answer file says, and when it is complete."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface import AnswerFault, AnswerOutcome
from gridworld.model_interface.exchange_files import NoAnswerYet
from gridworld.model_interface.file_based import AnswerFile

ID = "run/task-seed1/0000"
VALID: dict[str, Any] = {"schema_version": 1, "request_id": ID, "action": "move_forward"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answer_0000.json"


def expected_at(path: Path, settled_after: float = 1.0) -> AnswerFile:
    return AnswerFile(path, ID, ACTION_SPACE, settled_after)


def said(path: Path, **fields: Any) -> AnswerFile:
    """The answer file with a valid answer in it, but for some fields; None leaves a field out."""
    answer = {name: value for name, value in {**VALID, **fields}.items() if value is not None}
    path.write_text(json.dumps(answer), encoding="utf-8")
    return expected_at(path)


@pytest.mark.parametrize(("action", "expected"), [("turn_left", 0), ("done", 6), (3, 3)])
def test_action_by_name_or_id_suffices(path: Path, action: Any, expected: int) -> None:
    output = said(path, action=action).read()
    assert (output.action, output.reasoning, output.confidence) == (expected, None, None)


def test_reasoning_confidence_and_raw_text_are_kept(path: Path) -> None:
    output = said(path, reasoning="größer", confidence=0.25).read()
    assert (output.reasoning, output.confidence) == ("größer", 0.25)
    assert output.raw_output == path.read_text(encoding="utf-8")


def test_a_byte_order_mark_does_no_harm(path: Path) -> None:
    for encoding in ("utf-8-sig", "utf-16"):
        path.write_text(json.dumps(VALID), encoding=encoding)
        assert expected_at(path).read().action == 2


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"action": "move_foward"}, "action: 'move_foward' is not an action (did you mean 'move_forward'?)"),
        ({"action": 7}, "action: 7 is not an action; there are 0 turn_left, 1 turn_right"),
        ({"action": -1}, "action: -1 is not an action"),
    ],
)
def test_an_action_that_there_is_not_is_illegal(path: Path, fields: Any, message: str) -> None:
    with pytest.raises(AnswerFault) as caught:
        said(path, **fields).read()
    assert caught.value.outcome is AnswerOutcome.ILLEGAL
    assert caught.value.message.startswith(f"{path}: {message}")
    assert caught.value.raw_output == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"action": None}, "action: missing"),
        ({"action": True}, "action: expected the id or the name of an action"),
        ({"action": 2.0}, "action: expected the id or the name of an action"),
        ({"action": ["move_forward"]}, "action: expected the id or the name of an action"),
        ({"action": None, "actoin": 2}, "actoin: no such field (did you mean 'action'?)"),
        ({"schema_version": 2}, "schema_version: expected 1, got 2"),
        ({"schema_version": None}, "schema_version: expected 1, got None"),
        ({"request_id": None}, "request_id: missing"),
        ({"request_id": 7}, "request_id: missing, or different from that of the request"),
        ({"confidence": 1.5}, "confidence: expected a number from 0 to 1, got 1.5"),
        ({"confidence": math.nan}, "confidence: expected a number from 0 to 1, got nan"),
        ({"confidence": "high"}, "confidence: expected a number from 0 to 1, got 'high'"),
        ({"reasoning": ["a"]}, "reasoning: expected a string, got ['a']"),
        ({"fault": "refused"}, "fault: an answer has either an action or a fault"),
        ({"action": None, "fault": "refuse"}, "fault: expected one of illegal, unparsable, empty, truncated, refused"),
        ({"action": None, "fault": "ok"}, "fault: expected one of"),
        ({"action": None, "fault": {}}, "fault: expected one of"),
        ({"action": None, "fault": "refused", "message": 3}, "message: expected a string, got 3"),
    ],
)
def test_protocol_violations_name_file_and_field(path: Path, fields: Any, message: str) -> None:
    with pytest.raises(AnswerFault) as caught:
        said(path, **fields).read()
    assert caught.value.outcome is AnswerOutcome.UNPARSABLE
    assert caught.value.message.startswith(f"{path}: {message}")


@pytest.mark.parametrize("fault", ["illegal", "unparsable", "empty", "truncated", "refused", "infrastructure"])
def test_an_answer_may_say_that_there_is_no_action(path: Path, fault: str) -> None:
    with pytest.raises(AnswerFault, match="the server is down") as caught:
        said(path, action=None, fault=fault, message="the server is down").read()
    assert caught.value.outcome == fault


def test_answers_to_other_requests_are_ignored(path: Path) -> None:
    for fields in ({}, {"action": "fly"}, {"schema_version": 9}):
        with pytest.raises(NoAnswerYet, match="it answers another request, 'run/task-seed1/0007'"):
            said(path, request_id="run/task-seed1/0007", **fields).read()


def test_a_file_that_is_not_there_is_no_answer_yet(path: Path) -> None:
    answer = expected_at(path)
    with pytest.raises(NoAnswerYet, match="no such file"):
        answer.read()
    said(path)
    assert answer.read().action == 2


def test_changing_invalid_json_is_waited_for(path: Path) -> None:
    answer, contents = expected_at(path, settled_after=math.inf), json.dumps(VALID)
    for length in (0, 20, 20, 30, len(contents) - 1):
        path.write_text(contents[:length])
        with pytest.raises(NoAnswerYet, match="it is not JSON: "):
            answer.read()
    path.write_text(contents)
    assert answer.read().action == 2


def test_settled_invalid_json_is_unparsable(path: Path) -> None:
    path.write_text(json.dumps(VALID)[:20])
    with pytest.raises(AnswerFault, match=r"it is not JSON: line 1, column") as caught:
        expected_at(path, settled_after=0.0).read()
    assert caught.value.outcome is AnswerOutcome.UNPARSABLE
    assert caught.value.raw_output == path.read_text()


@pytest.mark.parametrize("contents", ["[1]", "2", "null", '"move_forward"', "[" * 100_000])
def test_json_that_is_no_object_is_unparsable(path: Path, contents: str) -> None:
    path.write_text(contents)
    with pytest.raises(AnswerFault, match=r"expected a JSON object|not JSON"):
        expected_at(path, settled_after=0.0).read()
