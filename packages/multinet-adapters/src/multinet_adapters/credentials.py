"""Credentials: read from the environment, sent to one server, and redacted from all records."""

import os
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import attrs

from gridworld.model_interface import AnswerFault, Message, ModelOutput, Opaque, Picture, Reply, Text
from gridworld.model_interface.prompts import Part
from gridworld.support.wording import credentials_in_path

REDACTED = "[credential]"
SENDABLE = re.compile(r"[\x21-\x7e]+")
USUAL_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,40}")
PREFIX = 8
"""Credentials longer than this are redacted even if truncated to it; shorter ones only as whole words."""
MAX_BACKSLASHES = 8
"""Number of backslashes in an escape that was escaped three times; unlimited runs would take quadratic time."""


class Credential:
    """A secret from an environment variable, and credential-like segments of addresses.

    Args:
        variable: the name of the environment variable; None for no credential.
        addresses: the addresses of the server and the proxy, by argument.
        model: the model's name, which is not a credential even if a path contains it.
        headers: further headers; a value ``@VARIABLE`` stands for a credential in an environment variable.

    Raises:
        ValueError: the variable is missing or empty, its value cannot be sent, or an address contains it. The message
            does not repeat the value.
    """

    def __init__(
        self,
        variable: str | None,
        addresses: Mapping[str, str],
        model: str,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._value = "" if variable is None else _read(variable)
        self._headers = {name: _header(name, value) for name, value in headers.items()}
        own = {value[1:]: self._headers[name] for name, value in headers.items() if value.startswith(FROM_VARIABLE)}
        secrets = own | ({} if variable is None else {variable: self._value})
        patterns = list(map(_pattern, secrets.values()))
        for argument, address in addresses.items():
            for name, pattern in zip(secrets, patterns, strict=True):
                if re.search(pattern, urlsplit(address).path):
                    raise ValueError(
                        f"{argument} contains the credential in the environment variable '{name}', "
                        "which would be kept with the results: pass an address without it"
                    )
        segments = {segment for address in addresses.values() for segment in credentials_in_path(address)}
        patterns += map(_pattern, sorted(segments - {model}))
        self._secrets = re.compile("|".join(patterns)) if patterns else None

    def header(self, name: str, before: str = "") -> dict[str, str]:
        """Return the header with the credential prefixed by `before`; empty without a credential."""
        return {name: f"{before}{self._value}"} if self._value else {}

    @property
    def headers(self) -> dict[str, str]:
        """The further headers, with the values of environment variables."""
        return dict(self._headers)

    def redact(self, text: str) -> str:
        """Return the text without credentials, and without lone surrogates, which files cannot hold.

        Truncated credentials of at least `PREFIX` characters are redacted as well.
        """
        whole = text.encode("utf-8", "replace").decode("utf-8")
        return self._secrets.sub(REDACTED, whole) if self._secrets else whole

    def redact_reply(self, reply: Reply) -> Reply:
        """Return the reply without credentials in what is to be given back; texts are redacted when they are read.

        A short credential, such as ``1``, may occur in every answer, which has to be read as it is.
        """
        parts = tuple(map(self._redact_part, reply.message.parts))
        return attrs.evolve(reply, message=Message("assistant", parts), refusal=self.redact(reply.refusal))

    def _redact_part(self, part: Part) -> Part:
        match part:
            case Opaque():
                return attrs.evolve(part, content=self._redact_json(part.content))
            case Text() | Picture():
                return part

    def _redact_json(self, value: Any) -> Any:
        match value:
            case str():
                return self.redact(value)
            case list():
                return list(map(self._redact_json, value))
            case dict():
                return {self.redact(name): self._redact_json(each) for name, each in value.items()}
            case _:
                return value

    def redact_output(self, output: ModelOutput) -> ModelOutput:
        """Return the answer without credentials, which tags or escapes within its reply may have hidden."""
        return attrs.evolve(
            output,
            reasoning=self._redact_optional(output.reasoning),
            raw_output=self._redact_optional(output.raw_output),
            subgoal=self._redact_optional(output.subgoal),
            note=self._redact_optional(output.note),
        )

    def redact_fault(self, fault: AnswerFault) -> AnswerFault:
        """Return the fault without credentials."""
        return AnswerFault(
            fault.outcome,
            self.redact(fault.message),
            raw_output=self._redact_optional(fault.raw_output),
            usage=fault.usage,
            retry_after=fault.retry_after,
            trouble=fault.trouble,
            permanent=fault.permanent,
            left_out=fault.left_out,
            status=fault.status,
            advice=fault.advice,
            sent=fault.sent,
            adjustments=fault.adjustments,
        )

    def _redact_optional(self, text: str | None) -> str | None:
        return None if text is None else self.redact(text)


def _pattern(secret: str) -> str:
    """Return a regular expression for a credential, plain or escaped as in JSON and addresses."""
    characters = list(map(_written, secret))
    if len(secret) < PREFIX:
        return rf"(?<![A-Za-z0-9_]){''.join(characters)}(?![A-Za-z0-9_])"
    return "".join(characters[:PREFIX]) + "".join(f"{each}?" for each in characters[PREFIX:])


def _written(character: str) -> str:
    escaped = rf"\\{{0,{MAX_BACKSLASHES}}}" if character in "\"'/\\" else ""
    code = f"{ord(character):02x}"
    return rf"(?:{escaped}{re.escape(character)}|\\{{1,{MAX_BACKSLASHES}}}u00(?i:{code})|%(?i:{code}))"


SECRET_MEMBER = re.compile(
    r"api_?key|secret|password|passwd|(?:access|auth|id)_?token|^token$|authorization|credential|bearer", re.I
)
"""Names of members of requests that hold credentials."""


def refuse_secrets(place: str, value: Any) -> None:
    """Raise ValueError if nested members look like credentials, which would be kept with the results."""
    match value:
        case dict():
            for name, each in value.items():
                if SECRET_MEMBER.search(name):
                    raise ValueError(f"{place}.{name}: it looks like a credential; pass it as headers.NAME=@VARIABLE")
                refuse_secrets(f"{place}.{name}", each)
        case list():
            for number, each in enumerate(value):
                refuse_secrets(f"{place}[{number}]", each)
        case str() if "://" in value and ("@" in value or "?" in value):
            raise ValueError(f"{place}: an address with a login or a query may hold a credential, which would be kept")


FROM_VARIABLE = "@"
SECRET_NAME = re.compile(r"auth|key|token|secret|cookie|credential|password|session|signature", re.IGNORECASE)
"""Words in the names of headers that hold credentials."""
HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def _header(name: str, value: str) -> str:
    """Return the value of a header; raises ValueError if it cannot be sent, or is a credential in full."""
    if not HEADER_NAME.fullmatch(name):
        raise ValueError(f"headers.{name}: not the name of a header")
    if value.startswith(FROM_VARIABLE):
        return _read(value.removeprefix(FROM_VARIABLE), f"headers.{name}")
    if SECRET_NAME.search(name):
        raise ValueError(
            f"headers.{name}: it looks like a credential, which would be kept with the results: put it into an "
            f"environment variable, and pass headers.{name}=@VARIABLE"
        )
    if not re.fullmatch(r"[\x20-\x7e]*", value):
        raise ValueError(f"headers.{name}: it contains characters that cannot be sent")
    return value


def _read(variable: str, argument: str = "api_key_env") -> str:
    value = os.environ.get(variable, "").strip()
    if not value:
        # The argument may be the credential itself, which must not appear in a message.
        shown = f"'{variable}'" if USUAL_NAME.fullmatch(variable) else "it names"
        raise ValueError(
            f"{argument}: the environment variable {shown} is not set or empty; "
            "expected the name of a variable with the credential"
        )
    if not SENDABLE.fullmatch(value):
        raise ValueError(f"{argument}: the environment variable '{variable}' contains characters that cannot be sent")
    return value
