"""What this distribution provides."""

from gridworld.hookspecs import ObserverInfo, hookimpl


@hookimpl
def gridworld_observers() -> list[ObserverInfo]:
    return [ObserverInfo("mlflow", "Tracks runs in MLflow.", "gridworld_example_mlflow.observer:MLflowObserver")]
