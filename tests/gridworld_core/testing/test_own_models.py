"""Our baselines are tested by the kit that others test their models by."""

from gridworld.model_interface import RandomModelInterface
from gridworld.testing import ModelConformance


class TestRandom(ModelConformance):
    model = "random"


class TestRandomWithAnotherSeed(ModelConformance):
    model = RandomModelInterface
    arguments = {"seed": 3}  # noqa: RUF012 (as authors write it)


class TestGreedy(ModelConformance):
    model = "greedy"


class TestOptimal(ModelConformance):
    model = "optimal"
