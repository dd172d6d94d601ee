"""Our task suites are tested by the kit that others test theirs by."""

import pytest

from gridworld.testing import BenchmarkConformance


class TestValidation10(BenchmarkConformance):
    benchmark = "validation_10"


@pytest.mark.thorough  # solves them all, as the tests of the suite do once more
class TestTiers(BenchmarkConformance):
    benchmark = "tiers"
