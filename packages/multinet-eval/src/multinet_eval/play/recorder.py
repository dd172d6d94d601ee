"""Recorders: create the events of an episode, with prompts, scenes and pictures.

Recorders work where the episode is played, since they need its model and backend; the events are written elsewhere.
"""

from __future__ import annotations

import hashlib

import attrs

from gridworld.backends.base import AbstractGridBackend
from gridworld.backends.scenes import Scene, SceneLooks
from gridworld.model_interface import ModelInput, Picture
from gridworld.plugins.registry import owner_of
from gridworld.runner.record import EpisodeHeader, Step
from gridworld.runner.rollout import kernel_of
from gridworld.support.faults import calling
from gridworld.support.png import encode_png
from gridworld.world.digest import text_digest
from gridworld.world.knowledge import Snapshot
from multinet_eval.play.model_caller import Made
from multinet_eval.record.events import Artifact, EpisodeBegun, EpisodeResumed, RequestMade, StepTaken
from multinet_eval.record.sent_requests import SentWriter, sent_input


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

    def begun(self, header: EpisodeHeader) -> EpisodeBegun:
        """Create the event for a new attempt; raises PluginFault if the scene cannot be made."""
        return EpisodeBegun(header, self._number)

    def resumed(self) -> EpisodeResumed:
        """Create the event for a resumed episode; raises PluginFault as `begun` does."""
        return EpisodeResumed()

    def request(self, made: Made, given: ModelInput) -> RequestMade:
        """Create the event for a request that was made for an input."""
        return RequestMade(made.request, given.step_number + 1)

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
        backend: the backend of the episode.
        number: number of the episode in the plan.
        task: hash of its task.
        kept: artifacts that the worker has sent; new ones are added.
    """

    def __init__(self, backend: AbstractGridBackend, number: int, task: str, kept: KeptArtifacts) -> None:
        super().__init__(backend, number)
        self._kept = kept
        self._task = task
        self._new: dict[tuple[str, str], Artifact] = {}
        """New artifacts by folder and digest."""
        self._writer = SentWriter(self._keep_text)
        self._texts: list[tuple[str, str]] | None = None
        """Texts of the last input of a model without prompts."""
        self._repeated: str | None = None
        """JSON of a request that repeats them, once there was one."""
        self._scene: Scene | None = None
        self._snapshot: Snapshot | None = None

    def begun(self, header: EpisodeHeader) -> EpisodeBegun:
        """Create the event for a new attempt, with its scene; raises PluginFault if the scene cannot be made."""
        scene = None if header.digest is None else self._open_scene()
        return EpisodeBegun(header, self._number, scene, self._new_artifacts())

    def resumed(self) -> EpisodeResumed:
        """Create the event for a resumed episode; scene changes are relative to the current state."""
        self._open_scene()
        return EpisodeResumed(self._new_artifacts())

    def request(self, made: Made, given: ModelInput) -> RequestMade:
        """Create the event for a request, with what was sent, or the input of a model without prompts."""
        sent = ",".join(map(self._writer.write, made.sent)) or self._written_input(given)
        frame = self.kept_frame(given)
        artifacts, request = self._new_artifacts() if self._new else (), made.request
        # Nothing was paid as far as known, and the next step takes no time.
        is_free = not artifacts and request.usage is None and request.action is not None and self._kernel is not None
        return RequestMade(request, given.step_number + 1, f"[{sent}]", frame, artifacts, is_free)

    def _written_input(self, given: ModelInput) -> str:
        """Write the texts and pictures of an input; repeated texts are numbers, which are formatted once."""
        texts, pictures = texts_of(given), pictures_of(given)
        if pictures or texts != self._texts:
            self._texts, self._repeated = texts, None
            return self._writer.write(sent_input(texts, pictures))
        if self._repeated is None:
            self._repeated = self._writer.write(sent_input(texts, pictures))
        return self._repeated

    def kept_frame(self, given: ModelInput) -> str | None:
        """Keep the picture of another simulator, which cannot be drawn again, and return its digest."""
        if self._kernel is not None or given.image is None:
            return None
        content = encode_png(given.image)
        return self._keep("frames", hashlib.blake2b(content, digest_size=8).hexdigest(), ".png", content)

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


def pictures_of(given: ModelInput) -> list[Picture]:
    """List the pictures in the input of a model without a prompt, oldest first."""
    prior = [Picture(image, "earlier observation") for image in given.prior_images or ()]
    return prior if given.image is None else [*prior, Picture(given.image, "observation")]


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
