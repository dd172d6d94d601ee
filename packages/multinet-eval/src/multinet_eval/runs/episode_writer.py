"""`EpisodeWriter`: puts what happens in one episode into the lines that record it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import attrs

from gridworld.backends.scenes import Scene
from gridworld.model_interface import Adjustment, ModelInput, PromptedModel, PromptText
from gridworld.plugins.faults import backend_name, blaming
from gridworld.runner.record import EpisodeEnd, EpisodeHeader, Request, Step
from gridworld.runner.rollout import kernel_of
from gridworld.support.png import encode_png
from gridworld.world.digest import text_digest
from gridworld.world.knowledge import Snapshot
from multinet_eval.asking.asking import Ask
from multinet_eval.asking.moments import Resumed
from multinet_eval.evaluation_harness import EvaluationHarness
from multinet_eval.runs.episode_lines import (
    adjustment_line,
    end_line,
    fault_line,
    header_line,
    request_line,
    resumed_line,
    step_line,
)
from multinet_eval.runs.news import Faulted, Job, Kept, News, Waiting
from multinet_eval.runs.observers import Place
from multinet_eval.runs.prompt_lines import PromptWriter, Text

__all__ = ["EpisodeWriter"]


class EpisodeWriter:
    """Puts what happens in one episode into lines.

    Args:
        harness: plays it.
        job: the episode.
        known: folder and digest of what has been kept; what is kept is added.
    """

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

    def begun(self, moment: EpisodeHeader | Resumed) -> News:
        """The episode begins, or goes on."""
        could_begin = isinstance(moment, Resumed) or moment.digest is not None
        scene = self._open_scene() if could_begin else None
        if isinstance(moment, Resumed):
            return self._news(moment, resumed_line())
        header = attrs.evolve(moment, epoch=self._job.planned.epoch)
        return self._news(header, header_line(header, self._job.planned, scene))

    def waiting(self, ask: Ask) -> News:
        """A request is about to be made; raises PluginFault if its prompt cannot be rendered."""
        self._asked = {"step": ask.step, **self._prompt_of(ask.input)}
        return self._news(Waiting(ask.step, ask.retry, ask.known is not None))

    def faulted(self, ask: Ask, request: Request) -> News:
        """A request may have to be made again without being counted."""
        return self._news(Faulted(ask.step, request), fault_line(request, self._asked))

    def adjusted(self, adjustment: Adjustment) -> News:
        """The model found out something about its server."""
        return self._news(adjustment, adjustment_line(adjustment))

    def requested(self, request: Request) -> News:
        """A request was made."""
        return self._news(request, request_line(request, self._asked))

    def taken(self, step: Step) -> News:
        """A step was decided."""
        return self._news(step, step_line(step, self._changes()), self._place())

    def ended(self, end: EpisodeEnd) -> News:
        """The episode ended."""
        return self._news(end, end_line(end))

    def _news(self, what: Any, line: bytes = b"", place: Place = (0, 0, 0)) -> News:
        if not line:  # what is to be kept belongs to the next line
            return News(self._job.planned.number, what)
        kept, self._new = tuple(self._new), []
        return News(self._job.planned.number, what, line, kept, place)

    def _place(self) -> Place:
        if self._snapshot is None or self._kernel is None:
            known = self._backend.get_state()
            return (*known.agent_position, known.agent_direction)
        state = self._snapshot.state
        return (*self._kernel.world.topology.lattice[state.cell], state.heading)

    def _open_scene(self) -> str | None:
        """The digest of the scene, from whose present state on changes are told; None where there is none."""
        if self._kernel is None:
            return None
        self._snapshot = self._kernel.snapshot()
        with blaming(backend_name(self._kernel.name), "when its scene was recorded"):
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
