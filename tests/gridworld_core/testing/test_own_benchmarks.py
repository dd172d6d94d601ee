"""Our task suites are tested by the kit that others test theirs by."""

import pytest

from gridworld.testing import BenchmarkConformance

pytestmark = pytest.mark.lengthy


class TestValidation10(BenchmarkConformance):
    benchmark = "validation_10"


class TestTiers(BenchmarkConformance):
    benchmark = "tiers"
