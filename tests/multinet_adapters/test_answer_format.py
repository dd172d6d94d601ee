"""What counts as an answer: a JSON object or a last line, and nothing that stands in prose."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface import AnswerFault, AnswerOutcome, Finish, reply_of
from gridworld.model_interface.base import ONE_ACTION
from multinet_adapters.answer_format import Answer, answer_schema, read_answer

ACTIONS = sorted(ACTION_SPACE)


def read(text: str, **reply: Any) -> Answer:
    return read_answer(reply_of(text, **reply), ACTION_SPACE)


def fault_of(text: str, **reply: Any) -> AnswerFault:
    with pytest.raises(AnswerFault) as caught:
        read(text, **reply)
    return caught.value


def what_comes_of(text: str) -> AnswerOutcome | int:
    """The action, or the kind of fault."""
    try:
        return read(text).actions[0]
    except AnswerFault as fault:
        return fault.outcome


# --- answers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '{"action": "move_forward"}',
        '{"action": 2}',
        '{"action": "2"}',
        '{"action": "MOVE_FORWARD"}',
        ' \n{"reasoning": "straight on", "action": "move_forward", "confidence": 0.5}\n ',
        '```json\n{"action": "move_forward"}\n```',
        '```\n{"action": "move_forward"}\n```',
        'The way is free.\n\n```json\n{"action": "move_forward"}\n```\n',
        '<think>turn_left? Action: 0</think>{"action": "move_forward"}',
        '{"reasoning": "<think>{\\"action\\": 0}</think>", "action": 2}',
        "Action: move_forward",
        "Action: 2",
        "action: Move_Forward",
        "ACTION : move_forward",
        "**Action:** `move_forward`",
        "**Action: move_forward**",
        'Action: "move_forward".',
        "I see 3 walls and 1 door.\nAction: move_forward\n",
        "Action: turn_left is wrong.\nAction: 0\nNo, better:\nAction: 2",
        "<think>Action: 0</think>\nAction: 2",
        "<THINK>\n0\n</THINK>\nAction: 2",
        "<thinking>Action: 0</thinking><think>Action: 1</think>Action: 2",
        "the prompt opened it. Action: 0\n</think>\nAction: 2",
        "Action: 2\n<think>never closed, Action: 0",
    ],
)
def test_an_answer_in_the_form_that_was_asked_for_is_read(text: str) -> None:
    assert read(text).actions == (2,)


@given(st.sampled_from(ACTIONS), st.text(), st.floats(0, 1))
def test_whatever_a_model_thinks_its_json_is_read_exactly(action: int, reasoning: str, confidence: float) -> None:
    for chosen in (action, ACTION_SPACE[action]):
        answer = read(json.dumps({"reasoning": reasoning, "action": chosen, "confidence": confidence}))
        assert (answer.actions, answer.confidence) == ((action,), confidence)
        assert answer.reasoning == (reasoning if reasoning.strip() else None)


@given(st.sampled_from(ACTIONS), st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<"))))
def test_whatever_stands_before_it_the_last_line_is_read(action: int, before: list[str]) -> None:
    for chosen in (str(action), ACTION_SPACE[action]):
        assert read("\n".join([*before, f"Action: {chosen}"])).actions == (action,)


@pytest.mark.parametrize(
    ("given", "confidence"),
    [("0", 0.0), ("1", 1.0), ("0.25", 0.25), ("1.5", None), ("-0.1", None), ("true", None), ('"high"', None)],
)
def test_a_confidence_is_a_number_from_0_to_1_or_none(given: str, confidence: float | None) -> None:
    assert read(f'{{"action": 2, "confidence": {given}}}').confidence == confidence


@pytest.mark.parametrize(
    ("text", "thinking", "reasoning"),
    [
        ('{"action": 2, "reasoning": "free"}', "aside", "free"),
        ('{"action": 2}', "aside", "aside"),
        ('<think>tagged</think>{"action": 2}', None, "tagged"),
        ("The way is free.\nAction: 2", None, "The way is free."),
        ("Action: 2", None, None),
        ('{"action": 2, "reasoning": 7}', None, None),
    ],
)
def test_the_reasoning_is_what_the_model_says_beside_its_answer(
    text: str, thinking: str | None, reasoning: str | None
) -> None:
    assert read(text, reasoning=thinking).reasoning == reasoning


def test_only_the_action_space_that_is_given_counts() -> None:
    narrow = {7: "jump", 9: "turn_left"}
    assert read_answer(reply_of("Action: jump"), narrow).actions == (7,)
    assert read_answer(reply_of('{"action": "turn_left"}'), narrow).actions == (9,)
    with pytest.raises(AnswerFault, match="'2' is not an action"):
        read_answer(reply_of("Action: 2"), narrow)


# --- no answers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "I would take action 2 now.",
        "2",
        "move_forward",
        "There are 3 walls, so move_forward it is.",
        "The action: 2 steps ahead.",
        "Action: 2\nThis is because the way is free.",
        "Action: 2 or 3",
        "Action: move_forward, then turn_left",
        "Action: 2.5",
        "Action:",
        "My Action: 2",
        '{"action": true}',
        '{"action": false}',
        '{"action": null}',
        '{"action": 2.0}',
        '{"action": [2]}',
        '{"action": ""}',
        '{"action": "two steps"}',
        '{"move": 2}',
        '{"action": 2, "action": 0}',
        '{"action": 2, "confidence": NaN}',
        '{"action": 2',
        '{"action": 2} {"action": 0}',
        '{"action": 2} I am sure.',
        "[2]",
        '```json\n{"action": 2}\n``` and so on',
        "<tool_call>move_forward</tool_call>",
    ],
)
def test_what_only_looks_like_an_answer_is_none(text: str) -> None:
    fault = fault_of(text)
    assert fault.outcome is AnswerOutcome.UNPARSABLE
    assert fault.raw_output == text


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Action: jump", "'jump'"),
        ("Action: 17", "'17'"),
        ("Action: -1", "'-1'"),
        ("Action: 02", "'02'"),
        ("Action: " + "9" * 5000, "99"),
        ('{"action": "jump"}', "'jump'"),
        ('{"action": 17}', "17"),
        ('{"action": -1}', "-1"),
        ('{"action": "move-forward"}', "did you mean 'move_forward'?"),
    ],
)
def test_a_clear_answer_that_is_not_in_the_action_space_is_illegal(text: str, named: str) -> None:
    fault = fault_of(text)
    assert fault.outcome is AnswerOutcome.ILLEGAL
    assert named in fault.message


@pytest.mark.parametrize("text", ["", " \n\t ", "<think>hm</think>", "<think>hm", "hm</think>"])
def test_a_reply_without_words_is_empty(text: str) -> None:
    assert fault_of(text).outcome is AnswerOutcome.EMPTY


@pytest.mark.parametrize("text", ["", "I wonder", "Action: 2", '{"action": 2}', '{"action": 2, "reas'])
def test_a_reply_that_was_cut_off_is_truncated_whatever_is_in_it(text: str) -> None:
    assert fault_of(text, finish=Finish.LENGTH).outcome is AnswerOutcome.TRUNCATED


def test_a_refusal_is_told_with_its_words() -> None:
    fault = fault_of("Action: 2", finish=Finish.REFUSED, refusal="I only do text.")
    assert fault.outcome is AnswerOutcome.REFUSED
    assert "I only do text." in fault.message


# --- anything --------------------------------------------------------------------------------------------------

MARKS = ("<think>", "</think>", "```", "json", "{", "}", '"action"', ":", "2", "Action:", "turn_left", "\n", " ")
FRAGMENTS = st.sampled_from([*MARKS, "[" * 5000])


@given(st.lists(st.one_of(FRAGMENTS, st.text())).map("".join))
def test_any_text_is_an_answer_in_the_action_space_or_a_fault(text: str) -> None:
    faults = {AnswerOutcome.UNPARSABLE, AnswerOutcome.ILLEGAL, AnswerOutcome.EMPTY}
    assert what_comes_of(text) in faults | set(ACTION_SPACE)


@pytest.mark.parametrize("piece", ["<think>", "</think>", "```", "Action: 2\n", "{", "*", " "])
def test_a_large_reply_is_read_in_reasonable_time(piece: str) -> None:
    """Reading backtracks nowhere: at 200,000 times each piece, anything but linear would not come to an end."""
    assert what_comes_of(piece * 200_000) in (2, AnswerOutcome.UNPARSABLE, AnswerOutcome.EMPTY)


def test_the_schema_limits_the_reasoning_if_told_to() -> None:
    limited, free = (answer_schema(ACTION_SPACE, ONE_ACTION, length)["properties"]["reasoning"] for length in (9, None))
    assert limited == {**free, "maxLength": 9}
