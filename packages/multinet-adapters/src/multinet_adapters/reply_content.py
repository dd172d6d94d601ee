"""What a reply holds besides its protocol: reasons to finish, typed parts, and wrappers around the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import attrs

from gridworld.model_interface import AnswerFault, AnswerOutcome, Finish

CUT_OFF = re.compile(
    r"^length$|max_?(?:output_|new_|completion_)?tokens?|model_length|token_limit|context_window|max_length"
)
DECLINED = re.compile(
    r"content_?filter|safety|prohibited|blocklist|spii|refus|sensitive|moderat|guardrail|policy|recitation|blocked"
)


BROKEN = re.compile(r"error|abort|insufficient_system|cancel|timeout|timed_out")


def is_broken(reason: object) -> bool:
    """Whether a reply ended because its server failed, by its reason in any spelling."""
    return isinstance(reason, str) and BROKEN.search(re.sub(r"[\s:-]+", "_", reason.casefold())) is not None


def finish_of(reason: object) -> Finish:
    """Tell why a reply ended, by a server's reason in any spelling."""
    if not isinstance(reason, str):
        return Finish.STOP
    plain = re.sub(r"[\s:-]+", "_", reason.strip().casefold())
    if CUT_OFF.search(plain):
        return Finish.LENGTH
    return Finish.REFUSED if DECLINED.search(plain) else Finish.STOP


@attrs.frozen
class Content:
    """Content of a message."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""


MOST_DEEP = 10
"""Depth to which parts are searched."""


def read_content(content: Any, raw: str) -> Content:
    """Read the content of a message: a text, typed parts, or nothing.

    Raises:
        AnswerFault: `INFRASTRUCTURE`, for content of another form.
    """
    if content is None:
        return Content()
    if isinstance(content, str):
        return Content(content)
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        message = "the server's reply violates its protocol: expected 'content' to be a text or a list of parts"
        raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, raw_output=raw)
    found: dict[str, list[str]] = {"text": [], "reasoning": [], "refusal": []}
    for part in content:
        kind = str(part.get("type", "text")).casefold() if isinstance(part, dict) else "text"
        place = next((name for name, words in KINDS.items() if any(word in kind for word in words)), "text")
        found[place] += _texts(part)
    return Content(*("".join(found[name]) for name in ("text", "reasoning", "refusal")))


KINDS = {"reasoning": ("think", "reason", "thought"), "refusal": ("refus",)}
"""Words in the type of a part that tell what it holds; other parts with a text are the answer."""


def _texts(part: Any, depth: int = 0) -> Iterator[str]:
    """Yield the texts of a part, those in nested parts included."""
    if isinstance(part, str):
        yield part
    elif depth < MOST_DEEP:
        if isinstance(part, list):
            for each in part:
                yield from _texts(each, depth + 1)
        elif isinstance(part, dict):
            for name in ("text", "thinking", "reasoning", "content", "refusal", "summary"):
                if isinstance(part.get(name), str | list):
                    yield from _texts(part[name], depth + 1)
                    return


# --- wrappers around the answer ----------------------------------------------------------------------------------

WORD = r"(?:seed:)?(?:think|thinking|thought|thoughts|reasoning)"
THINKING: tuple[tuple[str, str], ...] = (
    (rf"<{WORD}>", rf"</{WORD}>"),
    (r"\[THINK\]", r"\[/THINK\]"),
    (rf"<\|(?:begin_of_)?{WORD}\|>", rf"<\|(?:/|end_of_|/end_of_){WORD}\|>"),
    (rf"◁{WORD}▷", rf"◁/{WORD}▷"),
    (r"<unused94>", r"<unused95>"),
    (r"<\|channel\|>(?:analysis|commentary)[^<]{0,40}<\|message\|>", r"<\|end\|>"),
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
)
"""Beginning and end of the reasoning inside a reply, for each family of models that marks it."""
TOKENS = re.compile(
    r"<\|channel\|>(?:final)[^<]{0,40}<\|message\|>|<\|start\|>assistant"
    r"|<\|/?[a-z0-9_▁ ]{1,40}\|>|<\uff5c[^\uff5c]{1,40}\uff5c>|</?s>|<(?:bos|eos|pad)>"
    r"|<(?:start|end)_of_turn>(?:model\b)?|\[/?INST\]|</?(?:answer|response|output|final_answer|final)>",
    re.IGNORECASE,
)
"""Special tokens, channels and tags around an answer."""


def split_reasoning(text: str) -> tuple[str, str]:
    """Separate the reasoning in a reply from the rest, without special tokens around the rest.

    The first opening or the last closing mark may be missing.
    """
    thoughts: list[str] = []
    words: list[str] = []
    inside, position = False, 0
    for mark in MARKS.finditer(text):
        closing = mark.lastgroup == "close"
        (thoughts if inside else words).append(text[position : mark.start()])
        if closing and not inside and mark[0] != CHANNEL_END:  # the prompt opened it: everything before was reasoning
            thoughts.extend(words)
            words.clear()
        inside, position = not closing, mark.end()
    (thoughts if inside else words).append(text[position:])
    return "".join(thoughts).strip(), unwrapped("".join(words))


CHANNEL_END = "<|end|>"
"""End of a channel, which also ends replies without channels."""
MARKS = re.compile(
    f"(?P<open>{'|'.join(first for first, _ in THINKING)})|(?P<close>{'|'.join(last for _, last in THINKING)})",
    re.IGNORECASE,
)


def unwrapped(text: str) -> str:
    """Take special tokens and tags off both ends of a text."""
    text = text.strip()
    while found := TOKENS.match(text):
        text = text[found.end() :].lstrip()
    while found := _last(text):
        text = text[: found.start()].rstrip()
    return text


def _last(text: str) -> re.Match[str] | None:
    """Return the special token with which a text ends."""
    tail = text[-LONGEST_TOKEN:]
    offset = len(text) - len(tail)
    return next((each for each in TOKENS.finditer(text, offset) if each.end() == len(text)), None)


LONGEST_TOKEN = 120
"""Characters at the end of a text in which its last token stands."""
