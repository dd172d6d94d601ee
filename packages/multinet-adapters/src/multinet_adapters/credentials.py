"""Credentials: read from the environment, sent to one server, and kept out of everything that is written down."""

import os
import re

import attrs

from gridworld.model_interface import AnswerFault, ModelOutput, Verdict

__all__ = ["Credential"]

REDACTED = "[credential]"
SENDABLE = re.compile(r"[\x21-\x7e]+")


class Credential:
    """What an environment variable holds, if one is named.

    Args:
        variable: the name of the environment variable; None for no credential.

    Raises:
        ValueError: the variable is missing, empty, or holds what cannot be sent; the message does not repeat it.
    """

    def __init__(self, variable: str | None) -> None:
        self.variable = variable
        self._value = "" if variable is None else _read(variable)

    @property
    def headers(self) -> dict[str, str]:
        """The headers that present it; none if there is none."""
        return {"Authorization": f"Bearer {self._value}"} if self._value else {}

    def redact(self, text: str) -> str:
        """A text without it."""
        return text.replace(self._value, REDACTED) if self._value else text

    def redact_output(self, output: ModelOutput) -> ModelOutput:
        """An answer without it."""
        return attrs.evolve(
            output,
            reasoning=self._redact_optional(output.reasoning),
            raw_output=self._redact_optional(output.raw_output),
        )

    def redact_fault(self, fault: AnswerFault) -> AnswerFault:
        """The same fault without it."""
        return AnswerFault(
            fault.outcome,
            self.redact(fault.message),
            raw_output=self._redact_optional(fault.raw_output),
            usage=fault.usage,
            retry_after=fault.retry_after,
        )

    def redact_verdict(self, verdict: Verdict) -> Verdict:
        """A verdict without it."""
        return attrs.evolve(verdict, message=self.redact(verdict.message))

    def _redact_optional(self, text: str | None) -> str | None:
        return None if text is None else self.redact(text)


def _read(variable: str) -> str:
    value = os.environ.get(variable, "").strip()
    if not value:
        raise ValueError(
            f"the environment variable '{variable}', which api_key_env names, is not set or empty; "
            "api_key_env takes the name of a variable, not a key"
        )
    if not SENDABLE.fullmatch(value):
        raise ValueError(f"the environment variable '{variable}' holds characters that no credential can have")
    return value
