"""Base class of the adapters for chat servers: one call per question, giving an answer or a typed fault."""

# The annotations stay objects, since the command line reads them from the constructor.
import math
import time
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from copy import copy
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Literal

import attrs

from gridworld.model_interface import (
    Adjustment,
    AnswerFault,
    AnswerOutcome,
    EpisodeInfo,
    Finish,
    Message,
    ModelInput,
    ModelOutput,
    PreflightCheck,
    Prompt,
    Reply,
    Sent,
    Trouble,
    Usage,
    reply_of,
)
from gridworld.runner.record import Step
from multinet_adapters.addresses import ENVIRONMENT, checked_url, proxies_for
from multinet_adapters.answer_format import holds_object
from multinet_adapters.credentials import Credential, refuse_secrets
from multinet_adapters.preflight import nearest_names, run_preflight
from multinet_adapters.prompt_parts import limits_reasoning
from multinet_adapters.refusals import Fallback, Negotiation, RequestPart
from multinet_adapters.replies import ErrorHints, RequestRefused, UnknownModel, raw_text, read_object
from multinet_adapters.templated_model import Settings, TemplatedModel, names_of
from multinet_adapters.templates import TemplateName
from multinet_adapters.transport import LONGEST_WAIT, SHORTEST_WAIT, ReplyLimits, Server

Body = dict[str, Any]
"""JSON body of a request or a reply."""

MAX_SECONDS = 86_400.0
TIMES_THE_SLOWEST = 3.0
"""Wait for a reply as a multiple of the slowest so far."""
SEEDING = "by episode, step and attempt"
MORE_TIME = "give a slow model more time with -M read_timeout"


def option(default: Any = attrs.NOTHING, validator: Any = None) -> Any:
    """Declare a keyword-only setting."""
    return attrs.field(default=default, validator=validator, kw_only=True)


