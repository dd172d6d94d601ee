"""What a prompt writer writes, a prompt reader reads; and a line that is known is not written again."""

import json

from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.runs.prompt_lines import PromptReader, PromptWriter, Text

LINES = st.sampled_from(["", "a wall", "#.G..#", "Step 3: turn_left", "\ud800", "{}", "x" * 50, "\r"])
TEXTS = st.lists(LINES, min_size=1, max_size=8).map("\n".join)
PROMPTS = st.lists(st.builds(Text, st.sampled_from(["system", "user", "history"]), TEXTS), max_size=4)


@given(st.lists(PROMPTS, max_size=8))
def test_prompts_are_read_as_they_were_written(prompts: list[list[Text]]) -> None:
    kept: dict[str, str] = {}
    writer, reader = PromptWriter(kept.__setitem__), PromptReader(kept.__getitem__)
    written = [json.loads(json.dumps(writer.write(prompt))) for prompt in prompts]
    assert [reader.read(each) for each in written] == prompts


def test_a_prompt_that_is_as_it_was_takes_a_few_bytes() -> None:
    writer = PromptWriter(lambda digest, text: None)
    text = Text("user", "\n".join(f"line {number}" for number in range(100)))
    writer.write([text])
    assert writer.write([text]) == [["user", [0, 99]]]


def test_of_a_prompt_with_one_new_line_only_that_is_written() -> None:
    writer = PromptWriter(lambda digest, text: None)
    lines = [f"line {number}" for number in range(9)]
    writer.write([Text("user", "\n".join(lines))])
    lines[4] = "another one"
    assert writer.write([Text("user", "\n".join(lines))]) == [["user", [0, 3], "another one", [5, 8]]]


def test_of_a_history_that_moves_on_only_the_new_line_is_written() -> None:
    writer = PromptWriter(lambda digest, text: None)
    system, lines = Text("system", "rules\nof the game"), [f"Step {number}" for number in range(20)]
    written = [writer.write([system, Text("user", "\n".join(lines[at : at + 5]))]) for at in range(10)]
    assert written[1:] == [[["system", [0, 1]], ["user", [at + 2, at + 5], f"Step {at + 4}"]] for at in range(1, 10)]
