"""What processes that work for this one have in common."""

import signal

import pytest

from gridworld.errors import PluginFault, UnknownNameError
from gridworld.plugins import load_registry, using_registry
from multinet_eval.worker_processes import PROCESSES, disabled_plugins, portable, shielded


class Unsendable(Exception):
    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"{one} {other}")


def blocked() -> set[int]:
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, ()))


def test_sigint_is_kept_from_processes_that_are_started_in_a_shield() -> None:
    before = blocked()
    with shielded():
        process = PROCESSES.Process(target=signal.raise_signal, args=(signal.SIGINT,))
        process.start()
    process.join()
    assert process.exitcode == 0
    assert blocked() == before


def test_sigint_that_comes_to_a_shield_is_delivered_afterwards() -> None:
    reached = []
    with pytest.raises(KeyboardInterrupt), shielded():
        reached.append(signal.raise_signal(signal.SIGINT))
    assert reached == [None]


def test_disabled_plugins_are_told_by_their_whole_names() -> None:
    with using_registry(load_registry(["gridworld-minigrid"])):
        assert disabled_plugins() == ("gridworld-minigrid/minigrid",)
    with using_registry(load_registry()):
        assert disabled_plugins() == ()


def test_an_error_is_sent_as_it_is_if_that_can_be() -> None:
    error = UnknownNameError("tiling", "hexx", ["hex"])
    assert portable(error) is error
    sent = portable(Unsendable("two", "words"))
    assert isinstance(sent, PluginFault)
    assert str(sent) == "Unsendable in a worker: two words"
