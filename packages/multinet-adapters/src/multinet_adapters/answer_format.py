"""The answer format: how answers are requested and parsed.

An answer is a JSON object (alone, or in a code block at the end), or a last line ``Action: <id or name>``, with further
lines if more is requested. Prose is not searched: a digit within a sentence is not an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import attrs

from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    Finish,
    ModelInput,
    ModelOutput,
    Opaque,
    Reply,
    ReplyForm,
)
from gridworld.model_interface.answers import FENCE, read_action, read_object
from gridworld.model_interface.base import ONE_ACTION
from multinet_adapters.reply_content import split_reasoning, unwrapped

SUBGOAL = "What the actions are to achieve."


def answer_schema(
    action_space: Mapping[int, str], form: ReplyForm, reasoning_length: int | None = None
) -> dict[str, Any]:
    """Return the JSON schema of an answer, within the subset that constrained decoders and hosted services understand.

    The reasoning comes first, so that the model can think before it decides. `reasoning_length` is its maximum length
    in characters; None for no limit.
    """
    these = "this action" if form.holds_one_action else "these actions"
    properties: dict[str, Any] = {"reasoning": {"type": "string", "description": f"Why {these}."}}
    if reasoning_length is not None:
        properties["reasoning"]["maxLength"] = reasoning_length
    if form.subgoal:
        properties["subgoal"] = {"type": "string", "description": SUBGOAL}
    action = {"type": "string", "enum": [action_space[number] for number in sorted(action_space)]}
    if form.holds_one_action:
        properties["action"] = action
    else:
        properties["actions"] = {"type": "array", "items": action, "description": f"In order, {_how_many(form)}."}
    if form.note_length:
        properties["note"] = {"type": "string", "description": f"{_note(form)}."}
    properties["confidence"] = {"type": "number", "description": "How sure you are, from 0 to 1."}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def describe_json(action_space: Mapping[int, str], form: ReplyForm) -> str:
    """Return instructions for answering in JSON."""
    names = ", ".join(action_space[number] for number in sorted(action_space))
    fields = ['"reasoning": "<why>"']
    if form.subgoal:
        fields.append('"subgoal": "<what the actions are to achieve>"')
    if form.holds_one_action:
        fields.append('"action": "<name of the action>"')
        choice = f"The action is one of: {names}."
    else:
        fields.append('"actions": ["<name of an action>", ...]')
        choice = f"The actions are taken in order, {_how_many(form)}. Each is one of: {names}."
    if form.note_length:
        fields.append(f'"note": "<{_note(form).lower()}>"')
    fields.append('"confidence": <how sure you are, from 0 to 1>')
    return f"Answer with one JSON object and nothing else:\n{{{', '.join(fields)}}}\n{choice}"


def describe_line(action_space: Mapping[int, str], form: ReplyForm) -> str:
    """Return instructions for answering in the last lines."""
    lines = []
    if form.subgoal:
        lines.append("Subgoal: <what the actions are to achieve>")
    if form.note_length:
        lines.append(f"Note: <{_note(form).lower()}>")
    if form.holds_one_action:
        what = "naming a single action by its id or name"
        lines.append("Action: <id or name>")
    else:
        what = f"naming actions by their ids or names, in order, {_how_many(form)}"
        lines.append("Actions: <id or name>, <id or name>, ...")
    count = "one line" if len(lines) == 1 else f"{len(lines)} lines"
    return "\n".join([f"End your answer with {count} of this form, {what}:", *lines])


def action_lines(action_space: Mapping[int, str]) -> str:
    """Return the action space as text, one line per action."""
    return "\n".join(f"{number}: {action_space[number]}" for number in sorted(action_space))


def _how_many(form: ReplyForm) -> str:
    if form.max_actions is None:
        return "as many as it takes to reach the goal"
    return f"at least 1 and at most {form.max_actions}"


def _note(form: ReplyForm) -> str:
    return f"A note to yourself for the next question, on one line of at most {form.note_length} characters"


FIELD_LINE = re.compile(r"[\s*_#]*(actions?|subgoal|note)[\s*_]*:(.*)", re.IGNORECASE)
EMPHASIS = " \t*`\"'"
TOKEN = re.compile(r"[\w-]+")


@attrs.frozen
class Answer:
    """The actions that a model chose, and its comments."""

    actions: tuple[int, ...]
    """The chosen actions, at least one."""
    subgoal: str | None = None
    note: str | None = None
    confidence: float | None = None
    """The model's confidence, from 0 to 1."""
    reasoning: str | None = None


@attrs.frozen
class _Form:
    """Reader for the parts of an answer in a given form."""

    action_space: Mapping[int, str]
    reply: ReplyForm

    @property
    def field(self) -> str:
        """Name of the field that holds the actions."""
        return "action" if self.reply.holds_one_action else "actions"

    @property
    def fields(self) -> list[str]:
        """Names of all requested fields."""
        asked = {self.field: True, "subgoal": self.reply.subgoal, "note": self.reply.note_length > 0}
        return [field for field, is_asked in asked.items() if is_asked]

    @property
    def expected(self) -> str:
        if self.reply.holds_one_action:
            return 'expected a JSON object with an "action", or a last line "Action: <id or name>"'
        return 'expected a JSON object with a list of "actions", or a last line "Actions: <id or name>, ..."'

    def split(self, line: str) -> Any:
        """Split a line into actions, in the same form as in JSON."""
        return line if self.reply.holds_one_action else line.strip(f"{EMPHASIS}[]").removesuffix(".").split(",")

    def actions(self, value: Any) -> tuple[int, ...]:
        """Read the actions of a JSON value, at least one."""
        if self.reply.holds_one_action:
            return (self._action(value),)
        if not isinstance(value, list) or not value:
            raise AnswerFault(AnswerOutcome.UNPARSABLE, f"expected a list of actions, got {value!r:.60}")
        most = self.reply.max_actions
        if most is not None and len(value) > most:
            raise AnswerFault(AnswerOutcome.UNPARSABLE, f"expected at most {most} actions, got {len(value)}")
        return tuple(map(self._action, value))

    def subgoal(self, value: Any) -> str | None:
        """Read the subgoal, which is mandatory if requested."""
        if not self.reply.subgoal:
            return None
        if _text(value) is None:
            raise AnswerFault(AnswerOutcome.UNPARSABLE, "the answer names no subgoal")
        return str(value)

    def note(self, value: Any) -> str | None:
        """Read the whole note; None if it is absent or was not requested."""
        return _text(value) if self.reply.note_length else None

    def _action(self, value: Any) -> int:
        read = _from_token if isinstance(value, str) else read_action
        return read(value, self.action_space)


