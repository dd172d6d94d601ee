"""A suite of three tasks."""

from gridworld.hookspecs import BenchmarkInfo

THREE_ROOMS = BenchmarkInfo("three_rooms", "Three tasks.", package=__name__, folder="tasks")
