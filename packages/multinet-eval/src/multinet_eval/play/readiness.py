"""Readiness of models before a run: how long a server that is starting, or does not answer, is waited for."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import attrs

from gridworld.errors import Owner, PluginFault
from gridworld.model_interface import AnswerFault, ModelInterface, Trouble
from gridworld.model_interface.capabilities import CheckedModel
from gridworld.plugins.registry import owner_of
from gridworld.support.faults import calling

STARTING = (Trouble.UNREACHABLE, Trouble.OVERLOADED)
"""Troubles of a server that may be starting: it does not listen yet, or answers with HTTP 503 while loading."""
POLL_SECONDS = 1.0
"""Seconds between two attempts to reach a server that is starting; each attempt has at least as long."""

TOLERANCE = 0.05
"""Seconds by which a time-out may come early."""


@attrs.frozen
class TimeLimit:
    """A limit of a wait."""

    seconds: float
    left: float
    """Seconds left of it; may be negative."""
    advice: str
    """Advice on a longer limit."""


@attrs.define(eq=False)
class ServerWait:
    """How to wait for models whose server is still starting."""

    seconds: float = 0.0
    """Maximum wait in seconds, for all models together; 0 to fail immediately."""
    tell: Callable[[str], object] = lambda message: None
    """Called with the reason for waiting, each new reason, and the end of the wait."""
    advice: str = ""
    """Advice on waiting longer, added to the message for a server that may be starting."""
    max_time: float | None = None
    """Time limit of the session in seconds, counted from here; it ends waits and checks. None for no limit."""
    max_time_advice: str = ""
    """Advice on a longer session."""
    waited: float = attrs.field(default=0.0, init=False)
    """Seconds spent on models that were not ready."""
    warnings: set[str] = attrs.field(factory=set, init=False)
    """Warnings about models, each told once."""
    _begun: float = attrs.field(factory=time.monotonic, init=False)

    def limit(self) -> TimeLimit | None:
        """Return the limit that ends first; None if there is none."""
        found = []
        if self.seconds > 0:
            found.append(TimeLimit(self.seconds, self.seconds - self.waited, self.advice))
        if self.max_time is not None:
            left = self._begun + self.max_time - time.monotonic()
            found.append(TimeLimit(self.max_time, left, self.max_time_advice))
        return min(found, key=lambda each: each.left, default=None)

    def warn(self, warning: str) -> None:
        """Tell a warning about a model, unless it was told before."""
        if warning not in self.warnings:
            self.warnings.add(warning)
            self.tell(f"warning: {warning}")


FAIL_AT_ONCE = ServerWait()


class NotStartedError(PluginFault):
    """A model's server has not started, or not answered, within the limits of a wait."""


def wait_until_ready(model: ModelInterface, wait: ServerWait = FAIL_AT_ONCE) -> str | None:
    """Wait until a model is ready, within the limits of `wait`.

    Returns:
        A warning about the model, if there is something to look into.

    Raises:
        NotStartedError: its server is unreachable, still starting, or does not answer in time.
        PluginFault: the model is not ready for another reason, or its check failed.
    """
    owner = owner_of("model", model, model.model_name)
    begun, before, told = time.monotonic(), wait.waited, ""
    while True:
        limit = wait.limit()
        obstacle = _find_obstacle(model, owner, math.inf if limit is None else max(POLL_SECONDS, limit.left))
        if not isinstance(obstacle, AnswerFault):
            break
        wait.waited = before + time.monotonic() - begun
        limit = wait.limit()
        is_over = limit is not None and limit.left <= TOLERANCE
        if limit is None or is_over or wait.seconds <= 0 or obstacle.trouble not in STARTING:
            raise _not_ready(owner, obstacle, wait, limit if is_over else None, bool(told)) from obstacle
        if obstacle.message != told:
            wait.tell(f"waiting up to {limit.left:.0f} s for {owner.name}: {obstacle.message}")
            told = obstacle.message
        time.sleep(min(POLL_SECONDS, limit.left))
    if told:
        wait.tell(f"{owner.name} is ready after {time.monotonic() - begun:.0f} s")
    return obstacle


def _find_obstacle(model: ModelInterface, owner: Owner, seconds: float) -> AnswerFault | str | None:
    """Return why a model is not ready, or a warning if it is; None if there is nothing to tell."""
    if not isinstance(model, CheckedModel):
        return None
    with calling(owner, "check_ready"):
        try:
            warning: object = model.check_ready_within(seconds)
        except AnswerFault as fault:
            return fault
    return warning if isinstance(warning, str) else None


def _not_ready(
    owner: Owner, fault: AnswerFault, wait: ServerWait, reached: TimeLimit | None, has_waited: bool
) -> PluginFault:
    """Return the error for a model that is not ready; `reached` is the limit that has ended the wait, if any."""
    if fault.trouble not in (*STARTING, Trouble.SLOW):
        return PluginFault(f"{owner.name} is not ready: {fault.message}")
    is_late = reached is not None and (has_waited or fault.trouble is Trouble.SLOW)
    waited = f" (after {reached.seconds:g} s of waiting)" if reached is not None and is_late else ""
    advice = reached.advice if reached is not None else wait.advice if fault.trouble in STARTING else ""
    return NotStartedError(f"{owner.name} is not ready{waited}: {fault.message}{f'; {advice}' if advice else ''}")
