"""What the adapters of all chat servers share: one call for each step, and an answer or a typed fault from it."""

# The annotations stay objects, since the command line reads them from the constructor.
import math
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence, Set
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
from multinet_adapters.answer_formats import answer_schema, describe_json, describe_line
from multinet_adapters.answers import ModelReply, read_output, read_words
from multinet_adapters.credentials import Credential
from multinet_adapters.negotiation import Fallback, Negotiation
from multinet_adapters.preflight import run_preflight
from multinet_adapters.prompt_parts import prompt_parts
from multinet_adapters.refusals import RequestPart
from multinet_adapters.replies import ErrorHints, RequestRefused, read_object
from multinet_adapters.sampling_seeds import AskedIn, digest_of, seed_of
from multinet_adapters.speakers import without_system
from multinet_adapters.templates import load_template
from multinet_adapters.transport import Limits, Server

__all__ = ["FALLBACKS", "ChatAdapter", "Parts", "Request", "at_least_one", "named", "not_negative", "option"]

Request = dict[str, Any]
"""The JSON of a request."""
Parts = list[PromptText | PromptImage]
"""A prompt: texts and pictures, in order."""

MAX_SECONDS = 86_400.0
MAX_SEED = 2**31
SEEDING = "by episode, step and attempt"


def option(default: Any = attrs.NOTHING, validator: Any = None) -> Any:
    """A setting that is given by name."""
    return attrs.field(default=default, validator=validator, kw_only=True)


