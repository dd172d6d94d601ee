"""Recorders: create the events of an episode, with prompts, scenes and pictures.

Recorders work where the episode is played, since they need its model and backend; the events are written elsewhere.
"""

from __future__ import annotations

import hashlib

import attrs

from gridworld.backends.base import AbstractGridBackend
from gridworld.backends.scenes import Scene, SceneLooks
from gridworld.model_interface import ModelInput, ModelInterface, PromptedModel, PromptText
from gridworld.plugins.registry import owner_of
from gridworld.runner.record import EpisodeHeader, Request, Step
from gridworld.runner.rollout import kernel_of
from gridworld.support.faults import calling
from gridworld.support.png import encode_png
from gridworld.world.digest import text_digest
from gridworld.world.knowledge import Snapshot
from multinet_eval.record.events import Artifact, EpisodeBegun, EpisodeResumed, RequestMade, StepTaken
from multinet_eval.record.prompt_lines import PromptWriter


@attrs.frozen(eq=False)
class KeptArtifacts:
    """Artifacts that a worker has already sent."""

    files: set[tuple[str, str]] = attrs.Factory(set)
    """Folder and digest of each sent file."""
    scenes: dict[tuple[str, str | None], tuple[str, SceneLooks]] = attrs.Factory(dict)
    """Digest and looks of each scene, by task hash and tiling; later episodes reuse the looks."""


class Recorder:
    """Recorder of an episode in a run that is not recorded.

    Args:
        backend: the backend of the episode.
        number: number of the episode in the plan.
    """

    def __init__(self, backend: AbstractGridBackend, number: int) -> None:
        self._backend = backend
        self._ground = owner_of("backend", backend, backend.name)
        self._kernel = kernel_of(backend)
        self._number = number

    def show(self, given: ModelInput) -> None:
        """Render the prompt of the next request; raises PluginFault if that fails."""

    def begun(self, header: EpisodeHeader) -> EpisodeBegun:
        """Create the event for a new attempt; raises PluginFault if the scene cannot be made."""
        return EpisodeBegun(header, self._number)

    def resumed(self) -> EpisodeResumed:
        """Create the event for a resumed episode; raises PluginFault as `begun` does."""
        return EpisodeResumed()

    def request(self, request: Request, step: int) -> RequestMade:
        """Create the event for the request whose prompt was rendered last."""
        return RequestMade(request, step)

    def step(self, step: Step) -> StepTaken:
        """Create the event for the latest step."""
        if self._kernel is None:
            with calling(self._ground, "get_state"):
                known = self._backend.get_state()
            return StepTaken(step, "", (*known.agent_position, known.agent_direction))
        state = self._kernel.snapshot().state
        return StepTaken(step, "", (*self._kernel.world.topology.lattice[state.cell], state.heading))


class FullRecorder(Recorder):
    """Recorder of an episode with its prompts, its scene, and pictures that cannot be drawn again.

    Args:
        model: the model.
        backend: the backend of the episode.
        number: number of the episode in the plan.
        task: hash of its task.
        kept: artifacts that the worker has sent; new ones are added.
    """

    def __init__(
        self, model: ModelInterface, backend: AbstractGridBackend, number: int, task: str, kept: KeptArtifacts
    ) -> None:
        super().__init__(backend, number)
        self._prompted = model if isinstance(model, PromptedModel) else None
        self._owner = owner_of("model", model, model.model_name)
        self._kept = kept
        self._task = task
        self._new: dict[tuple[str, str], Artifact] = {}
        """New artifacts by folder and digest."""
        self._prompts = PromptWriter(self._keep_text)
        self._texts: list[tuple[str, str]] | None = None
        self._prompt = ""
        self._is_repeated = False
        """Whether the prompt equals the previous one."""
        self._frame: str | None = None
        self._scene: Scene | None = None
        self._snapshot: Snapshot | None = None

    def show(self, given: ModelInput) -> None:
        """Render the prompt and number its lines; keep the picture if it comes from another simulator."""
        if self._prompted is None:
            texts = texts_of(given)
        else:
            with calling(self._owner, "rendered_prompt"):
                parts = self._prompted.rendered_prompt(given)
            texts = [(each.role, each.text) for each in parts if type(each) is PromptText]
        if texts != self._texts or not self._is_repeated:
            self._is_repeated = texts == self._texts
            self._texts, self._prompt = texts, self._prompts.write(texts)
        if self._kernel is None and given.image is not None:
            content = encode_png(given.image)
            self._frame = self._keep("frames", hashlib.blake2b(content, digest_size=8).hexdigest(), ".png", content)
        else:
            self._frame = None

    def begun(self, header: EpisodeHeader) -> EpisodeBegun:
        """Create the event for a new attempt, with its scene; raises PluginFault if the scene cannot be made."""
        scene = None if header.digest is None else self._open_scene()
        return EpisodeBegun(header, self._number, scene, self._new_artifacts())

    def resumed(self) -> EpisodeResumed:
        """Create the event for a resumed episode; scene changes are relative to the current state."""
        self._open_scene()
        return EpisodeResumed(self._new_artifacts())

    def request(self, request: Request, step: int) -> RequestMade:
        """Create the event for the request whose prompt was rendered last, with the artifacts that it names."""
        artifacts = self._new_artifacts() if self._new else ()
        # Nothing was paid as far as known, and the next step takes no time.
        is_free = not artifacts and request.usage is None and request.action is not None and self._kernel is not None
        return RequestMade(request, step, self._prompt, self._frame, artifacts, is_free)

    def step(self, step: Step) -> StepTaken:
        """Create the event for the latest step, with the changes of the scene."""
        if self._scene is None or self._kernel is None or self._snapshot is None:
            return super().step(step)
        before, self._snapshot = self._snapshot, self._kernel.snapshot()
        changes = self._scene.changes_to_json(before, self._snapshot)
        state = self._snapshot.state
        return StepTaken(step, changes, (*self._kernel.world.topology.lattice[state.cell], state.heading))

    def _open_scene(self) -> str | None:
        """Start the scene and return its digest; None on a backend that is not built on the kernel."""
        kernel = self._kernel
        if kernel is None:
            return None
        place = (self._task, self._backend.tiling)
        digest, looks = self._kept.scenes.get(place, (None, None))
        self._snapshot = kernel.snapshot()
        self._scene = Scene(kernel.world, looks)
        if digest is None:
            content = self._scene.to_json()
            digest = self._keep("scenes", text_digest(content), ".json", content.encode())
            self._kept.scenes[place] = digest, self._scene.looks
        return digest

    def _new_artifacts(self) -> tuple[Artifact, ...]:
        self._kept.files.update(self._new)
        artifacts, self._new = tuple(self._new.values()), {}
        return artifacts

    def _keep_text(self, digest: str, text: str) -> None:
        self._keep("texts", digest, ".txt", text.encode("utf-8", "surrogatepass"))

    def _keep(self, folder: str, digest: str, suffix: str, content: bytes) -> str:
        if (folder, digest) not in self._kept.files:
            self._new[folder, digest] = Artifact(folder, f"{digest}{suffix}", content)
        return digest


def texts_of(given: ModelInput) -> list[tuple[str, str]]:
    """List the named texts in the input of a model without a prompt."""
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
