"""Replies in the shapes that servers give them: what is an answer, and whose fault it is if there is none."""

import json
import random
from contextlib import suppress
from typing import Any

import pytest

from gridworld.model_interface import AnswerFault, AnswerOutcome, Finish, ModelOutput
from multinet_adapters.openai_compatible import OpenAICompatibleAdapter
from multinet_adapters.reply_content import finish_of, split_reasoning
from multinet_adapters.testing.model_servers import Body, serve, serve_in_turn

ANSWER = '{"reasoning": "r", "action": "move_forward", "confidence": 0.9}'


def choice(content: Any, finish: str = "stop", **message: Any) -> dict[str, Any]:
    return {"choices": [{"finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}]}


def asked(connect: Any, question: Any, body: Any, status: int = 200, **options: Any) -> ModelOutput | AnswerFault:
    """What comes of a question that is answered with this JSON."""
    with serve_in_turn([Body(json.dumps(body).encode(), status=status)] * 3) as server:
        try:
            output: ModelOutput = connect(server, **options).predict(question())
        except AnswerFault as fault:
            return fault
        return output


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": ANSWER}],
        [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": ANSWER}],
        [{"type": "reasoning", "summary": ["hm"]}, {"type": "output_text", "text": ANSWER}],
        {"type": "text", "text": ANSWER},
        f"<|begin_of_box|>{ANSWER}<|end_of_box|>",
        f"{ANSWER}<|im_end|>",
        f"{ANSWER}</s>\n<|endoftext|>",
        f"<\uff5cbegin\u2581of\u2581sentence\uff5c>{ANSWER}<\uff5cend\u2581of\u2581sentence\uff5c>",
        f"[THINK]Action: 0[/THINK]\n{ANSWER}",
        f"◁think▷Action: 0◁/think▷{ANSWER}",
        f"<seed:think>Action: 0</seed:think>{ANSWER}",
        f"<|channel|>analysis<|message|>Action: 0<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}",
        f"<answer>\n{ANSWER}\n</answer>",
        "<think>Action: 0</think><answer>Action: 2</answer>",
        "So:\n```\nAction: 2\n```",
        "So:\n```text\nhm\nAction: move_forward\n```\n",
        "Action: 2<|eot_id|>",
    ],
)  # fmt: skip
def test_an_answer_is_found_within_what_servers_put_around_it(connect_openai: Any, question: Any, content: Any) -> None:
    output = asked(connect_openai, question, choice(content))
    assert isinstance(output, ModelOutput), output
    assert output.action == 2


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_a_whole_answer_in_the_reasoning_is_taken_where_a_schema_was_asked_for(
    connect_openai: Any, question: Any, field: str
) -> None:
    body = choice(None, **{field: ANSWER})
    output = asked(connect_openai, question, body)
    assert isinstance(output, ModelOutput)
    assert output.action == 2
    assert [each.refused for each in output.adjustments] == ["an answer outside of the reasoning"]
    for other in (
        asked(connect_openai, question, body, structured=False),
        asked(connect_openai, question, choice(None, **{field: "I think"})),
    ):
        assert isinstance(other, AnswerFault)
        assert other.outcome is AnswerOutcome.EMPTY


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        *((each, Finish.LENGTH) for each in ("length", "MAX_TOKENS", "max_output_tokens", "model_length")),
        *((each, Finish.REFUSED) for each in ("content_filter: hate", "SAFETY", "PROHIBITED", "sensitive", "refusal")),
        *((each, Finish.STOP) for each in ("stop", "STOP", "eos", "end_turn", "stop_sequence", "tool_calls", None, 3)),
    ],
)  # fmt: skip
def test_the_reason_to_finish_is_told_in_any_spelling(reason: object, finish: Finish) -> None:
    assert finish_of(reason) is finish