def read_output(reply: Reply, input: ModelInput) -> ModelOutput:
    """Parse the answer in a reply to `input`; raises as `read_answer` does."""
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
        returned=tuple(part for part in reply.message.parts if isinstance(part, Opaque)),
    )


def read_answer(reply: Reply, action_space: Mapping[int, str], form: ReplyForm = ONE_ACTION) -> Answer:
    """Parse the answer in a reply.

    Args:
        reply: the model's reply.
        action_space: action id to name.
        form: the requested parts of the answer.

    Raises:
        AnswerFault: `REFUSED`, `TRUNCATED` (a reply that was cut off has no answer, whatever it contains), `EMPTY`,
            `UNPARSABLE`, or `ILLEGAL` for a clear answer outside the action space.
    """
    with _raw_output_of(reply):
        return _read(reply, _Form(action_space, form))


@contextmanager
def _raw_output_of(reply: Reply) -> Iterator[None]:
    """Add the reply to a fault."""
    try:
        yield
    except AnswerFault as fault:
        outcome, message = fault.outcome, fault.message
    else:
        return
    raise AnswerFault(outcome, message, raw_output=reply.text, usage=reply.usage)


def read_words(reply: Reply) -> str:
    """Return the text of a reply without its reasoning.

    Raises:
        AnswerFault: `REFUSED`, `TRUNCATED` or `EMPTY`.
    """
    with _raw_output_of(reply):
        return _take_apart(reply)[1]


def holds_object(text: str, members: Iterable[str]) -> bool:
    """Whether a text is one JSON object, perhaps within special tokens, that has all of some members."""
    try:
        given = read_object(unwrapped(text))
    except AnswerFault:
        return False
    return given is not None and given.keys() >= set(members)


def _take_apart(reply: Reply) -> tuple[str, str, dict[str, Any] | None]:
    """Split a reply into its reasoning, its other text, and the JSON object if that text is one."""
    if reply.finish is Finish.REFUSED:
        raise AnswerFault(AnswerOutcome.REFUSED, f"the model declined to answer: {reply.refusal}")
    if reply.finish is Finish.LENGTH:
        raise AnswerFault(AnswerOutcome.TRUNCATED, "the reply hit its token limit; max_tokens sets it")
    text = reply.text.strip()
    given = read_object(unwrapped(text))
    thoughts, words = ("", text) if given is not None else split_reasoning(text)
    if not words:
        raise AnswerFault(AnswerOutcome.EMPTY, "reasoning, but no answer" if text or reply.reasoning else "no text")
    return thoughts, words, given


def _read(reply: Reply, form: _Form) -> Answer:
    thoughts, words, given = _take_apart(reply)
    if given is None:
        given = read_object(words)
    answer = _from_lines(words, form) if given is None else _from_object(given, form)
    return answer if answer.reasoning else attrs.evolve(answer, reasoning=_text(reply.reasoning or thoughts))


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
    """Return a number from 0 to 1; None for any other value."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        return None
    return float(value)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


# --- as a last line --------------------------------------------------------------------------------------------


def _from_lines(words: str, form: _Form) -> Answer:
    """Parse an answer from the last lines of a reply; one of them names the actions."""
    lines, fields = _without_fence(words.splitlines()), dict[str, str]()
    while lines and (found := FIELD_LINE.fullmatch(lines[-1].strip())):
        field = found[1].casefold()
        if field not in form.fields or field in fields:
            break
        fields[field] = found[2]
        lines.pop()
    if form.field not in fields:
        raise AnswerFault(AnswerOutcome.UNPARSABLE, f"no answer in the requested form; {form.expected}")
    before = "\n".join(lines).strip()
    return Answer(
        form.actions(form.split(fields[form.field])),
        form.subgoal(fields.get("subgoal", "").strip()),
        form.note(fields.get("note", "").strip()),
        reasoning=_text(before),
    )


def _without_fence(lines: list[str]) -> list[str]:
    """Return the lines without the code block around the last of them."""
    if len(lines) < 2 or lines[-1].strip() != FENCE:
        return lines
    opening = max((number for number, line in enumerate(lines[:-1]) if line.strip().startswith(FENCE)), default=None)
    return lines if opening is None else [*lines[:opening], *lines[opening + 1 : -1]]


def _from_token(text: str, action_space: Mapping[int, str]) -> int:
    """Find the action with this id or name, ignoring case, emphasis and a final full stop."""
    token = text.strip(EMPHASIS).removesuffix(".").strip(EMPHASIS)
    written = {name.casefold(): number for number, name in action_space.items()} | {str(n): n for n in action_space}
    if token.casefold() in written:
        return written[token.casefold()]
    if not TOKEN.fullmatch(token):
        raise AnswerFault(AnswerOutcome.UNPARSABLE, f"expected one id or name of an action, got '{token}'")
    return read_action(token, action_space)
