"""What this distribution provides."""

from gridworld.hookspecs import BackendInfo, hookimpl


@hookimpl
def gridworld_backends() -> list[BackendInfo]:
    return [BackendInfo("text", "Shows tasks as text.", "gridworld_example_text_backend.backend:TextBackend")]