def named(adapter: Any, attribute: Any, value: Any) -> None:
    """Validate a name, which must not be blank."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{attribute.name} must be a name, got '{value}'")


def _seconds(adapter: Any, attribute: Any, value: float | None) -> None:
    if value is not None and not 0 < value <= MAX_SECONDS:
        raise ValueError(f"{attribute.name} must be above 0 and at most {MAX_SECONDS:g} seconds, got {value}")


def not_negative(adapter: Any, attribute: Any, value: float | None) -> None:
    """Validate a number that is None or at least 0, and finite."""
    if value is not None and not 0 <= value < math.inf:
        raise ValueError(f"{attribute.name} must be at least 0, got {value}")


def at_least_one(adapter: Any, attribute: Any, value: int | None) -> None:
    """Validate a count that is None or at least 1."""
    if value is not None and value < 1:
        raise ValueError(f"{attribute.name} must be at least 1, got {value}")


NOWHERE = "http://localhost"
"""Address of a model that sends nothing."""
FALLBACKS: Mapping[RequestPart, Fallback] = {
    RequestPart.STRUCTURED_OUTPUT: Fallback("the answer is requested as a last line of text", "structured=false"),
    RequestPart.REASONING_LENGTH: Fallback("it is not limited", "reasoning_length=none"),
    RequestPart.SYSTEM_MESSAGE: Fallback("its text is put before the user's message", "system_message=false"),
    RequestPart.TEMPERATURE: Fallback("it is left to the server", "temperature=none"),
    RequestPart.SEED: Fallback("none is sent", "seed=none"),
}
"""Fallbacks shared by all adapters."""


@attrs.define(eq=False, slots=False)
class ChatAdapter(TemplatedModel):
    """A model behind a chat server.

    An adapter has two functions without side effects: `body` makes the JSON that is sent, and `reply` reads the JSON
    that comes back. Each `send` calls `exchange` once; the caller decides about retries. There is one exception: if the
    server rejects part of a request (structured output, the system message, a sampling setting), the request is
    repeated immediately without that part. From then on the part is omitted, unless the server has accepted it before.
    `Reply.sent` and `Reply.settings` are what went out last. Several threads may share an adapter.

    Args:
        model: the model's name on the server.
        base_url: the server's address.
        temperature: sampling temperature, at least 0; None for the server's default.
        seed: sampling seed; the seed of each request is derived from it, the episode, the step and the attempt. None to
            send no seed.
        max_tokens: maximum length of a reply, at least 1; None for the server's default.
        connect_timeout: seconds to establish a connection.
        read_timeout: seconds from the request to the end of the reply. None to follow the server's speed: 600 for the
            first reply, which may have to wait for the model to be loaded; then three times the slowest so far, but at
            least 120 and at most 600. A time-out counts as a reply: after one at 120 seconds the limit is 360, and it
            never falls again.
        prompt: the name of a template (minimal, standard, verbose, chain_of_thought) or the path of a file.
        structured: whether to request an answer in a JSON schema; otherwise as a last line. Either form is accepted.
        reasoning_length: maximum length of the reasoning in a structured answer, in characters, at least 1; none for no
            limit. It keeps a model that repeats itself from filling the whole reply. llama.cpp accepts less than 2000.
        system_message: whether to send the system's text as a message of its own; otherwise it begins the user's.
        api_key_env: name of the environment variable with the credential, if the server needs one.
        max_reply_bytes: maximum size of a reply.
        extra_body: further members of each request's JSON, set as ``extra_body.NAME=VALUE``, nested ones with dots.
        headers: further headers, set as ``headers.NAME=VALUE``; credentials as ``headers.NAME=@VARIABLE``, from an
            environment variable.
        proxy: ``environment`` for HTTP_PROXY, HTTPS_PROXY and NO_PROXY, except for loopback addresses; ``none``; or the
            address of a proxy.

    Raises:
        ValueError: a setting is invalid.
    """

    model: str = attrs.field(validator=named)
    base_url: str = option()
    temperature: float | None = option(0.0, not_negative)
    seed: int | None = option(None)
    max_tokens: int | None = option(2048, at_least_one)
    connect_timeout: float = option(5.0, _seconds)
    read_timeout: float | None = option(None, _seconds)
    template: TemplateName = attrs.field(default="standard", kw_only=True, alias="prompt")
    structured: bool = option(True)
    reasoning_length: int | None = option(1500, at_least_one)
    system_message: bool = option(True)
    api_key_env: str | None = option(None)
    max_reply_bytes: int = option(8_000_000, at_least_one)
    extra_body: dict[str, Any] = attrs.field(default={}, kw_only=True)
    extra_headers: dict[str, str] = attrs.field(default={}, kw_only=True, alias="headers")
    proxy: Literal["environment", "none"] | str = option(ENVIRONMENT)

    provider: ClassVar[str]
    """Registered name of the adapter."""
    chat_path: ClassVar[str]
    models_path: ClassVar[str] = ""
    """Path of the list of models; by default the server's root, which only has to answer."""
    start_hint: ClassVar[str] = "start the server, or give its address as base_url"
    """Advice if no server listens at the address."""
    takes_unlisted: ClassVar[bool] = False
    """Whether some servers accept model names that they do not list."""
    fallbacks: ClassVar[Mapping[RequestPart, Fallback]] = FALLBACKS
    """Fallbacks for rejected parts of a request."""
    own_members: ClassVar[frozenset[str]] = frozenset()
    """Members of requests that the adapter sets with some arguments only."""
    max_seed: ClassVar[int] = 2**31

    def __attrs_post_init__(self) -> None:
        self.base_url = checked_url(self.base_url)
        self._prepare(Negotiation(self.fallbacks))
        addresses = {"base_url": self.base_url, "proxy": self.proxy}
        self._credential = Credential(self.api_key_env, addresses, self.model, self.extra_headers)
        self._refuse_own_members()
        self._slowest: float | None = None
        self._noting_waits = Lock()
        limits = ReplyLimits(self.connect_timeout, self.max_reply_bytes)
        proxies = proxies_for(self.base_url, self.proxy)
        self._server = Server(
            self.base_url, limits, {**self._credential.headers, **self.headers()}, proxies, self.start_hint
        )

    # --- the protocol of the server ---

    @abstractmethod
    def body(self, prompt: Prompt, settings: Settings) -> Body:
        """Return the JSON of a request; it depends on the arguments and the model's name alone."""

    @abstractmethod
    def reply(self, body: Body) -> Reply:
        """Parse the JSON of a reply; raises `AnswerFault` (`INFRASTRUCTURE`) if it violates the protocol."""

    def settings(self, refused: Set[RequestPart]) -> Settings:
        """Return the settings of requests, by their names in the protocol, without rejected ones."""
        temperature = None if RequestPart.TEMPERATURE in refused else self.temperature
        given = {"temperature": temperature, "max_tokens": self.max_tokens}
        return {**self.extra_body, **{name: value for name, value in given.items() if value is not None}}

    def headers(self) -> dict[str, str]:
        """Return the headers of every request, including the credential, if any."""
        return self._credential.header("Authorization", "Bearer ")

    def exchange(self, body: Body, deadline: float) -> Body:
        """Send the JSON of a request and return that of the reply; by default one POST to `chat_path`.

        Override it, using `post`, `get` and `pause`, for a server that needs several requests per answer, such as one
        that queues jobs. It is called once per question, possibly by several threads at the same time, and again with
        another `body` if the server rejects part of this one. It should raise rather than retry.

        Args:
            body: the JSON of the request.
            deadline: time on the monotonic clock until which the answer has to be there, for `pause`.

        Raises:
            AnswerFault: `INFRASTRUCTURE` if no answer arrives, `REFUSED` if the server declines to give one.
        """
        return self.post(self.chat_path, body)

    def read_models(self, body: Body) -> list[str] | None:
        """Parse the names of the server's models; by default None, for a server without a list; raises as `reply`."""
        return None

    def error_hints(self) -> ErrorHints:
        """Return advice for errors of the server, by default for a rejected credential."""
        key = self.credential_hint()
        return ErrorHints({401: key, 403: key})

    # --- a step ---

    @property
    def model_name(self) -> str:
        """The name in results: ``provider/model``."""
        return f"{self.provider}/{self.model}"

    @classmethod
    def offline(cls, arguments: Mapping[str, str], kept: Mapping[str, Path]) -> dict[str, str]:
        """Return the arguments without credentials and addresses, and with kept templates; raises ArgumentError."""
        rest = {
            name: value
            for name, value in arguments.items()
            if name not in ("api_key_env", "proxy") and not name.startswith("headers.")
        }
        return super().offline({**rest, "base_url": NOWHERE}, kept)

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Return True after noting which parts of requests the server has accepted, so that it may reject none."""
        everything = set(self.fallbacks) - {RequestPart.IMAGES_IN_MESSAGE}
        for request in (request for step in steps for request in step.requests if not request.cached):
            if request.outcome is not AnswerOutcome.INFRASTRUCTURE:
                self._negotiation.note_answer(everything.difference(request.left_out))
        return True

    @property
    def seeding(self) -> str | None:
        """Name of the seed derivation rule; None without a seed."""
        return None if self.seed is None else SEEDING

    @property
    def longest_reasoning(self) -> int | None:
        """Maximum length of the reasoning in a structured answer, in characters; None for no limit."""
        return self.reasoning_length

    @property
    def samples(self) -> bool:
        """Whether the temperature is not 0, or the server does not let it be set."""
        return self.temperature != 0 or RequestPart.TEMPERATURE in self._negotiation.refused

    def settings_in_use(self) -> Settings:
        """Return the settings that go with the next prompt."""
        return self.settings(self._negotiation.refused)

    def settings_without(self, left_out: Collection[str]) -> Settings:
        """Return the settings of a request that was made without some parts."""
        return self.settings({part for part in RequestPart if part.value in left_out})

    def refused_for_good(self) -> tuple[RequestPart, ...]:
        """Return the parts of requests that the server has rejected and that have no fallback."""
        return self._negotiation.refused_for_good

    def send(self, prompt: Prompt) -> Reply:
        """Send a prompt, and again without rejected parts as long as that changes the request.

        Raises:
            AnswerFault: the server gives no reply.
        """
        refused: Set[RequestPart] = self._negotiation.refused
        found: tuple[Adjustment, ...] = ()
        failed: AnswerFault
        while True:
            sent = self._sent_without(prompt, refused)
            try:
                reply = self._credential.redact_reply(self._timed_exchange(sent))
            except AnswerFault as fault:
                failed = self._judged(fault)
                if isinstance(failed, RequestRefused):
                    more = refused | self._negotiation.refused | {failed.part}
                    if self._can_avoid(failed.part, sent, self._sent_without(prompt, more)):
                        adjustment = self._negotiation.avoid(failed.part, self._credential.redact(failed.words))
                        found += () if adjustment is None else (adjustment,)
                        refused = more
                        continue
                    self._negotiation.note_refusal(failed.part)
            else:
                self._negotiation.note_answer(_parts_of(sent) - refused)
                whole = attrs.evolve(
                    reply, sent=sent.prompt, settings=sent.settings, left_out=names_of(refused), adjustments=found
                )
                return self._answered_in_reasoning(sent, whole)
            if isinstance(failed, UnknownModel):
                failed = self._naming_others(failed)
            # Not within the handler: the fault's context may contain the credential.
            raise self._credential.redact_fault(failed).noting(
                left_out=names_of(refused), sent=(sent,), adjustments=found
            )

    def read(self, reply: Reply, input: ModelInput) -> ModelOutput:
        """Parse the answer in a reply; raises AnswerFault."""
        try:
            return self._credential.redact_output(super().read(reply, input))
        except AnswerFault as fault:
            clean = self._credential.redact_fault(fault)
        raise clean

    def words(self, reply: Reply) -> str:
        """Return the text of a reply without reasoning; raises AnswerFault."""
        return self._credential.redact(super().words(reply))

    def close(self) -> None:
        """Close all connections."""
        self._server.close()

    # --- whether it works ---

    def check_ready(self) -> str | None:
        """Check that the server answers and accepts the credential, by requesting its list of models.

        Returns:
            A warning about a name that the server does not list, if that is unusual; otherwise None.

        Raises:
            AnswerFault: `INFRASTRUCTURE`, with advice in the message.
        """
        self.listed_names()
        return None

    def check_ready_within(self, seconds: float) -> str | None:
        """Check as `check_ready` does, but wait for the list of models at most some seconds."""
        longest = self._list_wait()
        bounded = copy(self)
        bounded.read_timeout = min(longest, seconds)
        try:
            return bounded.check_ready()
        except AnswerFault as fault:
            failed = fault
        if failed.trouble is not Trouble.SLOW or failed.status is not None or seconds >= longest:
            raise failed
        message = self._credential.redact(f"no answer within {seconds:.3g} s from {self.base_url}")
        raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, trouble=Trouble.SLOW)

    def list_models(self) -> list[str] | None:
        """Return the names of the server's models, sorted; None if the server has no list.

        Raises:
            AnswerFault: `INFRASTRUCTURE`, if the server does not answer or reports an error.
        """
        names = self.listed_names()
        return None if names is None else sorted(map(self._credential.redact, names))

    def listed_names(self) -> list[str] | None:
        """Return the names of the server's models as received, for `is_called`; redact them before showing them."""
        try:
            reply = self._server.get(self.models_path, self._list_wait())
            if self.has_no_list(reply.status):
                return None
            names = self.read_models(read_object(reply, self.error_hints()))
            return None if names is None else sorted(names)
        except AnswerFault as fault:
            clean = self._credential.redact_fault(fault)
        raise clean

    def preflight(self) -> list[PreflightCheck]:
        """Check the connection, the model, the system message, pictures, and the format of answers."""
        return list(self.preflight_along())

    def preflight_along(
        self, question: ModelInput | None = None, begin: Callable[[str], object] = lambda name: None
    ) -> Iterator[PreflightCheck]:
        """Yield the checks of `preflight` one by one, with a question of a run if one is given."""
        redact = self._credential.redact
        for check in run_preflight(self, question, begin):
            yield attrs.evolve(check, message=redact(check.message), arguments=tuple(map(redact, check.arguments)))

    def is_called(self, listed: str) -> bool:
        """Whether a listed name refers to this model."""
        return listed == self.model

    def has_no_list(self, status: int) -> bool:
        """Whether an HTTP status means that the server has no list of models."""
        return not self.models_path

    # --- what the protocols need ---

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send JSON to a path below `base_url` and return the JSON object of the reply.

        Raises:
            AnswerFault: no complete reply in time, an error, or a reply that is not a JSON object.
        """
        return read_object(self._server.post(path, body, self._longest_wait()), self.error_hints())

    def get(self, path: str) -> dict[str, Any]:
        """Fetch a path below `base_url`; returns and raises like `post`."""
        return read_object(self._server.get(path, self._longest_wait()), self.error_hints())

    def pause(self, seconds: float, deadline: float) -> None:
        """Wait before polling a queued job again.

        Raises:
            AnswerFault: `INFRASTRUCTURE`, at once, if the wait would end after the deadline of `exchange`.
        """
        if time.monotonic() + seconds >= deadline:
            message = f"no answer within {self._longest_wait():g} s from {self.base_url}; {MORE_TIME}"
            raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, trouble=Trouble.SLOW)
        time.sleep(max(0.0, seconds))

    def credential_hint(self) -> str:
        """Return advice for a server that rejects the credential."""
        if self.api_key_env is None:
            return "put the credential into an environment variable and pass the variable's name as api_key_env"
        return f"it does not accept the credential in the environment variable '{self.api_key_env}'"

    # --- inside ---

    def _refuse_own_members(self) -> None:
        """Raise ValueError if `extra_body` has a member that the adapter sets, or what looks like a credential."""
        small, bare = Prompt((Message("system", ()), Message("user", ())), {"type": "object"}, 0), copy(self)
        bare.extra_body = {}
        own = OWN_MEMBERS | self.own_members | bare.body(small, bare.settings(frozenset())).keys()
        for name in self.extra_body.keys() & own:
            raise ValueError(
                f"extra_body.{name}: the adapter sets it itself; {OWN_ARGUMENTS.get(name, 'leave it out')}"
            )
        refuse_secrets("extra_body", self.extra_body)

    def _naming_others(self, fault: UnknownModel) -> AnswerFault:
        """Name the most similar models that the server lists, if it lists any, after other advice."""
        try:
            names = self.listed_names()
        except AnswerFault:
            return fault
        if not names or any(map(self.is_called, names)):
            return fault
        return fault.noting(message=f"{fault.message}; it lists: {nearest_names(self.model, names)}")

    def _sent_without(self, prompt: Prompt, refused: Set[RequestPart]) -> Sent:
        return Sent(self.without(prompt, refused), self.settings(refused))

    def _judged(self, fault: AnswerFault) -> AnswerFault:
        """Return a refusal as the server's defect if it is an error 5xx about a part that was accepted before."""
        if not isinstance(fault, RequestRefused) or fault.status is None or fault.status < 500:
            return fault
        return fault.as_defect() if fault.part.value in self._negotiation.accepted else fault

    def _can_avoid(self, part: RequestPart, sent: Sent, changed: Sent) -> bool:
        """Whether a rejected part has a fallback, and its absence changes the request."""
        return self._negotiation.can_avoid(part) and _identity(changed) != _identity(sent)

    def _list_wait(self) -> float:
        """Return the seconds after which the list of models is given up."""
        return self.read_timeout or SHORTEST_WAIT

    def _longest_wait(self) -> float:
        """Return the seconds after which a request is given up."""
        if self.read_timeout is not None:
            return self.read_timeout
        if self._slowest is None:
            return LONGEST_WAIT
        return min(LONGEST_WAIT, max(SHORTEST_WAIT, math.ceil(TIMES_THE_SLOWEST * self._slowest)))

    def _timed_exchange(self, sent: Sent) -> Reply:
        begun, longest = time.monotonic(), self._longest_wait()
        body = self.body(sent.prompt, dict(sent.settings))
        try:
            said = self._read_reply(self.exchange(body, begun + longest))
        except AnswerFault as fault:
            if fault.trouble is Trouble.SLOW:  # a poll that would come too late is given up before the limit
                self._note_wait(max(longest, time.monotonic() - begun))
            raise
        self._note_wait(time.monotonic() - begun)
        usage = attrs.evolve(said.usage or Usage(), seconds=time.monotonic() - begun)
        return attrs.evolve(said, usage=usage)

    def _read_reply(self, came: Body) -> Reply:
        """Parse the JSON of a reply; one that cannot be understood is the server's fault."""
        try:
            return self.reply(came)
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError, OverflowError) as error:
            message = f"the server's reply violates its protocol: {type(error).__name__}: {error}"
            raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, raw_output=raw_text(came)) from None

    def _answered_in_reasoning(self, sent: Sent, reply: Reply) -> Reply:
        """Take the reasoning as the text if a schema was asked for, and only the reasoning holds a whole answer."""
        if sent.prompt.schema is None or reply.finish is not Finish.STOP or reply.text.strip():
            return reply
        if not holds_object(reply.reasoning or "", sent.prompt.schema.get("required", ())):
            return reply
        found = (REASONING_FIELD,) if self._negotiation.note(REASONING_FIELD) else ()
        answered = attrs.evolve(reply, message=reply_of(reply.reasoning or "").message)
        return attrs.evolve(answered, adjustments=(*reply.adjustments, *found))

    def _note_wait(self, seconds: float) -> None:
        """Note how long a reply took, or the limit in which it did not arrive."""
        with self._noting_waits:
            self._slowest = max(seconds, self._slowest or 0.0)


