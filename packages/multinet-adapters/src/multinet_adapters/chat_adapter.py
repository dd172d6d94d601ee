"""Base class of the adapters for chat servers: one call per question, giving an answer or a typed fault."""

# The annotations stay objects, since the command line reads them from the constructor.
import math
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from threading import Lock
from typing import Any, ClassVar

import attrs

from gridworld.model_interface import (
    AdjustingModel,
    Adjustment,
    AnswerFault,
    AnswerOutcome,
    CacheableModel,
    CheckedModel,
    EpisodeInfo,
    ModelInput,
    ModelOutput,
    OpenAnswer,
    OpenModel,
    PreflightCheck,
    PromptedModel,
    PromptImage,
    PromptText,
    ReplyForm,
    Trouble,
    Usage,
)
from gridworld.runner.record import Step
from multinet_adapters.addresses import ENVIRONMENT, checked_url, proxies_for
from multinet_adapters.answer_format import (
    ModelReply,
    answer_schema,
    describe_json,
    describe_line,
    read_output,
    read_words,
)
from multinet_adapters.credentials import Credential
from multinet_adapters.preflight import run_preflight
from multinet_adapters.prompt_parts import prompt_parts, without_system
from multinet_adapters.refusals import Fallback, Negotiation, RequestPart
from multinet_adapters.replies import ErrorHints, RequestRefused, read_object
from multinet_adapters.sampling_seeds import AskedIn, digest_of, seed_of
from multinet_adapters.templates import load_template
from multinet_adapters.transport import LONGEST_WAIT, SHORTEST_WAIT, ReplyLimits, Server

Request = dict[str, Any]
"""JSON body of a request."""
Parts = list[PromptText | PromptImage]
"""A prompt as texts and pictures, in order."""

MAX_SECONDS = 86_400.0
TIMES_THE_SLOWEST = 3.0
"""Wait for a reply as a multiple of the slowest so far."""
MAX_SEED = 2**31
SEEDING = "by episode, step and attempt"


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


FALLBACKS: Mapping[RequestPart, Fallback] = {
    RequestPart.STRUCTURED_OUTPUT: Fallback("the answer is requested as a last line of text", "structured=false"),
    RequestPart.REASONING_LENGTH: Fallback("it is not limited", "reasoning_length=none"),
    RequestPart.SYSTEM_MESSAGE: Fallback("its text is put before the user's message", "system_message=false"),
    RequestPart.TEMPERATURE: Fallback("it is left to the server", "temperature=none"),
    RequestPart.SEED: Fallback("none is sent", "seed=none"),
}
"""Fallbacks shared by all adapters."""


