from gridworld.hookspecs import BenchmarkInfo

FIRST_DOORS = BenchmarkInfo("first_doors", "Doors.", package=__name__, folder="tasks")
