"""From what a model said to the action that it chose: only an answer in the form that was asked for is one.

That is a JSON object (alone, or in a code block at the end), or a last line ``Action: <id or name>``, beside others
where more is asked for. Nothing else is searched for: a digit in the middle of a sentence is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import attrs

from gridworld.model_interface import AnswerFault, AnswerOutcome, ModelInput, ModelOutput, ReplyForm, Usage
from gridworld.model_interface.answers import read_action, read_object, read_whole_object
from gridworld.model_interface.base import ONE_ACTION

__all__ = ["Answer", "ModelReply", "read_answer", "read_output", "read_words", "split_reasoning"]

REASONING_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
FIELD_LINE = re.compile(r"[\s*_#]*(actions?|subgoal|note)[\s*_]*:(.*)", re.IGNORECASE)
EMPHASIS = " \t*`\"'"
TOKEN = re.compile(r"[\w-]+")


@attrs.frozen
class ModelReply:
    """What a model said, freed from its server's protocol."""

    text: str
    """Its words; empty if it had none."""
    cut_off: bool = False
    """Whether it hit its token limit."""
    thinking: str | None = None
    """The reasoning that the server gives apart from the words."""
    refusal: str | None = None
    """Why the model or its server declined to answer, if it did."""
    usage: Usage | None = None
    left_out: tuple[str, ...] = ()
    """Parts of the request that it was made without since the server refuses them."""


@attrs.frozen
class Answer:
    """The actions that a model chose, and what it said about them."""

    actions: tuple[int, ...]
    """At least one."""
    subgoal: str | None = None
    note: str | None = None
    confidence: float | None = None
    """0 to 1."""
    reasoning: str | None = None


@attrs.frozen
class _Form:
    """Reads the parts of an answer."""

    action_space: Mapping[int, str]
    reply: ReplyForm

    @property
    def field(self) -> str:
        """What the actions are called."""
        return "action" if self.reply.holds_one_action else "actions"

    @property
    def fields(self) -> list[str]:
        """All that is asked for in lines."""
        asked = {self.field: True, "subgoal": self.reply.subgoal, "note": self.reply.note_length > 0}
        return [field for field, is_asked in asked.items() if is_asked]

    @property
    def expected(self) -> str:
        if self.reply.holds_one_action:
            return 'expected a JSON object with an "action", or a last line "Action: <id or name>"'
        return 'expected a JSON object with a list of "actions", or a last line "Actions: <id or name>, ..."'

    def split(self, line: str) -> Any:
        """What stands in a line for the actions, as JSON would have it."""
        return line if self.reply.holds_one_action else line.strip(f"{EMPHASIS}[]").removesuffix(".").split(",")

    def actions(self, value: Any) -> tuple[int, ...]:
        """At least one action, of a value in JSON."""
        if self.reply.holds_one_action:
            return (self._action(value),)
        if not isinstance(value, list) or not value:
            raise AnswerFault(AnswerOutcome.UNPARSABLE, f"expected a list of actions, got {value!r:.60}")
        most = self.reply.max_actions
        if most is not None and len(value) > most:
            raise AnswerFault(AnswerOutcome.UNPARSABLE, f"expected at most {most} actions, got {len(value)}")
        return tuple(map(self._action, value))

    def subgoal(self, value: Any) -> str | None:
        """The subgoal, which has to be there if it was asked for."""
        if not self.reply.subgoal:
            return None
        if _text(value) is None:
            raise AnswerFault(AnswerOutcome.UNPARSABLE, "the answer names no subgoal")
        return str(value)

    def note(self, value: Any) -> str | None:
        """The whole note; None where there is none, or none was asked for."""
        return _text(value) if self.reply.note_length else None

    def _action(self, value: Any) -> int:
        read = _from_token if isinstance(value, str) else read_action
        return read(value, self.action_space)


def read_output(reply: ModelReply, input: ModelInput) -> ModelOutput:
    """The answer in a reply to a question; raises as `read_answer` does."""
    answer = read_answer(reply, input.action_space, input.reply)
    return ModelOutput(
        action=answer.actions[0],
        actions=None if input.reply.holds_one_action else answer.actions,
        subgoal=answer.subgoal,
        note=answer.note,
        confidence=answer.confidence,
        reasoning=answer.reasoning,
        raw_output=reply.text,
        usage=reply.usage,
        left_out=reply.left_out,
    )


def read_answer(reply: ModelReply, action_space: Mapping[int, str], form: ReplyForm = ONE_ACTION) -> Answer:
    """The answer in a reply.

    Args:
        reply: what the model said.
        action_space: action id to name.
        form: what the answer is to hold.

    Raises:
        AnswerFault: there is none: `REFUSED`, `TRUNCATED` (a reply that was cut off has no answer, whatever is in it),
            `EMPTY`, `UNPARSABLE`, or `ILLEGAL` for a clear one that is not in the action space.
    """
    try:
        return _read(reply, _Form(action_space, form))
    except AnswerFault as fault:
        outcome, message = fault.outcome, fault.message
    raise AnswerFault(outcome, message, raw_output=reply.text, usage=reply.usage, left_out=reply.left_out)


