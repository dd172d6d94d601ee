"""Credentials: read from the environment, sent to one server, and kept out of everything that is written down."""

import os
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

import attrs

from gridworld.model_interface import AnswerFault, ModelOutput
from gridworld.support.credentials import credentials_in_path

__all__ = ["Credential"]

REDACTED = "[credential]"
SENDABLE = re.compile(r"[\x21-\x7e]+")
USUAL_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,40}")
TELLING = 8
"""From so many characters on the beginning of a credential is hidden, too; a shorter one only where it is a word."""
MAX_BACKSLASHES = 8
"""An escape that JSON has escaped three times over has so many; without a bound, long runs take quadratic time."""


class Credential:
    """Secret from an environment variable, and credential-like segments of addresses.

    Args:
        variable: the name of the environment variable; None for no credential.
        addresses: argument to address, of the server and a proxy.
        model: the model's name, which is no credential where a path has it.

    Raises:
        ValueError: the variable is missing, empty, or holds what cannot be sent, or what it holds is in the path of an
            address; the message does not repeat it.
    """

    def __init__(self, variable: str | None, addresses: Mapping[str, str], model: str) -> None:
        self._value = "" if variable is None else _read(variable)
        patterns = [_pattern(self._value)] if self._value else []
        for argument, address in addresses.items():
            if patterns and re.search(patterns[0], urlsplit(address).path):
                raise ValueError(
                    f"{argument} holds the credential in the environment variable '{variable}', "
                    "which would be kept with the results: give an address without it"
                )
        segments = {segment for address in addresses.values() for segment in credentials_in_path(address)}
        patterns += map(_pattern, sorted(segments - {model}))
        self._secrets = re.compile("|".join(patterns)) if patterns else None

    def header(self, name: str, before: str = "") -> dict[str, str]:
        """The header that presents it, `before` put before it; none if there is none."""
        return {name: f"{before}{self._value}"} if self._value else {}

    def redact(self, text: str) -> str:
        """A text that can be kept: without the credential, and without halves of characters, which no file can hold.

        A text may have been cut before: from `TELLING` characters on, what is left of a credential is found.
        """
        whole = text.encode("utf-8", "replace").decode("utf-8")
        return self._secrets.sub(REDACTED, whole) if self._secrets else whole

    def redact_output(self, output: ModelOutput) -> ModelOutput:
        """An answer without it."""
        return attrs.evolve(
            output,
            reasoning=self._redact_optional(output.reasoning),
            raw_output=self._redact_optional(output.raw_output),
            subgoal=self._redact_optional(output.subgoal),
            note=self._redact_optional(output.note),
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
            left_out=fault.left_out,
        )

    def _redact_optional(self, text: str | None) -> str | None:
        return None if text is None else self.redact(text)


def _pattern(secret: str) -> str:
    """A pattern for a credential as texts, JSON and addresses write it."""
    characters = list(map(_written, secret))
    if len(secret) < TELLING:
        return rf"(?<![A-Za-z0-9_]){''.join(characters)}(?![A-Za-z0-9_])"
    return "".join(characters[:TELLING]) + "".join(f"{each}?" for each in characters[TELLING:])


def _written(character: str) -> str:
    escaped = rf"\\{{0,{MAX_BACKSLASHES}}}" if character in "\"'/\\" else ""
    code = f"{ord(character):02x}"
    return rf"(?:{escaped}{re.escape(character)}|\\{{1,{MAX_BACKSLASHES}}}u00(?i:{code})|%(?i:{code}))"


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