@pytest.mark.parametrize("text", ["There are 2 doors.", "2", "<|im_end|>", "```\n2\n```", "<think>Action: 2"])
def test_prose_and_marks_are_no_answer(connect_openai: Any, question: Any, text: str) -> None:
    fault = asked(connect_openai, question, choice(text))
    assert isinstance(fault, AnswerFault)
    assert fault.outcome in (AnswerOutcome.UNPARSABLE, AnswerOutcome.EMPTY)


def test_tokens_in_the_middle_of_a_text_are_left_there() -> None:
    assert split_reasoning("a <|im_end|> b</s>") == ("", "a <|im_end|> b")


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 100, "total_tokens": 2910}, 2900),
        ({"prompt_tokens": 10, "completion_tokens": 100, "total_tokens": 110}, 100),
        ({"prompt_tokens": 10.0, "completion_tokens": 3.0}, 3),
        ({"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 5}, 3),
        ({"completion_tokens": 3}, 3),
        ({"completion_tokens": -3}, None),
    ],
)
def test_reasoning_that_is_billed_apart_counts(usage: dict[str, Any], tokens: int | None) -> None:
    reply = OpenAICompatibleAdapter("m", base_url="http://127.0.0.1:9/v1").reply({**choice("x"), "usage": usage})
    assert reply.usage is not None
    assert reply.usage.completion_tokens == tokens


def test_a_server_error_about_a_part_that_was_answered_before_is_a_fault_of_the_server(
    connect_openai: Any, question: Any
) -> None:
    replies = [ANSWER, Body(b'{"error": {"message": "images are not supported: grammar failed"}}', status=500), ANSWER]
    with serve_in_turn(replies) as server:
        adapter = connect_openai(server)
        adapter.predict(question())
        with pytest.raises(AnswerFault) as caught:
            adapter.predict(question())
        assert (caught.value.outcome, caught.value.permanent) == (AnswerOutcome.INFRASTRUCTURE, False)
        assert adapter.predict(question()).left_out == ()


def test_the_models_output_that_a_server_rejected_is_kept(connect_openai: Any, question: Any) -> None:
    body = {"error": {"message": "Failed to generate JSON.", "failed_generation": "I go on"}}
    fault = asked(connect_openai, question, body, status=400)
    assert isinstance(fault, AnswerFault)
    assert (fault.outcome, fault.raw_output) == (AnswerOutcome.UNPARSABLE, "I go on")


PIECES: tuple[Any, ...] = (
    None,
    0,
    -1.5,
    1e308,
    "",
    "stop",
    "SAFETY",
    "length",
    ANSWER,
    [],
    {},
    [[]],
    {"error": {}},
    "\ud800",
)
NAMES = (
    *("choices", "message", "content", "finish_reason", "error", "usage", "type", "text", "code", "done"),
    *("done_reason", "stop_reason", "thinking", "total_tokens", "input_tokens", "eval_count", "reasoning_content"),
)  # fmt: skip


def nonsense(dice: random.Random, depth: int = 0) -> Any:
    """JSON with the names of replies in any order and of any form."""
    if depth > 3 or dice.random() < 0.3:
        return dice.choice(PIECES)
    if dice.random() < 0.3:
        return [nonsense(dice, depth + 1) for _ in range(dice.randrange(3))]
    return {dice.choice(NAMES): nonsense(dice, depth + 1) for _ in range(dice.randrange(5))}


def test_whatever_a_server_sends_is_an_answer_or_a_typed_fault(connect: Any, question: Any) -> None:
    dice = random.Random(7)

    def answer(request: Any) -> Body:
        status = dice.choice((200, 200, 200, 400, 403, 429, 500, 503))
        return Body(
            json.dumps(nonsense(dice)).encode(), status=status, headers={"Retry-After": dice.choice(("x", "1"))}
        )

    with serve(answer) as server:
        adapter = connect(server)
        for _ in range(100):
            with suppress(AnswerFault):
                adapter.predict(question())
