"""Prompts are read as they were written, and known lines are not written again."""

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.record.prompt_lines import NUMBERING_VERSION, PromptReader, PromptWriter, Text

LINES = st.sampled_from(["", "a wall", "#.G..#", "Step 3: turn_left", "\ud800", "{}", "x" * 50, "\r"])
TEXTS = st.lists(LINES, min_size=1, max_size=8).map("\n".join)
PROMPTS = st.lists(st.builds(Text, st.sampled_from(["system", "user", "history"]), TEXTS), max_size=4)


@given(st.lists(PROMPTS, max_size=8))
def test_prompts_are_read_as_they_were_written(prompts: list[list[Text]]) -> None:
    kept: dict[str, str] = {}
    writer, reader = PromptWriter(kept.__setitem__), PromptReader(kept.__getitem__)
    written = [json.loads(writer.write(prompt)) for prompt in prompts]
    assert [reader.read(each) for each in written] == prompts


def test_a_part_that_is_empty_at_first_is_read_as_it_was_written() -> None:
    note, later = Text("note", ""), Text("note", "turn\nback")
    prompts = [[Text("user", "go")], [note], [note], [note], [later], [later]]
    writer, reader = PromptWriter(lambda digest, text: None), PromptReader(lambda digest: "go")
    assert [reader.read(json.loads(writer.write(prompt))) for prompt in prompts] == prompts


def write(prompts: Iterable[list[Text]]) -> list[Any]:
    writer = PromptWriter(lambda digest, text: None)
    return [json.loads(writer.write(prompt)) for prompt in prompts]


def test_only_new_lines_are_written() -> None:
    lines = [f"line {number}" for number in range(9)]
    changed = [*lines[:4], "another one", *lines[5:]]
    prompts = [[Text("user", "\n".join(each))] for each in (lines, changed, lines, changed)]
    one, other = [["user", [0, 8]]], [["user", [0, 3], 9, [5, 8]]]
    assert write(prompts)[1:] == [[["user", [0, 3], "another one", [5, 8]]], one, other]


def test_lines_that_are_alike_do_not_break_a_run() -> None:
    rows = ["####", "#..#", "#..#", "#..#", "####"]
    changed = [*rows[:2], "#.>#", *rows[3:]]
    prompts = [[Text("observation", "\n".join(each))] for each in (rows, rows, changed)]
    assert write(prompts)[1:] == [[["observation", [0, 4]]], [["observation", [0, 1], "#.>#", [3, 4]]]]


def test_a_moving_history_writes_only_new_lines() -> None:
    system, lines = Text("system", "rules\nof the game"), [f"Step {number}" for number in range(20)]
    written = write([system, Text("user", "\n".join(lines[at : at + 5]))] for at in range(10))
    assert written[1:] == [[["system", [0, 1]], ["user", [at, at + 3], f"Step {at + 4}"]] for at in range(1, 10)]


FIRST_VERSION = [
    [["mission", {"text": "m"}], ["observation", {"text": "o"}]],
    [["mission", 0], ["history", "Step 1"], ["observation", 1, "#>.#", 2, 1]],
    [["mission", 0], ["history", 3, "Step 2"], ["observation", 1, [2, 2], 4, 1]],
    [["mission", 0], ["history", 5, "#..#"], ["observation", [1, 2], [2, 2], 1]],
]


def test_version_1_prompts_share_one_numbering() -> None:
    kept = {"m": "reach the goal", "o": "####\n#..#\n#..#\n####"}
    reader = PromptReader(kept.__getitem__, version=1)
    assert [reader.read(each) for each in FIRST_VERSION] == [
        [("mission", "reach the goal"), ("observation", "####\n#..#\n#..#\n####")],
        [("mission", "reach the goal"), ("history", "Step 1"), ("observation", "####\n#>.#\n#..#\n####")],
        [("mission", "reach the goal"), ("history", "Step 1\nStep 2"), ("observation", "####\n#..#\n#>.#\n####")],
        [("mission", "reach the goal"), ("history", "Step 2\n#..#"), ("observation", "####\n#..#\n#..#\n####")],
    ]


def test_prompts_of_a_newer_version_are_refused() -> None:
    with pytest.raises(
        ValueError, match=f"version {NUMBERING_VERSION + 1}; this program reads up to {NUMBERING_VERSION}"
    ):
        PromptReader(str, NUMBERING_VERSION + 1)