REASONING_FIELD = Adjustment(
    "an answer outside of the reasoning",
    "the answer is taken from the reasoning",
    "replies have no content, and the answer as their reasoning",
    "extra_body.chat_template_kwargs.enable_thinking=false",
)
"""Workaround for servers that take the whole reply of a reasoning model to be its reasoning."""


OWN_ARGUMENTS = {
    "temperature": "use -M temperature",
    "seed": "use -M seed",
    "max_tokens": "use -M max_tokens",
    "max_completion_tokens": "use -M max_tokens and max_tokens_field",
    "model": "use -M model",
    "response_format": "use -M structured",
    "format": "use -M structured",
    "output_config": "use -M structured",
    "think": "use -M think",
    "options": "use -M temperature, seed, max_tokens and num_ctx",
}
"""Arguments that set members of requests."""
OWN_MEMBERS = frozenset(
    {"model", "messages", "temperature", "seed", "max_tokens", "max_completion_tokens", "response_format"}
    | {"output_config", "stream", "stream_options", "system", "n"}
)
"""Members of requests that adapters set, or that would change what a reply is."""


def _identity(sent: Sent) -> tuple[object, ...]:
    return sent.prompt.digest, sent.prompt.seed, sent.settings


def _parts_of(sent: Sent) -> set[RequestPart]:
    """Return the parts of a request that an answer shows to be accepted."""
    # First requests may have one picture in each message, which proves nothing about several.
    prompt, parts = sent.prompt, {RequestPart.TEMPERATURE, RequestPart.SEED, RequestPart.TOKEN_LIMIT_NAME}
    parts |= {RequestPart.STRUCTURED_OUTPUT} if prompt.schema is not None else set()
    parts |= {RequestPart.REASONING_LENGTH} if limits_reasoning(prompt) else set()
    pictures = sum(len(message.pictures) for message in prompt.messages)
    parts |= {RequestPart.IMAGES} if pictures else set()
    parts |= {RequestPart.SEVERAL_IMAGES} if pictures > 1 else set()
    has_system = any(message.role == "system" for message in prompt.messages)
    return parts | ({RequestPart.SYSTEM_MESSAGE} if has_system else set())
