"""An observer that logs runs to MLflow."""

from gridworld.hookspecs import ObserverInfo

MLFLOW = ObserverInfo("mlflow", "Tracks runs in MLflow.", f"{__name__}.observer:MLflowObserver")
