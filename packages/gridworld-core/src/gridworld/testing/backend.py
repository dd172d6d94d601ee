"""`BackendConformance`: the checks that a backend must pass."""

from __future__ import annotations

import inspect
from typing import Any

from gridworld.backends.base import AbstractGridBackend
from gridworld.backends.kernel import KernelBackend
from gridworld.errors import GridworldError
from gridworld.hookspecs import BackendInfo
from gridworld.testing.backend_contract import ContractChecks
from gridworld.testing.backend_kernel import KernelChecks
from gridworld.testing.conformance import NotConforming, checks_of, loaded

__all__ = ["BackendConformance"]

BEYOND_THE_CONTRACT = tuple(name for name in checks_of(KernelChecks) if name not in checks_of(ContractChecks))


class BackendConformance(KernelChecks):
    """The checks of a backend, to be subclassed in its author's tests.

        class TestTextBackend(BackendConformance):
            backend = TextBackend
            arguments = {"width": 80}

    A `KernelBackend` is checked against the contract and against the kernel. A backend around another simulator is
    checked against the contract only; the subclass skips the other checks. A backend that refuses the kit's own tasks
    needs others:

        class TestWarehouse(BackendConformance):
            backend = WarehouseBackend
            tasks = (LOCKED, AJAR)
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if _is_foreign(cls):
            for name in BEYOND_THE_CONTRACT:
                setattr(cls, name, None)


def _is_foreign(kit: type[BackendConformance]) -> bool:
    """Whether a kit tests a backend that is not built on the kernel.

    False if the backend cannot be resolved or made: the checks themselves report why.
    """
    try:
        given = kit().resolve()
        made_by = loaded(given.target) if isinstance(given, BackendInfo) else given
        kind = made_by if inspect.isclass(made_by) else type(kit().make())
    except (GridworldError, NotConforming):
        return False
    return issubclass(kind, AbstractGridBackend) and not issubclass(kind, KernelBackend)
