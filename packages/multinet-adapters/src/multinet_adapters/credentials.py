"""Credentials: read from the environment, sent to one server, and kept out of everything that is written down."""

import os
import re

import attrs

from gridworld.model_interface import AnswerFault, ModelOutput

__all__ = ["Credential"]

REDACTED = "[credential]"
SENDABLE = re.compile(r"[\x21-\x7e]+")
USUAL_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,40}")


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

    def header(self, name: str, before: str = "") -> dict[str, str]:
        """The header that presents it, `before` put before it; none if there is none."""
        return {name: f"{before}{self._value}"} if self._value else {}

    def redact(self, text: str) -> str:
        """A text that can be kept: without the credential, and without halves of characters, which no file can hold."""
        whole = text.encode("utf-8", "replace").decode("utf-8")
        return whole.replace(self._value, REDACTED) if self._value else whole

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
            trouble=fault.trouble,
            permanent=fault.permanent,
        )

    def _redact_optional(self, text: str | None) -> str | None:
        return None if text is None else self.redact(text)


def _read(variable: str) -> str:
    value = os.environ.get(variable, "").strip()
    if not value:
        # Somebody may have given the credential itself, which must not end up in a message.
        shown = f"'{variable}'" if USUAL_NAME.fullmatch(variable) else "that it was given"
        raise ValueError(
            f"api_key_env: the environment variable {shown} is not set or empty; "
            "expected the name of a variable that holds the credential"
        )
    if not SENDABLE.fullmatch(value):
        raise ValueError(f"api_key_env: the environment variable '{variable}' holds characters that cannot be sent")
    return value