def read_words(reply: ModelReply) -> str:
    """The words of a reply, its reasoning aside.

    Raises:
        AnswerFault: there are none: `REFUSED`, `TRUNCATED` or `EMPTY`.
    """
    try:
        _, words, _ = _take_apart(reply)
    except AnswerFault as fault:
        outcome, message = fault.outcome, fault.message
    else:
        return words
    raise AnswerFault(outcome, message, raw_output=reply.text, usage=reply.usage, left_out=reply.left_out)


def _take_apart(reply: ModelReply) -> tuple[str, str, dict[str, Any] | None]:
    """The reasoning in a reply, its other words, and the object that they are, if they are nothing else."""
    if reply.refusal is not None:
        raise AnswerFault(AnswerOutcome.REFUSED, f"the model declined to answer: {reply.refusal}")
    if reply.cut_off:
        raise AnswerFault(AnswerOutcome.TRUNCATED, "the reply hit its token limit; max_tokens sets it")
    text = reply.text.strip()
    given = read_whole_object(text)
    thoughts, words = ("", text) if given is not None else split_reasoning(text)
    if not words:
        raise AnswerFault(AnswerOutcome.EMPTY, "reasoning, but no answer" if text or reply.thinking else "no text")
    return thoughts, words, given


def _read(reply: ModelReply, form: _Form) -> Answer:
    thoughts, words, given = _take_apart(reply)
    answer = _from_words(words, given, form)
    return answer if answer.reasoning else attrs.evolve(answer, reasoning=_text(reply.thinking or thoughts))


def _from_words(words: str, given: dict[str, Any] | None, form: _Form) -> Answer:
    if given is None:
        given = read_object(words)
    return _from_lines(words, form) if given is None else _from_object(given, form)


def split_reasoning(text: str) -> tuple[str, str]:
    """What stands in reasoning tags, and the rest; the first opening tag may be missing, and the last closing one."""
    thoughts: list[str] = []
    words: list[str] = []
    inside, position = False, 0
    for tag in REASONING_TAG.finditer(text):
        closing = tag[1] == "/"
        (thoughts if inside else words).append(text[position : tag.start()])
        if closing and not inside:  # the prompt had opened it, so that all before it was reasoning
            thoughts.extend(words)
            words.clear()
        inside, position = not closing, tag.end()
    (thoughts if inside else words).append(text[position:])
    return "".join(thoughts).strip(), "".join(words).strip()


# --- as JSON ---------------------------------------------------------------------------------------------------


def _from_object(given: Mapping[str, Any], form: _Form) -> Answer:
    if form.field not in given:
        raise AnswerFault(AnswerOutcome.UNPARSABLE, f"the JSON object has no '{form.field}'; {form.expected}")
    return Answer(
        form.actions(given[form.field]),
        form.subgoal(given.get("subgoal")),
        form.note(given.get("note")),
        _confidence(given.get("confidence")),
        _text(given.get("reasoning")),
    )


def _confidence(value: Any) -> float | None:
    """A number from 0 to 1; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        return None
    return float(value)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


# --- as a last line --------------------------------------------------------------------------------------------


def _from_lines(words: str, form: _Form) -> Answer:
    """The answer in the last lines, of which that with the actions is one."""
    lines, fields = words.splitlines(), dict[str, str]()
    while lines and (found := FIELD_LINE.fullmatch(lines[-1].strip())):
        field = found[1].casefold()
        if field not in form.fields or field in fields:
            break
        fields[field] = found[2]
        lines.pop()
    if form.field not in fields:
        raise AnswerFault(AnswerOutcome.UNPARSABLE, f"no answer in the form that was asked for; {form.expected}")
    before = "\n".join(lines).strip()
    return Answer(
        form.actions(form.split(fields[form.field])),
        form.subgoal(fields.get("subgoal", "").strip()),
        form.note(fields.get("note", "").strip()),
        reasoning=_text(before),
    )


def _from_token(text: str, action_space: Mapping[int, str]) -> int:
    """The action that a text names, by id or by name in any case; it may be emphasized, and end a sentence."""
    token = text.strip(EMPHASIS).removesuffix(".").strip(EMPHASIS)
    written = {name.casefold(): number for number, name in action_space.items()} | {str(n): n for n in action_space}
    if token.casefold() in written:
        return written[token.casefold()]
    if not TOKEN.fullmatch(token):
        raise AnswerFault(AnswerOutcome.UNPARSABLE, f"expected one id or name of an action, got '{token}'")
    return read_action(token, action_space)
