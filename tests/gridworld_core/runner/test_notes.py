"""Notes are cut in replies however they are written there."""

import json
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from gridworld.runner.history import with_note_cut
from support.thoroughness import bounded


def _units(text: str) -> list[str]:
    """The numbers of JSON's escapes."""
    return [text[start : start + 4] for text in [text.encode("utf-16-be").hex()] for start in range(0, len(text), 4)]


SPELLINGS: dict[str, Callable[[str], str]] = {
    "escaped": json.dumps,
    "as it is": lambda note: json.dumps(note, ensure_ascii=False),
    "in numbers": lambda note: '"' + "".join(f"\\u{unit}" for unit in _units(note)) + '"',
    "with slashes": lambda note: json.dumps(note).replace("/", "\\/"),
}


@bounded(30)
@given(
    spelling=st.sampled_from(sorted(SPELLINGS)), note=st.text(min_size=1), length=st.integers(0, 20), before=st.text()
)
def test_a_note_in_json_is_cut_as_the_note_itself(spelling: str, note: str, length: int, before: str) -> None:
    before = before.replace("{", "")
    reply = f'{before}{{"note": {SPELLINGS[spelling](note)}, "action": 2}}'
    cut = with_note_cut(reply, note, length)
    assert cut.startswith(before)
    assert json.loads(cut[len(before) :]) == {"note": note[:length], "action": 2}


def test_only_the_answer_at_the_end_is_cut() -> None:
    said = "I note: go east then north.\nNote: go east then north\nAction: north"
    cut = "I note: go east then north.\nNote: go east\nAction: north"
    assert with_note_cut(said, "go east then north", 7) == cut


def test_a_reply_without_the_note_stays_as_it_is() -> None:
    assert with_note_cut("turn_left", "go east", 2) == "turn_left"
