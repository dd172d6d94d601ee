"""What this distribution provides."""

from gridworld.hookspecs import BenchmarkInfo, hookimpl


@hookimpl
def gridworld_benchmarks() -> list[BenchmarkInfo]:
    return [BenchmarkInfo("three_rooms", "Three tasks.", package="gridworld_example_suite", folder="tasks")]
