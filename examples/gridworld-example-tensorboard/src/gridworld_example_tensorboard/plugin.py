"""What this distribution provides."""

from gridworld.hookspecs import ObserverInfo, hookimpl


@hookimpl
def gridworld_observers() -> list[ObserverInfo]:
    return [
        ObserverInfo(
            "tensorboard",
            "Writes scalars for TensorBoard.",
            "gridworld_example_tensorboard.observer:TensorBoardObserver",
        )
    ]