def named(adapter: Any, attribute: Any, value: Any) -> None:
    """The validator of a name, which is not blank."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{attribute.name} must be a name, got '{value}'")


def _seconds(adapter: Any, attribute: Any, value: float) -> None:
    if not 0 < value <= MAX_SECONDS:
        raise ValueError(f"{attribute.name} must be above 0 and at most {MAX_SECONDS:g} seconds, got {value}")


def not_negative(adapter: Any, attribute: Any, value: float | None) -> None:
    """The validator of a number that is none or at least 0, and finite."""
    if value is not None and not 0 <= value < math.inf:
        raise ValueError(f"{attribute.name} must be at least 0, got {value}")


def at_least_one(adapter: Any, attribute: Any, value: int | None) -> None:
    """The validator of a count that is none or at least 1."""
    if value is not None and value < 1:
        raise ValueError(f"{attribute.name} must be at least 1, got {value}")


FALLBACKS: Mapping[RequestPart, Fallback] = {
    RequestPart.STRUCTURED_OUTPUT: Fallback("the answer is asked for as a last line of text", "structured=false"),
    RequestPart.SYSTEM_MESSAGE: Fallback("its text is put before the user's message", "system_message=false"),
    RequestPart.TEMPERATURE: Fallback("it is left to the server", "temperature=none"),
    RequestPart.SEED: Fallback("none is sent", "seed=none"),
}
"""What every adapter does about parts of a request that a server refuses."""


@attrs.define(eq=False, slots=False)
class ChatAdapter(PromptedModel, CheckedModel, AdjustingModel, CacheableModel, OpenModel):
    """A model behind a chat server.

    Each `predict` makes one call, by `exchange`. What is no answer raises `AnswerFault`, which says of what kind it is;
    asking again is left to the caller. Only a request of which the server refuses a part (structured output, the system
    message, a sampling setting) is repeated at once, without that part. It is not sent again, which `adjustments`
    tells, unless the server has taken it before. `ModelOutput.left_out` tells what a request was made without.
    One adapter may be used by several threads, each playing episodes of its own.

    Args:
        model: the model's name on the server.
        base_url: the server's address.
        temperature: of the sampling, at least 0; none to leave it to the server.
        seed: of the sampling; the seed of each request is derived from it, the episode, the step, and how often the
            step has been asked for; none to send no seed.
        max_tokens: the length of a reply, at least 1; none to leave it to the server.
        connect_timeout: seconds until the connection stands.
        read_timeout: seconds from the request to the end of the whole reply.
        prompt: the name of a template (minimal, standard, verbose, chain_of_thought) or the path of a file.
        structured: whether the server is asked to keep the answer to a JSON schema; otherwise the answer is asked for
            as a last line. Either form is read.
        system_message: whether the system's text is a message of its own; otherwise it begins the user's.
        api_key_env: the name of the environment variable that holds the credential, if the server wants one.
        max_reply_bytes: a larger reply is refused.
        proxy: ``environment`` for what HTTP_PROXY, HTTPS_PROXY and NO_PROXY say, but never for this machine itself;
            ``none``; or the address of a proxy.

    Raises:
        ValueError: a setting is invalid.
    """

    model: str = attrs.field(validator=named)
    base_url: str = option()
    temperature: float | None = option(0.0, not_negative)
    seed: int | None = option(None)
    max_tokens: int | None = option(2048, at_least_one)
    connect_timeout: float = option(5.0, _seconds)
    read_timeout: float = option(120.0, _seconds)
    prompt: str = option("standard")
    structured: bool = option(True)
    system_message: bool = option(True)
    api_key_env: str | None = option(None)
    max_reply_bytes: int = option(8_000_000, at_least_one)
    proxy: str = option(ENVIRONMENT)

    provider: ClassVar[str]
    """The name under which the adapter is registered."""
    chat_path: ClassVar[str]
    models_path: ClassVar[str]
    start_hint: ClassVar[str]
    """What to do if nobody listens."""
    takes_unlisted: ClassVar[bool] = False
    """Whether there are servers that answer to names of models that they do not list."""
    fallbacks: ClassVar[Mapping[RequestPart, Fallback]] = FALLBACKS
    """What is sent instead of parts of a request that the server refuses."""

    def __attrs_post_init__(self) -> None:
        self.base_url = checked_url(self.base_url)
        self._template = load_template(self.prompt)
        addresses = {"base_url": self.base_url, "proxy": self.proxy}
        self._credential = Credential(self.api_key_env, addresses, self.model)
        self._asked_in = AskedIn()
        self._negotiation = Negotiation(self.fallbacks)
        limits = Limits(self.connect_timeout, self.read_timeout, self.max_reply_bytes)
        proxies = proxies_for(self.base_url, self.proxy)
        self._server = Server(self.base_url, limits, self.headers(), proxies, self.start_hint)

    # --- the protocol of the server ---

    def headers(self) -> dict[str, str]:
        """The headers of every request: the credential, if there is one."""
        return self._credential.header("Authorization", "Bearer ")

    @abstractmethod
    def chat_request(self, parts: Parts, schema: dict[str, Any] | None) -> Request:
        """The body that asks for a chat; `schema` is that of the answer, if one is asked for."""

    def exchange(self, request: Request) -> dict[str, Any]:
        """Send a request for a chat and return the body for `read_chat`: here one POST to `chat_path`.

        Override it for a server that needs more than one request for an answer, such as one that takes a job and is
        asked for its result, with `post`, `get` and `pause`. It is called once for each question, by several threads
        at once, and again with another `request` where the server refused a part of this one. It has to return before
        anything else is asked, and to raise rather than to repeat what failed.

        Raises:
            AnswerFault: there is no answer, `INFRASTRUCTURE`, or the server declines to give one, `REFUSED`.
        """
        return self.post(self.chat_path, request)

    @abstractmethod
    def without_setting(self, request: Request, part: RequestPart) -> Request:
        """The same body without a sampling setting, or with its other name; as it is where it has none."""

    @abstractmethod
    def read_chat(self, body: dict[str, Any]) -> ModelReply:
        """What the model said; raises `AnswerFault` (`INFRASTRUCTURE`) if the body is not of the protocol."""

    @abstractmethod
    def read_models(self, body: dict[str, Any]) -> list[str]:
        """The names of the server's models; raises as `read_chat` does."""

    @abstractmethod
    def error_hints(self) -> ErrorHints:
        """What to do about errors of the server."""

    # --- a step ---

    @property
    def model_name(self) -> str:
        """``provider/model``."""
        return f"{self.provider}/{self.model}"

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """From now on this thread asks in this episode."""
        self._asked_in.episode = episode

    def can_reply(self, form: ReplyForm) -> bool:
        """Any form can be asked for."""
        return True

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Go on: nothing is kept between steps but what the server has taken."""
        requests = [request for step in steps for request in step.requests if not request.cached]
        for request in requests:
            if request.outcome is not AnswerOutcome.INFRASTRUCTURE:
                self._negotiation.note_answer(self._sent(self.structured, True).difference(request.left_out))
        return True

    @property
    def shareable(self) -> bool:
        """Each thread has its own connection and its own episode."""
        return True

    @property
    def seeding(self) -> str | None:
        """The rule of `sampling_seed`; None where no seed is sent."""
        return None if self.seed is None else SEEDING

    @property
    def samples(self) -> bool:
        """Whether the temperature is not 0, or is left to the server because that refuses to be told it."""
        return self.temperature != 0 or RequestPart.TEMPERATURE in self._negotiation.refused

    def rendered_prompt(self, input: ModelInput) -> Parts:
        """Everything that the model is shown for this input, in order; nothing is sent.

        It depends on the settings, and on what the server has refused by then.
        """
        return self._prompt(input, self._negotiation.refused)

    def request_for(self, input: ModelInput) -> Request:
        """The JSON that `predict` would send; nothing is sent."""
        return self._question(input, self._negotiation.refused)

    def adjustments(self) -> tuple[Adjustment, ...]:
        """What the server has refused so far, and what is sent instead."""
        return self._negotiation.adjustments

    def refused_for_good(self) -> tuple[RequestPart, ...]:
        """What the server has refused so far and nothing can be sent instead of."""
        return self._negotiation.refused_for_good

    def predict(self, input: ModelInput) -> ModelOutput:
        """Ask the server once.

        Raises:
            AnswerFault: there is no usable answer.
        """
        try:
            return self._credential.redact_output(self._predict(input))
        except AnswerFault as fault:
            clean = self._credential.redact_fault(fault)
        raise clean

    def ask(self, parts: Sequence[PromptText | PromptImage]) -> OpenAnswer:
        """The words that the model says to anything; raises as `predict` does."""
        return self._ask(parts, None)

    def ask_in_form(self, parts: Sequence[PromptText | PromptImage], schema: dict[str, Any]) -> OpenAnswer:
        """The same, with the answer kept to a JSON schema unless the server has refused that."""
        return self._ask(parts, schema)

    def close(self) -> None:
        """Close all connections."""
        self._server.close()

    # --- whether it works ---

    def check_ready(self) -> None:
        """Make sure that the server answers and takes the credential, by asking for the list of its models.

        Raises:
            AnswerFault: it does not; the outcome is `INFRASTRUCTURE`, the message says what to do.
        """
        self.list_models()

    def list_models(self) -> list[str] | None:
        """The names of the server's models, sorted; None if the server has no such list.

        Raises:
            AnswerFault: the server does not answer or refuses to; the outcome is `INFRASTRUCTURE`.
        """
        names = self.listed_names()
        return None if names is None else sorted(map(self._credential.redact, names))

    def listed_names(self) -> list[str] | None:
        """Like `list_models`, but as the server wrote them, for `is_called`: redact them before they are shown."""
        try:
            reply = self._server.get(self.models_path)
            if self.has_no_list(reply.status):
                return None
            return sorted(self.read_models(read_object(reply, self.error_hints())))
        except AnswerFault as fault:
            clean = self._credential.redact_fault(fault)
        raise clean

    def preflight(self) -> list[PreflightCheck]:
        """Try out the connection, the model, what it is told and shown, its answers, and what its server refuses."""
        redact = self._credential.redact
        return [attrs.evolve(check, message=redact(check.message)) for check in run_preflight(self)]

    def is_called(self, listed: str) -> bool:
        """Whether a name in the server's list is that of this model."""
        return listed == self.model

    def has_no_list(self, status: int) -> bool:
        """Whether the server says by this HTTP status that it has no list of models."""
        return False

    # --- what the protocols need ---

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send JSON to a path below `base_url`, and return the JSON object that comes back.

        Raises:
            AnswerFault: there is no whole reply within `read_timeout`, it is an error, or no JSON object.
        """
        return read_object(self._server.post(path, body), self.error_hints())

    def get(self, path: str) -> dict[str, Any]:
        """Ask for a path below `base_url`; returns and raises as `post` does."""
        return read_object(self._server.get(path), self.error_hints())

    def pause(self, seconds: float) -> None:
        """Wait before asking for the result of a job again.

        Raises:
            AnswerFault: no answer within `read_timeout` seconds from the start of `exchange`; the outcome is
                `INFRASTRUCTURE`.
        """
        left = self._asked_in.sent_at + self.read_timeout - time.monotonic()
        time.sleep(max(0.0, min(seconds, left)))
        if seconds >= left:
            message = (
                f"no answer from {self.base_url} within {self.read_timeout:g} s; "
                "give a slow model more time with a longer read_timeout"
            )
            raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, trouble=Trouble.SLOW)

    def credential_hint(self) -> str:
        """What to do about a server that does not admit the caller."""
        if self.api_key_env is None:
            return "put its credential into an environment variable, and give the variable's name as api_key_env"
        return f"it does not accept the credential in the environment variable '{self.api_key_env}'"

    def sampling_seed(self) -> int | None:
        """The seed to be sent, if any.

        It is derived from the model's seed, the episode's seed, the task's id, and the step with the attempt at it or,
        for an open question, its words and pictures; so it does not depend on what failed for want of a server, nor on
        where a run was left. Outside of any episode it is the model's.
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

    def _predict(self, input: ModelInput) -> ModelOutput:
        reply = self._chat(lambda refused: self._question(input, refused), self._sent(self.structured, True))
        return read_output(reply, input)

    def _prompt(self, input: ModelInput, refused: Set[RequestPart]) -> Parts:
        describe = describe_json if self._asks_structured(refused) else describe_line
        return self._with_roles(prompt_parts(input, self._template, describe), refused)

    def _question(self, input: ModelInput, refused: Set[RequestPart]) -> Request:
        if input.episode is not None:  # one thread may play several episodes in turn
            self.begin_episode(input.episode)
        self._asked_in.question = (input.step_number, input.attempt)
        schema = answer_schema(input.action_space, input.reply) if self._asks_structured(refused) else None
        return self._build(self._prompt(input, refused), schema, refused)

    def _asks_structured(self, refused: Set[RequestPart]) -> bool:
        return self.structured and RequestPart.STRUCTURED_OUTPUT not in refused

    def _with_roles(self, parts: Parts, refused: Set[RequestPart]) -> Parts:
        """The parts; the system's are the user's, where there is to be no system message."""
        if self.system_message and RequestPart.SYSTEM_MESSAGE not in refused:
            return parts
        return without_system(parts)

    def _build(self, parts: Parts, schema: dict[str, Any] | None, refused: Set[RequestPart]) -> Request:
        request = self.chat_request(self._with_roles(parts, refused), schema)
        for part in sorted(refused):
            request = self.without_setting(request, part)
        return request

    def _sent(self, structured: bool, instructed: bool) -> set[RequestPart]:
        """The parts of a request that can be avoided, whatever it shows, unless they have been found to be refused.

        Args:
            structured: whether it asks for structured output.
            instructed: whether it has a text of the system's.
        """
        absent = {RequestPart.IMAGES_IN_MESSAGE}  # so that it is found out when there are several for the first time
        absent |= set() if structured else {RequestPart.STRUCTURED_OUTPUT}
        absent |= set() if instructed else {RequestPart.SYSTEM_MESSAGE}
        return set(self.fallbacks) - absent

    def _chat(self, build: Callable[[Set[RequestPart]], Request], sent: Set[RequestPart]) -> ModelReply:
        """Ask, and ask again without what the server refuses, as long as that changes the request.

        Args:
            build: makes the request without what is refused.
            sent: what the request has that can be avoided.
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

    def _timed_exchange(self, request: Request) -> ModelReply:
        begun = self._asked_in.sent_at = time.monotonic()
        said = self.read_chat(self.exchange(request))
        usage = attrs.evolve(said.usage or Usage(), seconds=time.monotonic() - begun)
        return attrs.evolve(said, usage=usage)


def _names(parts: Set[RequestPart]) -> tuple[str, ...]:
    return tuple(sorted(part.value for part in parts))
