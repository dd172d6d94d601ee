"""Whatever the width of the terminal, a table shows every indispensable cell whole."""

import re
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from multinet_eval.cli.table import Column, print_facts, print_prose, print_table

NAMES = st.text(st.characters(categories=("Lu", "Ll", "Lo", "Nd")), min_size=1, max_size=40)
WORDS = st.lists(NAMES, min_size=1, max_size=8).map(" ".join)
FOR_ALL = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Column], list[list[str]]]:
    """A column of names, columns that may be spared, and one of prose."""
    spares = draw(st.lists(st.integers(0, 3), max_size=4))
    columns = [Column("Name"), *(Column(draw(NAMES), right=True, spare=spare) for spare in spares)]
    columns.append(Column("Prose", prose=True))
    row = st.tuples(*(WORDS if column.prose else NAMES for column in columns)).map(list)
    return columns, draw(st.lists(row, min_size=1, max_size=4))


@FOR_ALL
@given(table=tables(), width=st.integers(10, 220))
def test_names_stay_whole_lines_fit_and_missing_columns_are_named(
    table: tuple[list[Column], list[list[str]]],
    width: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    columns, rows = table
    monkeypatch.setenv("COLUMNS", str(width))
    print_table(columns, rows)
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    for row in rows:
        for column, cell in zip(columns, row, strict=True):
            if column.prose:
                assert all(word in printed for word in cell.split())
            elif column.spare == 0:
                assert any(cell in line for line in lines)
    cells = [cell for row in rows for cell in row]
    longest = max(cell_len(word) for text in [*cells, *(column.heading for column in columns)] for word in text.split())
    assert all(cell_len(line) <= max(width, 2 * longest + 30) for line in lines)
    # columns that are left out are named below the table
    assert all(column.heading in printed for column in columns[1:])


RULE = "-" * 20


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "pipe"])
@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (
            200,
            [
                "Name   Count  Verdict  What was found",
                RULE,
                "first     12  passed   a text that is longer than all other columns",
            ],
        ),
        (
            50,
            [
                "Name   Count  Verdict  What was found",
                RULE,
                "first     12  passed   a text that is longer than",
                "                       all other columns",
            ],
        ),
        (
            46,
            [
                "Name   Verdict  What was found",
                RULE,
                "first  passed   a text that is longer than",
                "                all other columns",
                "not shown in this width: Count",
            ],
        ),
        (
            30,
            [
                "first",
                "  Count           12",
                "  Verdict         passed",
                "  What was found  a text that",
                "                  is longer",
                "                  than all",
                "                  other",
                "                  columns",
            ],
        ),
    ],
)
def test_a_narrow_table_drops_columns_and_becomes_a_list(
    width: int, expected: list[str], terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A terminal has a rule below the headings, and a margin."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    columns = [
        Column("Name"),
        Column("Count", right=True, spare=1),
        Column("Verdict"),
        Column("What was found", prose=True),
    ]
    print_table(columns, [["first", "12", "passed", "a text that is longer than all other columns"]])
    printed = [line for line in capsys.readouterr().out.splitlines() if line]
    if terminal and RULE in expected:
        assert set(printed[1]) == {" ", "─"}
        printed[1] = f" {RULE}"
        table = [line[1:] for line in printed if "not shown" not in line]
        printed = [*table, *printed[len(table) :]]
    assert printed == [line for line in expected if terminal or line != RULE]


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "pipe"])
def test_a_heading_that_wraps_is_shown_whole(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "34")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    print_table([Column("Name"), Column("What was found in the whole file", prose=True)], [["first", "little"]])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines() if line]
    assert lines.pop(2) == "─" * 33 if terminal else len(lines) == 3
    assert lines == ["What was found in the", "Name   whole file", "first  little"]


def test_in_a_pipe_lines_may_be_of_any_length(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    print_table([Column("Name"), Column("Prose", prose=True)], [["n" * 300, "word " * 300]])
    assert f"{'n' * 300}  {'word ' * 300}".rstrip() in capsys.readouterr().out


def test_facts_stand_beside_their_names(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    print_facts({"task": "an-id-that-is-longer-than-there-is-room-for", "size": "7 x 7"})
    assert capsys.readouterr().out.splitlines() == [
        "  task  an-id-that-is-longer-than-there-",
        "        is-room-for",
        "  size  7 x 7",
    ]


RUN = "2026-07-29_11.30-tiers-Qwen/Qwen2.5-VL-7B-Instruct:latest,with-a-long-name"


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "pipe"])
@pytest.mark.parametrize("width", [30, 50, 80])
def test_what_is_wider_than_the_terminal_breaks_at_separators_only(
    width: int, terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names of runs, values in lists, titles and notes; everything is there, and no line is too long."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    print_table([Column("Run"), Column("Model"), Column("Note", prose=True)], [[RUN, RUN, f"see {RUN}"]], f"in {RUN}")
    print_prose(f"note: {RUN}")
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert all(len(line) <= width for line in lines)
    pieces = set(re.findall(r"[^-_/.:,]+[-_/.:,]*", RUN)) | {"Model", "Note", "see", "in", "note:"}
    for line in lines:
        assert all(piece in pieces for word in line.split() for piece in re.findall(r"[^-_/.:,]+[-_/.:,]*", word))
    assert "".join(lines).replace(" ", "").count(RUN) == 5


def test_a_title_stands_above_the_middle_with_colours_as_without(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    titles = []
    for variables in ({"NO_COLOR": "1"}, {"NO_COLOR": "", "FORCE_COLOR": "1", "TERM": "xterm-256color"}):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        print_table([Column("A long heading"), Column("Another")], [["1", "2"]], "title")
        title, *_ = lines = capsys.readouterr().out.splitlines()
        titles.append(title)
    assert "\x1b[" in "".join(lines)
    assert titles[0] == titles[1]
