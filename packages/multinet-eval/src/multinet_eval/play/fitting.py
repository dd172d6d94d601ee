"""Whether a model, a backend and what the model is to be given fit together."""

from __future__ import annotations

from gridworld.backends.base import AbstractGridBackend
from gridworld.backends.kernel import DEFAULT_MISSION, KernelBackend, MissionMode
from gridworld.errors import ArgumentError
from gridworld.model_interface import ModelInterface, OracleInterface, PromptedModel, ReplyForm
from gridworld.plugins.faults import backend_name, blaming
from gridworld.runner.presentation import Presentation
from gridworld.runner.rollout import Question, check_observable, kernel_of

__all__ = ["check_fit", "check_picture", "choose_mission", "kernel_for_oracle"]


def check_fit(
    model: ModelInterface, backend: AbstractGridBackend, presentation: Presentation, reply: ReplyForm
) -> None:
    """Make sure that a model can be asked on a backend.

    Args:
        model: is asked.
        backend: where it plays.
        presentation: what it is given at each step.
        reply: the form of the replies that are asked for.

    Raises:
        ArgumentError: the model cannot reply so, or is an oracle on a backend without a kernel; or the backend cannot
            be observed as the presentation has it.
        PluginFault: the model failed to say what it can reply.
    """
    owner = f"model '{model.model_name}'"
    with blaming(owner, "when it was asked what it can reply"):
        can_reply = model.can_reply(presentation.form_of(reply))
    if not can_reply:
        raise ArgumentError(
            f"{owner} replies with a single action and nothing else: play it with the protocol "
            "'step' and without notes, which all models can"
        )
    check_observable(backend, presentation)
    if isinstance(model, OracleInterface):
        kernel_for_oracle(model, backend)


def kernel_for_oracle(model: OracleInterface, backend: AbstractGridBackend) -> KernelBackend:
    """The backend whose compiled task an oracle looks into.

    Raises:
        ArgumentError: the backend is not built on the kernel.
    """
    kernel = kernel_of(backend)
    if kernel is None:
        raise ArgumentError(
            f"model '{model.model_name}' reads the compiled task, which only backends built on the kernel have; "
            f"{backend_name(backend.name)} is not"
        )
    return kernel


def choose_mission(backend: AbstractGridBackend, mission: MissionMode) -> None:
    """Let the missions of a backend be of a kind.

    Raises:
        ArgumentError: it is not the one that every backend has, and the backend is not built on the kernel.
        ValueError: there is no such kind.
    """
    kernel = kernel_of(backend)
    if kernel is not None:
        kernel.mission = mission
    elif mission != DEFAULT_MISSION:
        raise ArgumentError(f"{backend_name(backend.name)} has only its own mission: it is not built on the kernel")


def check_picture(
    model: ModelInterface, backend: AbstractGridBackend, presentation: Presentation, question: Question
) -> None:
    """Make sure that a question has the picture that a model wants.

    Baselines and models of other kinds can do without a picture; those with a prompt cannot.

    Raises:
        ArgumentError: it has none.
    """
    if not presentation.format.image or question.input.image is not None:
        return
    if isinstance(model, PromptedModel):
        raise ArgumentError(
            f"{backend_name(backend.name)} observes nothing (is its render_mode 'none'?), expected an RGB picture: "
            "play on another backend, or with the observation 'text'"
        )
