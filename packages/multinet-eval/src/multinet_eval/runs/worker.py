"""`EpisodeWorker`: plays planned episodes and says, moment by moment, what is to be recorded.

A worker writes nothing and decides nothing about the run: it waits, after each piece of `News`, for whoever drives it.
So it can live in a thread, in another process or on another machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator
from typing import Any

import attrs

from gridworld.backends.scenes import Scene
from gridworld.errors import PluginFault
from gridworld.model_interface import (
    Adjustment,
    ModelInput,
    ModelInterface,
    PromptedModel,
    PromptText,
)
from gridworld.plugins.faults import backend_name, blaming
from gridworld.runner.record import EpisodeEnd, EpisodeHeader, Request, Step
from gridworld.runner.rollout import kernel_of
from gridworld.support.png import encode_png
from gridworld.task_spec import TaskSpecification
from gridworld.world.digest import text_digest
from gridworld.world.knowledge import Snapshot
from multinet_eval.asking.answer_cache import AnswerCache
from multinet_eval.asking.asking import Ask, Retry
from multinet_eval.asking.moments import Faulted, Moment, Past, Reply, Resumed
from multinet_eval.evaluation_harness import EvaluationHarness
from multinet_eval.plugin_objects import make_backend, make_model
from multinet_eval.runs.episode_lines import (
    adjustment_line,
    end_line,
    fault_line,
    header_line,
    request_line,
    resumed_line,
    step_line,
)
from multinet_eval.runs.manifest import answering_fingerprint
from multinet_eval.runs.observers import Place
from multinet_eval.runs.plan import PlannedEpisode
from multinet_eval.runs.prompt_lines import PromptWriter, Text
from multinet_eval.runs.settings import RunSettings

__all__ = ["EpisodeWorker", "Job", "Kept", "News", "Waiting"]


@attrs.frozen
class Job:
    """An episode to be played."""

    planned: PlannedEpisode
    task: TaskSpecification
    past: Past | None = None
    """What is recorded of it; None for an episode from its start."""


@attrs.frozen
class Waiting:
    """A request is about to be made, as soon as the worker goes on."""

    step: int
    retry: Retry | None = None
    cached: bool = False
    """Whether its answer is known from a cache, so that nobody is asked."""


@attrs.frozen
class Kept:
    """A file to be kept beside the episodes, before the line that names it."""

    folder: str
    name: str
    content: bytes


@attrs.frozen
class News:
    """What has happened, and what is to be written before the worker goes on."""

    what: EpisodeHeader | Resumed | Waiting | Faulted | Request | Adjustment | Step | EpisodeEnd
    line: bytes = b""
    kept: tuple[Kept, ...] = ()
    place: Place = (0, 0, 0)
    """Where the agent is after a `Step`."""


class EpisodeWorker:
    """Plays episodes, one at a time, with a backend for each tiling.

    Args:
        settings: what is asked of the run.
        model: the model, for workers that share one; by default the worker makes its own.

    Raises:
        GridworldError: the model or a backend cannot be made.
    """

    def __init__(self, settings: RunSettings, model: ModelInterface | None = None) -> None:
        self._settings = settings
        self._owns_model = model is None
        self.model = model or make_model(settings.model, list(settings.model_arguments))
        self._harnesses: dict[str | None, EvaluationHarness] = {}
        self._kept: set[tuple[str, str]] = set()

    def play(self, job: Job) -> Generator[News, Reply | None, None]:
        """Play an episode; it goes on when it is asked for the next piece of news.

        Raises:
            ArgumentError, InvalidTaskError: model, backend and task do not fit together.
            DivergedError: the past, played again, is another one.
        """
        harness = self.harness(job.planned.tiling)
        writer = _Writer(harness, job, self._kept)
        planned = job.planned
        moments, reply = harness.play(job.task, planned.seed, job.past, planned.epoch), None
        while True:
            try:
                moment = moments.send(reply)
            except StopIteration:
                return
            reply = yield writer.news_of(moment)

    def harness(self, tiling: str | None) -> EvaluationHarness:
        """The harness for a tiling."""
        if tiling not in self._harnesses:
            self._harnesses[tiling] = self._make_harness(tiling)
        return self._harnesses[tiling]

    def close(self) -> PluginFault | None:
        """Close the backends, and the model unless it is shared; one that fails keeps no other from it.

        Returns:
            The last failure, if any.
        """
        closing = [(backend_name(each.backend.name), each.backend.close) for each in self._harnesses.values()]
        if self._owns_model:
            closing.append((f"model '{self.model.model_name}'", self.model.close))
        fault = None
        for owner, close in closing:
            try:
                with blaming(owner, "when it was closed"):
                    close()
            except PluginFault as error:
                fault = error
        return fault

    def _make_harness(self, tiling: str | None) -> EvaluationHarness:
        settings = self._settings
        return EvaluationHarness(
            self.model,
            make_backend(settings.backend, list(settings.backend_arguments), tiling),
            seed=settings.seed,
            observation=settings.observation,
            mission=settings.mission,
            history_images=settings.history_images,
            history_text=settings.history_text_window > 0,
            history_text_window=settings.history_text_window or 1,
            max_states=settings.max_states,
            policies=settings.policies,
            cache=None if settings.cache is None else AnswerCache(settings.cache, answering_fingerprint(settings)),
        )


class _Writer:
    """Puts the moments of one episode into lines."""

    def __init__(self, harness: EvaluationHarness, job: Job, known: set[tuple[str, str]]) -> None:
        self._model = harness.model
        self._backend = harness.backend
        self._kernel = kernel_of(harness.backend)
        self._job = job
        self._known = known
        self._new: list[Kept] = []
        self._prompt = PromptWriter(self._keep_text)
        self._asked: dict[str, Any] = {}
        self._scene: Scene | None = None
        self._snapshot: Snapshot | None = None

    def news_of(self, moment: Moment) -> News:
        """A moment, with the line that records it."""
        what, line = self._line_of(moment)
        place = self._place() if isinstance(what, Step) else (0, 0, 0)
        if not line:  # what is to be kept belongs to the next line
            return News(what, place=place)
        kept, self._new = tuple(self._new), []
        return News(what, line, kept, place)

    def _line_of(self, moment: Moment) -> tuple[Any, bytes]:
        match moment:
            case Ask():
                self._asked = {"step": moment.step, **self._prompt_of(moment.input)}
                return Waiting(moment.step, moment.retry, moment.cached), b""
            case Request():
                return moment, request_line(moment, self._asked)
            case Step():
                return moment, step_line(moment, self._changes())
            case EpisodeHeader() | Resumed():
                return self._begin(moment)
            case Faulted():
                return moment, fault_line(moment.request, self._asked)
            case Adjustment():
                return moment, adjustment_line(moment)
            case EpisodeEnd():
                return moment, end_line(moment)

    def _place(self) -> Place:
        if self._snapshot is None or self._kernel is None:
            known = self._backend.get_state()
            return (*known.agent_position, known.agent_direction)
        state = self._snapshot.state
        return (*self._kernel.world.topology.lattice[state.cell], state.heading)

    def _begin(self, moment: EpisodeHeader | Resumed) -> tuple[Any, bytes]:
        scene = self._open_scene()
        if isinstance(moment, Resumed):
            return moment, resumed_line()
        header = attrs.evolve(moment, epoch=self._job.planned.epoch)
        return header, header_line(header, self._job.planned, scene)

    def _open_scene(self) -> str | None:
        """The digest of the scene, from whose present state on changes are told; None where there is none."""
        if self._kernel is None:
            return None
        self._snapshot = self._kernel.snapshot()
        self._scene = Scene(self._kernel.world)
        text = json.dumps(self._scene.to_dict(), separators=(",", ":"))
        return self._keep("scenes", text_digest(text), ".json", text.encode())

    def _changes(self) -> dict[str, Any]:
        """Where the agent is, and which cells look different since this was asked last."""
        if self._kernel is None or self._scene is None or self._snapshot is None:
            return {}
        before, self._snapshot = self._snapshot, self._kernel.snapshot()
        return {"agent": self._scene.agent(self._snapshot), **self._scene.changes(before, self._snapshot)}

    def _prompt_of(self, given: ModelInput) -> dict[str, Any]:
        """What the model is shown: texts, and the picture where it cannot be drawn again."""
        shown: dict[str, Any] = {"prompt": self._prompt.write(self._texts(given))}
        if self._kernel is None and given.image is not None:
            content = encode_png(given.image)
            shown["frame"] = self._keep("frames", hashlib.blake2b(content, digest_size=8).hexdigest(), ".png", content)
        return shown

    def _texts(self, given: ModelInput) -> list[Text]:
        if isinstance(self._model, PromptedModel):
            with blaming(f"model '{self._model.model_name}'", "when its prompt was rendered"):
                parts = self._model.rendered_prompt(given)
            return [Text(part.role, part.text) for part in parts if isinstance(part, PromptText)]
        texts = {
            "mission": given.text_prompt,
            "history": given.additional_context,
            "observation": given.text_observation,
            "correction": given.correction,
        }
        return [Text(role, text) for role, text in texts.items() if text]

    def _keep_text(self, digest: str, text: str) -> None:
        self._keep("texts", digest, ".txt", text.encode("utf-8", "surrogatepass"))

    def _keep(self, folder: str, digest: str, suffix: str, content: bytes) -> str:
        if (folder, digest) not in self._known:
            self._known.add((folder, digest))
            self._new.append(Kept(folder, f"{digest}{suffix}", content))
        return digest
