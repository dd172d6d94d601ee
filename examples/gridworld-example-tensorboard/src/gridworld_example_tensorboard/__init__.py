"""An observer that logs runs to TensorBoard."""

from gridworld.hookspecs import ObserverInfo

TENSORBOARD = ObserverInfo("tensorboard", "Writes scalars for TensorBoard.", f"{__name__}.observer:TensorBoardObserver")
