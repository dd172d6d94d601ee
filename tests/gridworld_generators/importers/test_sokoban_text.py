"""Sokoban levels in the files of others: rows, titles and comments, encodings, and bad levels among good ones."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.errors import ArgumentError
from gridworld.generation.importer import LARGEST_FILE
from gridworld.task_spec import TaskSpecification
from gridworld_generators.importers.sokoban import SokobanImporter
from gridworld_generators.importers.sokoban_text import read_sokoban
from support.thoroughness import bounded

LEVEL = "#####\n#@$.#\n#####\n"
X = "unexpected 'x'; expected # @ + $ * . or a blank"
TOO_MANY = f"more than {LARGEST_FILE} cells in a file"


def imported(file: Path, content: str | bytes) -> list[str]:
    """For each level, line and title if it is a task, else the reason why not."""
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [
        f"{level.metadata['sokoban']['line']} {level.metadata['sokoban']['title']}".rstrip()
        if isinstance(level, TaskSpecification)
        else level.reason
        for level in SokobanImporter(max_states=2000).levels(str(file))
    ]


# --- Lines and bytes ---------------------------------------------------------------------------------------------

TEXTS: dict[str, tuple[str | bytes, list[str]]] = {
    "carriage returns and line feeds": (f"{LEVEL}\n{LEVEL}".replace("\n", "\r\n"), ["1", "5"]),
    "carriage returns": (f"{LEVEL}\n{LEVEL}".replace("\n", "\r"), ["1", "5"]),
    "doubled carriage returns": (f"{LEVEL}\n{LEVEL}".replace("\n", "\r\r\n"), ["1", "5"]),
    "no line feed at the end": (LEVEL.rstrip(), ["1"]),
    "a byte order mark": (f"\ufeff{LEVEL}", ["1"]),
    "joined files with byte order marks and end marks": (f"{LEVEL}\x1a\n\ufeff{LEVEL}\x1a", ["1", "5"]),
    "Latin-1 in a title": (f"; Gr\xfcn\n{LEVEL}\n{LEVEL}".encode("latin-1"), ["2 Gr\xfcn", "6"]),
    "Latin-1 behind a byte order mark": (b"\xef\xbb\xbf" + f"{LEVEL}; f\xfcnf".encode("latin-1"), ["1"]),
    "a zero byte in a comment": (f"; a\0b\n{LEVEL}", ["2 a\0b"]),
    "other line separators in a comment": (f"; a\u2028#\x85#\n{LEVEL}", ["2 a # #"]),
    "trailing blanks": (LEVEL.replace("\n", " \t \n"), ["1"]),
    "tabs": ("\t#####\n \t#@$.#\n        #####\n", ["1"]),
    "tabs within": ("#########\n#@$\t.#\n##########\n", ["1"]),
    # Rows
    "boxes outside of the wall": (f"*  *\n*####\n#@$.#\n*#### *\n#####\n{'*' * 6}\n", ["2"]),
    "dashes around a level": ("-------\n-#####-\n_#@$.#_\n-#####-\n-------\n", ["2"]),
    "rows of blanks within a level": ("#####\n#@$.#\n#####\n-----\n  *\n#####\n", ["1"]),
    "two levels without a separator": (
        LEVEL + LEVEL,
        ["it has 2 players, expected one '@' or '+' (line 2, column 2; line 5, column 2)"],
    ),
    # Titles, comments and what else separates levels
    "headings with a wall": (f"#1 easy\n{LEVEL}\n#2 hard\n{LEVEL}", ["2 #1 easy", "7 #2 hard"]),
    "headings within blocks": (f"# 1\n{LEVEL}# 2\n{LEVEL}# 3 #\n", ["2 # 1", "6 # 2"]),
    "a heading in a frame": (f"##########\n# Chapter #\n##########\n\n{LEVEL}", ["5 # Chapter #"]),
    "a comment with a wall": (f"{LEVEL}# of moves: 1\n\n{LEVEL}# of moves: 1\n", ["1", "6 # of moves: 1"]),
    "a title of letters of levels": (f"bob\n{LEVEL}bob\n{LEVEL}Pop #1\n{LEVEL}", ["2 bob", "6 bob", "10 Pop #1"]),
    "numbers": (f"1\n{LEVEL}\n2\n{LEVEL}3\n{LEVEL}20\n", ["2 1", "7 2", "11 3"]),
    "a date": (f"20260101 by me\n{LEVEL}", ["2 20260101 by me"]),
    "semicolons": (f"{LEVEL}; 2\n{LEVEL};3\n{LEVEL}", ["1", "5 2", "9 3"]),
    "keys": (f"{LEVEL}Title: one\nAuthor: me\n{LEVEL}Title: two\n", ["1 one", "6 two"]),
    "a title precedes": (f"; One\n{LEVEL}\n{LEVEL}Title: Two\n\nThree\n{LEVEL}", ["2 One", "6 Two", "12 Three"]),
    "a comment of several lines": (f"{LEVEL}Comment:\n{LEVEL}Comment-End:\n{LEVEL}", ["1", "9"]),
    "a comment without an end": (f"{LEVEL}Comment: easy\n\n{LEVEL}", ["1", "6"]),
    "solutions": (f"{LEVEL}rRlL2(uD)\n\n{LEVEL}Solution: rR\n", ["1", "6"]),
    "rulers": (f"========\n{LEVEL}--------\n{LEVEL}\n########\n\n{LEVEL}", ["2", "6", "12"]),
    "blank lines": (f"\n\n{LEVEL} \n\t\n{LEVEL}\n\n", ["3", "8"]),
}


@pytest.mark.parametrize(("content", "levels"), TEXTS.values(), ids=TEXTS)
def test_levels_are_found_among_titles_and_comments(content: str | bytes, levels: list[str], tmp_path: Path) -> None:
    assert imported(tmp_path / "levels.txt", content) == levels


# --- Other spellings ---------------------------------------------------------------------------------------------

SPELLINGS = {
    "letters": ("######\n#pb o#\n#PB-_#\n######\n", "######\n#@$ .#\n#+*  #\n######"),
    "runs": ("5#|#@$.#|#3-#|5#", "#####\n#@$.#\n#   #\n#####"),
    "runs of several digits": ("12#\n#@$.7-#\n12#", "############\n#@$.       #\n############"),
    "a group": ("2(##)#|#@$.#|5#", "#####\n#@$.#\n#####"),
    "groups in groups": ("2(2(#)#)|#@$.-#|2(3#)", "######\n#@$. #\n######"),
    "a group of rows": ("5#|#@$.#|2(#3-#|)5#", "#####\n#@$.#\n#   #\n#   #\n#####"),
    "rows with and without ends": ("5#|\n#@$.#|#3-#\n5#|", "#####\n#@$.#\n#   #\n#####"),
    "doubled ends": ("|5#|#@$.#||5#", "#####\n#@$.#\n\n#####"),
}


@pytest.mark.parametrize(("text", "plain"), SPELLINGS.values(), ids=SPELLINGS)
def test_letters_and_run_length_encoding_are_decoded(text: str, plain: str) -> None:
    (level,) = read_sokoban(text)
    assert "\n".join(level.rows) == plain


# --- Bad levels --------------------------------------------------------------------------------------------------

BAD = {
    "a letter": ("#####\n#@x.#\n#####\n", f"line 6, column 3: {X}"),
    "a letter at the left": ("#####\nx@$.#\n#####\n", f"line 6, column 1: {X}"),
    "a letter in the first row": (
        "##x##\n#@$.#\n#####\n",
        f"the wall has a gap at line 6, column 2; line 5, column 3: {X}",
    ),
    "a letter in the last row": (
        "#####\n#@$.#\n##x##\n",
        f"the wall has a gap at line 6, column 2; line 7, column 3: {X}",
    ),
    "a letter in each row": ("> ####\n> #@$.#\n> ####\n", "line 5, column 1: unexpected '>'"),
    "a zero byte": ("#####\n#@\0.#\n#####\n", "line 6, column 3: unexpected '\\x00'"),
    "a number with nothing behind": ("#####\n#@$.3\n#####\n", "line 6, column 5: unexpected '3'"),
    "a run of none": ("#####\n#@$.0-#\n#####\n", "line 6, column 5: unexpected '0'"),
    "a long run": ("999999999#|#@$.#|5#\n", f"line 5, column 1: {TOO_MANY}"),
    "a run with thousands of digits": (f"{'9' * 5000}#\n#@$.#\n", f"line 5, column 1: {TOO_MANY}"),
    "long runs in groups": (f"{'9(' * 12}#{')' * 12}|#@$.#|5#\n", f"line 5, column 32: {TOO_MANY}"),
    "an open group": ("3(##|#@$.#|5#\n", "line 5, column 14: expected ')'"),
    "a closed group that is not open": ("#####)|#@$.#|5#\n", "line 5, column 6: unexpected ')'"),
    "a gap in an encoded row": ("5#|#@$.|5#\n", "the wall has a gap at line 5, row 2, column 4"),
    "no player": ("#####\n# $.#\n#####\n", "it has no players"),
    "two players": ("#####\n#@@.#\n#####\n", "it has 2 players"),
    "different numbers": ("######\n#@$$.#\n######\n", "it has 2 boxes and 1 targets"),
    "an open level": ("#####\n#@$.\n#####\n", "the wall has a gap at line 6, column 4"),
    "a row without a wall": ("#####\n @$. \n#####\n", "the wall has a gap at line 6, column 1"),
    "a large level": (f"{'#' * 2000}\n#@$.#\n{'#' * 2000}\n", "it has 2000 x 3 cells, expected at most"),
}


@pytest.mark.parametrize(("text", "reason"), BAD.values(), ids=BAD)
def test_a_bad_level_does_not_stop_the_others(text: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "levels.txt"
    first, bad, third = imported(file, f"{LEVEL}\n{text}\n{LEVEL}")
    assert (first, third) == ("1", str(6 + text.count("\n")))
    assert bad.startswith(reason)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        *(
            (content, "no level in it; rows of a level consist of")
            for content in ("", " \n\t\n", "hello\n", "######\n")
        ),
        *((f"\ufeff{LEVEL}".encode(f"utf-16-{end}"), "it is UTF-16 text, expected UTF-8") for end in ("le", "be")),
        (LEVEL.encode("utf-16-le"), "no level in it"),
    ],
)
def test_a_file_without_levels_is_refused(content: str | bytes, problem: str, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=f"levels.txt: {re.escape(problem)}"):
        imported(tmp_path / "levels.txt", content)


@bounded(100)
@given(
    content=st.text(alphabet=st.sampled_from("#@+$*. -_|(12pobx\n\r\n;\t\u2028"), max_size=120)
    | st.binary(max_size=120)
)
def test_any_file_is_read_or_has_no_level(content: str | bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    message = ""
    try:
        imported(tmp_path_factory.getbasetemp() / "fuzzed.txt", content)
    except ArgumentError as error:
        message = str(error)
    assert re.search("no level in it|UTF-16", message) or not message