@attrs.define(eq=False, slots=False)
class ChatAdapter(PromptedModel, CheckedModel, AdjustingModel, CacheableModel, OpenModel):
    """A model behind a chat server.

    Each `predict` calls `exchange` once and returns an answer or raises a typed `AnswerFault`; the caller decides about
    retries. There is one exception: if the server rejects part of a request (structured output, the system message, a
    sampling setting), the request is repeated immediately without that part. From then on the part is omitted, as
    `adjustments` reports, unless the server has accepted it before. `ModelOutput.left_out` lists the parts that a
    request lacked. Several threads may share an adapter, each with its own episodes.

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
    prompt: str = option("standard")
    structured: bool = option(True)
    reasoning_length: int | None = option(1500, at_least_one)
    system_message: bool = option(True)
    api_key_env: str | None = option(None)
    max_reply_bytes: int = option(8_000_000, at_least_one)
    proxy: str = option(ENVIRONMENT)

    provider: ClassVar[str]
    """Registered name of the adapter."""
    chat_path: ClassVar[str]
    models_path: ClassVar[str]
    start_hint: ClassVar[str]
    """Advice if no server listens at the address."""
    takes_unlisted: ClassVar[bool] = False
    """Whether some servers accept model names that they do not list."""
    fallbacks: ClassVar[Mapping[RequestPart, Fallback]] = FALLBACKS
    """Fallbacks for rejected parts of a request."""

    def __attrs_post_init__(self) -> None:
        self.base_url = checked_url(self.base_url)
        self._template = load_template(self.prompt)
        addresses = {"base_url": self.base_url, "proxy": self.proxy}
        self._credential = Credential(self.api_key_env, addresses, self.model)
        self._asked_in = AskedIn()
        self._negotiation = Negotiation(self.fallbacks)
        self._slowest: float | None = None
        self._noting_waits = Lock()
        limits = ReplyLimits(self.connect_timeout, self.max_reply_bytes)
        proxies = proxies_for(self.base_url, self.proxy)
        self._server = Server(self.base_url, limits, self.headers(), proxies, self.start_hint)

    # --- the protocol of the server ---

    def headers(self) -> dict[str, str]:
        """Return the headers of every request, including the credential, if any."""
        return self._credential.header("Authorization", "Bearer ")

    @abstractmethod
    def chat_request(self, parts: Parts, schema: dict[str, Any] | None) -> Request:
        """Return the body of a request; `schema` is the answer's JSON schema, or None."""

    def exchange(self, request: Request) -> dict[str, Any]:
        """Send a request and return the body for `read_chat`; by default one POST to `chat_path`.

        Override it, using `post`, `get` and `pause`, for a server that needs several requests per answer, such as one
        that queues jobs. It is called once per question, possibly by several threads at the same time, and again with
        another `request` if the server rejects part of this one. It should raise rather than retry.

        Raises:
            AnswerFault: `INFRASTRUCTURE` if no answer arrives, `REFUSED` if the server declines to give one.
        """
        return self.post(self.chat_path, request)

    @abstractmethod
    def without_setting(self, request: Request, part: RequestPart) -> Request:
        """Return the body without a rejected part, or with its fallback; unchanged if it lacks the part."""

    @abstractmethod
    def read_chat(self, body: dict[str, Any]) -> ModelReply:
        """Parse the reply in a body; raises `AnswerFault` (`INFRASTRUCTURE`) if the body violates the protocol."""

    @abstractmethod
    def read_models(self, body: dict[str, Any]) -> list[str]:
        """Parse the names of the server's models; raises as `read_chat` does."""

    @abstractmethod
    def error_hints(self) -> ErrorHints:
        """Return advice for errors of the server."""

    # --- a step ---

    @property
    def model_name(self) -> str:
        """The name in results: ``provider/model``."""
        return f"{self.provider}/{self.model}"

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Set the episode to which this thread's questions belong."""
        self._asked_in.episode = episode

    def can_reply(self, form: ReplyForm) -> bool:
        """Return True: any form can be requested."""
        return True

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Return True after recording which parts of requests were accepted, the only state between steps."""
        requests = [request for step in steps for request in step.requests if not request.cached]
        for request in requests:
            if request.outcome is not AnswerOutcome.INFRASTRUCTURE:
                self._negotiation.note_answer(self._sent_for_actions().difference(request.left_out))
        return True

    @property
    def shareable(self) -> bool:
        """Whether threads may share the model; always, since each thread has its own connection and episode."""
        return True

    @property
    def seeding(self) -> str | None:
        """Name of the seed derivation rule; None without a seed."""
        return None if self.seed is None else SEEDING

    @property
    def samples(self) -> bool:
        """Whether the temperature is not 0, or the server does not let it be set."""
        return self.temperature != 0 or RequestPart.TEMPERATURE in self._negotiation.refused

    def rendered_prompt(self, input: ModelInput) -> Parts:
        """Return the whole prompt for this input, given what the server has rejected so far, without sending it."""
        return self._prompt(input, self._negotiation.refused)

    def answer_schema(self, input: ModelInput) -> dict[str, Any] | None:
        """Return the JSON schema of the answer to this input, also if the server rejects it; None without structure."""
        return answer_schema(input.action_space, input.reply, self.reasoning_length) if self.structured else None

    def request_for(self, input: ModelInput) -> Request:
        """Return the JSON that `predict` would send, without sending it."""
        return self._question(input, self._negotiation.refused)

    def adjustments(self) -> tuple[Adjustment, ...]:
        """Return the fallbacks in use for parts of requests that the server has rejected."""
        return self._negotiation.adjustments

    def refused_for_good(self) -> tuple[RequestPart, ...]:
        """Return the parts of requests that the server has rejected and that have no fallback."""
        return self._negotiation.refused_for_good

    def predict(self, input: ModelInput) -> ModelOutput:
        """Ask the server once.

        Raises:
            AnswerFault: the server gives no valid answer.
        """
        try:
            reply = self._chat(lambda refused: self._question(input, refused), self._sent_for_actions())
            return self._credential.redact_output(read_output(reply, input))
        except AnswerFault as fault:
            clean = self._credential.redact_fault(fault)
        raise clean

    def ask(self, parts: Sequence[PromptText | PromptImage]) -> OpenAnswer:
        """Answer an open question; raises as `predict` does."""
        return self._ask(parts, None)

    def ask_in_form(self, parts: Sequence[PromptText | PromptImage], schema: dict[str, Any]) -> OpenAnswer:
        """Answer an open question in a JSON schema, unless the server rejects schemas; raises as `predict` does."""
        return self._ask(parts, schema)

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
            reply = self._server.get(self.models_path, self.read_timeout or SHORTEST_WAIT)
            if self.has_no_list(reply.status):
                return None
            return sorted(self.read_models(read_object(reply, self.error_hints())))
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
        return False

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

    def pause(self, seconds: float) -> None:
        """Wait before polling a queued job again.

        Raises:
            AnswerFault: `INFRASTRUCTURE`, at once, if the wait would end after the time for a reply, counted from the
                start of `exchange`.
        """
        longest = self._longest_wait()
        if time.monotonic() + seconds >= self._asked_in.sent_at + longest:
            message = (
                f"no answer within {longest:g} s from {self.base_url}; give a slow model more time with -M read_timeout"
            )
            raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, trouble=Trouble.SLOW)
        time.sleep(max(0.0, seconds))

    def credential_hint(self) -> str:
        """Return advice for a server that rejects the credential."""
        if self.api_key_env is None:
            return "put the credential into an environment variable and pass the variable's name as api_key_env"
        return f"it does not accept the credential in the environment variable '{self.api_key_env}'"

    def sampling_seed(self) -> int | None:
        """Return the seed to send; None to send none.

        It is derived from the model's seed, the episode's seed, the task's id, and either the step and attempt or, for
        an open question, its texts and pictures. It therefore does not depend on infrastructure faults or on where a
        run was resumed. Outside episodes it is the model's seed.
        """
        asked_in = self._asked_in
        if self.seed is None or asked_in.episode is None:
            return self.seed
        return seed_of(MAX_SEED, self.seed, asked_in.episode, *asked_in.question)

    # --- inside ---

    def _ask(self, parts: Sequence[PromptText | PromptImage], schema: dict[str, Any] | None) -> OpenAnswer:
        def build(refused: Set[RequestPart]) -> Request:
            return self._build(list(parts), schema if self._asks_structured(refused) else None, refused)

        self._asked_in.question = (digest_of(parts),)
        try:
            instructed = any(isinstance(part, PromptText) and part.role == "system" for part in parts)
            reply = self._chat(build, self._sent(self.structured and schema is not None, instructed))
            return OpenAnswer(self._credential.redact(read_words(reply)), reply.usage)
        except AnswerFault as fault:
            clean = self._credential.redact_fault(fault)
        raise clean

    def _prompt(self, input: ModelInput, refused: Set[RequestPart]) -> Parts:
        describe = describe_json if self._asks_structured(refused) else describe_line
        return self._with_roles(prompt_parts(input, self._template, describe), refused)

    def _question(self, input: ModelInput, refused: Set[RequestPart]) -> Request:
        if input.episode is not None:  # one thread may play several episodes in turn
            self.begin_episode(input.episode)
        self._asked_in.question = (input.step_number, input.attempt)
        length = None if RequestPart.REASONING_LENGTH in refused else self.reasoning_length
        schema = answer_schema(input.action_space, input.reply, length) if self._asks_structured(refused) else None
        return self._build(self._prompt(input, refused), schema, refused)

    def _asks_structured(self, refused: Set[RequestPart]) -> bool:
        return self.structured and RequestPart.STRUCTURED_OUTPUT not in refused

    def _with_roles(self, parts: Parts, refused: Set[RequestPart]) -> Parts:
        """Return the parts, with system texts moved to the user if system messages are disabled or rejected."""
        if self.system_message and RequestPart.SYSTEM_MESSAGE not in refused:
            return parts
        return without_system(parts)

    def _build(self, parts: Parts, schema: dict[str, Any] | None, refused: Set[RequestPart]) -> Request:
        request = self.chat_request(self._with_roles(parts, refused), schema)
        for part in sorted(refused):
            request = self.without_setting(request, part)
        return request

    def _sent(self, structured: bool, instructed: bool) -> set[RequestPart]:
        """Return the parts of a request that have a fallback.

        Args:
            structured: whether the request asks for structured output.
            instructed: whether the request has a system text.
        """
        # First requests may have one picture, which proves nothing about several.
        absent = {RequestPart.REASONING_LENGTH, RequestPart.IMAGES_IN_MESSAGE}
        absent |= set() if structured else {RequestPart.STRUCTURED_OUTPUT}
        absent |= set() if instructed else {RequestPart.SYSTEM_MESSAGE}
        return set(self.fallbacks) - absent

    def _sent_for_actions(self) -> set[RequestPart]:
        """Return the parts of a question for actions that have a fallback."""
        limited = self.structured and self.reasoning_length is not None
        return self._sent(self.structured, True) | ({RequestPart.REASONING_LENGTH} if limited else set())

    def _chat(self, build: Callable[[Set[RequestPart]], Request], sent: Set[RequestPart]) -> ModelReply:
        """Query the server, and again without rejected parts as long as that changes the request.

        Args:
            build: builds the request without the given parts.
            sent: the parts of the request that have a fallback.
        """
        refused: Set[RequestPart] = self._negotiation.refused
        request = build(refused)
        while True:
            try:
                reply = attrs.evolve(self._timed_exchange(request), left_out=_names(refused))
            except RequestRefused as refusal:
                refused = refused | self._negotiation.refused | {refusal.part}
                changed = build(refused)
                if changed == request or not self._negotiation.can_avoid(refusal.part):
                    self._negotiation.note_refusal(refusal.part)
                    raise
                self._negotiation.avoid(refusal.part, self._credential.redact(refusal.words))
                request = changed
            except AnswerFault as fault:
                fault.left_out = _names(refused)
                raise
            else:
                self._negotiation.note_answer(sent - refused)
                return reply

    def _longest_wait(self) -> float:
        """Return the seconds after which a request is given up."""
        if self.read_timeout is not None:
            return self.read_timeout
        if self._slowest is None:
            return LONGEST_WAIT
        return min(LONGEST_WAIT, max(SHORTEST_WAIT, math.ceil(TIMES_THE_SLOWEST * self._slowest)))

    def _timed_exchange(self, request: Request) -> ModelReply:
        begun, longest = time.monotonic(), self._longest_wait()
        self._asked_in.sent_at = begun
        try:
            said = self.read_chat(self.exchange(request))
        except AnswerFault as fault:
            if fault.trouble is Trouble.SLOW:  # a poll that would come too late is given up before the limit
                self._note_wait(max(longest, time.monotonic() - begun))
            raise
        self._note_wait(time.monotonic() - begun)
        usage = attrs.evolve(said.usage or Usage(), seconds=time.monotonic() - begun)
        return attrs.evolve(said, usage=usage)

    def _note_wait(self, seconds: float) -> None:
        """Note how long a reply took, or the limit in which it did not arrive."""
        with self._noting_waits:
            self._slowest = max(seconds, self._slowest or 0.0)


def _names(parts: Set[RequestPart]) -> tuple[str, ...]:
    return tuple(sorted(part.value for part in parts))
