"""`Recorder`: puts what happens in one episode into the lines that record it, where it is recorded."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from functools import partial

import attrs

from gridworld.backends.base import AbstractGridBackend
from gridworld.model_interface import Adjustment, ModelInput, ModelInterface, PromptedModel, PromptText
from gridworld.plugins.faults import blaming
from gridworld.runner.record import EpisodeEnd, EpisodeHeader, Request, Step
from gridworld.runner.rollout import kernel_of
from gridworld.support.png import encode_png
from gridworld.world.digest import text_digest
from multinet_eval.play.asking import Ask
from multinet_eval.play.moments import Resumed
from multinet_eval.play.news import NOWHERE, Faulted, Kept, News
from multinet_eval.play.observers import Place
from multinet_eval.record.episode_lines import (
    adjustment_line,
    end_line,
    header_line,
    request_line,
    resumed_line,
    step_line,
)
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.prompt_lines import PromptWriter
from multinet_eval.record.scene_view import MadeScene, SceneView, place_in

__all__ = ["EpisodeRecorder", "Known", "NoRecorder", "Recorded", "Recorder", "texts_of"]

Recorded = EpisodeHeader | Resumed | Request | Faulted | Adjustment | Step | EpisodeEnd
"""What has a line of its own in the record of an episode."""


@attrs.frozen(eq=False)
class Known:
    """What a worker has passed on to be kept, so that its next episodes need not."""

    files: set[tuple[str, str]] = attrs.Factory(set)
    """Folder and digest of each file."""
    scenes: dict[tuple[str, str | None], MadeScene] = attrs.Factory(dict)
    """Hash of a task and tiling to the scene."""


class Recorder(ABC):
    """Records one episode, moment by moment.

    Args:
        backend: where the episode is played.
        planned: the episode in the plan.
    """

    def __init__(self, backend: AbstractGridBackend, planned: PlannedEpisode) -> None:
        self._backend = backend
        self._kernel = kernel_of(backend)
        self.number = planned.number

    @abstractmethod
    def show(self, ask: Ask) -> None:
        """A request is about to be made; the next `Request` or `Faulted` is what came of it.

        Raises:
            PluginFault: its prompt cannot be rendered.
        """

    @abstractmethod
    def news(self, what: Recorded) -> News:
        """What has just happened, with what is to be written of it.

        Raises:
            PluginFault: the scene of an episode that begins cannot be made.
        """

    def _place(self) -> Place:
        """Where the agent is."""
        if self._kernel is None:
            known = self._backend.get_state()
            return (*known.agent_position, known.agent_direction)
        return place_in(self._kernel.world, self._kernel.snapshot().state)


class NoRecorder(Recorder):
    """Records nothing."""

    def show(self, ask: Ask) -> None:
        """Do nothing."""

    def news(self, what: Recorded) -> News:
        """What has just happened."""
        return News(self.number, what, place=self._place() if isinstance(what, Step) else NOWHERE)


class EpisodeRecorder(Recorder):
    """Makes the lines of an episode.

    Args:
        model: is asked.
        backend: where the episode is played.
        planned: the episode in the plan.
        known: what the worker has passed on to be kept; what this episode has kept is added.
    """

    def __init__(
        self,
        model: ModelInterface,
        backend: AbstractGridBackend,
        planned: PlannedEpisode,
        known: Known,
    ) -> None:
        super().__init__(backend, planned)
        self._texts = partial(_prompt_of, model) if isinstance(model, PromptedModel) else texts_of
        self._planned = planned
        self._known = known
        self._new: dict[tuple[str, str], Kept] = {}
        """Folder and digest to each file that has not been passed on."""
        self._prompts = PromptWriter(self._keep_text)
        self._step = 0
        """The number of the step that is asked for."""
        self._prompt = ""
        """Its prompt, as JSON."""
        self._frame: str | None = None
        """The digest of the picture that is shown, where it cannot be drawn again."""
        self._view: SceneView | None = None
        """From the beginning of the episode on, where the backend is built on the kernel."""

    def show(self, ask: Ask) -> None:
        """Write down its prompt."""
        self._step = ask.step
        self._prompt = self._prompts.write(self._texts(ask.input))
        if self._kernel is None:
            self._frame = self._keep_frame(ask.input)

    def news(self, what: Recorded) -> News:
        """What has just happened, with its line and what that names."""
        match what:
            case Step():
                return self._news_of_step(what)
            case Request():
                return self._news_of_request(what)
            case Faulted():
                # The next line of this request repeats what is kept, since this one may not be written.
                line = request_line(what.request, self._step, self._prompt, self._frame, "fault")
                return News(self.number, what, line, tuple(self._new.values()))
            case Adjustment():
                line = adjustment_line(what)
            case EpisodeEnd():
                line = end_line(what)
            case EpisodeHeader():
                line = header_line(what, self._planned, None if what.digest is None else self._open_scene())
            case Resumed():
                self._open_scene()
                line = resumed_line()
        return News(self.number, what, line, self._newly_kept())

    def _news_of_step(self, step: Step) -> News:
        if self._view is None:
            return News(self.number, step, step_line(step), (), self._place())
        return News(self.number, step, step_line(step, self._view.changes_to_json()), (), self._view.place)

    def _news_of_request(self, request: Request) -> News:
        line = request_line(request, self._step, self._prompt, self._frame)
        if self._new:
            return News(self.number, request, line, self._newly_kept())
        # It is not known to have cost anything, and decides a step that takes no time.
        can_wait = request.usage is None and request.action is not None and self._kernel is not None
        return News(self.number, request, line, (), NOWHERE, can_wait)

    def _newly_kept(self) -> tuple[Kept, ...]:
        """What is to be kept and has not been passed on."""
        self._known.files.update(self._new)
        kept, self._new = tuple(self._new.values()), {}
        return kept

    def _open_scene(self) -> str | None:
        """The digest of the scene, from whose present state on changes are told; None where there is none."""
        if self._kernel is None:
            return None
        scenes, place = self._known.scenes, (self._planned.task, self._planned.tiling)
        made = scenes.get(place)
        if made is not None:
            self._view = SceneView(self._kernel, made.looks)
            return made.digest
        self._view = SceneView(self._kernel)
        content = self._view.to_json()
        digest = self._keep("scenes", text_digest(content), ".json", content.encode())
        scenes[place] = MadeScene(digest, self._view.looks)
        return digest

    def _keep_frame(self, given: ModelInput) -> str | None:
        if given.image is None:
            return None
        content = encode_png(given.image)
        return self._keep("frames", hashlib.blake2b(content, digest_size=8).hexdigest(), ".png", content)

    def _keep_text(self, digest: str, text: str) -> None:
        self._keep("texts", digest, ".txt", text.encode("utf-8", "surrogatepass"))

    def _keep(self, folder: str, digest: str, suffix: str, content: bytes) -> str:
        if (folder, digest) not in self._known.files:
            self._new[folder, digest] = Kept(folder, f"{digest}{suffix}", content)
        return digest


def _prompt_of(model: PromptedModel, given: ModelInput) -> list[tuple[str, str]]:
    """What a model is shown: role and text of each text of its prompt."""
    with blaming(f"model '{model.model_name}'", "when its prompt was rendered"):
        parts = model.rendered_prompt(given)
    return [(part.role, part.text) for part in parts if isinstance(part, PromptText)]


def texts_of(given: ModelInput) -> list[tuple[str, str]]:
    """What a model is given that has no prompt: the name of each text, and the text."""
    texts = [("mission", given.text_prompt)] if given.text_prompt else []
    if given.explanation is not None:
        texts += given.explanation.texts().items()
    if given.additional_context:
        texts.append(("history", given.additional_context))
    for turn in given.turns:
        texts += [*texts_of(turn.input), ("reply", turn.reply)]
    if given.feedback:
        texts.append(("feedback", given.feedback))
    if given.note:
        texts.append(("note", given.note))
    if given.text_observation:
        texts.append(("observation", given.text_observation))
    if given.correction:
        texts.append(("correction", given.correction))
    return texts
