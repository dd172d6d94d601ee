"""Prompts are files with named fields, checked before anything is asked."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.model_interface import Text
from multinet_adapters.ollama_vlm_adapter import OllamaVLMAdapter
from multinet_adapters.templates import FIELDS, NEEDED, Values, load_template, parse_template, template_names
from multinet_adapters.testing.model_servers import MODEL

NEEDED_FIELDS = "\n\n".join(f"${field}" for field in NEEDED)


def values(**texts: str) -> Values:
    """A value for each field, by default none."""
    return tuple((field, Text(texts[field], field) if field in texts else None) for field in FIELDS)


EVERY_FIELD = values(**{field: f"<{field}>" for field in FIELDS})


def parts(user: str, **texts: str) -> list[Text]:
    template = parse_template("mine", f"[user]\n{user}\n\n{NEEDED_FIELDS}")
    return template.render(values(**texts))[1]


def rendered(user: str, **texts: str) -> str:
    return "".join(part.text for part in parts(user, **texts))


def refusal(text: str) -> str:
    with pytest.raises(ValueError, match="prompt 'mine'") as caught:
        parse_template("mine", text)
    return str(caught.value)


def test_four_templates_come_with_the_distribution() -> None:
    assert template_names() == ["chain_of_thought", "minimal", "standard", "verbose"]
    lengths = [len(str(load_template(name))) for name in ("minimal", "standard", "verbose")]
    assert lengths == sorted(lengths)


@pytest.mark.parametrize("name", ["chain_of_thought", "minimal", "standard", "verbose"])
def test_no_field_is_left_unfilled_in_them(name: str) -> None:
    system, user = load_template(name).render(EVERY_FIELD)
    text = "".join(part.text for part in [*system, *user])
    assert "$" not in text
    assert all(f"<{field}>" in text for field in NEEDED)


def test_a_field_is_written_with_a_dollar_sign() -> None:
    assert rendered(
        "Go: $mission! ${step}th of $max_steps; costs $$5", mission="home", step="4", max_steps="9"
    ).startswith("Go: home! 4th of 9; costs $5")


def test_a_paragraph_with_a_field_that_has_no_value_is_left_out() -> None:
    assert rendered("Hello.\n\nBefore:\n$history\n\nNow: $step", step="3") == "Hello.\n\nNow: 3"


def test_each_field_is_a_part_of_its_own_and_the_words_between_are_one() -> None:
    found = parts("Hello.\n\nBefore:\n$history\n\nGo $mission$step for $$5.", mission="home", step="4")
    assert found == [
        Text("Hello.\n\nGo ", "wording"),
        Text("home", "mission"),
        Text("4", "step"),
        Text(" for $5.\n\n", "wording"),
        Text("home", "mission"),
    ]


@given(st.text())
def test_a_value_is_put_in_as_it_is(value: str) -> None:
    assert rendered("<$step>", step=value) == f"<{value}>"


def test_a_template_without_a_system_part_gives_no_text_for_it(question: Any) -> None:
    assert parse_template("mine", f"[user]\n{NEEDED_FIELDS}").render(values()) == ([], [])
    prompt = OllamaVLMAdapter(MODEL, prompt="minimal").prompt(question())
    assert [message.role for message in prompt.messages] == ["user"]


def test_an_unknown_field_is_refused_with_the_nearest() -> None:
    message = refusal(f"[user]\n$misson {NEEDED_FIELDS}")
    assert "unknown field $misson (did you mean 'mission'?); expected mission, actions," in message


@pytest.mark.parametrize("field", NEEDED)
def test_a_template_that_would_keep_something_from_the_model_is_refused(field: str) -> None:
    others = "\n".join(f"${each}" for each in NEEDED if each != field)
    assert f"lacks ${field} ({FIELDS[field]})" in refusal(f"[user]\n{others}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected [user] and optionally [system]"),
        (f"{NEEDED_FIELDS}", "expected [user] and optionally [system]"),
        (f"[system]\n{NEEDED_FIELDS}", "expected [user] and optionally [system]"),
        (f"before\n[user]\n{NEEDED_FIELDS}", "nothing before"),
        (f"[user]\n{NEEDED_FIELDS}\n[user]\nagain", "each once"),
        (f"[system]\nhello\n[usr]\n{NEEDED_FIELDS}", "unknown part [usr] (did you mean 'user'?)"),
        (
            f"[user]\nfor 5 $ only {NEEDED_FIELDS}",
            "a '$' without a field (write $$ for a dollar sign) in: for 5 $ only",
        ),
    ],
)
def test_what_is_no_template_is_refused(text: str, message: str) -> None:
    assert message in refusal(text)


def test_a_file_is_taken_by_its_path(tmp_path: Path, question: Any) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(f"[system]\nBe brief.\n[user]\nGröße ✓ $mission\n\n{NEEDED_FIELDS}", encoding="utf-8")
    system, user = OllamaVLMAdapter(MODEL, prompt=str(path)).prompt(question()).messages
    assert (system.text, user.text.splitlines()[0]) == ("Be brief.", "Größe ✓ reach the goal")


@pytest.mark.parametrize("name", ["no/such/file.txt", ".", "standart", "\0"])
def test_what_is_neither_a_name_nor_a_file_is_refused_with_the_names_that_there_are(name: str) -> None:
    with pytest.raises(ValueError, match="expected chain_of_thought, minimal, standard, verbose or the path"):
        load_template(name)


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text(f"[user]\n{NEEDED_FIELDS}", encoding="utf-8-sig")
    told = load_template(str(tmp_path / "mine.txt")).render(EVERY_FIELD)
    assert told == parse_template("mine", f"[user]\n{NEEDED_FIELDS}").render(EVERY_FIELD)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(b"\x89PNG\xff")
    with pytest.raises(ValueError, match="no prompt"):
        load_template(str(tmp_path / "picture"))
