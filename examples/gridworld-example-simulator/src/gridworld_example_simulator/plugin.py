"""What this distribution provides."""

from gridworld.hookspecs import BackendInfo, hookimpl


@hookimpl
def gridworld_backends() -> list[BackendInfo]:
    summary = "A robot in a warehouse, with rules of its own."
    return [BackendInfo("warehouse", summary, "gridworld_example_simulator.backend:WarehouseBackend")]
